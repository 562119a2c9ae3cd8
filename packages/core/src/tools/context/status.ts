/** context_status: tells the model how full its window is, and how far the next cut (TL4). */
import { Effect, Schema } from "effect"
import { defineTool, ToolFailure } from "../tool.ts"
import type { WindowStatus } from "./session-history.ts"

export const statusTool = defineTool({
  name: "context_status",
  description:
    "Tells how full your window is, how much may be added before older messages are summarised, and which parts of the history stand for what is not shown.",
  inputSchema: { type: "object", properties: {}, required: [], additionalProperties: false },
  repeatable: true,
  readOnly: true,
  input: Schema.Struct({}),
  run: Effect.fnUntraced(function* (_, { history }) {
    if (history === undefined)
      return yield* new ToolFailure({ code: "unavailable", message: "The window is not known here." })
    const status = yield* history.status
    return {
      text: statusText(status),
      structured: { ...status, parts: [...status.parts], waiting: [...status.waiting] },
    }
  }),
})

function statusText({
  model,
  contextTokens,
  outputTokens,
  usedTokens,
  leftTokens,
  threshold,
  waiting,
  parts,
}: WindowStatus): string {
  const percent = Math.round((100 * usedTokens) / Math.max(1, contextTokens - outputTokens))
  return [
    `${model} takes ${contextTokens} tokens, ${outputTokens} of them kept free for the answer.`,
    `This request has about ${usedTokens} tokens, ${percent} % of what may be sent.`,
    `About ${leftTokens} tokens more, and older messages are summarised: at ${Math.round(100 * threshold)} %.`,
    ...(waiting.length === 0
      ? []
      : [`Until then wait: ${waiting.map(({ kind, count }) => `${count} ${kind}`).join(", ")}.`]),
    parts.length === 0
      ? "All of the conversation is shown as it was."
      : `Parts of the history that stand for what is not shown: ${parts.map(partText).join("; ")}.`,
  ].join("\n")
}

function partText({ id, title, tier, archived }: WindowStatus["parts"][number]): string {
  const state = [...(archived === true ? ["archived"] : []), ...(tier === null ? ["not shown"] : [])]
  return `${id} ${title}${state.length === 0 ? "" : ` (${state.join(", ")})`}`
}
