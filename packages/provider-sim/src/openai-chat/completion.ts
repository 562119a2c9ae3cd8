/**
 * Completion: a reply turned into the one choice that goes over the wire.
 *
 * Streamed and whole answers are made from the same value, so they cannot disagree.
 */
import { digestOf, fitReply } from "../answer.ts"
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { ChatDialect, Reply } from "../model.ts"
import type { PrefixMeasure } from "../prefix-cache.ts"
import { hasBreakpoints } from "../openai/prompt.ts"
import type { Accepted } from "../sim-wire.ts"
import { outputLimitOf } from "./body.ts"
import type { ChatBody } from "./body.ts"
import { answerIdOf, callIdOf, headOf, thinkingFields, usageOf } from "./dialect.ts"

export interface CompletionCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface CompletionAnswer {
  readonly body: ChatBody
  readonly dialect: ChatDialect
  readonly id: string
  readonly created: number
  readonly requestId: string
  readonly thinking: string
  readonly text: string
  readonly calls: readonly CompletionCall[]
  readonly finishReason: string
  readonly outputTokens: number
  readonly thinkingTokens: number
  readonly measure: PrefixMeasure
  readonly writesReported: boolean
}

/** documented: what the words of a reply are called here. */
const finishReasons: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
}

export function buildCompletion(
  accepted: Accepted<ChatBody>,
  reply: Reply,
  measure: PrefixMeasure,
): CompletionAnswer {
  const { body, name, model, dialect, sequence, nowMs, outputMax, requestId } = accepted
  const fitted = fitReply(reply, outputLimitOf(body) ?? outputMax)
  const mark = digestOf(sequence, body)
  const created = Math.floor(nowMs / 1_000)
  const texts = (type: "text" | "thinking") =>
    fitted.blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join("\n\n")
  const calls = fitted.blocks.flatMap((block, index) => {
    if (block.type !== "tool_use") return []
    const id = block.id ?? callIdOf(dialect, `${mark}${index}`)
    return [{ id, name: block.name, arguments: JSON.stringify(block.input) }]
  })
  // recorded: a call that was demanded by name ends with `stop`, on OpenAI's own servers.
  const isDemanded = dialect === "openai" && isObject(body.tool_choice)
  const isUsual = reply.stopReason === undefined && fitted.stopReason === "tool_use"
  const reason = isDemanded && isUsual ? "end_turn" : fitted.stopReason
  return {
    body,
    dialect,
    id: answerIdOf(dialect, mark, created),
    created,
    requestId,
    thinking: texts("thinking"),
    text: texts("text"),
    calls,
    finishReason: finishReasons[reason] ?? reason,
    outputTokens: fitted.outputTokens,
    thinkingTokens: fitted.thinkingTokens,
    measure,
    writesReported: hasBreakpoints(name, model),
  }
}

/** documented: the body of an answer that is not streamed. */
export function wholeCompletion(answer: CompletionAnswer): JsonObject {
  const { dialect, finishReason } = answer
  const message = {
    role: "assistant",
    content: answer.text === "" && answer.calls.length > 0 ? null : answer.text,
    ...thinkingFields(dialect, answer.thinking),
    ...(answer.calls.length === 0 ? {} : { tool_calls: answer.calls.map(callObject) }),
    ...(dialect === "openai" ? { refusal: null, annotations: [] } : {}),
  }
  const end =
    dialect === "openrouter"
      ? { finish_reason: finishReason, native_finish_reason: finishReason }
      : { logprobs: null, finish_reason: finishReason }
  return {
    ...headOf(answer, "chat.completion"),
    choices: [{ index: 0, message, ...end }],
    usage: usageOf(answer),
  }
}

export function callObject(call: CompletionCall) {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } } as const
}
