/** Content blocks in the shape of Anthropic Messages, as Claude Code and wire transcripts keep them. */
import type { Json } from "@holdfast/schema/json"
import { isObject, type JsonFields, elementsOf, nameOf, objectOf, stringOf } from "../reading/fields.ts"
import type { ForeignImage, ForeignPart, ResultRecord } from "../record.ts"
import { resultState } from "./kinds.ts"

interface Content {
  readonly text: string
  readonly images: readonly ForeignImage[]
  /** Kinds of blocks that nothing here stands for. */
  readonly unknown: readonly string[]
}

/** Text and images of a message or of a result; results are left to `resultOf`. */
export function contentOf(content: unknown): Content {
  if (typeof content === "string") return { text: content, images: [], unknown: [] }
  const texts: string[] = []
  const images: ForeignImage[] = []
  const unknown: string[] = []
  for (const block of elementsOf(content)) {
    const fields = objectOf(block)
    const kind = typeof block === "string" ? "bare" : (stringOf(fields["type"]) ?? "")
    if (kind === "bare") texts.push(String(block))
    else if (kind === "text") texts.push(stringOf(fields["text"]) ?? "")
    else if (kind === "image") images.push(imageOf(objectOf(fields["source"])))
    else if (kind !== "tool_result" && kind !== "tool_reference") unknown.push(kind)
  }
  return { text: texts.join("\n\n"), images, unknown }
}

export function resultOf(block: JsonFields): Pick<ResultRecord, "call" | "state" | "text" | "images"> {
  const { text, images } = contentOf(block["content"])
  const state = resultState(text, block["is_error"] === true)
  return { call: stringOf(block["tool_use_id"]) ?? "", state, text, images }
}

/** Blocks of an answer. */
export function answerParts(content: unknown): {
  readonly parts: readonly ForeignPart[]
  readonly unknown: readonly string[]
} {
  if (typeof content === "string") return { parts: [{ type: "text", text: content }], unknown: [] }
  const parts: ForeignPart[] = []
  const unknown: string[] = []
  for (const block of elementsOf(content)) {
    const part = isObject(block) ? partOf(block) : null
    if (part === null) unknown.push(stringOf(objectOf(block)["type"]) ?? "")
    else parts.push(part)
  }
  return { parts, unknown }
}

function partOf(block: JsonFields): ForeignPart | null {
  const kind = stringOf(block["type"]) ?? ""
  if (kind === "text") return { type: "text", text: stringOf(block["text"]) ?? "" }
  if (kind === "thinking")
    return { type: "reasoning", text: stringOf(block["thinking"]) ?? "", native: block }
  if (kind === "redacted_thinking") return { type: "reasoning", text: "", native: block }
  if (kind === "tool_use") {
    const input: Json = block["input"] ?? {}
    return { type: "call", call: stringOf(block["id"]) ?? "", name: stringOf(block["name"]) ?? "", input }
  }
  // The provider's own tools: a call is named, and what it brought is called `…_tool_result`.
  if (kind === "server_tool_use" || kind.endsWith("_tool_result")) {
    return { type: "hosted", name: stringOf(block["name"]) ?? kind, native: block }
  }
  return null
}

function imageOf(source: JsonFields): ForeignImage {
  const mediaType = nameOf(source["media_type"])
  const base64 = stringOf(source["data"])
  if (base64 !== null && mediaType !== null) return { mediaType, base64 }
  return { mediaType, name: stringOf(source["url"]) ?? stringOf(source["file_id"]) ?? "" }
}
