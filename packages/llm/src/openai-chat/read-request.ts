/** A Chat body back to a canonical request, for replays of recorded traffic. */
import { fieldsOf, textOf } from "../json-fields.ts"
import { plainOptions } from "../options.ts"
import type { FieldReader } from "../reading/field-reader.ts"
import * as setting from "../reading/read-options.ts"
import { makeReader, readArguments, readFunction, readTools, readTyped } from "../reading/read-request.ts"
import type { Reading, ToolForms } from "../reading/read-request.ts"
import { derivedKey } from "../request/cache-key.ts"
import { unmarkedResult } from "../request/runtime-words.ts"
import { isStrictInput, withoutAnnotations } from "../request/tool-schema.ts"
import { choiceOf, formatOf, reasoningFields, writtenFields } from "./params.ts"
import { profileOf } from "./profiles.ts"

export const readRequest = makeReader("messages", "model", (reading) => {
  const { top, said, options } = reading
  for (const message of top.list("messages")) {
    const role = message.text("role")
    const isInstruction = role === "system" || role === "developer"
    // The recorded server took them where they stand.
    if (isInstruction && said.began) options.say({ traits: { systemRole: true } })
    if (isInstruction) said.instruct(readWords(message, "content"))
    else if (role === "user") readInput(reading, message)
    else if (role === "tool") readResult(reading, message)
    else if (role === "assistant") readAnswer(reading, message)
    else message.strange(`role ${role}`)
  }
  readSettings(reading)
  return readTools(top.list("tools"), options, toolForms)
})

const readWords = (message: FieldReader, name: string): string =>
  readTyped(message.parts(name), "text", "", () => null).text

function readInput({ said }: Reading, message: FieldReader): void {
  const { text, images } = readTyped(message.parts("content"), "text", "image_url", (part) => {
    const image = part.object("image_url")
    image.expect("detail", "auto")
    return said.images.url(image.take("url"))
  })
  said.user(text, images)
}

function readResult({ said }: Reading, message: FieldReader): void {
  // Some clients say again which function it was.
  message.take("name")
  const { failed, words } = unmarkedResult(readWords(message, "content"))
  said.result(message.text("tool_call_id"), words, failed, message)
}

function readAnswer(reading: Reading, message: FieldReader): void {
  const { said } = reading
  said.endAnswer()
  readReasoning(reading, message)
  said.answer({ type: "text", text: readWords(message, "content") })
  for (const call of message.list("tool_calls")) readCall(reading, call)
}

/** Reasoning in the field it came in. It is sent again, whatever is known of its server: it was sent before. */
function readReasoning({ said, of }: Reading, message: FieldReader): void {
  const details = message.list("reasoning_details").map((one) => one.whole())
  const given = (["reasoning_content", "reasoning"] as const).filter(
    (field) => message.peek(field) !== undefined,
  )
  const fields = given.length === 0 && details.length > 0 ? (["reasoning"] as const) : given
  fields.forEach((field, at) => {
    const text = message.text(field)
    // A server may want the field even where it says nothing; the wire writes it by itself.
    if (text === "" && (details.length === 0 || at > 0)) return
    const opaque = { type: "reasoning", field, text, details: at === 0 ? details : [], sent: true }
    said.answer({ type: "reasoning", text, native: { ...of, opaque } })
  })
}

function readCall({ said, of }: Reading, call: FieldReader): void {
  const id = call.text("id")
  if ((call.peek("type") ?? "function") !== "function") call.strange("no function")
  const named = call.object("function")
  const name = named.text("name")
  const input = readArguments(named)
  const { id: _, type: __, function: ___, ...extra } = call.whole()
  const native = Object.keys(extra).length === 0 ? undefined : { ...of, opaque: { type: "call", extra } }
  said.call(id, name, input, call, native)
}

const toolForms: ToolForms = {
  isHosted: () => false,
  read: (at) => {
    at.expect("type", "function")
    const given = at.object("function")
    return readFunction(given, withoutAnnotations(given.schema("parameters")))
  },
  canBeStrict: isStrictInput,
}

function readSettings({ top, options, of }: Reading): void {
  const profile = profileOf({ ...of, options: plainOptions(1) })
  const format = fieldsOf(fieldsOf(top.peek("response_format"))["json_schema"])
  const field = {
    effort: "reasoning_effort",
    thinking: "thinking",
    "reasoning-object": "reasoning",
  }[profile.reasoningControl]
  top.expect("stream", true)
  top.object("stream_options").expect("include_usage", true)
  options.read(top, {
    max_tokens: setting.outputLimit,
    max_completion_tokens: setting.outputLimit,
    temperature: setting.temperature,
    top_p: setting.topP,
    stop: setting.stop,
    verbosity: setting.word("verbosity"),
    tool_choice: setting.toolChoice((choice) => choiceOf(choice, profile)),
    parallel_tool_calls: setting.parallelCalls,
    response_format: setting.structured((one) => formatOf(one, profile), format["schema"]),
    [field]: setting.reasoning((one) => reasoningFields(one, profile.reasoningControl)[field]),
    ...(profile.takesCacheKey ? { prompt_cache_key: readKey, prompt_cache_retention: readLife } : {}),
    ...(profile.takesServiceTier ? { service_tier: setting.word("serviceTier") } : {}),
  })
  top.expect("store", false)
  options.pass(top, writtenFields)
}

/** A key that follows from the request says nothing of its own. */
export const readKey = (value: unknown): setting.Said | null =>
  derivedKey.test(textOf(value)) ? {} : setting.word("cacheKey")(value)

export const readLife = (value: unknown): setting.Said | null =>
  value === "24h" || value === "in_memory" ? { model: { cacheTtl: value } } : null
