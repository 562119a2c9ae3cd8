/**
 * The parts that this wire writes: each function gives one canonical block (TU1).
 *
 * Consecutive parts of one role become one content only when the body is written.
 */
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { BlockKind } from "@holdfast/schema/planned-request"
import type { SegmentName } from "@holdfast/schema/turn"
import { canonicalJson, canonicalString } from "../canonical.ts"
import { inputObject } from "../request/call-shape.ts"
import { holeJson, plainHole } from "../request/media-hole.ts"
import { wordsOfResult } from "../request/runtime-words.ts"
import { sizedBlock } from "../request/sized-block.ts"
import type { PartOf, ToolDefinition } from "../segments.ts"
import type { Block } from "../wire.ts"
import type { CallOpaque, ThoughtOpaque } from "./native.ts"
import { projectParameters } from "./schema-projection.ts"

/** documented: a function's name; it begins with a letter or an underscore. */
export const geminiNameShape = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/
const functionNameCharsMax = 64

export function toolBlock(tool: ToolDefinition): Block {
  const parameters = projectParameters(tool.inputSchema)
  const schema = parameters === null ? "" : `,"parameters":${canonicalJson(parameters)}`
  const json = `{"name":${canonicalString(tool.name)},"description":${canonicalString(tool.description)}${schema}}`
  return sizedBlock("tools", null, "tool", json)
}

/** `signature`: what the provider had put on this text; null if nothing. */
export function textPart(
  segment: SegmentName,
  role: Block["role"],
  text: string,
  kind: BlockKind = "text",
  signed: { readonly signature: string; readonly tag: string } | null = null,
): Block {
  const json = `{"text":${canonicalString(text)}${signatureMember(signed?.signature)}}`
  return sizedBlock(segment, role, kind, json, { counted: text, native: signed?.tag ?? null })
}

export function imagePart(segment: SegmentName, media: Media): Block {
  const json = `{"inlineData":{"mimeType":"${media.mediaType}","data":${holeJson(plainHole(media))}}}`
  return sizedBlock(segment, "user", "image", json, { counted: "", holes: [plainHole(media)] })
}

export function thoughtPart(segment: SegmentName, opaque: ThoughtOpaque, tag: string): Block {
  const signature = signatureMember(opaque.thoughtSignature)
  const json =
    opaque.type === "thought"
      ? `{"thought":true,"text":${canonicalString(opaque.text)}${signature}}`
      : `{"text":""${signature}}`
  const counted = opaque.type === "thought" ? opaque.text : ""
  return sizedBlock(segment, "assistant", "reasoning", json, { counted, native: tag })
}

/** A call as it is written: its name is legal, its signature its own or a stand-in. */
export interface WrittenCall extends CallOpaque {
  readonly name: string
  /** Our own id of it. */
  readonly unit: string
  /** Tag of the target that gave id or signature; null if nobody did. */
  readonly native: string | null
}

export function callPart(segment: SegmentName, call: WrittenCall, input: Json): Block {
  const json = `{"functionCall":{"name":${canonicalString(call.name)},"args":${canonicalJson(inputObject(input))}${idMember(call)}}${signatureMember(call.thoughtSignature)}}`
  return sizedBlock(segment, "assistant", "call", json, { native: call.native, unit: call.unit })
}

/**
 * documented: `output` holds what a function gave, `error` why it failed.
 *
 * Images stand behind all responses. recorded: every model takes them there; only the newest take
 * them inside of a response.
 */
export function resultPart(
  segment: SegmentName,
  call: WrittenCall,
  { result, failed, images = [] }: PartOf<"call">,
): Block {
  const text = wordsOfResult(result, images.length > 0)
  const json = `{"functionResponse":{"name":${canonicalString(call.name)},"response":{"${failed ? "error" : "output"}":${canonicalString(text)}}${idMember(call)}}}`
  const native = call.id === undefined ? null : call.native
  return sizedBlock(segment, "user", "result", json, { counted: text, native, unit: call.unit })
}

/** A model may call what no function can be called; the record keeps the name, the wire a legal one. */
export function geminiName(name: string): string {
  const legal = name.replaceAll(/[^a-zA-Z0-9_.:-]/gu, "_")
  return (/^[a-zA-Z_]/.test(legal) ? legal : `_${legal}`).slice(0, functionNameCharsMax)
}

const idMember = ({ id }: CallOpaque): string => (id === undefined ? "" : `,"id":${canonicalString(id)}`)

const signatureMember = (signature: string | undefined): string =>
  signature === undefined ? "" : `,"thoughtSignature":${canonicalString(signature)}`
