/**
 * Answers as each wire streams them: the same things said in the bytes of every provider.
 *
 * What a provider seals is sealed as the simulated one does it, so that a request which brings it
 * back is genuine. Every seal is remembered: it may stand in requests to its own target alone.
 */
import { sealReasoning, sealRedacted, sealThought, signThinking } from "@holdfast/provider-sim/signature"
import * as bedrock from "../../../packages/llm/test/fixtures/bedrock.ts"
import * as chat from "../../../packages/llm/test/fixtures/chat.ts"
import * as gemini from "../../../packages/llm/test/fixtures/gemini.ts"
import * as responses from "../../../packages/llm/test/fixtures/responses.ts"
import * as anthropic from "../../../packages/llm/test/fixtures/streams.ts"

export type Said =
  | { readonly kind: "thought"; readonly text: string; readonly sealed: boolean }
  /** A thought that nobody may read. */
  | { readonly kind: "secret" }
  | { readonly kind: "text"; readonly text: string; readonly sealed: boolean }
  /** `args` is JSON, or what the output limit left of it. */
  | { readonly kind: "call"; readonly name: string; readonly args: string }
  /** A tool of the provider's own: what it was asked and what came of it. */
  | { readonly kind: "hosted"; readonly words: string }

/** Who answers, and every seal that was given out. */
interface Issuer {
  readonly model: string
  /** Chat servers that show their thoughts mark their calls, too; the original does neither. */
  readonly shows: boolean
  /** A name that nobody else has. */
  readonly unique: (prefix: string) => string
  /** Remembers a seal. */
  readonly issue: (seal: string) => string
}

export interface AnswerStream {
  readonly contentType: string
  readonly write: (said: readonly Said[], issuer: Issuer) => Buffer
}

type Write = (said: Said, index: number, issuer: Issuer) => readonly (string | Buffer)[]

