/**
 * The input items that this wire writes: each function gives one canonical block (TU1).
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { BlockKind } from "@holdfast/schema/planned-request"
import type { SegmentName } from "@holdfast/schema/turn"
import { canonicalJson, canonicalString } from "../canonical.ts"
import { functionName, inputObject, wireCallId } from "../request/call-shape.ts"
import { dataUrlStart } from "../image/data-url.ts"
import { holeJson, type MediaHole } from "../request/media-hole.ts"
import { isBlank, markedResult, wordsOfResult } from "../request/runtime-words.ts"
import { sizedBlock } from "../request/sized-block.ts"
import { isStrictSchema, openAiSchemaRules, projectSchema } from "../request/tool-schema.ts"
import type { PartOf, ToolDefinition } from "../segments.ts"
import type { Block } from "../wire.ts"
import type { CallOpaque, TextOpaque } from "./native.ts"

export function toolItem(tool: ToolDefinition, strict: boolean): Block {
  const parameters = projectSchema(tool.inputSchema, openAiSchemaRules)
  const json = `{"type":"function","name":${canonicalString(tool.name)},"description":${canonicalString(tool.description)},"parameters":${canonicalJson(parameters)},"strict":${strict && isStrictSchema(parameters)}}`
  return sizedBlock("tools", null, "tool", json)
}

export const promptItem = (segment: "system" | "agent", text: string, role: string): Block =>
  sizedBlock(segment, null, "system", inputMessage(role, text), { counted: text, markable: true })

/** LL2: an instruction at its place in time. */
export const updateItem = (segment: SegmentName, text: string, role: string): Block =>
  sizedBlock(segment, "system", "system", inputMessage(role, text), { counted: text, markable: true })

/** A mark stands on the last part of a message, and only on text. */
export const userItem = (
  segment: SegmentName,
  text: string,
  images: readonly Media[] = [],
  kind: BlockKind = images.length === 0 ? "text" : "image",
): Block =>
  sizedBlock(
    segment,
    "user",
    kind,
    `{"type":"message","role":"user","content":[${inputParts(images, text).join(",")}]}`,
    { counted: text, markable: images.length === 0 || !isBlank(text), holes: images.map(holeOf) },
  )

export function answerItem(
  segment: SegmentName,
  text: string,
  opaque: TextOpaque | null,
  tag: string,
): Block {
  const phase = opaque?.phase === undefined ? "" : `,"phase":${canonicalString(opaque.phase)}`
  const part = answerPart(text, opaque)
  // documented: only an item that names itself has a status.
  const json =
    opaque?.id === undefined
      ? `{"type":"message","role":"assistant","content":[${part}]${phase}}`
      : `{"type":"message","id":${canonicalString(opaque.id)},"role":"assistant","status":"completed","content":[${part}]${phase}}`
  return sizedBlock(segment, "assistant", "text", json, {
    counted: text,
    native: opaque === null ? null : tag,
  })
}

/** documented: the text of an item that names itself says what it cites, nothing too. */
function answerPart(text: string, opaque: TextOpaque | null): string {
  const words = canonicalString(text)
  if (opaque?.refusal === true) return `{"type":"refusal","refusal":${words}}`
  const cited = opaque?.annotations ?? (opaque?.id === undefined ? null : [])
  const annotations = cited === null ? "" : `,"annotations":${canonicalJson(cited)}`
  return `{"type":"output_text","text":${words}${annotations}}`
}

/** Reasoning and the provider's own tools are repeated as they came (LL4, LL8). */
export function nativeItem(
  segment: SegmentName,
  kind: "reasoning" | "hosted",
  opaque: JsonObject,
  tag: string,
): Block {
  const json = canonicalJson({ type: opaque["type"] as Json, ...opaque })
  return sizedBlock(segment, "assistant", kind, json, { content: "opaque", native: tag })
}

export function callItem(
  segment: SegmentName,
  call: PartOf<"call">,
  opaque: CallOpaque | null,
  tag: string,
): Block {
  const id = opaque === null ? "" : `"id":${canonicalString(opaque.id)},`
  const text = canonicalString(canonicalJson(inputObject(call.input)))
  const json = `{"type":"function_call",${id}"call_id":${canonicalString(wireCallId(call.call, "plain"))},"name":${canonicalString(functionName(call.name))},"arguments":${text}}`
  return sizedBlock(segment, "assistant", "call", json, {
    native: opaque === null ? null : tag,
    unit: call.call,
  })
}

/** The wire has no field for a failure, so the text says it. */
export function resultItem(segment: SegmentName, call: PartOf<"call">): Block {
  const { result, failed, images = [] } = call
  const alone = images.length > 0 && !failed && isBlank(result)
  const text = alone ? "" : markedResult(wordsOfResult(result), failed)
  const words = alone ? [] : [textPart(text)]
  const output =
    images.length === 0 ? canonicalString(text) : `[${[...words, ...images.map(imagePart)].join(",")}]`
  const json = `{"type":"function_call_output","call_id":${canonicalString(wireCallId(call.call, "plain"))},"output":${output}}`
  return sizedBlock(segment, "user", "result", json, {
    counted: text,
    unit: call.call,
    holes: images.map(holeOf),
  })
}

const inputMessage = (role: string, text: string): string =>
  `{"type":"message","role":${canonicalString(role)},"content":[${textPart(text)}]}`

/** Images before the text that speaks of them. */
const inputParts = (images: readonly Media[], text: string): readonly string[] => [
  ...images.map(imagePart),
  ...(images.length > 0 && isBlank(text) ? [] : [textPart(text)]),
]

const textPart = (text: string): string => `{"type":"input_text","text":${canonicalString(text)}}`

const imagePart = (media: Media): string => `{"type":"input_image","image_url":${holeJson(holeOf(media))}}`

const holeOf = (media: Media): MediaHole => ({ media, before: dataUrlStart(media.mediaType) })
