/**
 * Content rules: the shape of one block, wherever it stands.
 *
 * Paths name the block's type after its index, as the provider's do (recorded).
 */
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { JsonObject } from "../../json.ts"
import type { Role } from "../../model.ts"
import { checkCacheControl } from "./cache-control.ts"
import { booleanField, extraField, firstRefusal, isObject, missingField } from "./shape.ts"
import { patternField, stringField } from "./shape.ts"
import type { Verdict } from "./shape.ts"
import { toolNamePattern } from "./tools.ts"

const callIdPattern = facts.callIdPattern
const hostedIdPattern = facts.hostedIdPattern
const mediaTypes = facts.mediaTypes

const allTags = [
  "image",
  "redacted_thinking",
  "server_tool_use",
  "text",
  "thinking",
  "tool_result",
  "tool_use",
  "web_fetch_tool_result",
  "web_search_tool_result",
] as const
type Tag = (typeof allTags)[number]

/** documented: which blocks each role may hold; a system message holds text only. */
const tagsOfRole: Record<Role, readonly Tag[]> = {
  user: ["image", "text", "tool_result"],
  assistant: [
    "redacted_thinking",
    "server_tool_use",
    "text",
    "thinking",
    "tool_use",
    "web_fetch_tool_result",
    "web_search_tool_result",
  ],
  system: ["text"],
}

/** One message's content: a string, or blocks that the role may hold. */
export function checkContent(path: string, role: Role, content: unknown): Verdict {
  if (content === undefined) return invalid(facts.fieldRequired(`${path}.content`))
  if (typeof content === "string") return content === "" ? undefined : checkText("messages", content)
  if (!Array.isArray(content)) return invalid(facts.notList(`${path}.content`))
  return firstRefusal<unknown>(content, (block, index) => checkBlock(path, index, role, block))
}

/** The top-level system prompt: a string or text blocks. */
export function checkSystem(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (typeof value === "string") return value === "" ? undefined : checkText("system", value)
  if (!Array.isArray(value)) return invalid(facts.notList("system"))
  return firstRefusal<unknown>(value, (block, index) => {
    if (!isObject(block)) return invalid(facts.notObject(`system.${index}`))
    // recorded: only text.
    if (block["type"] !== "text") return invalid(facts.notOneOf(`system.${index}.type`, "'text'"))
    return checkTextBlock(`system.${index}`, "system", block)
  })
}

function checkBlock(path: string, index: number, role: Role, block: unknown): Verdict {
  const where = `${path}.content.${index}`
  if (!isObject(block)) return invalid(facts.notObject(where))
  const type = block["type"]
  if (type === undefined) return invalid(facts.tagMissing(where))
  if (!allTags.includes(type as Tag)) return unknownTag(where, type, allTags)
  const tag = type as Tag
  // recorded: calls and results have a side.
  if (tag === "tool_use" && role !== "assistant") {
    return invalid(facts.toolUseSide(path))
  }
  if (tag === "tool_result" && role !== "user") {
    return invalid(facts.toolResultSide(path))
  }
  // assumed: the wording for any other block on the wrong side.
  if (!tagsOfRole[role].includes(tag)) {
    return invalid(facts.blockSide(path, tag, role))
  }
  return checkers[tag](`${where}.${tag}`, block)
}

const checkers: Record<Tag, (path: string, block: JsonObject) => Verdict> = {
  text: (path, block) => checkTextBlock(path, "messages", block),
  image: checkImage,
  thinking: (path, block) =>
    stringField(path, block, "thinking") ??
    stringField(path, block, "signature") ??
    // recorded: a marker on thinking is an extra field.
    extraField(path, block, ["type", "thinking", "signature"]),
  redacted_thinking: (path, block) =>
    stringField(path, block, "data") ?? extraField(path, block, ["type", "data"]),
  tool_use: checkToolUse,
  tool_result: checkToolResult,
  server_tool_use: (path, block) =>
    patternField(path, block, "id", hostedIdPattern) ??
    stringField(path, block, "name") ??
    (isObject(block["input"]) ? undefined : invalid(facts.notDictionary(`${path}.input`))) ??
    extraField(path, block, ["type", "id", "name", "input", "cache_control", "caller"]),
  web_fetch_tool_result: checkHostedResult,
  web_search_tool_result: checkHostedResult,
}

