/**
 * A long text as each wire streams it: how it begins, one delta, how it ends.
 *
 * The words of a delta are those of the Anthropic stream; what stands around them is as recorded:
 * ids of their length, logprobs, obfuscation, padding, counts in each chunk, line ends.
 */
import { frame as eventFrame } from "@holdfast/provider-sim/bedrock-converse/event-stream"
import { deltaFrame, deltaText, endFrames, startFrames } from "./sse.ts"

export interface WireStream {
  readonly contentType: string
  readonly start: (inputTokens: number) => Uint8Array
  readonly delta: (at: number) => Uint8Array
  readonly end: () => Uint8Array
}

const sse = "text/event-stream; charset=utf-8"

/** recorded: letters that hide how long a delta is; short ones come with many. */
const obfuscation = (at: number): string => "VTjmFwAGgIoPfjFymS7MZa7aYf".slice(at % 13, (at % 13) + 9)

const anthropic: WireStream = {
  contentType: sse,
  start: (inputTokens) => Buffer.from(startFrames({ input_tokens: inputTokens })),
  delta: (at) => Buffer.from(deltaFrame(at)),
  end: () => Buffer.from(endFrames("end_turn")),
}

const namedFrame = (event: { readonly type: string; readonly [field: string]: unknown }): Buffer =>
  Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)

const responseId = "resp_0ea948e2f42449980069fa8aa0e4b4819ca3395b74c53c13fa"
const itemId = "msg_0ea948e2f42449980069fa8aa20e38819cbf5be70e4d02a1c7"
const item = { id: itemId, type: "message", phase: "final_answer", role: "assistant" }

const responses: WireStream = {
  contentType: sse,
  start: () =>
    Buffer.concat([
      namedFrame({
        type: "response.created",
        response: { id: responseId, object: "response", status: "in_progress", output: [] },
        sequence_number: 0,
      }),
      namedFrame({
        type: "response.output_item.added",
        item: { ...item, status: "in_progress", content: [] },
        output_index: 0,
        sequence_number: 1,
      }),
      namedFrame({
        type: "response.content_part.added",
        content_index: 0,
        item_id: itemId,
        output_index: 0,
        part: { type: "output_text", annotations: [], logprobs: [], text: "" },
        sequence_number: 2,
      }),
    ]),
  delta: (at) =>
    namedFrame({
      type: "response.output_text.delta",
      content_index: 0,
      delta: deltaText(at),
      item_id: itemId,
      logprobs: [],
      obfuscation: obfuscation(at),
      output_index: 0,
      sequence_number: at + 3,
    }),
  end: () => {
    const usage = { input_tokens: 20, input_tokens_details: { cached_tokens: 0 }, output_tokens: 100 }
    const ended = { ...item, status: "completed", content: [] }
    const response = { id: responseId, object: "response", status: "completed", output: [ended], usage }
    return Buffer.concat([
      namedFrame({ type: "response.output_item.done", item: ended, output_index: 0 }),
      namedFrame({ type: "response.completed", response }),
    ])
  },
}

const chatChunk = (choices: readonly object[], usage: object | null, at: number): Buffer =>
  Buffer.from(
    `data: ${JSON.stringify({
      id: "chatcmpl-DcLQgbFetadY4JFl0fHK0g7OYsCOL",
      object: "chat.completion.chunk",
      created: 1_778_031_210,
      model: "gpt-4o-mini-2024-07-18",
      service_tier: "default",
      system_fingerprint: "fp_57133166c6",
      choices,
      usage,
      obfuscation: obfuscation(at),
    })}\n\n`,
  )

const choice = (delta: object, finish_reason: string | null): readonly object[] => [
  { index: 0, delta, logprobs: null, finish_reason },
]

const chat: WireStream = {
  contentType: sse,
  start: () => chatChunk(choice({ role: "assistant", content: "", refusal: null }, null), null, 0),
  delta: (at) => chatChunk(choice({ content: deltaText(at) }, null), null, at),
  end: () =>
    Buffer.concat([
      chatChunk(choice({}, "stop"), null, 1),
      chatChunk([], { prompt_tokens: 22, completion_tokens: 100, total_tokens: 122 }, 2),
      Buffer.from("data: [DONE]\n\n"),
    ]),
}

/** recorded: a space behind each colon, and lines that end in CR LF; each chunk counts anew. */
function geminiChunk(text: string, output: number, finish = ""): Buffer {
  const parts = `{"parts": [{"text": ${JSON.stringify(text)}}],"role": "model"}`
  const details = '"promptTokensDetails": [{"modality": "TEXT","tokenCount": 11}],"thoughtsTokenCount": 16'
  const counts = `"promptTokenCount": 11,"candidatesTokenCount": ${output},"totalTokenCount": ${output + 27}`
  const rest = '"modelVersion": "gemini-2.5-flash","responseId": "NyTxaczMAZ-b_uMP6u--iQg"'
  const candidates = `[{"content": ${parts},${finish}"index": 0}]`
  return Buffer.from(
    `data: {"candidates": ${candidates},"usageMetadata": {${counts},${details}},${rest}}\r\n\r\n`,
  )
}

const gemini: WireStream = {
  contentType: "text/event-stream",
  start: () => geminiChunk("", 0),
  delta: (at) => geminiChunk(deltaText(at), at),
  end: () => geminiChunk("", 100, '"finishReason": "STOP",'),
}

const padding = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ01234567"

/** recorded: keys in alphabetical order, `p` for padding of any length. */
const converseFrame = (type: string, payload: object): Uint8Array =>
  eventFrame(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    JSON.stringify(payload),
  )

const bedrock: WireStream = {
  contentType: "application/vnd.amazon.eventstream",
  start: () => converseFrame("messageStart", { p: padding.slice(0, 28), role: "assistant" }),
  delta: (at) =>
    converseFrame("contentBlockDelta", {
      contentBlockIndex: 0,
      delta: { text: deltaText(at) },
      p: padding.slice(0, 4 + ((at * 7) % 56)),
    }),
  end: () =>
    Buffer.concat([
      converseFrame("contentBlockStop", { contentBlockIndex: 0, p: "abc" }),
      converseFrame("messageStop", { p: padding.slice(0, 14), stopReason: "end_turn" }),
      converseFrame("metadata", {
        metrics: { latencyMs: 306 },
        p: padding.slice(0, 46),
        usage: { inputTokens: 12, outputTokens: 100, serverToolUsage: {}, totalTokens: 112 },
      }),
    ]),
}

/** By the name of the wire. */
export const wireStreams: Readonly<Record<string, WireStream>> = {
  "anthropic-messages": anthropic,
  "openai-responses": responses,
  "openai-chat": chat,
  gemini,
  "bedrock-converse": bedrock,
}
