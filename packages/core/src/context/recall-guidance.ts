/** Recall guidance: what a model is told of its own history, where it has a tool to read it (BS3). */
import { Effect, Schema } from "effect"
import { make, type SystemContext } from "./system-context.ts"

/** `core/recall`. Composed into a turn whose agent may call a context tool. */
export const recallSource: SystemContext = make({
  key: "core/recall",
  codec: Schema.Literal(1),
  load: Effect.succeed(1 as const),
  baseline: () => guidance,
  update: () => guidance,
  removal: () => "The earlier parts of this conversation can no longer be expanded.",
})

const guidance =
  "When this conversation outgrows your window, its older messages are summarised before the newest ones, in parts such as c12-310 that hold messages such as #12. Nothing is lost: context_expand shows a part or a message as it was. Expand it before you rely on a detail that the summary does not show. context_status tells how full the window is."
