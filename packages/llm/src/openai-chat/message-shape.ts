/**
 * The messages that this wire writes: each function gives one canonical block (TU1).
 *
 * A message is a block of its own and `role` comes first. An answer is one message, because the wire
 * keeps its text, reasoning and calls together; each result is a message behind it.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { SegmentName } from "@holdfast/schema/turn"
import { canonicalJson, canonicalString } from "../canonical.ts"
import {
  type CallIdShape,
  callIdShapes,
  functionName,
  inputObject,
  wireCallId,
} from "../request/call-shape.ts"
import { dataUrlStart } from "../image/data-url.ts"
import { holeJson } from "../request/media-hole.ts"
import { isBlank, markedResult, wordsOfResult } from "../request/runtime-words.ts"
import { sizedBlock } from "../request/sized-block.ts"
import { isStrictSchema, projectSchema, type SchemaRules } from "../request/tool-schema.ts"
import type { EntryPart, ToolDefinition } from "../segments.ts"
import type { ContentClass } from "../size.ts"
import type { Block } from "../wire.ts"
import type { ReasoningOpaque } from "./native.ts"

export function toolBlock(tool: ToolDefinition, rules: SchemaRules, strict: boolean): Block {
  const parameters = projectSchema(tool.inputSchema, rules)
  const strictly = strict && isStrictSchema(parameters) ? ',"strict":true' : ""
  const json = `{"type":"function","function":{"name":${canonicalString(tool.name)},"description":${canonicalString(tool.description)},"parameters":${canonicalJson(parameters)}${strictly}}}`
  return sizedBlock("tools", null, json, json, "json", false)
}

/** A message of text; prompts have no role in the conversation. */
export const textMessage = (
  segment: SegmentName,
  role: Block["role"],
  wireRole: string,
  text: string,
): Block =>
  sizedBlock(
    segment,
    role,
    `{"role":${canonicalString(wireRole)},"content":${canonicalString(text)}}`,
    text,
    "prose",
    role !== "assistant",
  )

/** A message of the user's side with images; documented: parts of text and of images. */
export function imagesMessage(segment: SegmentName, images: readonly Media[], text: string): Block {
  const holes = images.map((media) => ({ media, before: dataUrlStart(media.mediaType) }))
  const parts = holes.map((hole) => `{"type":"image_url","image_url":{"url":${holeJson(hole)}}}`)
  const words = isBlank(text) ? [] : [`{"type":"text","text":${canonicalString(text)}}`]
  const json = `{"role":"user","content":[${[...parts, ...words].join(",")}]}`
  // A mark stands on the last part, and only on text.
  return sizedBlock(segment, "user", json, text, "prose", words.length > 0, null, holes)
}

export interface AnswerCall {
  readonly call: string
  readonly name: string
  readonly input: Json
  readonly extra: JsonObject | null
}

export interface AnswerMessage {
  readonly text: string
  readonly reasoning: readonly ReasoningOpaque[]
  readonly calls: readonly AnswerCall[]
  /** The reasoning field that stands here even without reasoning; null if none has to. */
  readonly emptyReasoning: string | null
  readonly emptyContent: null | ""
  readonly callId: CallIdShape
}

export function answerMessage(segment: SegmentName, answer: AnswerMessage, tag: string): Block {
  const { text, reasoning, calls, emptyReasoning, emptyContent } = answer
  const extras = calls.some((call) => call.extra !== null)
  const json = canonicalJson({
    role: "assistant",
    content: text === "" ? emptyContent : text,
    ...(emptyReasoning === null ? {} : { [emptyReasoning]: "" }),
    ...reasoningFields(reasoning),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => callField(call, answer.callId)) }),
  })
  const content: ContentClass = calls.length === 0 ? "prose" : "json"
  return sizedBlock(
    segment,
    "assistant",
    json,
    json,
    content,
    false,
    reasoning.length > 0 || extras ? tag : null,
  )
}

/** Texts of one field follow each other; details are a list of their own. */
function reasoningFields(reasoning: readonly ReasoningOpaque[]): JsonObject {
  const fields: Record<string, Json> = {}
  for (const { field, text } of reasoning) {
    if (text !== "") fields[field] = `${(fields[field] as string | undefined) ?? ""}${text}`
  }
  const details = reasoning.flatMap((part) => part.details)
  return details.length === 0 ? fields : { ...fields, reasoning_details: details }
}

const callField = (call: AnswerCall, shape: CallIdShape): JsonObject => ({
  ...call.extra,
  id: callIdOf(call.call, shape),
  type: "function",
  function: { name: functionName(call.name), arguments: canonicalJson(inputObject(call.input)) },
})

/** An id that the server takes stays as it is. */
const callIdOf = (id: string, shape: CallIdShape): string =>
  callIdShapes[shape].test(id) ? id : wireCallId(id, shape)

/** The wire has no images in results: they stand behind all of them. */
export function resultMessage(
  segment: SegmentName,
  call: Extract<EntryPart, { type: "call" }>,
  shape: CallIdShape,
): Block {
  const { result, failed, images = [] } = call
  const text = markedResult(wordsOfResult(result, images.length > 0), failed)
  const json = `{"role":"tool","content":${canonicalString(text)},"tool_call_id":${canonicalString(callIdOf(call.call, shape))}}`
  return sizedBlock(segment, "user", json, text, "output", true)
}
