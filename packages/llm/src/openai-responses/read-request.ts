/** A Responses body back to a canonical request, for replays of recorded traffic. */
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { Native } from "@holdfast/schema/message"
import { type Fields, fieldsOf, isFields, listOf, lookUp, parseFields, textOf } from "../json-fields.ts"
import { type ReadContent, ReadConversation, type ReadRequest } from "../request/read-request.ts"
import { isBlank } from "../request/runtime-words.ts"
import type { Target } from "../segments.ts"
import { answerOf } from "./answer-content.ts"
import { argumentsOf } from "./item-meaning.ts"
import { failedMark } from "./item-shape.ts"
import { hostedOpaque, isHostedItem, reasoningOpaque } from "./native.ts"
import { readSettings } from "./read-settings.ts"
import { readFunctions } from "./tool-forms.ts"

/** `tag`: whom the sealed parts of the body belong to. Null if the body is no request of this wire. */
export function readRequest(body: string, tag: Pick<Target, "provider" | "endpoint">): ReadRequest | null {
  const value = parseFields(body)
  if (value === null || (typeof value["input"] !== "string" && !Array.isArray(value["input"]))) return null
  const { provider, endpoint } = tag
  const model = textOf(value["model"])
  const read = new ReadConversation()
  const reader = new ItemReader(read, { provider, endpoint, model })
  reader.instructions(value["instructions"])
  if (typeof value["input"] === "string") read.user(value["input"])
  else listOf(value["input"]).forEach((item, at) => reader.item(fieldsOf(item), at))
  reader.end()
  const { tools, strict, unread } = readFunctions(value["tools"])
  const names = tools.map(({ name }) => name)
  const settings = readSettings(value, names, strict)
  return {
    model,
    segments: read.segments(tools),
    options: settings.options,
    images: read.images.bytes,
    unread: [...read.unread, ...unread, ...settings.unread],
  }
}

/** Items of the client's and pointers to what the provider keeps: none of them is a fact of its tools. */
const foreignItems: ReadonlySet<string> = new Set(["item_reference", "mcp_approval_response"])

const ofItem = ["type", "id", "status"]
const ofMark = ["type", "prompt_cache_breakpoint", "cache_control"]

/** Members that are read, of items and of parts; the likelihoods of an answer's words say nothing to anybody. */
const readMembers: Readonly<Record<string, readonly string[]>> = {
  message: [...ofItem, "role", "content"],
  answer: [...ofItem, "role", "content", "phase"],
  function_call: [...ofItem, "call_id", "name", "arguments"],
  function_call_output: [...ofItem, "call_id", "output"],
  input_text: [...ofMark, "text"],
  input_image: [...ofMark, "image_url", "detail"],
  output_text: [...ofMark, "text", "annotations", "logprobs"],
  refusal: ["type", "refusal"],
}

class ItemReader {
  readonly #read: ReadConversation
  readonly #of: Omit<Native, "opaque">
  /** Calls of the answer that is read, by id, with their place: those whose result has not come. */
  readonly #open = new Map<string, number>()
  /** The answer that is read has results, so that more of the model's words begin another. */
  #answered = false

  constructor(read: ReadConversation, of: Omit<Native, "opaque">) {
    this.#read = read
    this.#of = of
  }

  instructions(value: unknown): void {
    if (typeof value === "string") this.#instruct(value)
    else if (value !== undefined && value !== null) this.#read.unread.push("instructions")
  }

  item(item: Fields, at: number): void {
    // documented: an item that has nothing but an id points to a stored one.
    const isBare = item["type"] === undefined && item["role"] === undefined
    const type = textOf(item["type"]) || (isBare ? "item_reference" : "message")
    const { role, status } = item
    if (typeof status === "string" && status !== "completed" && !isHostedItem(type)) {
      this.#read.unread.push(`input[${at}].status: ${status}`)
    }
    this.#members(item, type === "message" && role === "assistant" ? "answer" : type, `input[${at}]`)
    if (type === "function_call_output") return this.#result(item, at)
    if (type === "message" && role !== "assistant") return this.#message(textOf(role), item, at)
    if (this.#answered) this.#endAnswer()
    this.#answer(type, item, at)
  }

  /** What was called and never answered has no result that could be read. */
  end(): void {
    for (const at of this.#open.values()) this.#read.unread.push(`input[${at}]: function_call without output`)
    this.#open.clear()
  }

  #endAnswer(): void {
    this.end()
    this.#answered = false
    this.#read.endAnswer()
  }

  #message(role: string, item: Fields, at: number): void {
    const said = this.#content(item["content"], `input[${at}].content`)
    if (said === null) return
    if (role === "user") {
      this.#endAnswer()
      this.#read.user(said.text, said.images)
    } else if (role !== "system" && role !== "developer") {
      this.#read.unread.push(`input[${at}].role: ${role}`)
    } else if (said.images.length > 0) {
      this.#read.unread.push(`input[${at}].content: input_image`)
    } else this.#instruct(said.text)
  }

