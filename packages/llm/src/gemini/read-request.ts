/** A Gemini body back to a canonical request, for replays of recorded traffic. */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Native } from "@holdfast/schema/message"
import { type Fields, fieldsOf, isFields, listOf, parseFields, textOf } from "../json-fields.ts"
import type { Reasoning, RequestOptions, ToolChoice } from "../options.ts"
import { ReadConversation, readOptions, type ReadRequest, readTools } from "../request/read-request.ts"
import type { Target } from "../segments.ts"
import { partTools } from "./hosted-tool.ts"
import { hostedMember, signatureOf } from "./native.ts"

/** `tag`: whom the signatures in the body belong to; the model is in the address. Null if the body is another's. */
export function readRequest(
  body: string,
  tag: Pick<Target, "provider" | "endpoint"> & { readonly model?: string },
): ReadRequest | null {
  const value = parseFields(body)
  if (value === null || !Array.isArray(value["contents"])) return null
  const model = tag.model ?? ""
  const reader = new ContentReader({ provider: tag.provider, endpoint: tag.endpoint, model })
  for (const part of listOf(fieldsOf(value["systemInstruction"])["parts"])) {
    reader.read.instruct(textOf(fieldsOf(part)["text"]))
  }
  listOf(value["contents"]).forEach((content, at) => reader.content(fieldsOf(content), at))
  const { functions, hosted } = partTools(value["tools"])
  const told = fieldsOf(value["toolConfig"])["includeServerSideToolInvocations"]
  // The wire asks for it where it must, and nowhere else.
  if (told !== undefined && (functions.length === 0 || hosted.length === 0)) {
    reader.read.unread.push("toolConfig.includeServerSideToolInvocations")
  }
  const tools = readTools(functions, (tool) => [
    tool["name"],
    tool["description"],
    tool["parameters"] ?? { type: "object", properties: {} },
  ])
  return {
    model,
    segments: reader.read.segments(tools),
    options: optionsOf(value, hosted as readonly JsonObject[]),
    images: reader.read.images.bytes,
    unread: reader.read.unread,
  }
}

function optionsOf(value: Fields, hostedTools: readonly JsonObject[]): RequestOptions {
  const { contents: _c, systemInstruction: _s, tools: _t, toolConfig, generationConfig, ...rest } = value
  const { thinkingConfig, responseMimeType, responseSchema, ...config } = fieldsOf(generationConfig)
  const read = readOptions(config, [])
  const structured = isFields(responseSchema)
    ? { name: "answer", schema: responseSchema as JsonObject }
    : null
  const reasoning = reasoningOf(fieldsOf(thinkingConfig))
  const choice = choiceOf(fieldsOf(fieldsOf(toolConfig)["functionCallingConfig"]))
  // What has no word of its own stays where it was.
  const passed = {
    ...read.body,
    ...(reasoning !== null || thinkingConfig === undefined ? {} : { thinkingConfig }),
    ...(structured !== null || responseMimeType === undefined ? {} : { responseMimeType }),
  }
  return {
    generation: {
      ...read.generation,
      ...(structured === null ? {} : { structured }),
      ...(choice === null ? {} : { toolChoice: choice }),
    },
    model: {
      ...read.model,
      ...(reasoning === null ? {} : { reasoning }),
      ...(hostedTools.length === 0 ? {} : { hostedTools }),
    },
    body: {
      ...rest,
      ...(Object.keys(passed).length === 0 ? {} : { generationConfig: passed }),
    } as JsonObject,
    traits: {},
  }
}

function reasoningOf({ thinkingBudget, thinkingLevel }: Fields): Reasoning | null {
  if (typeof thinkingLevel === "string") return { kind: "effort", effort: thinkingLevel.toLowerCase() }
  if (thinkingBudget === 0) return { kind: "off" }
  if (thinkingBudget === -1) return { kind: "adaptive" }
  return typeof thinkingBudget === "number" ? { kind: "budget", tokens: thinkingBudget } : null
}

function choiceOf({ mode, allowedFunctionNames }: Fields): ToolChoice | null {
  const [only, ...others] = listOf(allowedFunctionNames)
  if (typeof only === "string" && others.length === 0) return { tool: only }
  switch (textOf(mode).toUpperCase()) {
    case "ANY":
      return "required"
    case "NONE":
      return "none"
    case "AUTO":
    case "VALIDATED":
      return "auto"
    default:
      return null
  }
}

class ContentReader {
  readonly read = new ReadConversation()
  readonly #of: Omit<Native, "opaque">
  /** Calls without a response, in order. */
  #open: { readonly name: string; readonly id: string; readonly call: string }[] = []
  #calls = 0

  constructor(of: Omit<Native, "opaque">) {
    this.#of = of
  }

  content(content: Fields, at: number): void {
    const model = content["role"] === "model"
    if (model) this.read.endAnswer()
    for (const item of listOf(content["parts"])) {
      const part = fieldsOf(item)
      if (!(model ? this.#answer(part) : this.#input(part))) this.read.unread.push(`contents[${at}]`)
    }
    this.read.endMessage()
  }

  #input(part: Fields): boolean {
    const response = part["functionResponse"]
    if (isFields(response)) return this.#response(response)
    if (isFields(part["inlineData"])) {
      const { data, mimeType } = part["inlineData"]
      return this.read.show(this.read.images.base64(data, mimeType))
    }
    if (typeof part["text"] !== "string") return false
    this.read.user(part["text"])
    return true
  }

  #response(response: Fields): boolean {
    const name = textOf(response["name"])
    const id = textOf(response["id"])
    const found = this.#open.findIndex((open) => (id === "" ? open.name === name : open.id === id))
    const call = this.#open[found]
    // Media inside of a response are not written by this wire.
    if (call === undefined || listOf(response["parts"]).length > 0) return false
    this.#open.splice(found, 1)
    const { output, error, ...others } = fieldsOf(response["response"])
    const said = error ?? output
    const plain = typeof said === "string" && Object.keys(others).length === 0
    this.read.result(call.call, plain ? said : JSON.stringify(response["response"]), error !== undefined)
    return true
  }

  #answer(part: Fields): boolean {
    const signature = signatureOf(part)
    const signed = signature === null ? {} : { thoughtSignature: signature }
    const text = part["text"]
    if (isFields(part["functionCall"])) this.#call(part["functionCall"], signed)
    else if (hostedMember(part) !== null) {
      this.read.answer({
        type: "hosted",
        name: String(hostedMember(part)),
        native: this.#native(part as Json),
      })
    } else if (typeof text !== "string") return false
    else if (part["thought"] === true) {
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
    return true
  }

  #call(call: Fields, signed: JsonObject): void {
    const name = textOf(call["name"])
    const id = textOf(call["id"])
    const own = `call_${(this.#calls += 1)}`
    this.#open.push({ name, id, call: own })
    const opaque = { type: "call", ...(id === "" ? {} : { id }), ...signed }
    const native = Object.keys(opaque).length === 1 ? undefined : this.#native(opaque)
    this.read.call(own, name, (call["args"] ?? {}) as Json, native)
  }

  #native(opaque: Json): Native {
    return { ...this.#of, opaque }
  }
}
