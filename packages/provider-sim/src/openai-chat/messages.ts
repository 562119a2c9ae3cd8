/**
 * Message rules: the shape of each message, and the order of calls and their answers.
 *
 * After an assistant message with calls come tool messages, one for each call and nothing else
 * before the last of them (recorded). Roles are free otherwise, and those of the list are all taken,
 * the deprecated one too.
 */
import { isObject, wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { ChatDialect } from "../model.ts"
import { invalid } from "../openai/error.ts"
import { facts as shared } from "../openai/facts.ts"
import { imageUrl } from "../openai/image.ts"
import { contentPart as part } from "../openai/prompt.ts"
import { checkFields, list, loose, object, oneOf, text, textOr, variants } from "../openai/shape.ts"
import { all, anything, firstRefusal, named, needed } from "../shape.ts"
import type { Check, Fields } from "../shape.ts"
import type { Verdict } from "../sim-wire.ts"
import type { ChatMessage } from "./body.ts"
import { facts } from "./facts.ts"

export function checkMessages(value: unknown, dialect: ChatDialect): Verdict {
  const shape = list(checkMessage(dialect), { min: 1 })("messages", value)
  if (shape !== undefined) return shape
  return checkOrder(value as readonly ChatMessage[], dialect)
}

const parts: Readonly<Record<string, Check>> = {
  text: part({ text: needed(text()) }),
  image_url: part({
    image_url: needed(object({ url: needed(imageUrl), detail: oneOf(["auto", "low", "high"]) })),
  }),
  input_audio: part({ input_audio: needed(anything) }),
  refusal: part({ refusal: needed(text()) }),
  file: part({ file: needed(anything) }),
}

const callName = text({ pattern: shared.toolName })
const callFields = { id: needed(text({ max: facts.callIdMax })), type: anything }
const call = variants({
  function: object({
    ...callFields,
    function: needed(object({ name: needed(callName), arguments: needed(text()) })),
  }),
  custom: object({
    ...callFields,
    custom: needed(object({ name: needed(callName), input: needed(text()) })),
  }),
})

/** recorded: compatible servers send an index with a call, and take it back. */
const openCall = loose({
  id: needed(text()),
  function: needed(object({ name: needed(text()), arguments: needed(text()) })),
})

function fieldsOf(role: string, dialect: ChatDialect): Fields {
  const name = text({ max: facts.nameMax, pattern: facts.speakerPattern })
  const common: Fields = { role: anything, content: anything, name }
  if (role === "tool") return { ...common, tool_call_id: anything }
  if (role !== "assistant") return common
  const isOpenAi = dialect === "openai"
  return {
    ...common,
    refusal: text(),
    ...named("audio annotations function_call"),
    tool_calls: list(isOpenAi ? call : openCall, { min: 1 }),
    // documented: thinking comes back under the name it came with.
    ...(isOpenAi ? {} : { reasoning_content: text(), reasoning: text(), reasoning_details: anything }),
  }
}

const checkMessage = (dialect: ChatDialect): Check =>
  all(loose({ role: needed(oneOf(facts.roles)) }), (path, value) => {
    const message = value as JsonObject
    const role = wordOf(message["role"])
    const shape = (dialect === "openai" ? object : loose)(fieldsOf(role, dialect))
    return shape(path, value) ?? checkContent(path, role, message)
  })

function checkContent(path: string, role: string, value: JsonObject): Verdict {
  const content = value["content"]
  const index = Number(/\[(\d+)\]$/.exec(path)?.[1])
  if (content === undefined || content === null) {
    const hasOther = (value["tool_calls"] ?? value["function_call"] ?? value["refusal"] ?? null) !== null
    if (role === "assistant" && hasOther) return undefined
    return content === null
      ? invalid(facts.contentNull, `messages.[${index}].content`)
      : checkFields(path, value, { content: needed(anything) })
  }
  const side: Check = (_, one) =>
    role !== "user" && isObject(one) && one["type"] === "image_url"
      ? invalid(facts.imageRole(index, role), `messages[${index}]`, "invalid_value")
      : undefined
  const listed = list(all(side, variants(parts, facts.partTypes)), { min: 1 })
  return textOr("one of a string or array of objects", Array.isArray, listed)(`${path}.content`, content)
}

function checkOrder(messages: readonly ChatMessage[], dialect: ChatDialect): Verdict {
  let open: readonly string[] | undefined
  const answered = new Set<string>()
  const unanswered = () => (open ?? []).filter((id) => !answered.has(id))
  const refusal = firstRefusal(messages, (message, index) => {
    if (message.role === "tool") return checkAnswer(message, index, open, answered, dialect)
    const missing = unanswered()
    if (missing.length > 0) return refuseUnanswered(missing, index, dialect)
    open = message.role === "assistant" ? message.tool_calls?.map((one) => one.id) : undefined
    answered.clear()
    return undefined
  })
  if (refusal !== undefined) return refusal
  const missing = unanswered()
  return missing.length > 0 ? refuseUnanswered(missing, messages.length - 1, dialect) : undefined
}

function checkAnswer(
  message: ChatMessage,
  index: number,
  open: readonly string[] | undefined,
  answered: Set<string>,
  dialect: ChatDialect,
): Verdict {
  const place = `messages.[${index}]`
  const id = message.tool_call_id
  if (typeof id !== "string") return invalid(facts.toolIdMissing, `${place}.tool_call_id`)
  if (open === undefined) {
    return dialect === "deepseek"
      ? invalid(facts.deepseekToolWithoutCall, null, "invalid_request_error")
      : invalid(facts.toolWithoutCall, `${place}.role`)
  }
  if (!open.includes(id)) return invalid(facts.toolIdUnknown(id), `${place}.tool_call_id`)
  answered.add(id)
  return undefined
}

function refuseUnanswered(missing: readonly string[], index: number, dialect: ChatDialect): Verdict {
  return dialect === "deepseek"
    ? invalid(facts.deepseekUnanswered, null, "invalid_request_error")
    : invalid(facts.callsUnanswered(missing.join(", ")), `messages.[${index}].role`)
}
