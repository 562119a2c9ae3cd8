/**
 * Response: a reply turned into the `response` object that goes over the wire.
 *
 * Streamed and whole answers are made from the same value, so they cannot disagree.
 */
import { assertDeclared, digestOf, fitReply, lettersOf } from "../answer/answer.ts"
import type { JsonObject } from "../json.ts"
import type { Reply, ReplyBlock } from "../model.ts"
import type { PrefixMeasure } from "../prefix-cache.ts"
import { hasBreakpoints, retentionOf } from "../openai/prompt.ts"
import { sealReasoning } from "../signature.ts"
import type { Accepted } from "../sim-wire.ts"
import { formatOf, wantsEncrypted } from "./body.ts"
import type { ResponsesBody, ToolItem } from "./body.ts"

export type OutputItem =
  | { readonly type: "message"; readonly id: string; readonly text: string; readonly phase?: string }
  | {
      readonly type: "function_call"
      readonly id: string
      readonly callId: string
      readonly name: string
      readonly arguments: string
    }
  /** `nonce` is absent unless encrypted content was asked for. */
  | {
      readonly type: "reasoning"
      readonly id: string
      readonly summary: readonly string[]
      readonly nonce?: string
    }
  /** A tool of the provider, as the provider tells of it. */
  | { readonly type: "hosted"; readonly id: string; readonly item: JsonObject }

export interface ResponseAnswer {
  readonly body: ResponsesBody
  readonly id: string
  readonly createdAt: number
  readonly output: readonly OutputItem[]
  /** Why the answer is incomplete, if it is. */
  readonly incomplete: string | undefined
  readonly outputTokens: number
  readonly thinkingTokens: number
  readonly measure: PrefixMeasure
  readonly writesReported: boolean
  /** What the object repeats of the request. */
  readonly echo: JsonObject
}

export type ResponseState = "in_progress" | "completed" | "incomplete" | "failed"

/** documented: why an answer is incomplete, from the words of the reply. */
const incompleteReasons: Readonly<Record<string, string>> = {
  max_tokens: "max_output_tokens",
  refusal: "content_filter",
}

export function buildResponse(
  accepted: Accepted<ResponsesBody>,
  reply: Reply,
  measure: PrefixMeasure,
): ResponseAnswer {
  const { body, name, model, sequence, nowMs, outputMax } = accepted
  const fitted = fitReply(reply, body.max_output_tokens ?? outputMax)
  const mark = digestOf(sequence, body)
  // recorded: models that reason say what their messages are.
  const phase = model.thinking === true ? { phase: fitted.isCalling ? "commentary" : "final_answer" } : {}
  return {
    body,
    id: `resp_${digitsOf(mark)}`,
    createdAt: Math.floor(nowMs / 1_000),
    output: fitted.blocks.map((block, index) => outputItem(block, body, phase, `${mark}${index}`)),
    incomplete: incompleteReasons[fitted.stopReason],
    outputTokens: fitted.outputTokens,
    thinkingTokens: fitted.thinkingTokens,
    measure,
    writesReported: hasBreakpoints(name, model),
    echo: echoOf(accepted),
  }
}

/** The state an answer ends in when nothing goes wrong. */
export function finalState(answer: ResponseAnswer): "completed" | "incomplete" {
  return answer.incomplete === undefined ? "completed" : "incomplete"
}

/** recorded: the object, its fields and their order. */
export function responseObject(
  answer: ResponseAnswer,
  state: ResponseState,
  error: { readonly code: string; readonly message: string } | null = null,
): JsonObject {
  const isOver = state === "completed" || state === "incomplete"
  return {
    id: answer.id,
    object: "response",
    created_at: answer.createdAt,
    status: state,
    background: false,
    completed_at: state === "completed" ? answer.createdAt : null,
    error,
    frequency_penalty: 0,
    incomplete_details: state === "incomplete" ? { reason: answer.incomplete } : null,
    // Its keys keep their places, its empty ones are filled below.
    ...answer.echo,
    output: isOver ? answer.output.map((item) => itemObject(item, "completed")) : [],
    service_tier: state === "in_progress" ? "auto" : "default",
    usage: isOver ? usageOf(answer) : null,
  }
}

