/**
 * Completion: a reply turned into the one choice that goes over the wire.
 *
 * Streamed and whole answers are made from the same value, so they cannot disagree.
 */
import { digestOf, fitReply } from "../answer/answer.ts"
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { ChatDialect, Reply } from "../model.ts"
import type { PrefixMeasure } from "../prefix-cache.ts"
import { hasBreakpoints } from "../openai/prompt.ts"
import type { Accepted } from "../sim-wire.ts"
import { outputLimitOf, stopsOf, toolsOf } from "./body.ts"
import type { ChatBody } from "./body.ts"
import { answerIdOf, callIdOf, headOf, thinkingFields, usageOf } from "./dialect.ts"

export interface CompletionCall {
  /** Of a tool that takes a text. */
  readonly isCustom: boolean
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
  /** Choices that were asked for; they are all the same. */
  readonly choices: number
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
  const fitted = fitReply(reply, outputLimitOf(body) ?? outputMax, stopsOf(body))
  const choices = body.n ?? 1
  const custom = toolsOf(body).flatMap((tool) => (tool.isCustom ? [tool.name] : []))
  const mark = digestOf(sequence, body)
  const created = Math.floor(nowMs / 1_000)
  const texts = (type: "text" | "thinking") =>
    fitted.blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join("\n\n")
  const calls = fitted.blocks.flatMap((block, index) => {
    if (block.type !== "tool_use") return []
    const id = block.id ?? callIdOf(dialect, `${mark}${index}`)
    const isCustom = custom.includes(block.name)
    const said = isCustom ? String(block.input["input"] ?? "") : JSON.stringify(block.input)
    return [{ isCustom, id, name: block.name, arguments: said }]
  })
  // recorded: a call that was demanded by name ends with `stop`, on OpenAI's own servers.
  const isDemanded = dialect === "openai" && isObject(body.tool_choice)
  const isUsual = reply.stopReason === undefined && fitted.stopReason === "tool_use"
  const reason = isDemanded && isUsual ? "end_turn" : fitted.stopReason
  const called = isOld(body) && reason === "tool_use" ? "function_call" : undefined
  return {
    body,
    dialect,
    id: answerIdOf(dialect, mark, created),
    created,
    requestId,
    thinking: texts("thinking"),
    text: texts("text"),
    calls,
    choices,
    finishReason: called ?? finishReasons[reason] ?? reason,
    outputTokens: fitted.outputTokens * choices,
    thinkingTokens: fitted.thinkingTokens * choices,
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
    ...callFields(answer),
    ...(dialect === "openai" ? { refusal: null, annotations: [] } : {}),
  }
  const end =
    dialect === "openrouter"
      ? { finish_reason: finishReason, native_finish_reason: finishReason }
      : { logprobs: null, finish_reason: finishReason }
  return {
    ...headOf(answer, "chat.completion"),
    choices: Array.from({ length: answer.choices }, (_, index) => ({ index, message, ...end })),
    usage: usageOf(answer),
  }
}

/** Whether the request asks for calls in the form of old: one, and without an id. */
export function isOld(body: ChatBody): boolean {
  return (body.functions ?? []).length > 0
}

export function callObject({ isCustom, id, name, arguments: said }: CompletionCall) {
  return isCustom
    ? ({ id, type: "custom", custom: { name, input: said } } as const)
    : ({ id, type: "function", function: { name, arguments: said } } as const)
}

function callFields({ body, calls }: CompletionAnswer): JsonObject {
  const [first] = calls
  if (first === undefined) return {}
  if (!isOld(body)) return { tool_calls: calls.map(callObject) }
  return { function_call: { name: first.name, arguments: first.arguments } }
}
