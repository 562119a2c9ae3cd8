/** A Responses body back to a canonical request, for replays of recorded traffic. */
import type { Json } from "@holdfast/schema/json"
import type { Native } from "@holdfast/schema/message"
import { parseInput } from "../answer/call-input.ts"
import { type Fields, fieldsOf, listOf, parseFields, textOf } from "../json-fields.ts"
import { readHostedTools } from "../request/hosted-tools.ts"
import {
  type ReadContent,
  readContent,
  ReadConversation,
  readOptions,
  type ReadRequest,
  readText,
  readTools,
} from "../request/read-request.ts"
import type { Target } from "../segments.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { failedMark } from "./item-shape.ts"
import { hostedOpaque, isHostedItem } from "./native.ts"

/** `tag`: whom the sealed parts of the body belong to. Null if the body is no request of this wire. */
export function readRequest(body: string, tag: Pick<Target, "provider" | "endpoint">): ReadRequest | null {
  const value = parseFields(body)
  if (value === null || (typeof value["input"] !== "string" && !Array.isArray(value["input"]))) return null
  const model = textOf(value["model"])
  const read = new ReadConversation()
  const reader = new ItemReader(read, { ...tag, model })
  if (textOf(value["instructions"]) !== "") read.instruct(textOf(value["instructions"]))
  if (typeof value["input"] === "string") read.user(value["input"])
  else listOf(value["input"]).forEach((item, at) => reader.item(fieldsOf(item), at))
  const functions = listOf(value["tools"]).filter((tool) => !isHostedTool(fieldsOf(tool)))
  const tools = readTools(functions, (tool) => [tool["name"], tool["description"], tool["parameters"]])
  const options = readOptions(value, [
    "model",
    "input",
    "instructions",
    "tools",
    "stream",
    "store",
    "include",
    "text",
  ])
  const text = fieldsOf(value["text"])
  const verbosity = textOf(text["verbosity"])
  const { format } = text
  if (format !== undefined) read.unread.push("text.format")
  return {
    model,
    segments: read.segments(tools),
    options: {
      ...options,
      model: {
        ...options.model,
        ...(verbosity === "" ? {} : { verbosity }),
        ...readHostedTools(value["tools"], isHostedTool),
      },
      traits: { reasoning: value["include"] !== undefined },
    },
    images: read.images.bytes,
    unread: read.unread,
  }
}

class ItemReader {
  readonly #read: ReadConversation
  readonly #of: Omit<Native, "opaque">

  constructor(read: ReadConversation, of: Omit<Native, "opaque">) {
    this.#read = read
    this.#of = of
  }

  item(item: Fields, at: number): void {
    const type = textOf(item["type"]) || "message"
    const role = textOf(item["role"])
    if (type === "function_call_output") return this.#result(item, at)
    if (type === "message" && role !== "assistant") return this.#message(role, item, at)
    if (this.#read.answered) this.#read.endAnswer()
    if (!this.#answer(type, item)) this.#read.unread.push(`input[${at}]`)
  }

  #message(role: string, item: Fields, at: number): void {
    const said = this.#content(item["content"])
    if (said === null) this.#read.unread.push(`input[${at}].content`)
    else if (role === "user") this.#read.user(said.text, said.images)
    else if (said.images.length > 0) this.#read.unread.push(`input[${at}].content`)
    else this.#read.instruct(said.text)
  }

  #result(item: Fields, at: number): void {
    const text = readText(item["output"], "input_text", "output_text")
    const said = text === null ? this.#content(item["output"]) : { text, images: [] }
    if (said === null) return void this.#read.unread.push(`input[${at}].output`)
    const failed = said.text.startsWith(failedMark)
    const words = failed ? said.text.slice(failedMark.length) : said.text
    this.#read.result(textOf(item["call_id"]), words, failed, said.images)
  }

  #content(content: unknown): ReadContent | null {
    return readContent(content, "input_text", (part) =>
      part["type"] === "input_image" ? this.#read.images.url(part["image_url"]) : null,
    )
  }

  #answer(type: string, item: Fields): boolean {
    if (type === "message") {
      const text = readText(item["content"], "output_text", "input_text")
      if (text === null) return false
      this.#read.answer({ type: "text", text, ...this.#native(item, ["id", "phase"]) })
      return true
    }
    if (type === "function_call") {
      const input = parseInput(textOf(item["arguments"])) ?? { unreadable: textOf(item["arguments"]) }
      const { native } = this.#native(item, ["id"])
      this.#read.call(textOf(item["call_id"]), textOf(item["name"]), input, native)
      return true
    }
    const native = { ...this.#of, opaque: item as Json }
    if (type === "reasoning") {
      const text = listOf(item["summary"]).map((part) => textOf(fieldsOf(part)["text"]))
      this.#read.answer({ type: "reasoning", text: text.join("\n\n"), native })
      return true
    }
    if (!isHostedItem(type) || hostedOpaque(item as Json) === null) return false
    this.#read.answer({ type: "hosted", name: type, native })
    return true
  }

  #native(item: Fields, names: readonly string[]): { readonly native?: Native } {
    const kept = names.filter((name) => textOf(item[name]) !== "").map((name) => [name, item[name]])
    if (kept.length === 0) return {}
    const type = textOf(item["type"]) || "message"
    return { native: { ...this.#of, opaque: { type, ...Object.fromEntries(kept) } as Json } }
  }
}
