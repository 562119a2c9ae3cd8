/** A Gemini body back to a canonical request, for replays of recorded traffic. */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import { isFields } from "../json-fields.ts"
import { geminiImages } from "../image/rules.ts"
import { plainOptions, type ToolChoice } from "../options.ts"
import type { FieldReader } from "../reading/field-reader.ts"
import * as setting from "../reading/read-options.ts"
import { findDifference } from "../recording/difference.ts"
import { makeReader, readFunction, type Reading, readTools } from "../reading/read-request.ts"
import { findCall } from "../request/call-shape.ts"
import { standInSignatures } from "./entry.ts"
import { familyOf } from "./families.ts"
import { hostedMember, signatureOf } from "./native.ts"
import { formatOf, thinkingOf, toolConfigOf, writtenFields } from "./params.ts"

export const readRequest = makeReader("contents", "model", (reading) => {
  const { top, said } = reading
  for (const prompt of top.object("systemInstruction").list("parts")) said.instruct(prompt.text("text"))
  const contents = new ContentReader(reading)
  for (const content of top.list("contents")) contents.content(content)
  const tools = readAllTools(reading)
  readSettings(reading, tools.length > 0)
  return tools
})

class ContentReader {
  readonly #reading: Reading
  /** Calls without a response, in order. */
  #open: { readonly name: string; readonly id: string; readonly call: string }[] = []
  #calls = 0
  /** The content before was the model's, so more of it is the same answer. */
  #answering = false

  constructor(reading: Reading) {
    this.#reading = reading
  }

  content(content: FieldReader): void {
    const { said } = this.#reading
    const role = content.text("role") || "user"
    const isAnswer = role === "model"
    if (!isAnswer && role !== "user") content.strange(`role ${role}`)
    if (isAnswer && !this.#answering) {
      this.#open = []
      said.endAnswer()
    }
    this.#answering = isAnswer
    for (const part of content.list("parts")) {
      if (isAnswer) this.#answer(part)
      else this.#input(part)
    }
    said.endMessage()
  }

  #input(part: FieldReader): void {
    const { said } = this.#reading
    if (part.peek("functionResponse") !== undefined) return this.#response(part.object("functionResponse"))
    if (part.peek("inlineData") !== undefined) {
      const media = this.#image(part.object("inlineData"))
      return media === null ? part.strange("inlineData") : said.show(media)
    }
    if (typeof part.peek("text") !== "string") part.strange(part.left()[0] ?? "nothing")
    else said.user(part.text("text"))
  }

  /** An image that the provider does not take would not be sent. */
  #image(inline: FieldReader): Media | null {
    const media = this.#reading.said.images.base64(inline.take("data"), inline.take("mimeType"))
    return media !== null && geminiImages.types.includes(media.mediaType) ? media : null
  }

  /** What a result says is a text under `output`, or under `error` where it failed. */
  #response(response: FieldReader): void {
    const [name, id] = [response.text("name"), response.text("id")]
    const given = response.object("response")
    const failed = given.peek("error") !== undefined
    const found = findCall(this.#open, name, id)
    const [call] = found < 0 ? [] : this.#open.splice(found, 1)
    if (call !== undefined && call.name !== name) response.strange(`name ${name}`)
    const text = given.text(failed ? "error" : "output")
    this.#reading.said.result(call?.call ?? "", text, failed, response)
  }

  #answer(part: FieldReader): void {
    const { said, of } = this.#reading
    if (part.peek("functionCall") !== undefined) return this.#call(part)
    const opaque = part.whole()
    const hosted = hostedMember(opaque)
    if (hosted !== null) return said.answer({ type: "hosted", name: hosted, native: { ...of, opaque } })
    const { text = "", thought = false, thoughtSignature = "", ...others } = opaque
    const signature = signatureOf(opaque)
    const signed = signature === null ? {} : { thoughtSignature: signature }
    const isPlain = typeof thought === "boolean" && typeof thoughtSignature === "string"
    if (typeof text !== "string" || !isPlain || Object.keys(others).length > 0)
      return part.strange(Object.keys(others)[0] ?? "text")
    if (thought === true)
      said.answer({
        type: "reasoning",
        text,
        native: { ...of, opaque: { type: "thought", text, ...signed } },
      })
    else if (text === "" && signature !== null)
      said.answer({ type: "reasoning", text, native: { ...of, opaque: { type: "signature", ...signed } } })
    else {
      const native = signature === null ? {} : { native: { ...of, opaque: { type: "text", ...signed } } }
      said.answer({ type: "text", text, ...native })
    }
  }

  #call(part: FieldReader): void {
    const { said, of } = this.#reading
    const call = part.object("functionCall")
    const [name, id] = [call.text("name"), call.text("id")]
    const signature = part.text("thoughtSignature")
    // A stand-in says that there is no signature.
    const signed = signature === "" || standInSignatures.has(signature) ? {} : { thoughtSignature: signature }
    const own = `call_${(this.#calls += 1)}`
    this.#open.push({ name, id, call: own })
    const opaque: JsonObject = { type: "call", ...(id === "" ? {} : { id }), ...signed }
    const native = Object.keys(opaque).length === 1 ? undefined : { ...of, opaque }
    said.call(own, name, (call.take("args") ?? {}) as Json, call, native)
  }
}

/** Functions are in lists, and one entry may declare several tools. */
function readAllTools({ top, options }: Reading) {
  const entries = top.list("tools")
  const functions = entries.flatMap((entry) => entry.list("functionDeclarations"))
  const hostedTools = entries.flatMap((entry) =>
    entry
      .left()
      .filter((name) => isFields(entry.peek(name)))
      .map((name) => ({ [name]: entry.take(name) as JsonObject })),
  )
  if (hostedTools.length > 0) options.say({ model: { hostedTools } })
  return readTools(functions, options, {
    isHosted: () => false,
    read: (at) => readFunction(at, at.schema("parameters"), false),
    canBeStrict: () => false,
  })
}

function readSettings({ top, options, of }: Reading, hasTools: boolean): void {
  const config = top.object("generationConfig")
  const family = familyOf({ ...of, options: plainOptions(1) })
  const responseSchema = config.peek("responseSchema")
  const answer = { responseMimeType: config.peek("responseMimeType"), responseSchema }
  const format = setting.structured(formatOf, responseSchema)(answer)
  options.read(config, {
    maxOutputTokens: setting.outputLimit,
    ...setting.sampling,
    thinkingConfig: setting.reasoning((one) => thinkingOf(one, family, of.model)),
    ...(format === null ? {} : { responseMimeType: () => format, responseSchema: () => ({}) }),
  })
  options.pass(config, new Set(), "generationConfig")
  const target = (choice?: ToolChoice) => {
    const { model, generation } = options.value()
    const chosen = choice === undefined ? generation : { ...generation, toolChoice: choice }
    return { ...of, options: { ...plainOptions(1), model, generation: chosen } }
  }
  // What the wire asks to be told beside its own tools is asked for again.
  const asked = top.peek("toolConfig")
  if (hasTools && findDifference(toolConfigOf(target()), asked) === null) top.take("toolConfig")
  else if (hasTools)
    options.read(top, { toolConfig: setting.toolChoice((choice) => toolConfigOf(target(choice))) })
  options.pass(top, writtenFields)
}
