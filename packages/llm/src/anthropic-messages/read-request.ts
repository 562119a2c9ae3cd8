/** A Messages body back to a canonical request, for replays of recorded traffic. */
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { Native } from "@holdfast/schema/message"
import { type Fields, fieldsOf, listOf, parseFields, textOf } from "../json-fields.ts"
import type { CacheTtl } from "../options.ts"
import { readHostedTools } from "../request/hosted-tools.ts"
import {
  ReadConversation,
  readContent,
  readOptions,
  type ReadRequest,
  readTools,
} from "../request/read-request.ts"
import type { Target } from "../segments.ts"
import { isHosted } from "./block-shape.ts"
import { isHostedTool } from "./hosted-tool.ts"

/** `tag`: whom signed thinking in the body belongs to. Null if the body is no request of this wire. */
export function readRequest(body: string, tag: Pick<Target, "provider" | "endpoint">): ReadRequest | null {
  const value = parseFields(body)
  if (value === null || !Array.isArray(value["messages"])) return null
  const model = textOf(value["model"])
  const of = { ...tag, model }
  const read = new ReadConversation()
  for (const part of blocksOf(value["system"])) read.instruct(textOf(part["text"]))
  listOf(value["messages"]).forEach((message, at) => readMessage(read, fieldsOf(message), at, of))
  const functions = listOf(value["tools"]).filter((tool) => !isHostedTool(fieldsOf(tool)))
  const tools = readTools(functions, (tool) => [tool["name"], tool["description"], tool["input_schema"]])
  const options = readOptions(value, ["model", "messages", "system", "tools", "stream"])
  const roles = listOf(value["messages"]).map((message) => fieldsOf(message)["role"])
  const ttl: CacheTtl = body.includes('"ttl":"1h"') ? "1h" : "5m"
  return {
    model,
    segments: read.segments(tools),
    options: {
      ...options,
      model: { ...options.model, cacheTtl: ttl, ...readHostedTools(value["tools"], isHostedTool) },
      traits: { systemRole: roles.includes("system") },
    },
    images: read.images.bytes,
    unread: read.unread,
  }
}

/** Content is a text or a list of blocks. */
const blocksOf = (content: unknown): readonly Fields[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(fieldsOf)

function readMessage(read: ReadConversation, message: Fields, at: number, of: Omit<Native, "opaque">): void {
  const blocks = blocksOf(message["content"])
  if (message["role"] === "assistant") {
    read.endAnswer()
    for (const block of blocks) {
      if (!readAnswer(read, block, of)) read.unread.push(`messages[${at}]: ${textOf(block["type"])}`)
    }
    return
  }
  for (const block of blocks) {
    if (block["type"] === "tool_result") {
      if (!readResult(read, block)) read.unread.push(`messages[${at}]: ${textOf(block["type"])}`)
    } else if (block["type"] === "image" && read.show(imageOf(read, block))) continue
    else if (block["type"] !== "text") read.unread.push(`messages[${at}]: ${textOf(block["type"])}`)
    else if (message["role"] === "system") read.instruct(textOf(block["text"]))
    else read.user(textOf(block["text"]))
  }
  read.endMessage()
}

/** A result may say nothing at all. */
function readResult(read: ReadConversation, block: Fields): boolean {
  const { content = "", tool_use_id: id, is_error: failed } = block
  const said = listOf(content).length === 0 && typeof content !== "string" ? "" : content
  const found = readContent(said, "text", (part) => imageOf(read, part))
  if (found !== null) read.result(textOf(id), found.text, failed === true, found.images)
  return found !== null
}

function imageOf(read: ReadConversation, block: Fields): Media | null {
  const { type, data, media_type: mediaType } = fieldsOf(block["source"])
  return block["type"] === "image" && type === "base64" ? read.images.base64(data, mediaType) : null
}

function readAnswer(read: ReadConversation, block: Fields, of: Omit<Native, "opaque">): boolean {
  const native = { ...of, opaque: block as Json }
  switch (block["type"]) {
    case "text":
      read.answer({ type: "text", text: textOf(block["text"]) })
      return true
    case "thinking":
    case "redacted_thinking":
      read.answer({ type: "reasoning", text: textOf(block["thinking"]), native })
      return true
    case "tool_use":
      read.call(textOf(block["id"]), textOf(block["name"]), (block["input"] ?? {}) as Json, undefined)
      return true
    default:
      if (!isHosted(block["type"])) return false
      read.answer({ type: "hosted", name: textOf(block["name"]) || textOf(block["type"]), native })
      return true
  }
}
