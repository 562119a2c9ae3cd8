/** A Converse body back to a canonical request, for replays of recorded traffic. */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { Native } from "@holdfast/schema/message"
import { type Fields, fieldsOf, isFields, listOf, parseFields, textOf } from "../json-fields.ts"
import type { RequestOptions, StructuredOutput, ToolChoice } from "../options.ts"
import { ReadConversation, readOptions, type ReadRequest, readTools } from "../request/read-request.ts"
import type { Target } from "../segments.ts"
import { failedMark } from "./block-shape.ts"
import { hostedOpaque } from "./native.ts"

/** `tag`: whom signed reasoning in the body belongs to; the model is in the address. Null if the body is another's. */
export function readRequest(
  body: string,
  tag: Pick<Target, "provider" | "endpoint"> & { readonly model?: string },
): ReadRequest | null {
  const value = parseFields(body)
  if (value === null || !Array.isArray(value["messages"])) return null
  const model = tag.model ?? textOf(value["modelId"])
  const of = { provider: tag.provider, endpoint: tag.endpoint, model }
  const read = new ReadConversation()
  for (const block of blocksOf(value["system"])) read.instruct(textOf(block["text"]))
  listOf(value["messages"]).forEach((message, at) => readMessage(read, fieldsOf(message), at, of))
  const config = fieldsOf(value["toolConfig"])
  const specs = blocksOf(config["tools"]).map((tool) => tool["toolSpec"])
  const tools = readTools(specs, (spec) => [
    spec["name"],
    spec["description"],
    fieldsOf(spec["inputSchema"])["json"],
  ])
  const options = optionsOf(value, choiceOf(fieldsOf(config["toolChoice"])))
  return {
    model,
    segments: read.segments(tools),
    options: body.includes('"ttl":"1h"')
      ? { ...options, model: { ...options.model, cacheTtl: "1h" } }
      : options,
    images: read.images.bytes,
    unread: read.unread,
  }
}

/** Blocks without cache points, whose places are this project's own. */
const blocksOf = (blocks: unknown): readonly Fields[] =>
  listOf(blocks)
    .map(fieldsOf)
    .filter((block) => block["cachePoint"] === undefined)

function optionsOf(value: Fields, toolChoice: ToolChoice | null): RequestOptions {
  const {
    modelId: _i,
    messages: _m,
    system: _s,
    toolConfig: _t,
    inferenceConfig,
    additionalModelRequestFields,
    outputConfig,
    serviceTier,
    ...rest
  } = value
  const { thinking, reasoningConfig, ...others } = fieldsOf(additionalModelRequestFields)
  const effort = fieldsOf(reasoningConfig)["maxReasoningEffort"]
  const read = readOptions(
    {
      ...fieldsOf(inferenceConfig),
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { reasoningEffort: effort }),
    },
    [],
  )
  const structured = formatOf(fieldsOf(outputConfig))
  const tier = textOf(fieldsOf(serviceTier)["type"])
  return {
    generation: {
      ...read.generation,
      ...(toolChoice === null ? {} : { toolChoice }),
      ...(structured === null ? {} : { structured }),
    },
    model: { ...read.model, ...(tier === "" ? {} : { serviceTier: tier }) },
    body: {
      ...rest,
      ...(Object.keys(read.body).length === 0 ? {} : { inferenceConfig: read.body }),
      ...(Object.keys(others).length === 0 ? {} : { additionalModelRequestFields: others }),
    } as JsonObject,
    traits: {},
  }
}

function formatOf(config: Fields): StructuredOutput | null {
  const { jsonSchema } = fieldsOf(fieldsOf(config["textFormat"])["structure"])
  const { name, schema } = fieldsOf(jsonSchema)
  const parsed = parseFields(textOf(schema))
  return parsed === null ? null : { name: textOf(name) || "answer", schema: parsed as JsonObject }
}

function choiceOf(choice: Fields): ToolChoice | null {
  if (isFields(choice["tool"])) return { tool: textOf(choice["tool"]["name"]) }
  if (isFields(choice["any"])) return "required"
  return isFields(choice["auto"]) ? "auto" : null
}

function readMessage(read: ReadConversation, message: Fields, at: number, of: Omit<Native, "opaque">): void {
  const answer = message["role"] === "assistant"
  if (answer) read.endAnswer()
  for (const block of blocksOf(message["content"])) {
    if (!(answer ? readAnswer(read, block, of) : readInput(read, block))) read.unread.push(`messages[${at}]`)
  }
  read.endMessage()
}

function readInput(read: ReadConversation, block: Fields): boolean {
  const { toolResult, text, image } = block
  if (isFields(image)) return read.show(imageOf(read, image))
  if (isFields(toolResult)) {
    const pieces = listOf(toolResult["content"]).map(fieldsOf)
    const shown = pieces.flatMap((piece) => (isFields(piece["image"]) ? [piece["image"]] : []))
    const images = shown.flatMap((piece) => imageOf(read, piece) ?? [])
    if (images.length < shown.length) return false
    const words = pieces
      .filter((piece) => !isFields(piece["image"]))
      .map((piece) => textOf(piece["text"]) || JSON.stringify(piece["json"] ?? ""))
      .join("\n")
    const marked = words.startsWith(failedMark)
    const failed = marked || toolResult["status"] === "error"
    read.result(
      textOf(toolResult["toolUseId"]),
      marked ? words.slice(failedMark.length) : words,
      failed,
      images,
    )
    return true
  }
  if (typeof text !== "string") return false
  read.user(text)
  return true
}

const imageOf = (read: ReadConversation, { format, source }: Fields): Media | null =>
  read.images.base64(fieldsOf(source)["bytes"], `image/${textOf(format)}`)

function readAnswer(read: ReadConversation, block: Fields, of: Omit<Native, "opaque">): boolean {
  const { text, toolUse, reasoningContent } = block
  const hosted = hostedOpaque(block as Json)
  if (hosted !== null) {
    const name = textOf(fieldsOf(toolUse)["name"]) || "tool_result"
    read.answer({ type: "hosted", name, native: { ...of, opaque: hosted.block } })
  } else if (isFields(toolUse)) {
    read.call(
      textOf(toolUse["toolUseId"]),
      textOf(toolUse["name"]),
      (toolUse["input"] ?? {}) as Json,
      undefined,
    )
  } else if (isFields(reasoningContent)) {
    const said = fieldsOf(reasoningContent["reasoningText"])
    const sealed = textOf(reasoningContent["redactedContent"])
    const opaque: Json =
      sealed === ""
        ? { type: "reasoning", text: textOf(said["text"]), signature: textOf(said["signature"]) }
        : { type: "redacted", data: sealed }
    read.answer({ type: "reasoning", text: textOf(said["text"]), native: { ...of, opaque } })
  } else if (typeof text === "string") {
    read.answer({ type: "text", text })
  } else return false
  return true
}
