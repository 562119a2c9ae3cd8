/** The block shapes that this wire writes: each function gives one canonical block (TU1). */
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { BlockKind } from "@holdfast/schema/planned-request"
import type { SegmentName } from "@holdfast/schema/turn"
import { canonicalJson, canonicalString } from "../canonical.ts"
import { fieldsOf } from "../json-fields.ts"
import { functionName, inputObject, wireCallId } from "../request/call-shape.ts"
import { holeJson, plainHole } from "../request/media-hole.ts"
import { isBlank, wordsOfResult } from "../request/runtime-words.ts"
import { sizedBlock } from "../request/sized-block.ts"
import type { PartOf, ToolDefinition } from "../segments.ts"
import type { Block } from "../wire.ts"
import { isEnforceable } from "./strict-schema.ts"

/** Opaque data of a reasoning part (LL4), exactly as this wire repeats it. */
export type ThinkingOpaque =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }

/** Opaque data of a text part: what it cites of the provider's own results (LL8). */
export interface TextOpaque {
  readonly type: "text"
  readonly citations: readonly Json[]
  readonly [name: string]: Json
}

/** documented: the names that the provider takes. */
const toolNameCharsMax = 128

/** `strict`: the provider shall enforce the schema, if it can. */
export function toolBlock(tool: ToolDefinition, isStrict: boolean): Block {
  const strict = isStrict && isEnforceable(tool.inputSchema) ? ',"strict":true' : ""
  const json = `{"name":${canonicalString(tool.name)},"description":${canonicalString(tool.description)},"input_schema":${canonicalJson(tool.inputSchema)}${strict}}`
  return sizedBlock("tools", null, "tool", json, { markable: true })
}

export const textBlock = (
  segment: SegmentName,
  role: Block["role"],
  text: string,
  kind: BlockKind = "text",
): Block => sizedBlock(segment, role, kind, textJson(text), { counted: text, markable: true })

/** documented: cited words do not count. */
export function citedTextBlock(
  segment: SegmentName,
  text: string,
  citations: readonly Json[],
  native: string,
): Block {
  const json = `${textJson(text).slice(0, -1)},"citations":${canonicalJson(citations)}}`
  return sizedBlock(segment, "assistant", "text", json, { counted: text, markable: true, native })
}

/** What a text part's opaque value cites; empty if it is none of this wire's. */
export function citationsOf(value: Json): readonly Json[] {
  const { type, citations } = fieldsOf(value)
  return type === "text" && Array.isArray(citations) ? citations : []
}

const textJson = (text: string): string => `{"type":"text","text":${canonicalString(text)}}`

export function thinkingBlock(segment: SegmentName, opaque: ThinkingOpaque, native: string): Block {
  const json =
    opaque.type === "thinking"
      ? `{"type":"thinking","thinking":${canonicalString(opaque.thinking)},"signature":${canonicalString(opaque.signature)}}`
      : `{"type":"redacted_thinking","data":${canonicalString(opaque.data)}}`
  const counted = opaque.type === "thinking" ? opaque.thinking : opaque.data
  const content = opaque.type === "thinking" ? "prose" : "opaque"
  // documented: thinking cannot carry a cache marker.
  return sizedBlock(segment, "assistant", "reasoning", json, { counted, content, native })
}

export function callBlock(segment: SegmentName, id: string, name: string, input: Json): Block {
  const json = `{"type":"tool_use","id":${idJson(id)},"name":${canonicalString(functionName(name, toolNameCharsMax))},"input":${canonicalJson(inputObject(input))}}`
  return sizedBlock(segment, "assistant", "call", json, { markable: true, unit: id })
}

/** Images of a failed result are left out here. */
export function resultBlock(segment: SegmentName, call: PartOf<"call">): Block {
  const { result, failed } = call
  const given = call.images ?? []
  const images = imagesBehindResult(call) ? [] : given
  const text = images.length > 0 ? result : wordsOfResult(result, given.length > 0)
  const content =
    images.length === 0
      ? canonicalString(text)
      : `[${[...(isBlank(text) ? [] : [textJson(text)]), ...images.map(imageJson)].join(",")}]`
  const json = `{"type":"tool_result","tool_use_id":${idJson(call.call)},"content":${content}${failed ? ',"is_error":true' : ""}}`
  return sizedBlock(segment, "user", "result", json, {
    counted: text,
    markable: true,
    unit: call.call,
    holes: images.map(plainHole),
  })
}

/** recorded: a failed result holds nothing but text, so its images stand behind all results. */
export const imagesBehindResult = ({ failed }: PartOf<"call">): boolean => failed

export const imageBlock = (segment: SegmentName, media: Media): Block =>
  sizedBlock(segment, "user", "image", imageJson(media), {
    counted: "",
    markable: true,
    holes: [plainHole(media)],
  })

const imageJson = (media: Media): string =>
  `{"type":"image","source":{"type":"base64","media_type":"${media.mediaType}","data":${holeJson(plainHole(media))}}}`

/** Types of the blocks in which the provider tells of its own tools. */
export const isHosted = (type: unknown): boolean =>
  type === "server_tool_use" ||
  type === "mcp_tool_use" ||
  (typeof type === "string" && type !== "tool_result" && type.endsWith("_tool_result"))

/** What a part's opaque value must be to be repeated; anything else was never whole. */
export function thinkingOpaque(value: Json): ThinkingOpaque | null {
  const { type, thinking, signature, data } = fieldsOf(value)
  if (type === "thinking")
    return typeof thinking === "string" && isSeal(signature) ? { type, thinking, signature } : null
  return type === "redacted_thinking" && isSeal(data) ? { type, data } : null
}

const isSeal = (value: unknown): value is string => typeof value === "string" && value !== ""

/** documented: letters, digits, underscore and hyphen; imported sessions bring others along. */
const idJson = (id: string): string =>
  canonicalString(/^[a-zA-Z0-9_-]+$/.test(id) ? id : wireCallId(id, "plain"))
