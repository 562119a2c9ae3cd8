/** A Converse body back to a canonical request, for replays of recorded traffic. */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { Native } from "@holdfast/schema/message"
import { type Fields, fieldsOf, isFields, listOf, parseFields, textOf } from "../json-fields.ts"
import type { ModelTraits } from "../options.ts"
import { ReadConversation, type ReadRequest } from "../request/read-request.ts"
import { isStrictSchema, projectSchema } from "../request/tool-schema.ts"
import type { Target, ToolDefinition } from "../segments.ts"
import { failedMark, isCachePoint, schemaRules } from "./block-shape.ts"
import { type ConverseFamily, familyOf } from "./families.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { hostedOpaque, repeatable } from "./native.ts"
import { readProfile, readSettings } from "./written/options.ts"
import { kindOf, writtenResult } from "./written/result.ts"

/** `tag`: whom signed reasoning in the body belongs to; the model is in the address. Null if the body is another's. */
export function readRequest(
  body: string,
  tag: Pick<Target, "provider" | "endpoint"> & { readonly model?: string },
): ReadRequest | null {
  const value = parseFields(body)
  if (value === null || !Array.isArray(value["messages"])) return null
  // A body that came without its address may name the model itself.
  const model = textOf(value["modelId"]) || (tag.model ?? "")
  const profile = readProfile(value, model)
  const family = familyOf({ model, options: { traits: profile } })
  const read = new ReadConversation()
  readPrompts(read, value["system"])
  const of = { provider: tag.provider, endpoint: tag.endpoint, model }
  new MessageReader(read, of, family).messages(value["messages"])
  const { functions, hosted, strict } = readTools(fieldsOf(value["toolConfig"]), read.unread)
  const { generation, model: settings, body: passed } = readSettings(value, family, read.unread)
  return {
    model,
    segments: read.segments(functions),
    options: {
      generation,
      model: {
        ...settings,
        ...(hosted.length === 0 ? {} : { hostedTools: hosted }),
        ...(asksForAnHour(value) ? { cacheTtl: "1h" } : {}),
      },
      body: passed,
      traits: { ...profile, ...strict },
    },
    images: read.images.bytes,
    unread: read.unread,
  }
}

function readPrompts(read: ReadConversation, system: unknown): void {
  if (system !== undefined && system !== null && !Array.isArray(system)) read.unread.push("system")
  listOf(system).forEach((item, at) => {
    const block = fieldsOf(item)
    if (typeof block["text"] === "string") read.instruct(block["text"])
    else if (!isCachePoint(block)) read.unread.push(`system[${at}]: ${kindOf(block)}`)
  })
}

interface ReadTools {
  readonly functions: readonly ToolDefinition[]
  readonly hosted: readonly JsonObject[]
  readonly strict: Pick<ModelTraits, "strictTools">
}

const specMembers: ReadonlySet<string> = new Set(["name", "description", "inputSchema", "strict"])

function readTools(config: Fields, unread: string[]): ReadTools {
  const others = Object.keys(config).filter((name) => name !== "tools" && name !== "toolChoice")
  unread.push(...others.map((name) => `toolConfig: ${name}`))
  const functions: ToolDefinition[] = []
  const hosted: JsonObject[] = []
  const strict: boolean[] = []
  listOf(config["tools"]).forEach((item, at) => {
    const tool = fieldsOf(item)
    const strange = (what: string) => unread.push(`toolConfig.tools[${at}]: ${what}`)
    if (isCachePoint(tool)) return
    if (isHostedTool(tool)) return void hosted.push(tool as JsonObject)
    if (!isFields(tool["toolSpec"])) return void strange(kindOf(tool))
    const spec = tool["toolSpec"]
    const { json: schema, ...forms } = fieldsOf(spec["inputSchema"])
    if (!isFields(schema)) return void strange(`inputSchema ${kindOf(forms)}`)
    Object.keys(spec)
      .filter((name) => !specMembers.has(name))
      .forEach(strange)
    strict.push(spec["strict"] === true)
    functions.push({
      name: textOf(spec["name"]),
      description: textOf(spec["description"]),
      inputSchema: schema as JsonObject,
    })
  })
  if (!strict.includes(true)) return { functions, hosted, strict: {} }
  // One word stands for all of them: each tool is enforced that can be.
  const able = functions.map(({ inputSchema }) => isStrictSchema(projectSchema(inputSchema, schemaRules)))
  if (able.some((can, at) => can !== strict[at])) unread.push("toolConfig.tools: strict for some of them")
  return { functions, hosted, strict: { strictTools: true } }
}

