/** A Chat body back to a canonical request, for replays of recorded traffic. */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import { parseInput } from "../answer/call-input.ts"
import { type Fields, fieldsOf, isFields, listOf, parseFields, textOf } from "../json-fields.ts"
import type { ModelTraits } from "../options.ts"
import { ReadConversation, type ReadRequest } from "../request/read-request.ts"
import { isBlank } from "../request/runtime-words.ts"
import type { Target } from "../segments.ts"
import { failedMark } from "./message-shape.ts"
import { readSettings } from "./read-settings.ts"
import { marks, membersBeside, readTools } from "./declared-tools.ts"

type Of = Pick<Target, "provider" | "endpoint" | "model">

/** `tag`: whom the reasoning in the body belongs to. Null if the body is no request of this wire. */
export function readRequest(body: string, tag: Pick<Target, "provider" | "endpoint">): ReadRequest | null {
  const value = parseFields(body)
  if (value === null || !Array.isArray(value["messages"])) return null
  const model = textOf(value["model"])
  const of = { ...tag, model }
  const messages = value["messages"].map(fieldsOf)
  const read = new ReadConversation()
  if (model === "") read.unread.push("model")
  const names = namesOfCalls(messages)
  messages.forEach((message, at) => readMessage(read, message, `messages[${at}]`, { of, names }))
  const { tools, strict, unread } = readTools(value["tools"])
  const settings = readSettings(value, of)
  read.unread.push(...unread, ...settings.unread)
  const traits: ModelTraits = {
    ...(strict ? { strictTools: true } : {}),
    // The recorded server took them where they stand.
    ...(instructsInTime(messages) ? { systemRole: true } : {}),
  }
  return {
    model,
    segments: read.segments(tools),
    options: { ...settings.options, traits },
    images: read.images.bytes,
    unread: read.unread,
  }
}

interface Known {
  readonly of: Of
  /** Names of the functions by the ids of their calls. */
  readonly names: ReadonlyMap<string, string>
}

const namesOfCalls = (messages: readonly Fields[]): ReadonlyMap<string, string> =>
  new Map(
    messages.flatMap(({ tool_calls: calls }) =>
      listOf(calls)
        .map(fieldsOf)
        .map(({ id, function: named }) => [textOf(id), textOf(fieldsOf(named)["name"])] as const),
    ),
  )

const isInstruction = ({ role }: Fields): boolean => role === "system" || role === "developer"

function instructsInTime(messages: readonly Fields[]): boolean {
  const said = messages.findIndex((message) => !isInstruction(message))
  return said >= 0 && messages.slice(said).some(isInstruction)
}

function readMessage(read: ReadConversation, message: Fields, place: string, known: Known): void {
  switch (message["role"]) {
    case "assistant":
      return readAnswer(read, message, place, known.of)
    case "user":
      beside(read, message, place, ["role", "content"])
      return readInput(read, message["content"], `${place}.content`)
    case "tool":
      return readResult(read, message, place, known.names)
    case "system":
    case "developer":
      beside(read, message, place, ["role", "content"])
      return read.instruct(readWords(read, message["content"], `${place}.content`))
    default:
      read.unread.push(`${place}.role: ${textOf(message["role"])}`)
  }
}

function beside(read: ReadConversation, fields: Fields, place: string, members: readonly string[]): void {
  read.unread.push(...membersBeside(fields, [...members, ...marks]).map((member) => `${place}${member}`))
}

/** Text, as a string or as parts; what else stands there is named. */
function readWords(read: ReadConversation, content: unknown, place: string): string {
  if (typeof content === "string") return content
  const parts = listOf(content).map(fieldsOf)
  if (parts.length === 0) read.unread.push(place)
  return parts.map((part, at) => readText(read, part, `${place}[${at}]`)).join("\n")
}

function readText(read: ReadConversation, part: Fields, place: string): string {
  if (part["type"] === "text") beside(read, part, place, ["type", "text"])
  else read.unread.push(`${place}: ${textOf(part["type"])}`)
  return textOf(part["text"])
}

function readInput(read: ReadConversation, content: unknown, place: string): void {
  if (!Array.isArray(content)) return read.user(readWords(read, content, place))
  const texts: string[] = []
  const images: Media[] = []
  const kinds: string[] = []
  if (content.length === 0) read.unread.push(place)
  content.map(fieldsOf).forEach((part, at) => {
    const isImage = part["type"] === "image_url"
    kinds.push(isImage ? "image" : "text")
    if (isImage) images.push(...readImage(read, part, `${place}[${at}]`))
    else texts.push(readText(read, part, `${place}[${at}]`))
  })
  // Words can stand before or behind all images of a message; between two they speak of one of them.
  if (/image (?:text )+image/.test(kinds.join(" "))) read.unread.push(`${place}: text between images`)
  read.user(texts.join("\n"), images)
}

