/** What went wrong between the two ends of a network, apart from the failures of the contract (CL2). */

export type ClientErrorReason =
  /** No answer, or one that broke off. Whether the call took effect is not known. */
  | "transport"
  /** Turned away before any endpoint: token, Host, size. `failure` is what was said. */
  | "refused"
  | "unexpected-status"
  | "unsupported-content-type"
  | "malformed-response"

export class ClientError extends Error {
  readonly _tag = "ClientError"
  override readonly name = "ClientError"
  readonly reason: ClientErrorReason
  readonly status: number | null
  /** Tag of the refusal, as `Unauthorized`. */
  readonly failure: string | null

  constructor(
    reason: ClientErrorReason,
    message: string,
    about: { readonly status?: number; readonly failure?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: about.cause })
    this.reason = reason
    this.status = about.status ?? null
    this.failure = about.failure ?? null
  }
}
