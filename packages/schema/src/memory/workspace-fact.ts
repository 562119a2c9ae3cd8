/**
 * What the log of a project says of the workspace that it is in (WS1): the newest of these holds. All members are
 * told when the shared categories change, and when the workspace is no more.
 */
import { Schema } from "effect"
import { memoryCategories } from "./categories.ts"
import { MemorySource } from "./memory-source.ts"

const fact = <K extends string, F extends Schema.Struct.Fields>(type: K, fields: F) =>
  Schema.Struct({
    type: Schema.Literal(type),
    source: MemorySource,
    workspace: Schema.NonEmptyString,
    ...fields,
  })

const shared = { categories: Schema.Array(Schema.Literals(memoryCategories)) }

export const workspaceShapes = [
  fact("workspace.joined", shared),
  /** Other categories are shared from here on. */
  fact("workspace.shared", shared),
  fact("workspace.left", {}),
] as const
export type WorkspaceFact = (typeof workspaceShapes)[number]["Type"]

export const isWorkspaceShape = Schema.is(Schema.Union(workspaceShapes))
