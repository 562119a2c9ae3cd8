/** The one failure that is not the server's own word (CL2). */
import { hasTag } from "./tag.ts"

export type ClientErrorReason =
  /** The client itself was closed. */
  | { readonly kind: "closed" }
  /** The request did not arrive, or its answer broke off. */
  | { readonly kind: "transport" }
  /** An answer with a status, and no failure that the contract knows. */
  | { readonly kind: "status"; readonly status: number; readonly body: string }
  /** The answer is of another type than was asked for. */
  | { readonly kind: "content-type"; readonly contentType: string }
  /** The answer is not what it says it is. */
  | { readonly kind: "malformed" }

export class ClientError extends Error {
  readonly _tag = "ClientError"
  override readonly name = "ClientError"
  readonly reason: ClientErrorReason

  constructor(reason: ClientErrorReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}

export const isClientError = (failure: unknown): failure is ClientError => hasTag(failure, "ClientError")
