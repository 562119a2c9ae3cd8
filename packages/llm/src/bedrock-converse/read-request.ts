/** A Converse body back to a canonical request, for replays of recorded traffic. */
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import { fieldsOf, parseFields, textOf } from "../json-fields.ts"
import type { FieldReader } from "../reading/field-reader.ts"
import * as setting from "../reading/read-options.ts"
import { makeReader, readContent, type Reading, readTools, type ToolForms } from "../reading/read-request.ts"
import { unmarkedResult } from "../request/runtime-words.ts"
import { isStrictInput, withoutAnnotations } from "../request/tool-schema.ts"
import { type ConverseFamily, familyOf } from "./families.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { hostedOpaque, repeatable } from "./native.ts"
import { choiceOf, formatOf, reasoningOf, writtenFields } from "./params.ts"

export const readRequest = makeReader("messages", "modelId", (reading) => {
  const { top, said, options, of } = reading
  const family = familyOf({ model: of.model, options: { traits: {} } })
  for (const prompt of withoutPoints(top.list("system"))) said.instruct(prompt.text("text"))
  let before = ""
  for (const message of top.list("messages")) {
    const role = message.text("role")
    if (role !== "user" && role !== "assistant") message.strange(`role ${role}`)
    // Answers in a row are one message to the provider.
    if (role === "assistant" && before !== "assistant") said.endAnswer()
    before = role
    for (const block of withoutPoints(message.list("content"))) {
      if (role === "assistant") readAnswer(reading, block)
      else readInput(reading, block, family)
    }
    said.endMessage()
  }
  const config = top.object("toolConfig")
  const tools = readTools(withoutPoints(config.list("tools")), options, toolForms)
  readSettings(reading, config, family)
  return tools
})

/** Cache points stand at places of our own. */
const withoutPoints = (blocks: readonly FieldReader[]): readonly FieldReader[] =>
  blocks.filter((block) => block.peek("cachePoint") === undefined || block.take("cachePoint") === null)

function readInput(reading: Reading, block: FieldReader, family: ConverseFamily): void {
  const { said } = reading
  if (block.peek("toolResult") !== undefined) return readResult(reading, block.object("toolResult"), family)
  if (typeof block.peek("text") === "string") return said.user(block.text("text"))
  const media = imageOf(reading, block)
  if (media === null) block.strange(block.left()[0] ?? "nothing")
  else said.show(media)
}

function imageOf({ said }: Reading, block: FieldReader): Media | null {
  if (block.peek("image") === undefined) return null
  const image = block.object("image")
  return said.images.base64(image.object("source").take("bytes"), `image/${image.text("format")}`)
}

function readResult(reading: Reading, result: FieldReader, family: ConverseFamily): void {
  const { text, images } = readContent(
    result.list("content"),
    (part) => (typeof part.peek("text") === "string" ? part.text("text") : null),
    (part) => imageOf(reading, part),
  )
  result.expect("status", "success")
  const { words, failed } = family.takesStatus
    ? { words: text, failed: result.peek("status") === "error" }
    : unmarkedResult(text)
  if (family.takesStatus) result.expect("status", "error")
  if (images.length > 0 && !family.imagesInResults) result.strange("image in a result")
  reading.said.result(result.text("toolUseId"), words, failed, result, images)
}

function readAnswer({ said, of }: Reading, block: FieldReader): void {
  const hosted = hostedOpaque({ ...peeked(block, "toolUse"), ...peeked(block, "toolResult") } as Json)
  if (hosted !== null) {
    const opaque = block.whole()
    const name = textOf(fieldsOf(opaque["toolUse"])["name"]) || "tool_result"
    return said.answer({ type: "hosted", name, native: { ...of, opaque } })
  }
  if (block.peek("toolUse") !== undefined) {
    const call = block.object("toolUse")
    const [id, name] = [call.text("toolUseId"), call.text("name")]
    return said.call(id, name, (call.take("input") ?? {}) as Json, call)
  }
  if (block.peek("reasoningContent") === undefined)
    return typeof block.peek("text") === "string"
      ? said.answer({ type: "text", text: block.text("text") })
      : block.strange(block.left()[0] ?? "nothing")
  const content = block.object("reasoningContent")
  const told = content.object("reasoningText")
  const [text, signature, data] = [told.text("text"), told.text("signature"), content.text("redactedContent")]
  const opaque: Json = data === "" ? { type: "reasoning", text, signature } : { type: "redacted", data }
  // What nobody signed is not repeated to anybody (LL4).
  if (repeatable(opaque) === null) return block.strange("reasoning without a signature")
  said.answer({ type: "reasoning", text, native: { ...of, opaque } })
}

const peeked = (block: FieldReader, name: string): object =>
  block.peek(name) === undefined ? {} : { [name]: block.peek(name) }

const toolForms: ToolForms = {
  isHosted: (tool) => isHostedTool({ systemTool: tool.peek("systemTool") }),
  read: (tool) => {
    const at = tool.object("toolSpec")
    const [name, description] = [at.text("name"), at.text("description")]
    const inputSchema = withoutAnnotations(at.object("inputSchema").schema("json"))
    return { name, description, inputSchema, strict: at.take("strict") === true }
  },
  canBeStrict: isStrictInput,
}

function readSettings({ top, options }: Reading, config: FieldReader, family: ConverseFamily): void {
  const inference = top.object("inferenceConfig")
  options.read(inference, { maxTokens: setting.outputLimit, ...setting.sampling })
  options.pass(inference, new Set(), "inferenceConfig")
  options.read(config, { toolChoice: setting.toolChoice((choice) => choiceOf(choice, family)) })
  options.read(top.object("serviceTier"), { type: setting.word("serviceTier") })
  options.read(top, { outputConfig: readFormat })
  const fields = top.object("additionalModelRequestFields")
  const asked = Object.fromEntries(ways.map((name) => [name, fields.peek(name)]))
  const found = setting.reasoning((one) => reasoningOf(one, family, true))(asked)
  if (found !== null && ways.some((name) => asked[name] !== undefined)) {
    options.say(found)
    for (const name of ways) fields.take(name)
  }
  options.pass(fields, new Set(), "additionalModelRequestFields")
  options.pass(top, writtenFields)
  if (top.mentions('"ttl":"1h"')) options.say({ model: { cacheTtl: "1h" } })
}

/** Members in which makers say how much their models reason. */
const ways: readonly string[] = ["thinking", "output_config", "reasoningConfig", "reasoning_effort"]

/** documented: the schema is a text. */
function readFormat(value: unknown): setting.Said | null {
  const format = fieldsOf(fieldsOf(fieldsOf(value)["textFormat"])["structure"])["jsonSchema"]
  return setting.structured(formatOf, parseFields(textOf(fieldsOf(format)["schema"])))(value)
}
