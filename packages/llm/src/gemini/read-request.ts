/** A Gemini body back to a canonical request, for replays of recorded traffic. */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { Native } from "@holdfast/schema/message"
import { type Fields, fieldsOf, isFields, listOf, parseFields, textOf } from "../json-fields.ts"
import { geminiImages } from "../image/rules.ts"
import { ReadConversation, type ReadRequest, readTools } from "../request/read-request.ts"
import { isBlank } from "../request/runtime-words.ts"
import type { Target } from "../segments.ts"
import { partTools } from "./hosted-tool.ts"
import { findCall, hostedMember, signatureOf } from "./native.ts"
import { saidInResponse } from "./part-shape.ts"
import { readSettings } from "./read-options.ts"
import { lostKeywords } from "./schema-projection.ts"
import { oneSpelling } from "./spelling.ts"

/** `tag`: whom the signatures in the body belong to; the model is in the address. Null if the body is another's. */
export function readRequest(
  body: string,
  tag: Pick<Target, "provider" | "endpoint"> & { readonly model?: string },
): ReadRequest | null {
  const value = oneSpelling(parseFields(body) ?? {})
  if (!listOf(value["contents"]).every(isFields) || !Array.isArray(value["contents"])) return null
  const model = tag.model ?? textOf(value["model"])
  const reader = new ContentReader({ provider: tag.provider, endpoint: tag.endpoint, model })
  for (const part of listOf(fieldsOf(value["systemInstruction"])["parts"])) reader.prompt(fieldsOf(part))
  listOf(value["contents"]).forEach((content, at) => reader.content(fieldsOf(content), at))
  reader.end()
  const parted = partTools(value["tools"])
  const settings = readSettings(value, parted, { model, endpoint: tag.endpoint })
  const tools = readTools(parted.functions, (tool) => [tool["name"], tool["description"], schemaOf(tool)])
  return {
    model,
    segments: reader.read.segments(tools),
    options: settings.options,
    images: reader.read.images.bytes,
    unread: [
      ...reader.read.unread,
      ...parted.functions.flatMap((one) => unreadInTool(fieldsOf(one))),
      ...parted.hosted.flatMap((one) =>
        Object.keys(one)
          .filter((name) => !isFields(one[name]))
          .map((name) => `tools.${name}`),
      ),
      ...settings.unread,
    ],
  }
}

/** A function's parameters in either language; an object without properties where it has none. */
export const schemaOf = (tool: Fields): unknown =>
  tool["parameters"] ?? tool["parametersJsonSchema"] ?? { type: "object", properties: {} }

const toolMembers: ReadonlySet<string> = new Set([
  "name",
  "description",
  "parameters",
  "parametersJsonSchema",
])

function unreadInTool(tool: Fields): readonly string[] {
  const name = textOf(tool["name"])
  const members = Object.keys(tool).filter((member) => {
    if (member === "behavior") return tool[member] !== "BLOCKING" && tool[member] !== "UNSPECIFIED"
    return !toolMembers.has(member)
  })
  const both = tool["parameters"] !== undefined && tool["parametersJsonSchema"] !== undefined
  const schema = schemaOf(tool)
  const lost = isFields(schema) ? lostKeywords(schema as JsonObject) : ["parameters"]
  return [
    ...(name === "" ? ["name"] : []),
    ...members,
    ...(both ? ["parametersJsonSchema"] : []),
    ...lost,
  ].map((what) => `tools.${name}: ${what}`)
}

/** Why a part cannot be read, in a word or two; null if it was. */
type Unread = string | null

class ContentReader {
  readonly read = new ReadConversation()
  readonly #of: Omit<Native, "opaque">
  /** Calls without a response, in order. */
  #open: { readonly name: string; readonly id: string; readonly call: string }[] = []
  #calls = 0
  /** The content before was the model's, so more of it is the same answer. */
  #answering = false

  constructor(of: Omit<Native, "opaque">) {
    this.#of = of
  }

  prompt(part: Fields): void {
    const other = otherMember(part, ["text"])
    if (other !== null || typeof part["text"] !== "string") {
      this.read.unread.push(`systemInstruction: ${other ?? "text"}`)
    } else if (!isBlank(part["text"])) this.read.instruct(part["text"])
  }

