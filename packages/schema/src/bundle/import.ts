/** What became of a bundle, and the forms in which a Session leaves (ST4). */
import { Schema } from "effect"
import { SessionId } from "../id.ts"
import { SessionInfo } from "../session.ts"

export const BundleFormat = Schema.Literals(["bundle", "markdown", "html"])
export type BundleFormat = typeof BundleFormat.Type

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const BundleImport = Schema.Struct({
  /**
   * `created`: it was not here. `extended`: what was here is its beginning. `same` and `older`: it brought
   * nothing. `copied`: both went on, and it is a second Session now.
   */
  change: Schema.Literals(["created", "extended", "same", "older", "copied"]),
  /** The Session that the bundle was made of. */
  source: SessionId,
  /** What it is here. */
  session: SessionInfo,
  /** What the bundle holds. */
  events: count,
  messages: count,
  calls: count,
  /** What the Session was allowed to do without asking, and its restart policy; `none` where it had nothing of it. */
  permissions: Schema.Literals(["none", "kept", "dropped"]),
  /** Events in which a known secret was masked when it was exported. */
  masked: count,
  /** Blobs that its records name and that did not come along. */
  absent: count,
})
export type BundleImport = typeof BundleImport.Type
