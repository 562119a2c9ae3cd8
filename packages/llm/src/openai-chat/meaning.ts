/**
 * What a Chat body means to its server: two bodies of one meaning are written in one form here.
 *
 * Instructions before the conversation are one text, parts of text are one part, images stand before
 * it, results stand in the order of their calls, and a call's id is only what ties the two together.
 * Arguments are compared as values. Members that say nothing are left out.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, listOf, parseJson, textOf } from "../json-fields.ts"
import { imagesFirst, plainImage } from "../recording/written-form.ts"
import { isBlank, textOfNothing } from "../request/runtime-words.ts"
import { openAiSchemaRules, projectSchema } from "../request/tool-schema.ts"
import { emptySchema, isUnsaid, marks } from "./declared-tools.ts"

export function meaning({ messages, tools, ...settings }: Fields, asked: Fields): Fields {
  const declared = listOf(tools).map(toolMeaning)
  return {
    ...settingsMeaning(settings, asked, declared.length > 0),
    ...(declared.length === 0 ? {} : { tools: declared }),
    messages: messagesMeaning(listOf(messages).map(fieldsOf)),
  }
}

/** `asked` is the recorded body, which may leave its output limit and the count of its usage to the server. */
export function settingsMeaning(settings: Fields, asked: Fields, hasTools: boolean): Fields {
  const limited = ["max_tokens", "max_completion_tokens"].some((name) => !isAbsent(asked[name]))
  const counted = fieldsOf(asked["stream_options"])["include_usage"] === true
  const entries = Object.entries(settings).map(([name, value]): readonly [string, unknown] => {
    switch (name) {
      case "max_tokens":
        return [name, limited ? value : null]
      case "stop":
        return [name, typeof value === "string" ? [value] : isUnsaid(value) ? null : value]
      case "n":
        return [name, value === 1 ? null : value]
      case "stream_options":
        return [name, counted ? { include_usage: fieldsOf(value)["include_usage"] } : null]
      case "tool_choice":
        return [name, choiceMeaning(value, hasTools)]
      case "parallel_tool_calls":
        return [name, hasTools ? value : null]
      default:
        return [name, value]
    }
  })
  return Object.fromEntries(entries.filter(([, value]) => !isAbsent(value)))
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** documented: the default is `auto` with tools, and `none` without. */
function choiceMeaning(value: unknown, hasTools: boolean): unknown {
  if (value === "any") return "required"
  return value === "auto" || (value === "none" && !hasTools) ? null : value
}

const keywordsOf = { removed: openAiSchemaRules.removed, removedAtTop: [] }

function toolMeaning(value: unknown): Fields {
  const { function: given, ...tool } = stated(fieldsOf(value), marks)
  const { parameters, ...said } = stated(fieldsOf(given))
  const schema = isFields(parameters) ? parameters : emptySchema
  return {
    type: "function",
    ...tool,
    function: { ...said, parameters: projectSchema(schema as JsonObject, keywordsOf) },
  }
}

const messagesMeaning = (messages: readonly Fields[]): readonly Fields[] =>
  withCallNumbers(inCallOrder(withOnePrompt(messages.map(messageMeaning).filter(says))))

function messageMeaning(message: Fields): Fields {
  const { content, ...rest } = message
  switch (message["role"]) {
    case "assistant":
      return answerMeaning(message)
    case "user":
      return { ...stated(rest, marks), content: inputMeaning(content) }
    case "tool":
      return { ...stated(rest, [...marks, "name"]), content: wordsOf(oneText(content)) }
    case "system":
    case "developer":
      return { ...stated(rest, marks), role: "developer", content: oneText(content) }
    default:
      return message
  }
}

function answerMeaning({ content, tool_calls: given, ...rest }: Fields): Fields {
  const calls = listOf(given).map(callMeaning)
  const text = oneText(content)
  return {
    ...stated(rest, marks),
    content: isSilent(text) ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function callMeaning(value: unknown): Fields {
  // A call that was put together from a stream keeps its place there.
  const { index: _, function: named, ...call } = stated(fieldsOf(value), marks)
  const { arguments: text, ...said } = fieldsOf(named)
  return { type: "function", ...call, function: { ...said, arguments: argumentsMeaning(textOf(text)) } }
}

const argumentsMeaning = (text: string): unknown => (isBlank(text) ? {} : (parseJson(text) ?? text))

/** Images, then the words as one part. */
function inputMeaning(content: unknown): unknown {
  if (!Array.isArray(content)) return [{ type: "text", text: wordsOf(content) }]
  const parts = listOf(imagesFirst(content)).map((part) => stated(plainImage(part), marks))
  const others = parts.filter((part) => part["type"] !== "text")
  const texts = parts.filter((part) => part["type"] === "text")
  const text = texts.map((part) => textOf(part["text"])).join("\n")
  if (isBlank(text)) return others.length === 0 ? [{ type: "text", text: textOfNothing }] : others
  return [...others, { type: "text", text }]
}

/** Parts of text as one text; other content stays as it is. */
function oneText(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const parts = content.map(fieldsOf)
  if (parts.some((part) => part["type"] !== "text")) return content
  return parts.map((part) => textOf(part["text"])).join("\n")
}

const isSilent = (text: unknown): boolean => isAbsent(text) || (typeof text === "string" && isBlank(text))

/** What this project says where there are no words. */
const wordsOf = (text: unknown): unknown => (isSilent(text) ? textOfNothing : text)

/** Without marks of a cache, and without what says nothing. */
const stated = (fields: Fields, left: readonly string[] = []): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !left.includes(name) && !isUnsaid(value)),
  )

/** An instruction or an answer of nothing is no message. */
const says = (message: Fields): boolean =>
  !isSilent(message["content"]) || Object.keys(message).some((name) => name !== "role" && name !== "content")

function withOnePrompt(messages: readonly Fields[]): readonly Fields[] {
  const said = messages.findIndex(({ role }) => role !== "developer")
  const prompts = messages.slice(0, said < 0 ? messages.length : said)
  if (prompts.length < 2) return messages
  const content = prompts.map((prompt) => textOf(prompt["content"])).join("\n\n")
  return [{ role: "developer", content }, ...messages.slice(prompts.length)]
}

function inCallOrder(messages: readonly Fields[]): readonly Fields[] {
  const ordered: Fields[] = []
  let results: Fields[] = []
  let ids: readonly unknown[] = []
  const place = ({ tool_call_id: id }: Fields): number => (ids.includes(id) ? ids.indexOf(id) : ids.length)
  const settle = () => {
    ordered.push(...results.toSorted((a, b) => place(a) - place(b)))
    results = []
  }
  for (const message of messages) {
    if (message["role"] === "tool") {
      results.push(message)
      continue
    }
    settle()
    ordered.push(message)
    ids = callsOf(message).map(({ id }) => id)
  }
  settle()
  return ordered
}

/** Ids by the order of the calls: servers take different shapes, and some are written anew. */
function withCallNumbers(messages: readonly Fields[]): readonly Fields[] {
  const numbers = new Map<unknown, string>()
  let count = 0
  return messages.map((message) => {
    if (message["role"] === "tool") {
      const id = message["tool_call_id"]
      return { ...message, tool_call_id: numbers.get(id) ?? id }
    }
    const calls = callsOf(message)
    if (calls.length === 0) return message
    return {
      ...message,
      tool_calls: calls.map((call) => {
        const number = `call ${(count += 1)}`
        numbers.set(call["id"], number)
        return { ...call, id: number }
      }),
    }
  })
}

const callsOf = (message: Fields): readonly Fields[] => listOf(message["tool_calls"]).map(fieldsOf)