  content(content: Fields, at: number): void {
    const role = content["role"] ?? "user"
    const parts = listOf(content["parts"]).map(fieldsOf)
    const note = (what: Unread) => {
      if (what !== null) this.read.unread.push(`contents[${at}]: ${what}`)
    }
    if (role !== "user" && role !== "function" && role !== "model") note(`role ${textOf(role)}`)
    if (parts.length === 0) note("no parts")
    const model = role === "model"
    if (model && !this.#answering) {
      note(this.#unanswered())
      this.read.endAnswer()
    }
    this.#answering = model
    const silent = parts.every(isBlankText)
    for (const part of parts) {
      // Blank text beside something else says nothing.
      if (isBlankText(part) && !silent) continue
      note(model ? this.#answer(part) : this.#input(part))
    }
    this.read.endMessage()
  }

  end(): void {
    const unanswered = this.#unanswered()
    if (unanswered !== null) this.read.unread.push(`contents: ${unanswered}`)
  }

  /** Every rendered call has a result (TU2). */
  #unanswered(): Unread {
    const names = this.#open.map(({ name }) => name)
    this.#open = []
    return names.length === 0 ? null : `functionCall of ${names.join(", ")} without a response`
  }

  #input(part: Fields): Unread {
    if (isFields(part["functionResponse"])) {
      return otherMember(part, ["functionResponse"]) ?? this.#response(part["functionResponse"])
    }
    if (isFields(part["inlineData"])) {
      const media = this.#image(part["inlineData"])
      if (typeof media === "string") return media
      this.read.show(media)
      return otherMember(part, ["inlineData"])
    }
    if (typeof part["text"] !== "string") return otherMember(part, []) ?? "a part of nothing"
    const unanswered = this.#unanswered()
    this.read.user(part["text"])
    return unanswered ?? otherMember(part, ["text"])
  }

  /** An image, or what it is instead. */
  #image(inline: Fields): Media | string {
    const other = otherMember(inline, ["mimeType", "data"])
    const media = this.read.images.base64(inline["data"], inline["mimeType"])
    // An image that the provider does not take would not be sent.
    if (other === null && media !== null && geminiImages.types.includes(media.mediaType)) return media
    return other === null ? `inlineData ${textOf(inline["mimeType"])}`.trim() : `inlineData.${other}`
  }

  #response(response: Fields): Unread {
    const name = textOf(response["name"])
    const found = findCall(this.#open, name, textOf(response["id"]))
    const call = this.#open[found]
    if (call === undefined) return `functionResponse of ${name} without its call`
    this.#open.splice(found, 1)
    const images: Media[] = []
    for (const part of listOf(response["parts"]).map(fieldsOf)) {
      const media = isFields(part["inlineData"]) ? this.#image(part["inlineData"]) : "another part"
      if (typeof media === "string") return `functionResponse.parts: ${media}`
      images.push(media)
    }
    const { text, failed } = saidInResponse(response["response"], name)
    this.read.result(call.call, text, failed, images)
    const others = response["willContinue"] === false ? ["willContinue"] : []
    const other = otherMember(response, ["name", "id", "response", "parts", ...others])
    return other === null ? null : `functionResponse.${other}`
  }

  #answer(part: Fields): Unread {
    const signature = signatureOf(part)
    const signed = signature === null ? {} : { thoughtSignature: signature }
    if (isFields(part["functionCall"])) return this.#call(part, part["functionCall"], signed)
    const hosted = hostedMember(part)
    if (hosted !== null) {
      this.read.answer({ type: "hosted", name: hosted, native: this.#native(part as Json) })
      return null
    }
    const bare = signature !== null && otherMember(part, ["thoughtSignature"]) === null
    const text = part["text"] ?? (bare ? "" : undefined)
    if (typeof text !== "string") return otherMember(part, ["thoughtSignature"]) ?? "a part of nothing"
    if (part["thought"] === true) {
      this.read.answer({
        type: "reasoning",
        text,
        native: this.#native({ type: "thought", text, ...signed }),
      })
    } else if (text === "" && signature !== null) {
      this.read.answer({ type: "reasoning", text, native: this.#native({ type: "signature", ...signed }) })
    } else {
      const native = signature === null ? {} : { native: this.#native({ type: "text", ...signed }) }
      this.read.answer({ type: "text", text, ...native })
    }
    return otherMember(part, ["text", "thought", "thoughtSignature"])
  }

  #call(part: Fields, call: Fields, signed: JsonObject): Unread {
    const name = textOf(call["name"])
    const id = textOf(call["id"])
    const own = `call_${(this.#calls += 1)}`
    this.#open.push({ name, id, call: own })
    const opaque = { type: "call", ...(id === "" ? {} : { id }), ...signed }
    const native = Object.keys(opaque).length === 1 ? undefined : this.#native(opaque)
    this.read.call(own, name, (call["args"] ?? {}) as Json, native)
    const other = otherMember(call, ["name", "args", "id"])
    if (other !== null) return `functionCall.${other}`
    return otherMember(part, ["functionCall", "thoughtSignature"])
  }

  #native(opaque: Json): Native {
    return { ...this.#of, opaque }
  }
}

const isBlankText = (part: Fields): boolean =>
  typeof part["text"] === "string" && isBlank(part["text"]) && otherMember(part, ["text"]) === null

/** A member that says more than those that are read; a thought that is none says nothing. */
function otherMember(fields: Fields, read: readonly string[]): string | null {
  const other = Object.keys(fields).find(
    (name) => !read.includes(name) && !(name === "thought" && fields[name] === false),
  )
  return other ?? null
}
