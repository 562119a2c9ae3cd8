/**
 * Guards for failures. They look at the tag alone, so a failure from another copy of the package
 * is recognised too; `instanceof` would not.
 */
import type { HoldfastFailure } from "@holdfast/schema/error"
import type { LiveOverrun } from "./live-overrun.ts"
import type { ClientError } from "./network/client-error.ts"

export type Failure = HoldfastFailure | LiveOverrun | ClientError
export type FailureTag = Failure["_tag"]

/** Every tag that a method of Holdfast rejects with. */
const failureTags: Record<FailureTag, true> = {
  SessionNotFound: true,
  MessageNotFound: true,
  ImageNotFound: true,
  TurnNotFound: true,
  PromptNotFound: true,
  PromptConflict: true,
  PromptNotPending: true,
  PromptRefused: true,
  InvalidId: true,
  InvalidCursor: true,
  InvalidRequest: true,
  LocationMissing: true,
  ModelNotFound: true,
  NothingOwed: true,
  ConfigurationInvalid: true,
  PtyNotFound: true,
  PtyRefused: true,
  PtyEnded: true,
  PtyUnavailable: true,
  StoreFailure: true,
  LeaseLost: true,
  DrainInterrupted: true,
  LiveOverrun: true,
  ClientError: true,
}

/** Whether a caught value is a failure of Holdfast: any, or the one with this tag. */
export function isFailure<T extends FailureTag = FailureTag>(
  caught: unknown,
  tag?: T,
): caught is Extract<Failure, { readonly _tag: T }> {
  if (typeof caught !== "object" || caught === null || !("_tag" in caught)) return false
  const found = caught._tag
  if (typeof found !== "string" || !Object.hasOwn(failureTags, found)) return false
  return tag === undefined || found === tag
}
