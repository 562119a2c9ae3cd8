/** A Chat body back to a canonical request, for replays of recorded traffic. */
import type { Json } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import { type Fields, fieldsOf, isFields, listOf, parseFields, textOf } from "../json-fields.ts"
import {
  readContent,
  ReadConversation,
  readOptions,
  type ReadRequest,
  readText,
  readTools,
} from "../request/read-request.ts"
import type { Target } from "../segments.ts"
import { failedMark } from "./message-shape.ts"

/** `tag`: whom the reasoning in the body belongs to. Null if the body is no request of this wire. */
export function readRequest(body: string, tag: Pick<Target, "provider" | "endpoint">): ReadRequest | null {
  const value = parseFields(body)
  if (value === null || !Array.isArray(value["messages"])) return null
  const model = textOf(value["model"])
  const read = new ReadConversation()
  listOf(value["messages"]).forEach((message, at) =>
    readMessage(read, fieldsOf(message), at, { ...tag, model }),
  )
  const tools = readTools(value["tools"], (tool) => {
    const { name, description, parameters } = fieldsOf(tool["function"])
    return [name, description, parameters]
  })
  const options = readOptions(value, ["model", "messages", "tools", "stream", "stream_options"])
  return { model, segments: read.segments(tools), options, images: read.images.bytes, unread: read.unread }
}

function readMessage(
  read: ReadConversation,
  message: Fields,
  at: number,
  of: Pick<Target, "provider" | "endpoint" | "model">,
): void {
  const role = textOf(message["role"])
  if (role === "assistant") return readAnswer(read, message, of)
  if (role === "user") return readInput(read, message["content"], at)
  const text = readText(message["content"], "text")
  if (text === null) read.unread.push(`messages[${at}].content`)
  else if (role === "tool") {
    const failed = text.startsWith(failedMark)
    read.result(textOf(message["tool_call_id"]), failed ? text.slice(failedMark.length) : text, failed)
  } else read.instruct(text)
}

function readInput(read: ReadConversation, content: unknown, at: number): void {
  const said = readContent(content, "text", (part) => {
    const { url } = fieldsOf(part["image_url"])
    return part["type"] === "image_url" ? read.images.url(url ?? part["image_url"]) : null
  })
  if (said === null) read.unread.push(`messages[${at}].content`)
  else read.user(said.text, said.images)
}

function readAnswer(
  read: ReadConversation,
  message: Fields,
  of: Pick<Target, "provider" | "endpoint" | "model">,
): void {
  read.endAnswer()
  const details = listOf(message["reasoning_details"]) as readonly Json[]
  const field = typeof message["reasoning_content"] === "string" ? "reasoning_content" : "reasoning"
  const reasoned = textOf(message[field])
  if (reasoned !== "" || details.length > 0) {
    const native = { ...of, opaque: { type: "reasoning", field, text: reasoned, details } }
    read.answer({ type: "reasoning", text: reasoned, native })
  }
  const text = readText(message["content"], "text", "refusal")
  if (text !== null && text !== "") read.answer({ type: "text", text })
  for (const call of listOf(message["tool_calls"]).map(fieldsOf)) {
    const { name, arguments: given } = fieldsOf(call["function"])
    const extra = call["extra_content"]
    const opaque = { type: "call", extra: { extra_content: extra as Json } }
    const native = isFields(extra) ? { ...of, opaque } : undefined
    const input = parseInput(textOf(given)) ?? { unreadable: textOf(given) }
    read.call(textOf(call["id"]), textOf(name), input, native)
  }
}
