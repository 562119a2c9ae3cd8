/**
 * A Messages body back to a canonical request, for replays of recorded traffic.
 *
 * Messages of one role in a row are one message to the provider. What the canonical request has no
 * word for is named by its place.
 */
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { Native } from "@holdfast/schema/message"
import { type Fields, fieldsOf, listOf, parseFields, textOf } from "../json-fields.ts"
import { textBlocks, without } from "../recording/written-form.ts"
import { readHostedTools } from "../request/hosted-tools.ts"
import { ReadConversation, readContent, type ReadRequest } from "../request/read-request.ts"
import type { Target } from "../segments.ts"
import { isHosted } from "./block-shape.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { readFunctions, readSettings } from "./read-settings.ts"
import { isDirect, markersOf, resultParts } from "./written-block.ts"

/** `tag`: whom signed thinking in the body belongs to. Null if the body is no request of this wire. */
export function readRequest(body: string, tag: Pick<Target, "provider" | "endpoint">): ReadRequest | null {
  const value = parseFields(body)
  if (value === null || !Array.isArray(value["messages"])) return null
  const model = textOf(value["model"])
  const read = new ReadConversation()
  readPrompts(read, value["system"])
  const messages = listOf(value["messages"]).map(fieldsOf)
  messages.forEach((message, at) => {
    // A message that says nothing parts no others.
    if (message["role"] === "assistant" && messages[at - 1]?.["role"] !== "assistant") read.endAnswer()
    readMessage(read, message, at, { ...tag, model })
  })
  const { tools, strict, unread } = readFunctions(value["tools"])
  const settings = readSettings(value)
  const hour = markersOf(value).some(({ marker }) => marker["ttl"] === "1h")
  return {
    model,
    segments: read.segments(tools),
    options: {
      ...settings.options,
      model: {
        ...settings.options.model,
        cacheTtl: hour ? "1h" : "5m",
        ...readHostedTools(value["tools"], isHostedTool),
      },
      traits: {
        systemRole: messages.some(({ role }) => role === "system"),
        ...(strict ? { strictTools: true } : {}),
      },
    },
    images: read.images.bytes,
    unread: [...settings.unread, ...unread, ...read.unread],
  }
}

function readPrompts(read: ReadConversation, system: unknown): void {
  textBlocks(system).forEach(({ type, text }, at) => {
    if (type !== "text") read.unread.push(`system[${at}]: ${textOf(type)}`)
    // No text and an empty one are the same.
    else if (system !== "") read.instruct(textOf(text))
  })
}

type Unread = (what: string) => void

function readMessage(read: ReadConversation, message: Fields, at: number, of: Omit<Native, "opaque">): void {
  const { role, content } = message
  const unread: Unread = (what) => void read.unread.push(`messages[${at}]: ${what}`)
  if (role !== "user" && role !== "assistant" && role !== "system") return unread(`role ${String(role)}`)
  for (const block of textBlocks(content)) {
    if (role === "assistant") readAnswer(read, block, of, unread)
    else if (block["type"] === "tool_result") readResult(read, block, unread)
    else if (block["type"] === "image") {
      if (!read.show(imageOf(read, block))) unread("image")
    } else if (block["type"] !== "text") unread(textOf(block["type"]))
    else if (role === "system") read.instruct(textOf(block["text"]))
    else read.user(textOf(block["text"]))
  }
  if (role !== "assistant") read.endMessage()
}

/** A result may say nothing at all. */
function readResult(read: ReadConversation, block: Fields, unread: Unread): void {
  const { tool_use_id: id, is_error: failed, content } = block
  const parts = resultParts(content)
  const others = parts.filter(({ type }) => type !== "text" && type !== "image")
  if (others.length > 0) {
    for (const { type } of others) unread(`${textOf(type)} in tool_result`)
    return
  }
  if (!isOneRun(parts.map(({ type }) => type === "image")))
    return unread("texts between images in tool_result")
  const found =
    parts.length === 0 ? { text: "", images: [] } : readContent(parts, "text", (part) => imageOf(read, part))
  if (found === null) unread("image in tool_result")
  else read.result(textOf(id), found.text, failed === true, found.images)
}

/** A result has its images in one place, so that what stands between two of them would be lost. */
export const isOneRun = (marks: readonly boolean[]): boolean =>
  marks.slice(marks.indexOf(true), marks.lastIndexOf(true) + 1).every(Boolean)

function imageOf(read: ReadConversation, block: Fields): Media | null {
  const { type, data, media_type: mediaType } = fieldsOf(block["source"])
  return block["type"] === "image" && type === "base64" ? read.images.base64(data, mediaType) : null
}

function readAnswer(read: ReadConversation, block: Fields, of: Omit<Native, "opaque">, unread: Unread): void {
  const type = textOf(block["type"])
  const native = { ...of, opaque: without("cache_control", block) as Json }
  switch (type) {
    case "text": {
      const text = textOf(block["text"])
      const citations = listOf(block["citations"]) as readonly Json[]
      const opaque = { type: "text", citations }
      return read.answer({ type, text, ...(citations.length === 0 ? {} : { native: { ...of, opaque } }) })
    }
    case "thinking":
    case "redacted_thinking":
      return read.answer({ type: "reasoning", text: textOf(block["thinking"]), native })
    case "tool_use":
      if (!isDirect(block)) return unread("tool_use of another caller")
      return read.call(textOf(block["id"]), textOf(block["name"]), (block["input"] ?? {}) as Json, undefined)
    default:
      if (!isHosted(type)) return unread(type)
      return read.answer({ type: "hosted", name: textOf(block["name"]) || type, native })
  }
}