/** What the provider found is its own business. */
function checkHostedResult(path: string, block: JsonObject): Verdict {
  return (
    patternField(path, block, "tool_use_id", hostedIdPattern) ??
    missingField(path, block, "content") ??
    extraField(path, block, ["type", "tool_use_id", "content", "cache_control", "caller"])
  )
}

function checkText(area: string, text: string): Verdict {
  if (text === "") return invalid(facts.textEmpty(area))
  if (text.trim() === "") return invalid(facts.textBlank(area))
  return undefined
}

function checkTextBlock(path: string, area: string, block: JsonObject): Verdict {
  const refusal =
    stringField(path, block, "text") ??
    checkCacheControl(path, block["cache_control"]) ??
    extraField(path, block, ["type", "text", "cache_control", "citations"])
  if (refusal !== undefined) return refusal
  const text = block["text"] as string
  const marked = block["cache_control"] !== undefined && block["cache_control"] !== null
  if (text === "" && marked) return invalid(facts.markerOnEmpty(path))
  return checkText(area, text)
}

function checkImage(path: string, block: JsonObject): Verdict {
  const source = block["source"]
  if (!isObject(source)) return invalid(facts.fieldRequired(`${path}.source`))
  const marker =
    checkCacheControl(path, block["cache_control"]) ??
    extraField(path, block, ["type", "source", "cache_control"])
  if (marker !== undefined) return marker
  // documented: two kinds of source (files need a beta header).
  if (source["type"] === "url") {
    return stringField(`${path}.source.url`, source, "url") ?? extraField(path, source, ["type", "url"])
  }
  if (source["type"] !== "base64") return unknownTag(`${path}.source`, source["type"], ["base64", "url"])
  if (!mediaTypes.includes(source["media_type"] as string)) {
    const names = mediaTypes.map((name) => `'${name}'`).join(", ")
    return invalid(facts.notOneOf(`${path}.source.base64.media_type`, names.replace(/, ([^,]*)$/, " or $1")))
  }
  return (
    stringField(`${path}.source.base64`, source, "data") ??
    // recorded: empty data has words of its own.
    (source["data"] === "" ? invalid(facts.imageEmpty(path)) : undefined) ??
    extraField(`${path}.source.base64`, source, ["type", "media_type", "data"])
  )
}

function checkToolUse(path: string, block: JsonObject): Verdict {
  return (
    patternField(path, block, "id", callIdPattern) ??
    patternField(path, block, "name", toolNamePattern) ??
    (block["input"] === undefined ? invalid(facts.fieldRequired(`${path}.input`)) : undefined) ??
    // recorded: an input is an object, never a string of JSON.
    (isObject(block["input"]) ? undefined : invalid(facts.notDictionary(`${path}.input`))) ??
    checkCacheControl(path, block["cache_control"]) ??
    // recorded: streams carry `caller`, so it may come back.
    extraField(path, block, ["type", "id", "name", "input", "cache_control", "caller"])
  )
}

function checkToolResult(path: string, block: JsonObject): Verdict {
  const refusal =
    patternField(path, block, "tool_use_id", callIdPattern) ??
    booleanField(path, block, "is_error") ??
    checkCacheControl(path, block["cache_control"]) ??
    extraField(path, block, ["type", "tool_use_id", "content", "is_error", "cache_control"])
  if (refusal !== undefined) return refusal
  const content = block["content"]
  // documented: no content, an empty string and an empty list are fine.
  if (content === undefined || typeof content === "string") return undefined
  if (!Array.isArray(content)) return invalid(facts.notList(`${path}.content`))
  return firstRefusal<unknown>(content, (part, index) => checkResultPart(path, index, block, part))
}

function checkResultPart(path: string, index: number, block: JsonObject, part: unknown): Verdict {
  const where = `${path}.content.${index}`
  if (!isObject(part)) return invalid(facts.notObject(where))
  if (part["type"] === "text") return checkTextBlock(`${where}.text`, "messages", part)
  if (part["type"] !== "image") return unknownTag(where, part["type"], ["image", "text"])
  if (block["is_error"] === true) {
    return invalid(facts.errorWithImage(path))
  }
  return checkImage(`${where}.image`, part)
}

function unknownTag(path: string, type: unknown, tags: readonly string[]): Verdict {
  const names = tags.map((tag) => `'${tag}'`).join(", ")
  return invalid(facts.unknownTag(path, String(type), names))
}
