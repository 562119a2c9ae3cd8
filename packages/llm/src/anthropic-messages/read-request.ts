/** A Messages body back to a canonical request, for replays of recorded traffic. */
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import { effortOf, type Reasoning, type ToolChoice } from "../options.ts"
import type { FieldReader } from "../reading/field-reader.ts"
import * as setting from "../reading/read-options.ts"
import { makeReader, readFunction, readTools, readTyped } from "../reading/read-request.ts"
import type { Reading, ToolForms } from "../reading/read-request.ts"
import { isHosted } from "./block-shape.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { choiceOf, displays, formatOf, thinkingOf, writtenFields } from "./params.ts"
import { isEnforceable } from "./strict-schema.ts"

export const readRequest = makeReader("messages", "model", (reading) => {
  const { top, said } = reading
  for (const prompt of top.parts("system")) {
    if (prompt.take("type") === "text") said.instruct(prompt.text("text"))
    else prompt.strange("no text")
  }
  let before = ""
  for (const message of top.list("messages")) {
    const role = message.text("role")
    // Answers in a row are one message to the provider.
    if (role === "assistant" && before !== "assistant") said.endAnswer()
    readMessage(reading, message, role)
    before = role
  }
  readSettings(reading)
  return readTools(top.list("tools"), reading.options, toolForms)
})

function readMessage(reading: Reading, message: FieldReader, role: string): void {
  const { said, options } = reading
  if (role === "system") options.say({ traits: { systemRole: true } })
  for (const block of message.parts("content")) {
    const type = block.text("type")
    if (role === "assistant") readAnswer(reading, block, type)
    else if (role !== "user" && role !== "system") message.strange(`role ${role}`)
    else if (type === "text" && role === "user") said.user(block.text("text"))
    else if (type === "text") said.instruct(block.text("text"))
    else if (role === "user" && type === "tool_result") readResult(reading, block)
    else {
      const media = role === "user" && type === "image" ? imageOf(reading, block) : null
      if (media === null) block.strange(type)
      else said.show(media)
    }
  }
  if (role !== "assistant") said.endMessage()
}

function readResult(reading: Reading, block: FieldReader): void {
  const { text, images } = readTyped(block.parts("content"), "text", "image", (part) =>
    imageOf(reading, part),
  )
  const failed = block.peek("is_error") === true
  block.expect("is_error", failed)
  reading.said.result(block.text("tool_use_id"), text, failed, block, images)
}

function imageOf({ said }: Reading, block: FieldReader): Media | null {
  const source = block.object("source")
  source.expect("type", "base64")
  return said.images.base64(source.take("data"), source.take("media_type"))
}

function readAnswer({ said, of }: Reading, block: FieldReader, type: string): void {
  switch (type) {
    case "text": {
      const text = block.text("text")
      const citations = block.list("citations").map((one) => one.whole())
      const native = { ...of, opaque: { type, citations } }
      return said.answer({ type, text, ...(citations.length === 0 ? {} : { native }) })
    }
    case "thinking":
    case "redacted_thinking": {
      const text = block.text("thinking")
      return said.answer({ type: "reasoning", text, native: { ...of, opaque: block.whole() } })
    }
    case "tool_use":
      return said.call(block.text("id"), block.text("name"), (block.take("input") ?? {}) as Json, block)
    default:
      if (!isHosted(type)) return block.strange(type)
      return said.answer({
        type: "hosted",
        name: block.text("name") || type,
        native: { ...of, opaque: block.whole() },
      })
  }
}

const toolForms: ToolForms = {
  isHosted: (tool) => isHostedTool({ type: tool.peek("type") }),
  read: (at) => {
    at.expect("type", "custom")
    return readFunction(at, at.schema("input_schema"))
  },
  canBeStrict: isEnforceable,
}

function readSettings(reading: Reading): void {
  const { top, options } = reading
  top.expect("stream", true)
  options.read(top, {
    max_tokens: setting.outputLimit,
    temperature: setting.temperature,
    top_p: setting.topP,
    stop_sequences: setting.stopSequences,
    service_tier: setting.word("serviceTier"),
    tool_choice: readChoice,
  })
  const output = top.object("output_config")
  const thinking = top.object("thinking")
  if (displays.has(thinking.peek("display")))
    options.read(thinking, { display: setting.word("reasoningSummary") })
  readThinking(reading, thinking, output)
  const format = output.peek("format") as { readonly schema?: unknown } | undefined
  options.read(output, { format: setting.structured(formatOf, format?.schema) })
  options.pass(output, new Set(), "output_config")
  options.pass(top, writtenFields)
  // Markers stand at places of our own; how long they live is the request's.
  if (top.mentions('"ttl":"1h"')) options.say({ model: { cacheTtl: "1h" } })
}

/** An effort that is no part of a way to think is passed on where it stands. */
function readThinking({ options }: Reading, thinking: FieldReader, output: FieldReader): void {
  const asked = thinking.whole()
  const effort = output.peek("effort")
  if (effort === undefined && Object.keys(asked).length === 0) return
  const write = (one: Reasoning) => ({ ...thinkingOf(one, true), effort: effortOf(one) })
  const whole = setting.reasoning(write)({ ...asked, effort })
  const found = whole ?? setting.reasoning(write)(asked)
  if (whole !== null) output.take("effort")
  if (found !== null) options.say(found)
  else if (Object.keys(asked).length > 0) thinking.strange("thinking that no option says")
}

/** How calls are chosen, and whether several may be made at once, stand in one member. */
function readChoice(value: unknown): setting.Said | null {
  for (const parallel of [undefined, true, false]) {
    const found = setting.toolChoice((choice: ToolChoice) => choiceOf(choice, parallel))(value)
    if (found !== null && parallel === undefined) return found
    if (found !== null) return { ...found, model: { parallelCalls: parallel === true } }
  }
  return null
}
