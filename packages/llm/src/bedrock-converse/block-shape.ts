/**
 * The content blocks that this wire writes: each function gives one canonical block (TU1).
 *
 * Which blocks a cache point may follow is the family's
 * (LL5); a cache point is a block of its own, which is put behind the marked one when the body is
 * written.
 */
import type { Media } from "@holdfast/schema/media"
import type { BlockKind } from "@holdfast/schema/planned-request"
import type { SegmentName } from "@holdfast/schema/turn"
import { canonicalJson, canonicalString } from "../canonical.ts"
import { functionName, inputObject, wireCallId } from "../request/call-shape.ts"
import { holeJson, plainHole } from "../request/media-hole.ts"
import { isBlank, markedResult, wordsOfResult } from "../request/runtime-words.ts"
import { sizedBlock } from "../request/sized-block.ts"
import { isStrictSchema, openAiSchemaRules, projectSchema } from "../request/tool-schema.ts"
import type { PartOf, ToolDefinition } from "../segments.ts"
import type { Block } from "../wire.ts"
import type { ConverseFamily } from "./families.ts"
import type { ReasoningOpaque } from "./native.ts"

/** documented: `strict` lets the provider enforce the schema. */
export function toolBlock(tool: ToolDefinition, family: ConverseFamily, strict: boolean): Block {
  // documented: a description has at least one character.
  const description = isBlank(tool.description) ? "" : `,"description":${canonicalString(tool.description)}`
  const schema = projectSchema(tool.inputSchema, openAiSchemaRules)
  const strictly = strict && isStrictSchema(schema) ? ',"strict":true' : ""
  const json = `{"toolSpec":{"name":${canonicalString(tool.name)}${description},"inputSchema":{"json":${canonicalJson(schema)}}${strictly}}}`
  return sizedBlock("tools", null, "tool", json, { markable: family.markable === "all" })
}

export const textBlock = (
  segment: SegmentName,
  role: Block["role"],
  text: string,
  family: ConverseFamily,
  kind: BlockKind = "text",
): Block =>
  sizedBlock(segment, role, kind, `{"text":${canonicalString(text)}}`, {
    counted: text,
    markable: family.markable !== "none",
  })

/** recorded: a cache point behind reasoning is refused. */
export function reasoningBlock(segment: SegmentName, opaque: ReasoningOpaque, tag: string): Block {
  const content =
    opaque.type === "reasoning"
      ? `{"reasoningText":{"text":${canonicalString(opaque.text)},"signature":${canonicalString(opaque.signature ?? "")}}}`
      : `{"redactedContent":${canonicalString(opaque.data)}}`
  const counted = opaque.type === "reasoning" ? opaque.text : opaque.data
  return sizedBlock(segment, "assistant", "reasoning", `{"reasoningContent":${content}}`, {
    counted,
    native: tag,
  })
}

export function callBlock(segment: SegmentName, call: PartOf<"call">, family: ConverseFamily): Block {
  const json = `{"toolUse":{"toolUseId":${idOf(call.call)},"name":${canonicalString(functionName(call.name))},"input":${canonicalJson(inputObject(call.input))}}}`
  return sizedBlock(segment, "assistant", "call", json, {
    markable: family.markable === "all",
    unit: call.call,
  })
}

export function resultBlock(segment: SegmentName, call: PartOf<"call">, family: ConverseFamily): Block {
  const given = call.images ?? []
  const images = imagesBehindResult(call, family) ? [] : given
  const alone = images.length > 0 && isBlank(call.result)
  const text = wordsOfResult(call.result, images.length < given.length)
  const status = call.failed && family.takesStatus ? ',"status":"error"' : ""
  const words = markedResult(text, call.failed && !family.takesStatus)
  const content = [...(alone ? [] : [`{"text":${canonicalString(words)}}`]), ...images.map(imageJson)]
  const json = `{"toolResult":{"toolUseId":${idOf(call.call)},"content":[${content.join(",")}]${status}}}`
  return sizedBlock(segment, "user", "result", json, {
    counted: alone ? "" : words,
    markable: family.markable === "all",
    unit: call.call,
    holes: images.map(plainHole),
  })
}

/** assumed: as in Anthropic's own form, a failed result holds nothing but text. */
export const imagesBehindResult = (
  { failed }: PartOf<"call">,
  { imagesInResults }: ConverseFamily,
): boolean => failed || !imagesInResults

export const imageBlock = (segment: SegmentName, media: Media, family: ConverseFamily): Block =>
  sizedBlock(segment, "user", "image", imageJson(media), {
    counted: "",
    markable: family.markable === "all",
    holes: [plainHole(media)],
  })

const imageJson = (media: Media): string =>
  `{"image":{"format":"${media.mediaType.slice("image/".length)}","source":{"bytes":${holeJson(plainHole(media))}}}}`

const idOf = (call: string): string => canonicalString(wireCallId(call, "plain"))
