/** A Chat body as somebody wrote it: its blocks as they stand there, in the form that the linter reads (LL3). */
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import { conversation, type WrittenForm, writtenTools } from "../recording/written-form.ts"
import { isBlank } from "../request/runtime-words.ts"
import { meaning } from "./meaning.ts"
import { readRequest } from "./read-request.ts"
import { emptySchema } from "./declared-tools.ts"
import { faults } from "./written-faults.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  meaning,
  blocks: (body, promptRole) => [
    ...writtenTools(listOf(body["tools"]).map(withParameters)),
    ...conversation(
      listOf(body["messages"])
        .map(fieldsOf)
        .map((message) => linted(message, isThinking(body))),
      promptRole,
    ),
  ],
  faults,
}

function withParameters(value: unknown): Fields {
  const tool = fieldsOf(value)
  const given = tool["function"]
  if (!isFields(given) || (given["parameters"] ?? null) !== null) return tool
  return { ...tool, function: { ...given, parameters: emptySchema } }
}

/** DeepSeek wants reasoning back only from a model that thinks. */
const isThinking = ({ model, thinking }: Fields): boolean =>
  fieldsOf(thinking)["type"] === "enabled" || textOf(model).includes("reasoner")

/** A message in the one form of the grammar, where servers take others that say the same. */
function linted(message: Fields, thinking: boolean): Fields {
  switch (message["role"]) {
    case "assistant":
      return lintedAnswer(message, thinking)
    case "tool":
      return { ...message, content: oneText(message["content"]) }
    default:
      return holdsText(message["content"]) ? { ...message, content: oneText(message["content"]) } : message
  }
}

function lintedAnswer(message: Fields, thinking: boolean): Fields {
  const calls = listOf(message["tool_calls"]).map(fieldsOf).map(withArguments)
  const content = oneText(message["content"])
  const other = textOf(message["refusal"]) || (isFields(message["audio"]) ? "(audio)" : "")
  return {
    ...message,
    content: typeof content === "string" && !isBlank(content) ? content : other || (content ?? null),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(thinking || calls.length === 0 ? {} : { reasoning_content: textOf(message["reasoning_content"]) }),
  }
}

/** No arguments are none. */
function withArguments(call: Fields): Fields {
  const named = fieldsOf(call["function"])
  return named["arguments"] === "" ? { ...call, function: { ...named, arguments: "{}" } } : call
}

const wordTypes: ReadonlySet<unknown> = new Set(["text", "refusal", "thinking"])

const holdsText = (content: unknown): boolean =>
  Array.isArray(content) && content.length > 0 && content.map(fieldsOf).every(({ type }) => type === "text")

/** Parts of words as one text; other content stays as it is. */
function oneText(content: unknown): unknown {
  const parts = listOf(content).map(fieldsOf)
  if (parts.length === 0 || parts.some(({ type }) => !wordTypes.has(type))) return content
  return parts.map(({ text, refusal }) => textOf(text) || textOf(refusal)).join("\n")
}