/** recorded: an item as it is announced, empty, and as it ends. */
export function itemObject(item: OutputItem, state: "in_progress" | "completed"): JsonObject {
  const isDone = state === "completed"
  switch (item.type) {
    case "message":
      return {
        id: item.id,
        type: "message",
        status: state,
        content: isDone ? [textPart(item.text)] : [],
        ...(item.phase === undefined ? {} : { phase: item.phase }),
        role: "assistant",
      }
    case "function_call":
      return {
        id: item.id,
        type: "function_call",
        status: state,
        arguments: isDone ? item.arguments : "",
        call_id: item.callId,
        name: item.name,
      }
    case "reasoning":
      return {
        id: item.id,
        type: "reasoning",
        // recorded: an unfinished item has encrypted content too, and another one.
        ...(item.nonce === undefined ? {} : { encrypted_content: sealReasoning(`${item.nonce} ${state}`) }),
        summary: isDone ? item.summary.map((text) => ({ type: "summary_text", text })) : [],
      }
    case "hosted":
      return isDone ? item.item : { id: item.id, type: item.item["type"], status: state }
  }
}

export function textPart(text: string): JsonObject {
  return { type: "output_text", annotations: [], logprobs: [], text }
}

function outputItem(
  block: ReplyBlock,
  body: ResponsesBody,
  phase: { readonly phase?: string },
  mark: string,
): OutputItem {
  switch (block.type) {
    case "text":
      return { type: "message", id: `msg_${digitsOf(mark)}`, text: block.text, ...phase }
    case "tool_use":
      return {
        type: "function_call",
        id: `fc_${digitsOf(mark)}`,
        callId: block.id ?? `call_${lettersOf(mark, 24)}`,
        name: block.name,
        arguments: JSON.stringify(block.input),
      }
    case "hosted":
      assertDeclared((body.tools ?? []).some((tool) => tool.type !== "function"))
      return { type: "hosted", id: String(block.native["id"]), item: block.native }
    default: {
      // documented: a summary comes only to those who ask, the whole never.
      const isAsked = (body.reasoning?.summary ?? null) !== null && block.type === "thinking"
      return {
        type: "reasoning",
        id: `rs_${digitsOf(mark)}`,
        summary: isAsked ? [block.text] : [],
        ...(wantsEncrypted(body) ? { nonce: mark.slice(-20) } : {}),
      }
    }
  }
}

/** recorded: fifty hexadecimal digits. */
function digitsOf(mark: string): string {
  return digestOf("id", mark).slice(0, 50)
}

/** recorded: defaults are filled in. */
function echoOf({ body, name, model }: Accepted<ResponsesBody>): JsonObject {
  const isReasoning = model.thinking === true
  return {
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: name,
    moderation: null,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: retentionOf(body, model),
    reasoning: {
      effort: body.reasoning?.effort ?? (isReasoning ? "medium" : null),
      summary: body.reasoning?.summary ?? null,
    },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: "auto",
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: formatOf(body), verbosity: body.text?.verbosity ?? "medium" },
    tool_choice: body.tool_choice ?? "auto",
    tools: (body.tools ?? []).map(echoTool),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? (isReasoning ? 0.98 : 1),
    truncation: body.truncation ?? "disabled",
    usage: null,
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  }
}

function echoTool(tool: ToolItem): object {
  if (tool.type !== "function") return tool
  const { name, description = null, parameters = null, strict } = tool
  return { type: "function", description, name, parameters, strict: strict ?? true }
}

/** recorded; documented: writes are reported where they are paid for. */
function usageOf({ measure, outputTokens, thinkingTokens, writesReported }: ResponseAnswer): JsonObject {
  return {
    input_tokens: measure.tokens,
    input_tokens_details: {
      cached_tokens: measure.read,
      ...(writesReported ? { cache_write_tokens: measure.write } : {}),
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: thinkingTokens },
    total_tokens: measure.tokens + outputTokens,
  }
}
