/**
 * Stream: a completion as `data:` chunks and a final `[DONE]`, in the order of each server
 * (recorded).
 *
 *   role chunk  ( content | tool_calls )*  finish chunk  [usage chunk]  [DONE]
 *
 * OpenAI puts the first call into the role chunk when no text comes before it, pads its chunks,
 * and says `usage: null` until the end. DeepSeek reports usage with the finish, Groq sends a call
 * whole and its usage three times, OpenRouter opens with a comment and finishes twice.
 */
import { paddingOf } from "../answer/answer.ts"
import type { JsonObject } from "../json.ts"
import type { Reply } from "../model.ts"
import { chunkText, textEvent } from "../stream.ts"
import type { StreamEvent } from "../stream.ts"
import { callObject, isOld } from "./completion.ts"
import type { CompletionAnswer, CompletionCall } from "./completion.ts"
import { headOf, thinkingFields, usageOf } from "./dialect.ts"

interface Piece {
  readonly part: StreamEvent["part"]
  readonly delta: JsonObject
  readonly finish?: string
  /** Fields beside the choices. */
  readonly more?: JsonObject
}

export function streamEvents(answer: CompletionAnswer, reply: Reply): readonly StreamEvent[] {
  const isStrange = reply.unknownEvents === true
  const pieces = [...contentPieces(answer, reply), ...finishPieces(answer)].flatMap((piece) =>
    Array.from({ length: answer.choices }, (_, choice) => ({ ...piece, choice })),
  )
  const chunks = pieces.map((piece, index) => {
    const unknown = isStrange && index === 0 ? { sim_unknown_field: { a: [1] } } : {}
    const fields = { choices: [choiceOf(answer, piece)], ...piece.more, ...unknown }
    const afterMs = piece.part === "delta" ? (reply.delayMs ?? 0) : 0
    return chunkEvent(answer, piece.part, fields, index, afterMs)
  })
  const strange = [comment("keep-alive"), dataEvent("unknown", "other", { sim_unknown_event: true })]
  return [
    ...(answer.dialect === "openrouter" ? [comment("OPENROUTER PROCESSING")] : []),
    ...chunks.slice(0, 1),
    ...(isStrange ? strange : []),
    ...chunks.slice(1),
    ...usageEvents(answer, pieces.length),
    textEvent("[DONE]", "stop", "data: [DONE]\n\n"),
  ]
}

/** One `data:` line with its blank line. */
export function dataEvent(
  type: string,
  part: StreamEvent["part"],
  value: JsonObject,
  afterMs = 0,
): StreamEvent {
  return textEvent(type, part, `data: ${JSON.stringify(value)}\n\n`, afterMs)
}

/** A chunk around its choices, with what its server adds to every chunk. */
export function chunkEvent(
  answer: CompletionAnswer,
  part: StreamEvent["part"],
  fields: JsonObject,
  index: number,
  afterMs = 0,
): StreamEvent {
  const value = { ...headOf(answer, "chat.completion.chunk"), ...fields }
  if (answer.dialect !== "openai") return dataEvent("chunk", part, value, afterMs)
  const { include_usage: reports, include_obfuscation: pads } = answer.body.stream_options ?? {}
  const usage = reports === true && fields["usage"] === undefined ? { usage: null } : {}
  const padding = pads === false ? {} : { obfuscation: paddingOf(answer.id, index) }
  return dataEvent("chunk", part, { ...value, ...usage, ...padding }, afterMs)
}

function choiceOf({ dialect }: CompletionAnswer, piece: Piece & { readonly choice: number }): JsonObject {
  const finish = piece.finish ?? null
  const index = piece.choice
  if (dialect !== "openrouter") return { index, delta: piece.delta, logprobs: null, finish_reason: finish }
  // recorded: content and role stand in every delta.
  const delta = { content: "", role: "assistant", ...piece.delta }
  return { index, delta, finish_reason: finish, native_finish_reason: finish }
}