function asksForAnHour({ toolConfig, system, messages }: Fields): boolean {
  const contents = listOf(messages).map((message) => fieldsOf(message)["content"])
  return [fieldsOf(toolConfig)["tools"], system, ...contents]
    .flatMap(listOf)
    .some((block) => fieldsOf(fieldsOf(block)["cachePoint"])["ttl"] === "1h")
}

class MessageReader {
  readonly #read: ReadConversation
  readonly #of: Omit<Native, "opaque">
  readonly #family: ConverseFamily
  #at = 0

  constructor(read: ReadConversation, of: Omit<Native, "opaque">, family: ConverseFamily) {
    this.#read = read
    this.#of = of
    this.#family = family
  }

  messages(messages: unknown): void {
    let before: unknown = null
    listOf(messages).forEach((item, at) => {
      const { role, content } = fieldsOf(item)
      this.#at = at
      if (role !== "user" && role !== "assistant") return this.#strange(`role ${JSON.stringify(role)}`)
      if (!Array.isArray(content)) return this.#strange("content that is no list")
      // Answers in a row are one message to the provider.
      if (role === "assistant" && before !== "assistant") this.#read.endAnswer()
      before = role
      const blocks = content.map(fieldsOf).filter((block) => !isCachePoint(block))
      for (const block of blocks) {
        if (!(role === "assistant" ? this.#answer(block) : this.#input(block))) this.#strange(kindOf(block))
      }
      this.#read.endMessage()
    })
  }

  #strange(what: string): void {
    this.#read.unread.push(`messages[${this.#at}]: ${what}`)
  }

  /** False if it is of a kind that a canonical request has no word for. */
  #input({ toolResult, text, image }: Fields): boolean {
    if (isFields(image)) return this.#read.show(this.#image(image))
    if (isFields(toolResult)) this.#result(toolResult)
    else if (typeof text === "string") this.#read.user(text)
    else return false
    return true
  }

  #result(result: Fields): void {
    const { words, images, strange } = writtenResult(result["content"])
    const shown = images.flatMap((image) => this.#image(image) ?? [])
    for (const kind of shown.length < images.length ? [...strange, "image"] : strange) {
      this.#strange(`toolResult: ${kind}`)
    }
    const marked = !this.#family.takesStatus && words.startsWith(failedMark)
    this.#read.result(
      textOf(result["toolUseId"]),
      marked ? words.slice(failedMark.length) : words,
      marked || result["status"] === "error",
      shown,
    )
  }

  #image({ format, source }: Fields): Media | null {
    return this.#read.images.base64(fieldsOf(source)["bytes"], `image/${textOf(format)}`)
  }

  #answer(block: Fields): boolean {
    const { text, toolUse, reasoningContent } = block
    const hosted = hostedOpaque(block as Json)
    if (hosted !== null) {
      const name = textOf(fieldsOf(toolUse)["name"]) || "tool_result"
      this.#read.answer({ type: "hosted", name, native: { ...this.#of, opaque: hosted.block } })
    } else if (isFields(toolUse)) {
      const input = (toolUse["input"] ?? {}) as Json
      this.#read.call(textOf(toolUse["toolUseId"]), textOf(toolUse["name"]), input, undefined)
    } else if (isFields(reasoningContent)) this.#reasoning(reasoningContent)
    else if (typeof text === "string") this.#read.answer({ type: "text", text })
    else return false
    return true
  }

  #reasoning(content: Fields): void {
    const { text, signature } = fieldsOf(content["reasoningText"])
    const sealed = textOf(content["redactedContent"])
    const opaque: Json =
      sealed === ""
        ? { type: "reasoning", text: textOf(text), signature: textOf(signature) }
        : { type: "redacted", data: sealed }
    // What nobody signed is not repeated to anybody (LL4).
    if (repeatable(opaque) === null) return this.#strange("reasoning without a signature")
    this.#read.answer({ type: "reasoning", text: textOf(text), native: { ...this.#of, opaque } })
  }
}
