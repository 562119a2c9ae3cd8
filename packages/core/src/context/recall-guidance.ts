/** Recall guidance: what a model is told of its own history, where it has a tool to read or reduce it (BS3). */
import { Effect, Schema } from "effect"
import { make, type SystemContext } from "./system-context.ts"

export const recallKey = "core/recall"

/** The context tools that an agent may call. */
export interface RecallTools {
  readonly expands: boolean
  readonly reduces: boolean
}

/** `core/recall`. Composed into a turn whose agent may call a context tool. */
export function recallSource({ expands, reduces }: RecallTools): SystemContext {
  const guide: Guide = expands ? (reduces ? "both" : "expand") : "reduce"
  return sources[guide]
}

const guides = ["expand", "reduce", "both"] as const
type Guide = (typeof guides)[number]

const Codec = Schema.Literals(guides)

const sourceOf = (guide: Guide): SystemContext =>
  make({
    key: recallKey,
    codec: Codec,
    load: Effect.succeed(guide),
    baseline: textOf,
    update: textOf,
    removal: () => "The earlier parts of this conversation can no longer be expanded or dropped.",
  })

const expanding =
  "When this conversation outgrows your window, its older messages are summarised before the newest ones, in parts such as c12-310 that hold messages such as #12. Nothing is lost: context_expand shows a part or a message as it was. Expand it before you rely on a detail that the summary does not show. context_status tells how full the window is."
const reducing =
  "What the user says and what tools put out begins with a tag such as §12§, and an image has one of its own, such as §12.01§. The runtime writes these; never write one yourself. When you are done with an output, or it is outdated, call context_reduce with its number: it leaves your window at the next moment when that costs nothing, and [dropped §12§] stands in its place. The newest 20 stay until they are older. Drop what you are done with in groups, and never what you still need."

const textOf = (guide: Guide): string =>
  ({ expand: expanding, reduce: reducing, both: `${expanding} ${reducing}` })[guide]

const sources: Readonly<Record<Guide, SystemContext>> = {
  expand: sourceOf("expand"),
  reduce: sourceOf("reduce"),
  both: sourceOf("both"),
}
