/** Workspaces: projects whose Sessions see each other's memories of some categories (WS1). */
import { Schema } from "effect"
import { MemoryCategory } from "./memory.ts"

export const Workspace = Schema.Struct({
  name: Schema.String,
  /** Those whose memories its members see. */
  categories: Schema.Array(MemoryCategory),
  /** The roots of its projects. */
  members: Schema.Array(Schema.String),
})
export type Workspace = typeof Workspace.Type
