/**
 * context_reduce: the model drops what it needs no more, by tags (TL4, TG1).
 *
 * Nothing changes at once: what is asked for waits with the Session until the prefix breaks anyway (PS4),
 * and what is dropped stays stored (TG4).
 */
import { Effect, Schema } from "effect"
import { expandToolName, reduceToolName } from "@holdfast/recall"
import { defineTool, ToolFailure } from "../tool.ts"

export const reduceTool = defineTool({
  name: reduceToolName,
  description: `Drops messages, images and tool outputs that you need no more, by the numbers between § signs that stand beside them. They leave your window later, at a moment that costs nothing extra; all of it stays stored, and ${expandToolName} still shows it.`,
  inputSchema: {
    type: "object",
    properties: {
      drop: {
        type: "string",
        minLength: 1,
        description: "Numbers and ranges, such as 12-40 or 7,9.01,12-40.",
      },
    },
    required: ["drop"],
    additionalProperties: false,
  },
  repeatable: true,
  readOnly: true,
  input: Schema.Struct({ drop: Schema.NonEmptyString }),
  run: Effect.fnUntraced(function* ({ drop }, { history }) {
    if (history === undefined)
      return yield* new ToolFailure({ code: "unavailable", message: "Error: the window is not known here." })
    const asked = yield* history.drop(drop)
    return asked.kind === "queued"
      ? { text: asked.text }
      : yield* new ToolFailure({ code: "no_such_tag", message: asked.text })
  }),
})