/** What was said in two pieces, which may part a pair of surrogates. */
const halves = (text: string): readonly [string, string] => {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

const both = <A>(text: string, delta: (piece: string) => A): readonly A[] => halves(text).map(delta)

/** Each thing said takes one or two places in an answer. */
const framesOf = (said: readonly Said[], issuer: Issuer, write: Write): readonly Buffer[] => {
  let index = 0
  return said.flatMap((one) => {
    if (one.kind === "hosted") issuer.issue(one.words)
    const frames = write(one, index, issuer)
    index += one.kind === "hosted" ? 2 : 1
    return frames.map((frame) => Buffer.from(frame))
  })
}

const stream = (
  contentType: string,
  write: Write,
  around: (said: readonly Said[]) => readonly [before: string | Buffer, after: string | Buffer],
): AnswerStream => ({
  contentType,
  write: (said, issuer) => {
    const [before, after] = around(said)
    return Buffer.concat([Buffer.from(before), ...framesOf(said, issuer, write), Buffer.from(after)])
  },
})

const calls = (said: readonly Said[]): boolean => said.some(({ kind }) => kind === "call")

const sse = "text/event-stream"

const anthropicMessages = stream(
  sse,
  (said, index, issuer) => {
    const { blockDelta, blockStart, blockStop } = anthropic
    const block = (start: object, deltas: readonly object[] = []) => [
      blockStart(index, start),
      ...deltas.map((delta) => blockDelta(index, delta)),
      blockStop(index),
    ]
    switch (said.kind) {
      case "thought": {
        const signature = said.sealed ? issuer.issue(signThinking(issuer.model, said.text)) : ""
        return block({ type: "thinking", thinking: "", signature: "" }, [
          ...both(said.text, (thinking) => ({ type: "thinking_delta", thinking })),
          ...(said.sealed ? [{ type: "signature_delta", signature }] : []),
        ])
      }
      case "secret": {
        const nonce = issuer.unique("n").replaceAll("_", "-")
        return block({ type: "redacted_thinking", data: issuer.issue(sealRedacted(issuer.model, nonce)) })
      }
      case "text":
        return block(
          { type: "text", text: "" },
          both(said.text, (text) => ({ type: "text_delta", text })),
        )
      case "call":
        return block(
          { type: "tool_use", id: issuer.unique("toolu"), name: said.name, input: {} },
          both(said.args, (partial_json) => ({ type: "input_json_delta", partial_json })),
        )
      case "hosted": {
        const id = issuer.issue(issuer.unique("srvtoolu"))
        const found = { type: "web_search_tool_result", tool_use_id: id, content: [{ title: said.words }] }
        return [
          ...block({ type: "server_tool_use", id, name: "web_search", input: {} }, [
            { type: "input_json_delta", partial_json: '{"query":"x"}' },
          ]),
          blockStart(index + 1, found),
          blockStop(index + 1),
        ]
      }
    }
  },
  (said) => [
    anthropic.messageStart,
    anthropic.messageDelta(calls(said) ? "tool_use" : "end_turn") + anthropic.messageStop,
  ],
)

const openaiResponses = stream(
  sse,
  (said, index, issuer) => {
    const { added, callItem, delta, done } = responses
    switch (said.kind) {
      case "thought":
      case "secret": {
        const text = said.kind === "thought" ? said.text : ""
        const id = issuer.issue(issuer.unique("rs"))
        const sealed = said.kind === "secret" || said.sealed
        const encrypted = sealed
          ? { encrypted_content: issuer.issue(sealReasoning(issuer.unique("nonce"))) }
          : {}
        const summary = text === "" ? [] : [{ type: "summary_text", text }]
        return [
          added(index, { type: "reasoning", id, summary: [] }),
          ...both(text, (piece) => delta("reasoning_summary_text", index, piece, { summary_index: 0 })),
          done(index, { type: "reasoning", id, summary, ...encrypted }),
        ]
      }
      case "text": {
        const id = issuer.issue(issuer.unique("msg"))
        const item = { type: "message", id, role: "assistant", phase: said.sealed ? "commentary" : "" }
        return [
          added(index, { ...item, content: [] }),
          ...both(said.text, (piece) => delta("output_text", index, piece)),
          done(index, { ...item, content: [{ type: "output_text", text: said.text, annotations: [] }] }),
        ]
      }
      case "call": {
        const [id, call] = [issuer.issue(issuer.unique("fc")), issuer.unique("call")]
        return [
          added(index, callItem(id, call, "", { name: said.name, status: "in_progress" })),
          ...both(said.args, (piece) => delta("function_call_arguments", index, piece)),
          done(index, callItem(id, call, said.args, { name: said.name })),
        ]
      }
      case "hosted": {
        const id = issuer.issue(issuer.unique("ws"))
        const item = { type: "web_search_call", id, status: "completed" }
        return [
          added(index, { ...item, status: "in_progress" }),
          done(index, { ...item, action: { type: "search", query: said.words } }),
        ]
      }
    }
  },
  () => [responses.created, responses.completed()],
)

const openaiChat = stream(
  sse,
  (said, index, issuer) => {
    const { call, delta } = chat
    switch (said.kind) {
      case "thought": {
        if (!issuer.shows) return []
        const detail = { type: "reasoning.text", index, signature: issuer.issue(issuer.unique("seal")) }
        return both(said.text, (text) =>
          delta(
            said.sealed ? { reasoning: text, reasoning_details: [{ ...detail, text }] } : { reasoning: text },
          ),
        )
      }
      case "secret": {
        if (!issuer.shows) return []
        const data = issuer.issue(issuer.unique("sealed"))
        return [delta({ reasoning_details: [{ type: "reasoning.encrypted", index, data }] })]
      }
      case "text":
        return both(said.text, (content) => delta({ content }))
      case "call": {
        const [first, second] = halves(said.args)
        const mark = issuer.shows ? { extra_content: { mark: issuer.issue(issuer.unique("mark")) } } : {}
        return [
          delta({ tool_calls: [{ ...call(index, issuer.unique("call"), said.name, first), ...mark }] }),
          delta({ tool_calls: [call(index, undefined, undefined, second)] }),
        ]
      }
      // Nothing on this wire tells of a tool of the provider's own.
      case "hosted":
        return []
    }
  },
  (said) => [
    chat.delta({ role: "assistant", content: "" }),
    chat.finish(calls(said) ? "tool_calls" : "stop") + chat.done,
  ],
)

const geminiStream = stream(
  sse,
  (said, _, issuer) => {
    const { call, parts } = gemini
    const thoughtSignature = issuer.issue(sealThought(issuer.model))
    switch (said.kind) {
      case "thought":
        return both(said.text, (text) => parts([{ thought: true, text }]))
      case "secret":
        return [parts([{ text: "", thoughtSignature }])]
      case "text":
        return said.sealed
          ? [parts([{ text: said.text, thoughtSignature }])]
          : both(said.text, (text) => parts([{ text }]))
      case "call": {
        const id = issuer.issue(issuer.unique("fc"))
        return [parts([{ ...call(said.name, argsObject(said.args), { id }), thoughtSignature }])]
      }
      case "hosted":
        return [
          parts([{ executableCode: { language: "PYTHON", code: said.words } }]),
          parts([{ codeExecutionResult: { outcome: "OUTCOME_OK", output: said.words } }]),
        ]
    }
  },
  () => ["", gemini.finish("STOP")],
)

/** This provider sends arguments as values, never in pieces. */
function argsObject(args: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(args) as Readonly<Record<string, unknown>>
  } catch {
    // Arguments that an output limit cut: here there is nothing in between.
    return {}
  }
}

