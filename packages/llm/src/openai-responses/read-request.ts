/** A Responses body back to a canonical request, for replays of recorded traffic. */
import type { JsonObject } from "@holdfast/schema/json"
import type { Native } from "@holdfast/schema/message"
import { fieldsOf, listOf, textOf } from "../json-fields.ts"
import { effortOrNone, type ToolChoice } from "../options.ts"
import type { FieldReader } from "../reading/field-reader.ts"
import * as setting from "../reading/read-options.ts"
import { makeReader, readArguments, readFunction, readTools, readTyped } from "../reading/read-request.ts"
import type { ReadContent, Reading, ToolForms } from "../reading/read-request.ts"
import { readKey, readLife } from "../openai-chat/read-request.ts"
import { unmarkedResult } from "../request/runtime-words.ts"
import { isStrictInput, withoutAnnotations } from "../request/tool-schema.ts"
import type { ToolDefinition } from "../segments.ts"
import { answerOf } from "./answer-content.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { hostedOpaque, reasoningOpaque } from "./native.ts"
import { choiceOf, formatOf, sealedReasoning, writtenFields } from "./params.ts"

export const readRequest = makeReader("input", "model", (reading) => {
  const { top, said } = reading
  said.instruct(top.text("instructions"))
  for (const item of top.list("input", (content) => ({ role: "user", content }))) readItem(reading, item)
  const tools = readTools(top.list("tools"), reading.options, toolForms)
  readSettings(reading, tools)
  return tools
})

function readItem(reading: Reading, item: FieldReader): void {
  const { said } = reading
  const type = item.text("type") || "message"
  const role = type === "message" ? item.text("role") : ""
  item.expect("status", "completed")
  if (type === "function_call_output") {
    item.take("id")
    const { text, images } = readParts(reading, item, "output")
    const { failed, words } = unmarkedResult(text)
    return said.result(item.text("call_id"), words, failed, item, images)
  }
  if (role === "user" || role === "system" || role === "developer") {
    item.take("id")
    const { text, images } = readParts(reading, item, "content")
    if (role === "user") return said.user(text, images)
    if (images.length > 0) item.strange("image in an instruction")
    return said.instruct(text)
  }
  if (type === "message" && role !== "assistant") return item.strange(`role ${role}`)
  if (said.answered) said.endAnswer()
  readAnswer(reading, item, type)
}

const readParts = ({ said }: Reading, item: FieldReader, name: string): ReadContent =>
  readTyped(
    item.list(name, (text) => ({ type: "input_text", text })),
    "input_text",
    "input_image",
    (part) => {
      part.expect("detail", "auto")
      return said.images.url(part.take("image_url"))
    },
  )

function readAnswer({ said, of }: Reading, item: FieldReader, type: string): void {
  if (type === "message") return readWords({ said, of }, item)
  if (type === "function_call") {
    const input = readArguments(item)
    const native = nativeOf(of, type, kept(item, "id"))
    return said.call(item.text("call_id"), item.text("name"), input, item, native.native)
  }
  const opaque = item.whole()
  const native = { ...of, opaque }
  if (reasoningOpaque(opaque) !== null) {
    const text = listOf(opaque["summary"]).map((part) => textOf(fieldsOf(part)["text"]))
    return said.answer({ type: "reasoning", text: text.join("\n\n"), native })
  }
  if (isForeign(type) || hostedOpaque(opaque) === null) return item.strange(type)
  said.answer({ type: "hosted", name: type, native })
}

/** Items of the client's and pointers to what the provider keeps: none of them is a fact of its tools. */
const isForeign = (type: string): boolean => type === "item_reference" || type === "mcp_approval_response"

function readWords({ said, of }: Pick<Reading, "said" | "of">, item: FieldReader): void {
  const parts = item.list("content", (words) => ({ type: "output_text", text: words }))
  const { text, annotations, refused } = answerOf(parts)
  const words = {
    ...kept(item, "id"),
    ...kept(item, "phase"),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(refused ? { refusal: true } : {}),
  }
  said.answer({ type: "text", text, ...nativeOf(of, "message", words) })
}

const kept = (item: FieldReader, name: string): JsonObject => {
  const value = item.text(name)
  return value === "" ? {} : { [name]: value }
}

const nativeOf = (
  of: Omit<Native, "opaque">,
  type: string,
  words: JsonObject,
): { readonly native?: Native } =>
  Object.keys(words).length === 0 ? {} : { native: { ...of, opaque: { type, ...words } } }

const toolForms: ToolForms = {
  isHosted: (tool) => isHostedTool({ type: tool.peek("type") }),
  read: (at) => {
    at.take("type")
    // documented: a function that does not say it is made strict, which is another schema.
    const strict = at.take("strict")
    if (typeof strict !== "boolean") at.strange("strict is not said")
    return readFunction(at, withoutAnnotations(at.schema("parameters")), strict === true)
  },
  canBeStrict: isStrictInput,
}

function readSettings({ top, options }: Reading, tools: readonly ToolDefinition[]): void {
  const functions = tools.map(({ name }) => name)
  const { hostedTools = [] } = options.value().model
  const write = (choice: ToolChoice) => choiceOf(choice, functions, hostedTools)
  top.expect("stream", true)
  // Nothing is stored with the provider, by policy.
  top.expect("store", false)
  top.expect("background", false)
  options.read(top, {
    max_output_tokens: setting.outputLimit,
    temperature: setting.temperature,
    top_p: setting.topP,
    parallel_tool_calls: setting.parallelCalls,
    tool_choice: setting.toolChoice(write),
    service_tier: setting.word("serviceTier"),
    prompt_cache_key: readKey,
    prompt_cache_retention: readLife,
  })
  const text = top.object("text")
  options.read(text, {
    verbosity: setting.word("verbosity"),
    format: setting.structured(formatOf, fieldsOf(text.peek("format"))["schema"]),
  })
  options.pass(text, new Set(), "text")
  const thinking = top.object("reasoning")
  options.read(thinking, {
    effort: setting.reasoning(effortOrNone),
    summary: setting.word("reasoningSummary"),
  })
  options.pass(thinking, new Set(), "reasoning")
  const include = listOf(top.peek("include"))
  top.expect("include", include)
  options.say({ traits: { reasoning: include.includes(sealedReasoning) } })
  const others = include.filter((name) => name !== sealedReasoning)
  options.keep("include", others)
  options.pass(top, writtenFields)
}