function readImage(read: ReadConversation, part: Fields, place: string): readonly Media[] {
  beside(read, part, place, ["type", "image_url"])
  const { image_url: given } = part
  const { url, detail = "auto", ...more } = isFields(given) ? given : { url: given }
  if (detail !== "auto" && detail !== null) read.unread.push(`${place}.image_url.detail`)
  beside(read, more, `${place}.image_url`, [])
  const media = read.images.url(url)
  if (media === null) read.unread.push(`${place}: image_url`)
  return media === null ? [] : [media]
}

function readResult(
  read: ReadConversation,
  message: Fields,
  place: string,
  names: ReadonlyMap<string, string>,
): void {
  const id = textOf(message["tool_call_id"])
  // Some clients say again which function it was.
  const named = names.get(id) === message["name"] ? ["name"] : []
  beside(read, message, place, ["role", "content", "tool_call_id", ...named])
  const { content = "" } = message
  const text = readWords(read, content ?? "", `${place}.content`)
  const failed = text.startsWith(failedMark)
  read.result(id, failed ? text.slice(failedMark.length) : text, failed)
}

function readAnswer(read: ReadConversation, message: Fields, place: string, of: Of): void {
  read.endAnswer()
  const { content } = message
  beside(read, message, place, ["role", "content", "tool_calls", ...reasoningFields, "reasoning_details"])
  const reasoned = readReasoning(read, message, place, of)
  const text = content === undefined || content === null ? "" : readWords(read, content, `${place}.content`)
  if (!isBlank(text)) read.answer({ type: "text", text })
  const calls = listOf(message["tool_calls"]).map(fieldsOf)
  calls.forEach((call, at) => readCall(read, call, `${place}.tool_calls[${at}]`, of))
  if (reasoned && isBlank(text) && calls.length === 0) read.unread.push(`${place}: reasoning alone`)
}

const reasoningFields = ["reasoning_content", "reasoning"] as const

/** Reasoning in the field it came in. It is sent again, whatever is known of its server: it was sent before. */
function readReasoning(read: ReadConversation, message: Fields, place: string, of: Of): boolean {
  const odd = reasoningFields.filter((field) => isFields(message[field]))
  read.unread.push(...odd.map((field) => `${place}.${field}`))
  const details = listOf(message["reasoning_details"]) as readonly Json[]
  const given = reasoningFields.filter((field) => textOf(message[field]) !== "")
  const fields = given.length === 0 && details.length > 0 ? (["reasoning"] as const) : given
  fields.forEach((field, at) => {
    const text = textOf(message[field])
    const opaque = { type: "reasoning", field, text, details: at === 0 ? details : [], sent: true }
    read.answer({ type: "reasoning", text, native: { ...of, opaque } })
  })
  return fields.length > 0
}

function readCall(read: ReadConversation, call: Fields, place: string, of: Of): void {
  const { id, type = "function", function: given, index: _, ...more } = call
  if (type !== "function") return void read.unread.push(`${place}: ${textOf(type)}`)
  const named = fieldsOf(given)
  beside(read, named, `${place}.function`, ["name", "arguments"])
  const extra = Object.fromEntries(Object.entries(more).filter(([name]) => !marks.includes(name)))
  const opaque = { type: "call", extra: extra as JsonObject }
  const input = readArguments(textOf(named["arguments"]))
  if (input === null) read.unread.push(`${place}.function.arguments`)
  const native = Object.keys(extra).length > 0 ? { ...of, opaque } : undefined
  read.call(textOf(id), textOf(named["name"]), input ?? {}, native)
}

/** recorded: a call of a function without parameters may have no text at all. Null if it is no object. */
function readArguments(text: string): JsonObject | null {
  if (isBlank(text)) return {}
  const input = parseInput(text)
  return isFields(input) && keepsNumbers(text) ? (input as JsonObject) : null
}

/** Whether every number comes back as it was: an id of twenty digits does not. */
function keepsNumbers(json: string): boolean {
  const numbers = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").match(/-?\d[\d.eE+-]*/g) ?? []
  return numbers.every(
    (digits) => !/^-?\d+$/.test(digits) || String(Number(digits)) === digits.replace(/^-0$/, "0"),
  )
}
