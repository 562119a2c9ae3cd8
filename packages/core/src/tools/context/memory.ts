/**
 * context_memory: what holds for the project beyond this Session (TL4, MM1, MM3).
 *
 * It writes, updates, archives and merges; the whole memory is listed for the dreamer alone, since what is
 * known stands in the window already. What it changes reaches a window at the next break (PS4).
 */
import { Effect, Schema } from "effect"
import { memoryCategories } from "@holdfast/schema/memory/categories"
import { MemoryCategory } from "@holdfast/schema/memory/memory"
import { memoryTextMax } from "@holdfast/schema/memory/categories"
import { placeOfMemory } from "@holdfast/schema/memory/partner"
import { defineTool, notBlank, ToolFailure } from "../tool.ts"
import type { ChangedMemory, OwnChange } from "./session-memory.ts"

/** Memories that one call changes. */
const idsMax = 50

/** Its own, or that of another project of its workspace, as `m12@3` (MM3). */
const idPattern = /^m[1-9][0-9]{0,8}(@[1-9][0-9]{0,8})?$/

const Said = Schema.String.check(notBlank)

const Input = Schema.Struct({
  action: Schema.Literals(["write", "update", "archive", "merge", "list"]),
  content: Schema.optionalKey(Said),
  category: Schema.optionalKey(MemoryCategory),
  ids: Schema.optionalKey(Schema.Array(Schema.String.check(Schema.isPattern(idPattern)))),
  reason: Schema.optionalKey(Schema.NonEmptyString),
})
type Asked = typeof Input.Type

export const memoryTool = defineTool({
  name: "context_memory",
  description:
    "Keeps what holds for this project beyond this conversation: rules, architecture, constraints, configuration values, names. Write one short statement at a time, and only what the user said or what you verified. What is known of the project stands in your history with ids such as m12; update, archive or merge by them.",
  inputSchema: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["write", "update", "archive", "merge", "list"] },
      content: {
        type: "string",
        minLength: 1,
        maxLength: memoryTextMax,
        description: "The statement: for write, update and merge.",
      },
      category: {
        type: "string",
        enum: [...memoryCategories],
        description: "For write; for update and merge where it changes.",
      },
      ids: {
        type: "array",
        items: { type: "string", pattern: idPattern.source },
        maxItems: idsMax,
        description:
          "One for update, one or more for archive, two or more for merge; for write those that it takes the place of.",
      },
      reason: { type: "string", minLength: 1, description: "Why it is archived." },
    },
    required: ["action"],
    additionalProperties: false,
  },
  repeatable: false,
  input: Input,
  run: Effect.fnUntraced(function* (asked, { memory }) {
    if (memory === undefined) return yield* refused("unavailable", "Memory is not known here.")
    const of = projectIn(asked)
    if (typeof of === "string") return yield* refused("refused", of)
    const changes = changesOf(asked)
    if (typeof changes === "string") return yield* refused("invalid_input", changes)
    const made = yield* memory.change(changes, of?.partner)
    return typeof made === "string" ? yield* refused("refused", made) : { text: made.map(told).join("\n") }
  }),
})

const refused = (code: string, message: string): Effect.Effect<never, ToolFailure> =>
  Effect.fail(new ToolFailure({ code, message: `Error: ${message}` }))

/** The project of the workspace whose memories they are, or why they cannot be changed together; null for its own. */
function projectIn({ action, ids = [] }: Asked): { readonly partner: number } | string | null {
  const projects = new Set(ids.map((id) => placeOfMemory(id).project))
  const theirs = ids.filter((id) => placeOfMemory(id).project !== null).join(", ")
  if (theirs === "") return null
  if (projects.size > 1)
    return `${theirs} and the other ids are of different projects. Change those of one project at a time.`
  if (action === "write") return `${theirs} is of another project: what is written here does not replace it.`
  return { partner: [...projects][0] as number }
}

/** What is to be done, or what lacks. */
export function changesOf({
  action,
  content,
  category,
  ids = [],
  reason,
}: Asked): readonly OwnChange[] | string {
  const distinct = [...new Set(ids.map((id) => placeOfMemory(id).memory))]
  const [first] = distinct
  switch (action) {
    case "list":
      return "Only the dreamer lists all of the memory. What is known of the project stands in your history."
    case "write":
      if (content === undefined || category === undefined) return "write needs content and category."
      return [{ change: "write", category, text: content, expiresAt: null, supersedes: distinct }]
    case "update":
      if (first === undefined || distinct.length > 1) return "update needs exactly one id."
      if (content === undefined && category === undefined) return "update needs content or category."
      return [
        {
          change: "update",
          memory: first,
          ...(content !== undefined && { text: content }),
          ...(category !== undefined && { category }),
        },
      ]
    case "archive":
      if (first === undefined) return "archive needs at least one id."
      return distinct.map((memory) => ({ change: "archive", memory, reason: reason ?? null }))
    case "merge":
      if (distinct.length < 2 || content === undefined) return "merge needs at least two ids, and content."
      return [{ change: "merge", from: distinct, category: category ?? null, text: content }]
  }
}

function told({ memory: { id, category, status }, made }: ChangedMemory): string {
  switch (made) {
    case "written":
      return `Saved memory ${id} in ${category}.`
    case "seen":
      return status === "active"
        ? `Memory ${id} says the same already; it was counted.`
        : `Memory ${id} said the same and was archived or replaced; it stays so.`
    case "changed":
      return status === "active" ? `Changed memory ${id}.` : `Archived memory ${id}.`
    case "same":
      return `Memory ${id} is so already.`
  }
}