  #instruct(text: string): void {
    if (isBlank(text)) return
    this.#endAnswer()
    this.#read.instruct(text)
  }

  #result(item: Fields, at: number): void {
    const said = this.#content(item["output"], `input[${at}].output`)
    const id = textOf(item["call_id"])
    this.#open.delete(id)
    this.#answered = true
    if (said === null) return
    const failed = said.text.startsWith(failedMark)
    const words = failed ? said.text.slice(failedMark.length) : said.text
    this.#read.result(id, words, failed, said.images)
  }

  /** Text and images; null if there is anything else, which is then told by its place. */
  #content(content: unknown, place: string): ReadContent | null {
    if (typeof content === "string") return { text: content, images: [] }
    const texts: string[] = []
    const images: Media[] = []
    const before = this.#read.unread.length
    for (const [at, value] of listOf(content).entries()) {
      const part = fieldsOf(value)
      const { type, detail } = part
      this.#members(part, textOf(type), `${place}[${at}]`)
      const image = type === "input_image" ? this.#read.images.url(part["image_url"]) : null
      if (type === "input_text") texts.push(textOf(part["text"]))
      else if (image === null) this.#read.unread.push(`${place}[${at}]: ${textOf(type)}`)
      else if (typeof detail === "string" && detail !== "auto") {
        this.#read.unread.push(`${place}[${at}].detail: ${detail}`)
      } else images.push(image)
    }
    return this.#read.unread.length > before ? null : { text: texts.join("\n"), images }
  }

  #answer(type: string, item: Fields, at: number): void {
    if (type === "message") return this.#words(item, at)
    if (type === "function_call") return this.#call(item, at)
    const native = { ...this.#of, opaque: item as Json }
    if (type === "reasoning" && reasoningOpaque(item as Json) !== null) {
      const text = listOf(item["summary"]).map((part) => textOf(fieldsOf(part)["text"]))
      return this.#read.answer({ type: "reasoning", text: text.join("\n\n"), native })
    }
    if (type === "reasoning") return void this.#read.unread.push(`input[${at}]: reasoning by its id alone`)
    if (foreignItems.has(type) || hostedOpaque(item as Json) === null) {
      return void this.#read.unread.push(`input[${at}]: ${type}`)
    }
    this.#read.answer({ type: "hosted", name: type, native })
  }

  #words(item: Fields, at: number): void {
    const { text, annotations, refused, strange } = answerOf(item["content"])
    if (strange !== null) {
      const part = fieldsOf(listOf(item["content"])[strange])
      return void this.#read.unread.push(`input[${at}].content[${strange}]: ${textOf(part["type"])}`)
    }
    for (const [part, value] of listOf(item["content"]).entries()) {
      const of = textOf(fieldsOf(value)["type"])
      this.#members(fieldsOf(value), of, `input[${at}].content[${part}]`)
    }
    const kept = {
      ...named(item, "id"),
      ...named(item, "phase"),
      ...(annotations.length === 0 ? {} : { annotations }),
      ...(refused ? { refusal: true } : {}),
    }
    this.#read.answer({ type: "text", text, ...this.#native("message", kept) })
  }

  #call(item: Fields, at: number): void {
    const input = argumentsOf(item)
    const id = textOf(item["call_id"])
    if (!isFields(input)) return void this.#read.unread.push(`input[${at}].arguments`)
    if (this.#open.has(id)) return void this.#read.unread.push(`input[${at}].call_id: used twice`)
    this.#open.set(id, at)
    const { native } = this.#native("function_call", named(item, "id"))
    this.#read.call(id, textOf(item["name"]), input as Json, native)
  }

  /** Names what would be lost of an item or a part. */
  #members(fields: Fields, kind: string, place: string): void {
    const known = lookUp(readMembers, kind)
    const lost = Object.keys(fields).filter(
      (name) => fields[name] !== null && known?.includes(name) === false,
    )
    this.#read.unread.push(...lost.map((name) => `${place}.${name}`))
  }

  #native(type: string, kept: Fields): { readonly native?: Native } {
    if (Object.keys(kept).length === 0) return {}
    return { native: { ...this.#of, opaque: { type, ...kept } as Json } }
  }
}

const named = (item: Fields, name: string): Fields =>
  textOf(item[name]) === "" ? {} : { [name]: item[name] }
