/** Answers of the Anthropic wire as server-sent events, written out by hand. */
import type { Step } from "./provider-process.ts"

/** The text of a short answer: some 400 characters, like those of the peers' measurements. */
export const answerText = "The prefix holds, and the ledger names each break. ".repeat(8).trimEnd()

let messages = 0
let calls = 0

const frame = (event: { readonly type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const messageStart = (usage: Record<string, number>): string =>
  frame({
    type: "message_start",
    message: {
      id: `msg_${++messages}`,
      type: "message",
      role: "assistant",
      model: "bench",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { output_tokens: 1, ...usage },
    },
  } as { type: string })

const blockStart = (index: number, content_block: object): string =>
  frame({ type: "content_block_start", index, content_block } as { type: string })
const blockDelta = (index: number, delta: object): string =>
  frame({ type: "content_block_delta", index, delta } as { type: string })
const blockStop = (index: number): string => frame({ type: "content_block_stop", index } as { type: string })

/** The beginning of a long text, its deltas, and its end. */
export const startFrames = (usage: Record<string, number>): string =>
  messageStart(usage) + blockStart(0, { type: "text", text: "" })
export const deltaFrame = (at: number): string => blockDelta(0, { type: "text_delta", text: deltaText(at) })
/** The words of one delta, the same on every wire. */
export const deltaText = (at: number): string =>
  `${String(at).padStart(6, "0")} prefix ledger fork`.slice(0, 24)
export const endFrames = (reason: string): string => blockStop(0) + messageEnd(reason)

const messageEnd = (stop_reason: string): string =>
  frame({
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 100 },
  } as { type: string }) + frame({ type: "message_stop" })

const textPiece = 48

/** A whole answer: its text in pieces, then its calls. */
export function answerFrames(step: Step, usage: Record<string, number>): string {
  let frames = messageStart(usage)
  let index = 0
  if (step.text !== "") {
    frames += blockStart(index, { type: "text", text: "" })
    for (let at = 0; at < step.text.length; at += textPiece) {
      frames += blockDelta(index, { type: "text_delta", text: step.text.slice(at, at + textPiece) })
    }
    frames += blockStop(index++)
  }
  for (const { name, input } of step.calls ?? []) {
    const id = `toolu_${String(++calls).padStart(8, "0")}`
    frames += blockStart(index, { type: "tool_use", id, name, input: {} })
    frames += blockDelta(index, { type: "input_json_delta", partial_json: JSON.stringify(input) })
    frames += blockStop(index++)
  }
  return frames + messageEnd((step.calls ?? []).length > 0 ? "tool_use" : "end_turn")
}