function contentPieces(answer: CompletionAnswer, reply: Reply): readonly Piece[] {
  const isHidden = answer.dialect === "openai"
  const thoughts = isHidden ? [] : chunkText(answer.thinking, reply).map((text) => thought(answer, text))
  const texts = chunkText(answer.text, reply).map((content): Piece => ({ part: "delta", delta: { content } }))
  const calls = isOld(answer.body)
    ? answer.calls.slice(0, 1).map(oldCall)
    : answer.calls.flatMap((call, index) => callPieces(answer, call, index, reply))
  return withRole(answer, [...thoughts, ...texts, ...calls])
}

function thought({ dialect }: CompletionAnswer, text: string): Piece {
  const content = dialect === "deepseek" ? { content: null } : {}
  return { part: "delta", delta: { ...content, ...thinkingFields(dialect, text) } }
}

/** documented: a call in the form of old. */
function oldCall({ name, arguments: said }: CompletionCall): Piece {
  return { part: "delta", delta: { function_call: { name, arguments: said } } }
}

function callPieces(
  answer: CompletionAnswer,
  call: CompletionCall,
  index: number,
  reply: Reply,
): readonly Piece[] {
  // recorded: Groq sends a call in one piece, the index last.
  if (answer.dialect === "groq") {
    return [{ part: "delta", delta: { tool_calls: [{ ...callObject(call), index }] } }]
  }
  const open = { index, ...callObject({ ...call, arguments: "" }) }
  const more = chunkText(call.arguments, reply).map((piece): Piece => {
    const said = call.isCustom ? { custom: { input: piece } } : { function: { arguments: piece } }
    return { part: "delta", delta: { tool_calls: [{ index, ...said }] } }
  })
  return [{ part: "start", delta: { tool_calls: [open] } }, ...more]
}

function withRole(answer: CompletionAnswer, pieces: readonly Piece[]): readonly Piece[] {
  const role = { role: "assistant" }
  switch (answer.dialect) {
    case "openai": {
      // recorded: without a text the first call rides along.
      const [first, ...rest] = pieces
      return first?.part === "start"
        ? [{ part: "start", delta: { ...role, content: null, ...first.delta, refusal: null } }, ...rest]
        : [{ part: "start", delta: { ...role, content: "", refusal: null } }, ...pieces]
    }
    case "deepseek": {
      const opening = answer.thinking === "" ? { content: "" } : { content: null, reasoning_content: "" }
      return [{ part: "start", delta: { ...role, ...opening } }, ...pieces]
    }
    case "groq": {
      const content = answer.text === "" ? null : ""
      const more = { x_groq: { id: answer.requestId, seed: 1 } }
      return [{ part: "start", delta: { ...role, content }, more }, ...pieces]
    }
    case "openrouter":
      return pieces
  }
}

function finishPieces(answer: CompletionAnswer): readonly Piece[] {
  const finish = answer.finishReason
  const usage = usageOf(answer)
  switch (answer.dialect) {
    case "openai":
      return [{ part: "end", delta: {}, finish }]
    case "deepseek":
      return [{ part: "end", delta: { content: "" }, finish, more: { usage } }]
    case "groq":
      return [{ part: "end", delta: {}, finish, more: { x_groq: { id: answer.requestId, usage }, usage } }]
    case "openrouter":
      return [
        { part: "end", delta: {}, finish },
        { part: "other", delta: {}, finish, more: { usage } },
      ]
  }
}

/** documented: one more chunk without choices, for those who asked. */
function usageEvents(answer: CompletionAnswer, index: number): readonly StreamEvent[] {
  if (answer.body.stream_options?.include_usage !== true) return []
  const fields = { choices: [], usage: usageOf(answer) }
  switch (answer.dialect) {
    case "openai":
      return [chunkEvent(answer, "other", fields, index)]
    case "groq":
      return [chunkEvent(answer, "other", { ...fields, service_tier: "on_demand" }, index)]
    default:
      return []
  }
}

function comment(text: string): StreamEvent {
  return textEvent("comment", "other", `: ${text}\n\n`)
}
