/**
 * The input items that this wire writes: each function gives one canonical block (TU1).
 *
 * An item is a block of its own, and `type` comes first, so the kind of a block can be read from the
 * first characters of its text.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { SegmentName } from "@holdfast/schema/turn"
import { canonicalJson, canonicalString } from "../canonical.ts"
import { functionName, inputObject, wireCallId } from "../request/call-shape.ts"
import { dataUrlStart } from "../image/data-url.ts"
import { holeJson, type MediaHole } from "../request/media-hole.ts"
import { isBlank, markedResult, wordsOfResult } from "../request/runtime-words.ts"
import { sizedBlock } from "../request/sized-block.ts"
import { isStrictSchema, openAiSchemaRules, projectSchema } from "../request/tool-schema.ts"
import type { EntryPart, ToolDefinition } from "../segments.ts"
import type { Block } from "../wire.ts"
import type { CallOpaque, TextOpaque } from "./native.ts"

export function toolItem(tool: ToolDefinition, strict: boolean): Block {
  const parameters = projectSchema(tool.inputSchema, openAiSchemaRules)
  const json = `{"type":"function","name":${canonicalString(tool.name)},"description":${canonicalString(tool.description)},"parameters":${canonicalJson(parameters)},"strict":${strict && isStrictSchema(parameters)}}`
  return sizedBlock("tools", null, json, json, "json", false)
}

export function promptItem(segment: "system" | "agent", text: string, role: string): Block {
  return sizedBlock(segment, null, inputMessage(role, text), text, "prose", true)
}

/** LL2: an instruction at its place in time. */
export const updateItem = (segment: SegmentName, text: string, role: string): Block =>
  sizedBlock(segment, "system", inputMessage(role, text), text, "prose", true)

/** A mark stands on the last part of a message, and only on text. */
export const userItem = (segment: SegmentName, text: string, images: readonly Media[] = []): Block =>
  sizedBlock(
    segment,
    "user",
    `{"type":"message","role":"user","content":[${inputParts(images, text).join(",")}]}`,
    text,
    "prose",
    images.length === 0 || !isBlank(text),
    null,
    images.map(holeOf),
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
  return sizedBlock(segment, "assistant", json, text, "prose", false, opaque === null ? null : tag)
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
export function nativeItem(segment: SegmentName, opaque: JsonObject, tag: string): Block {
  const json = canonicalJson({ type: opaque["type"] as Json, ...opaque })
  return sizedBlock(segment, "assistant", json, json, "opaque", false, tag)
}

export function callItem(
  segment: SegmentName,
  call: { readonly call: string; readonly name: string; readonly input: Json },
  opaque: CallOpaque | null,
  tag: string,
): Block {
  const id = opaque === null ? "" : `"id":${canonicalString(opaque.id)},`
  const text = canonicalString(canonicalJson(inputObject(call.input)))
  const json = `{"type":"function_call",${id}"call_id":${canonicalString(wireCallId(call.call, "plain"))},"name":${canonicalString(functionName(call.name))},"arguments":${text}}`
  return sizedBlock(segment, "assistant", json, json, "json", false, opaque === null ? null : tag)
}

export function resultItem(segment: SegmentName, call: Extract<EntryPart, { type: "call" }>): Block {
  const { result, failed, images = [] } = call
  const alone = images.length > 0 && !failed && isBlank(result)
  const text = alone ? "" : markedResult(wordsOfResult(result), failed)
  const words = alone ? [] : [textPart(text)]
  const output =
    images.length === 0 ? canonicalString(text) : `[${[...words, ...images.map(imagePart)].join(",")}]`
  const json = `{"type":"function_call_output","call_id":${canonicalString(wireCallId(call.call, "plain"))},"output":${output}}`
  return sizedBlock(segment, "user", json, text, "output", false, null, images.map(holeOf))
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
