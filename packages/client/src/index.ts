/**
 * The client of Holdfast: Promises, plain values, nothing but what a browser has.
 *
 * ```ts
 * const holdfast = makeClient({ baseUrl: "http://127.0.0.1:4096", token })
 * const session = await holdfast.sessions.create({})
 * await holdfast.sessions.prompt({ sessionID: session.id, text: "Hello" })
 * for await (const event of holdfast.sessions.events({ sessionID: session.id })) console.log(event)
 * ```
 */
import { clientOver } from "./client.ts"
import type { HoldfastClient } from "./generated/holdfast-client.ts"
import { networkTransport, type NetworkOptions } from "./network.ts"

export const makeClient = (options: NetworkOptions): HoldfastClient => clientOver(networkTransport(options))

export {
  attachTerminal,
  type AttachedTerminal,
  type AttachTerminalInput,
  type AttachTerminalOptions,
  type TerminalItem,
} from "./attach-terminal.ts"
export { clientOver } from "./client.ts"
export { ClientError, type ClientErrorReason, isClientError } from "./client-error.ts"
export { everyItem, type Page, type PageInput } from "./every-item.ts"
export { follow, type FollowInput, isDeletion } from "./follow.ts"
export * from "./generated/failures.ts"
export type * from "./generated/holdfast-client.ts"
export { contractVersion } from "./generated/operations.ts"
export type * from "./generated/records.ts"
export { type AnyFailure, type FailureTag, isFailure } from "./is-failure.ts"
export { importBundle, type ImportBundleOptions } from "./bundle/import-bundle.ts"
export { mediaOf } from "./media.ts"
export type { Answer, Asked, Exchange } from "./exchange.ts"
export { type CarrierOptions, type NetworkOptions, networkTransport, transportOver } from "./network.ts"
export type { CallPart, CallRequest, FactOf, FactType, Media, Part, Verdict } from "./record-parts.ts"
export { settled } from "./settled.ts"
export type { Bytes, CallOptions, Input, Operation, Transport } from "./transport.ts"
export type { RetryOptions } from "./waits.ts"
