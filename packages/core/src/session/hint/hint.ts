/**
 * Hint: the notice that answers a call which a model wrote as text, once for each prompt.
 *
 * It stands in the commit that settles the turn, so that both are there or neither is, and the next turn
 * begins with it. It is an extra: whatever goes wrong with it is recorded, and the turn ends without (FA2).
 */
import type { Effect } from "effect"
import type { FactOf } from "@holdfast/schema/event"
import type { NoticeId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { inputFaults } from "../../tools/input-faults.ts"
import type { ToolRegistry } from "../../tools/index.ts"
import type { Answer } from "../answer.ts"
import { type CallAsText, findCallAsText } from "./call-as-text.ts"
import { extra } from "./extra.ts"

/** Where the input is longer, it is left out: a part of it would be copied as if it were whole. */
const inputUnitsMax = 2_000
const sourceStart = "call-as-text:"

/** The notice for an answer that ends in a call as text; null where there is none, or one was given before. */
export const hintFor = (answer: Answer): Effect.Effect<FactOf<"notice.admitted"> | null> =>
  extra(answer.lead, "A hint for the model", () => decide(answer))

function decide({ lead, opened, lastText, calls: { tools } }: Answer): FactOf<"notice.admitted"> | null {
  const found = findCallAsText(lastText, (name) => tools.get(name) !== undefined)
  if (found === null || isHinted(lead.loaded.state.messages)) return null
  const id = `${sourceStart}${opened.turn}`
  return {
    type: "notice.admitted",
    notice: id as NoticeId,
    source: { kind: "runtime", id },
    text: hintText(found, tools),
    delivery: "steer",
    wakes: false,
  }
}

/** Whether the model was told since somebody last spoke. */
function isHinted(messages: readonly Message[]): boolean {
  const last = messages.findLastIndex(({ kind }) => kind === "user")
  return messages
    .slice(last + 1)
    .some((message) => message.kind === "notice" && message.source.id.startsWith(sourceStart))
}

function hintText({ tool, input }: CallAsText, tools: Pick<ToolRegistry, "get">): string {
  const schema = tools.get(tool)?.inputSchema ?? {}
  const shown = input === null ? null : JSON.stringify(input)
  const faults = input === null ? [] : inputFaults(schema, input)
  const told = {
    tool,
    ...(shown !== null && shown.length <= inputUnitsMax && { input }),
    fields: Object.keys(schema["properties"] ?? {}),
    required: schema["required"] ?? [],
    ...(faults.length > 0 && { wrong: faults }),
  }
  return [
    "Your last answer ends in a tool call that is written as text, so nothing was run. Call the tool itself, by the way of calling tools that you were given, and write no call into an answer. This is what was read of it:",
    JSON.stringify(told),
    "If it was meant as an example, say so in one sentence.",
  ].join("\n")
}
