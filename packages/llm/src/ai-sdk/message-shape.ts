/**
 * The messages of an AI SDK prompt: each function gives one canonical block (TU1).
 *
 * A message is a block of its own and `role` comes first. An answer is one message and its results
 * are one message behind it, as the AI SDK keeps them.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { BlockKind } from "@holdfast/schema/planned-request"
import type { SegmentName } from "@holdfast/schema/turn"
import { canonicalJson, canonicalString } from "../canonical.ts"
import { holeJson, plainHole } from "../request/media-hole.ts"
import { isBlank, wordsOfResult } from "../request/runtime-words.ts"
import { onlyCall, sizedBlock } from "../request/sized-block.ts"
import type { ToolDefinition } from "../segments.ts"
import type { Block } from "../wire.ts"

export function toolBlock(tool: ToolDefinition): Block {
  const json = `{"type":"function","name":${canonicalString(tool.name)},"description":${canonicalString(tool.description)},"inputSchema":${canonicalJson(tool.inputSchema)}}`
  return sizedBlock("tools", null, "tool", json)
}

/** Prompts have no role in the conversation; an instruction in time has its own. */
export const systemBlock = (segment: SegmentName, role: "system" | null, text: string): Block =>
  sizedBlock(segment, role, "system", `{"role":"system","content":${canonicalString(text)}}`, {
    counted: text,
  })

/** Images stand in the form of version 3; `image-forms.ts` has those of the others. */
export function userMessage(
  segment: SegmentName,
  text: string,
  images: readonly Media[] = [],
  kind: BlockKind = images.length === 0 ? "text" : "image",
): Block {
  const files = images.map(
    (media) => `{"type":"file","mediaType":"${media.mediaType}","data":${holeJson(plainHole(media))}}`,
  )
  const words = images.length > 0 && isBlank(text) ? [] : [textJson(text)]
  const json = `{"role":"user","content":[${[...files, ...words].join(",")}]}`
  return sizedBlock(segment, "user", kind, json, { counted: text, holes: images.map(plainHole) })
}

const textJson = (text: string): string => `{"type":"text","text":${canonicalString(text)}}`

/** `native` is the tag of the target if a part repeats its metadata. */
export function answerMessage(
  segment: SegmentName,
  parts: readonly JsonObject[],
  calls: readonly string[],
  native: string | null,
): Block {
  const json = canonicalJson({ role: "assistant", content: parts as Json })
  const content = parts.some((part) => part["type"] !== "text") ? "json" : "prose"
  const kind = calls.length === 0 ? "text" : "call"
  return sizedBlock(segment, "assistant", kind, json, { content, native, unit: onlyCall(calls) })
}

export interface Result {
  readonly call: string
  /** Where the model has its own, not ours. */
  readonly id: string
  readonly name: string
  readonly text: string
  readonly failed: boolean
  /** Its images stand behind all results. */
  readonly imagesBehind: boolean
}

/** recorded: model objects of Chat servers write images inside of a result as text, byte for byte. */
export function resultsMessage(segment: SegmentName, results: readonly Result[]): Block {
  const content = results.map(({ id, name, text, failed, imagesBehind }) => ({
    type: "tool-result",
    toolCallId: id,
    toolName: name,
    output: { type: failed ? "error-text" : "text", value: wordsOfResult(text, imagesBehind) },
  }))
  const said = results.map(({ text }) => text).join("\n")
  const unit = onlyCall(results.map(({ call }) => call))
  return sizedBlock(segment, "user", "result", canonicalJson({ role: "tool", content }), {
    counted: said,
    unit,
  })
}