const bedrockConverse = stream(
  "application/vnd.amazon.eventstream",
  (said, index, issuer) => {
    const { delta, input, reasoning, start, stop, text } = bedrock
    switch (said.kind) {
      case "thought": {
        const signature = issuer.issue(signThinking(issuer.model, said.text))
        return [
          ...both(said.text, (piece) => reasoning(index, { text: piece })),
          ...(said.sealed ? [reasoning(index, { signature })] : []),
          stop(index),
        ]
      }
      case "secret": {
        const redactedContent = issuer.issue(Buffer.from(issuer.unique("sealed")).toString("base64"))
        return [reasoning(index, { redactedContent }), stop(index)]
      }
      case "text":
        return [...both(said.text, (piece) => text(index, piece)), stop(index)]
      case "call": {
        const toolUse = { toolUseId: issuer.unique("tooluse"), name: said.name }
        return [start(index, { toolUse }), ...both(said.args, (piece) => input(index, piece)), stop(index)]
      }
      case "hosted": {
        const toolUseId = issuer.issue(issuer.unique("srv"))
        const result = { toolUseId, type: "nova_grounding_result", status: "success" }
        return [
          start(index, { toolUse: { toolUseId, name: "nova_grounding", type: "server_tool_use" } }),
          input(index, '{"q":"x"}'),
          stop(index),
          start(index + 1, { toolResult: result }),
          delta(index + 1, { toolResult: [{ text: said.words }] }),
          stop(index + 1),
        ]
      }
    }
  },
  (said) => [
    bedrock.begin,
    Buffer.concat([bedrock.end(calls(said) ? "tool_use" : "end_turn"), bedrock.metadata]),
  ],
)

const line = (part: object): string => `${JSON.stringify(part)}\n`

const aiSdk = stream(
  "application/jsonl",
  (said, index, issuer) => {
    const id = String(index)
    const providerMetadata = () => ({ mine: { seal: issuer.issue(issuer.unique("seal")) } })
    const worded = (kind: string, text: string, sealed: boolean) => [
      line({ type: `${kind}-start`, id }),
      ...both(text, (delta) => line({ type: `${kind}-delta`, id, delta })),
      line({ type: `${kind}-end`, id, ...(sealed ? { providerMetadata: providerMetadata() } : {}) }),
    ]
    switch (said.kind) {
      case "thought":
        return worded("reasoning", said.text, said.sealed)
      case "secret":
        return worded("reasoning", "", true)
      case "text":
        return worded("text", said.text, said.sealed)
      case "call": {
        const toolCallId = issuer.issue(issuer.unique("tc"))
        return [
          line({ type: "tool-input-start", id: toolCallId, toolName: said.name }),
          line({ type: "tool-call", toolCallId, toolName: said.name, input: said.args }),
        ]
      }
      case "hosted": {
        const tool = { toolCallId: issuer.issue(issuer.unique("hosted")), toolName: "search" }
        return [
          line({ type: "tool-call", ...tool, input: '{"q":1}', providerExecuted: true }),
          line({ type: "tool-result", ...tool, result: [said.words] }),
        ]
      }
    }
  },
  (said) => [
    line({ type: "response-metadata", id: "resp_1" }),
    line({ type: "finish", finishReason: { unified: calls(said) ? "tool-calls" : "stop" }, usage: {} }),
  ],
)

/** By wire. */
export const answerStreams: Readonly<Record<string, AnswerStream>> = {
  "anthropic-messages": anthropicMessages,
  "openai-responses": openaiResponses,
  "openai-chat": openaiChat,
  gemini: geminiStream,
  "bedrock-converse": bedrockConverse,
  "ai-sdk": aiSdk,
}
