/**
 * Frames of the wires' fixtures as answers, for what the simulated provider does not say. They are
 * documented, but for unknown events, which are assumed.
 */
import type { SimResponse } from "@holdfast/provider-sim"
import * as bedrock from "../../packages/llm/test/fixtures/bedrock.ts"
import * as chat from "../../packages/llm/test/fixtures/chat.ts"
import * as gemini from "../../packages/llm/test/fixtures/gemini.ts"
import * as responses from "../../packages/llm/test/fixtures/responses.ts"
import * as anthropic from "../../packages/llm/test/fixtures/streams.ts"
import type { WireName } from "./scenarios.ts"

export type FramedScenario = "hosted tool" | "refusal" | "length stop" | "unknown event"

/** A tool that the provider ran, call and result, as the provider wants them back (LL8). */
const anthropicSearch = [
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "weather" } },
  {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ type: "web_search_result", url: "https://x.example", encrypted_content: "c2Vh" }],
  },
] as const
const geminiCode = [
  { executableCode: { language: "PYTHON", code: "print(1)" } },
  { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
] as const
const bedrockSearch = [
  { toolUse: { toolUseId: "srv-1", name: "nova_grounding", type: "server_tool_use", input: { q: "x" } } },
  {
    toolResult: {
      toolUseId: "srv-1",
      type: "nova_grounding_result",
      status: "success",
      content: [{ text: "found" }],
    },
  },
] as const

/** What the next request must hold of a tool that the provider ran; the words of its answer. */
export const hostedBlocks: Readonly<Partial<Record<WireName, readonly object[]>>> = {
  "anthropic-messages": anthropicSearch,
  "openai-responses": [responses.searchItem],
  gemini: geminiCode,
  "bedrock-converse": bedrockSearch,
}

/** Text and stop of an Anthropic answer from block `at` on. */
const anthropicEnd = (at: number, text: string) => [
  anthropic.blockStart(at, { type: "text", text: "" }),
  anthropic.blockDelta(at, { type: "text_delta", text }),
  anthropic.blockStop(at),
  anthropic.messageDelta("end_turn"),
  anthropic.messageStop,
]
const responsesMessage = { type: "message", id: "msg_1", role: "assistant" }

const frames: Readonly<Record<FramedScenario, Readonly<Partial<Record<WireName, string | Uint8Array>>>>> = {
  "hosted tool": {
    "anthropic-messages": [
      anthropic.messageStart,
      anthropic.blockStart(0, { ...anthropicSearch[0], input: {} }),
      anthropic.blockDelta(0, { type: "input_json_delta", partial_json: '{"query":' }),
      anthropic.blockDelta(0, { type: "input_json_delta", partial_json: '"weather"}' }),
      anthropic.blockStop(0),
      anthropic.blockStart(1, anthropicSearch[1]),
      anthropic.blockStop(1),
      ...anthropicEnd(2, "It is so."),
    ].join(""),
    "openai-responses": [
      responses.created,
      responses.added(0, { type: "web_search_call", id: "ws_1", status: "in_progress" }),
      responses.event("response.web_search_call.searching", { output_index: 0 }),
      responses.done(0, responses.searchItem),
      responses.added(1, { ...responsesMessage, content: [] }),
      responses.delta("output_text", 1, "It is so."),
      responses.done(1, {
        ...responsesMessage,
        content: [{ type: "output_text", text: "It is so.", annotations: [] }],
      }),
      responses.completed(),
    ].join(""),
    gemini: [
      gemini.parts([geminiCode[0]]),
      gemini.parts([geminiCode[1]]),
      gemini.finish("STOP", [{ text: "It is so." }]),
    ].join(""),
    "bedrock-converse": bedrock.searchStream,
  },
  refusal: {
    "openai-responses": responses.refusalStream,
    "openai-chat": chat.refusalStream,
    gemini: gemini.blockedStream,
  },
  "length stop": {
    "openai-responses": responses.lengthStream,
    "openai-chat": chat.lengthStream,
    "bedrock-converse": bedrock.lengthStream,
  },
  "unknown event": {
    "anthropic-messages": anthropic.strangeStream,
    "openai-responses": responses.strangeStream,
    "openai-chat": chat.strangeStream,
    gemini: gemini.strangeStream,
    "bedrock-converse": bedrock.strangeStream,
  },
}

/** The answer that the fixtures have for a cell. */
export function framedAnswer(scenario: FramedScenario, wire: WireName): SimResponse {
  const given = frames[scenario][wire]
  if (given === undefined) throw new Error(`There are no frames of ${scenario} for ${wire}.`)
  const type = wire === "bedrock-converse" ? "application/vnd.amazon.eventstream" : "text/event-stream"
  return {
    status: 200,
    headers: { "content-type": type },
    headersAfterMs: 0,
    frames: [{ kind: "bytes", afterMs: 0, bytes: Buffer.from(given) }],
  }
}
