/** Location: the directory, and its project, that a Session works in. */
import { Schema } from "effect"

export const Location = Schema.Struct({
  /** Canonical absolute path of the working directory. */
  directory: Schema.String.check(Schema.isMinLength(1)),
  /** Canonical root of the project it belongs to; the directory itself where there is no repository. */
  projectRoot: Schema.String.check(Schema.isMinLength(1)),
})
export type Location = typeof Location.Type
