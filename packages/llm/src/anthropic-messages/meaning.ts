/**
 * What a Messages body means to its provider, in one form (LL1).
 *
 * Shorthand is written out, defaults and cache markers are left out, messages of one role in a row
 * are one, results stand in the order of their calls, and prompts are joined as this project joins
 * them. What stands inside of inputs, schemas and native facts is compared as it is.
 */
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import { without, withOrderedTools } from "../recording/written-form.ts"
import { isBlank, textOfNothing } from "../request/runtime-words.ts"
import { isHosted } from "./block-shape.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { isOneRun } from "./read-request.ts"
import { plainTool } from "./read-settings.ts"
import { isDirect, messagesOf, promptsOf, resultParts, type WrittenMessage } from "./written-block.ts"

export function meaningOf(body: Fields): Fields {
  const messages = inCallOrder(merged(messagesOf(body).map(plainMessage)))
  const tools = listOf(body["tools"]).map(fieldsOf).map(plainTool)
  const system = joinedPrompts(promptsOf(body).map(plainBlock))
  return withOrderedTools(
    said({
      ...body,
      cache_control: undefined,
      output_format: undefined,
      system,
      messages,
      tools,
      stop_sequences: listOf(body["stop_sequences"]),
      tool_choice: plainChoice(body["tool_choice"]),
      thinking: plainThinking(body["thinking"], messages),
      output_config: plainOutput(body),
    }),
    isHostedTool,
  )
}

/** Members that say something: nothing, an empty list and an empty object do not. */
const said = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => {
      if (value === undefined || value === null) return false
      return name === "messages" || !Array.isArray(value) || value.length > 0
    }),
  )

/** As they are read: the first stands alone, the others are the agent's. */
function joinedPrompts(prompts: readonly Fields[]): readonly Fields[] {
  if (prompts.length < 3 || prompts.some((prompt) => !isPlainText(prompt))) return prompts
  const [first, ...others] = prompts
  return [first as Fields, { type: "text", text: others.map(({ text }) => textOf(text)).join("\n\n") }]
}

const isPlainText = (block: Fields): boolean => block["type"] === "text" && Object.keys(block).length === 2

interface Message extends Fields {
  readonly role: unknown
  readonly content: readonly Fields[]
}

const plainMessage = ({ message, blocks }: WrittenMessage): Message => ({
  ...message,
  role: message["role"],
  content: blocks.map(plainBlock),
})

/** documented: turns of one role in a row are one. An empty message is refused, so it stays apart. */
function merged(messages: readonly Message[]): readonly Message[] {
  const found: Message[] = []
  for (const message of messages) {
    const last = found.at(-1)
    if (last !== undefined && isMergeable(last) && isMergeable(message) && last.role === message.role)
      found[found.length - 1] = { ...last, content: [...last.content, ...message.content] }
    else found.push(message)
  }
  return found
}

const isMergeable = (message: Message): boolean =>
  Object.keys(message).length === 2 && message.content.length > 0 && message.role !== "system"

/** A result names its call, so the order of the results of one answer says nothing. */
function inCallOrder(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, at) => {
    const end = message.content.findIndex(({ type }) => type !== "tool_result")
    const results = message.content.slice(0, end < 0 ? message.content.length : end)
    const calls = (messages[at - 1]?.content ?? []).filter(isCall).map(({ id }) => id)
    const place = ({ tool_use_id: id }: Fields): number => calls.indexOf(id)
    if (results.some((result) => place(result) < 0)) return message
    const sorted = results.toSorted((a, b) => place(a) - place(b))
    return { ...message, content: [...sorted, ...message.content.slice(results.length)] }
  })
}

const isCall = ({ type }: Fields): boolean => type === "tool_use"

function plainBlock(marked: Fields): Fields {
  const unmarked = without("cache_control", marked)
  if (isHosted(unmarked["type"])) return unmarked
  const block = said(unmarked)
  if (block["type"] === "tool_result") return plainResult(block)
  return isCall(block) && isDirect(block) ? without("caller", block) : block
}

/** Texts of a result are one, before its images; a result that says nothing says so in words. */
function plainResult(result: Fields): Fields {
  const parts = resultParts(result["content"]).map(plainBlock)
  const plain = result["is_error"] === false ? without("is_error", result) : result
  const images = parts.filter(({ type }) => type === "image")
  const texts = parts.filter((part) => part["type"] !== "image")
  if (!texts.every(isPlainText) || !isOneRun(parts.map(({ type }) => type === "image")))
    return { ...plain, content: parts }
  const text = texts.map((part) => textOf(part["text"])).join("\n")
  if (isBlank(text) && images.length > 0) return { ...plain, content: images }
  return { ...plain, content: [{ type: "text", text: isBlank(text) ? textOfNothing : text }, ...images] }
}

/** documented: calls are parallel unless that is disabled, and the model chooses unless it is told. */
function plainChoice(value: unknown): Fields | undefined {
  const { disable_parallel_tool_use: single, ...choice } = fieldsOf(value)
  if (single === true && choice["type"] !== "none") return { ...choice, disable_parallel_tool_use: true }
  const words = Object.keys(choice).length
  return words === 0 || (words === 1 && choice["type"] === "auto") ? undefined : choice
}

/** documented: a budget is passed over where the answer that goes on does not begin with thinking. */
function plainThinking(value: unknown, messages: readonly Message[]): Fields | undefined {
  const thinking = said(fieldsOf(value))
  if (Object.keys(thinking).length === 0) return undefined
  return thinking["type"] === "enabled" && !beginsThinking(messages) ? undefined : thinking
}

function beginsThinking(messages: readonly Message[]): boolean {
  const last = messages.findLastIndex(({ role }) => role === "assistant")
  if (messages[last]?.content.some(isCall) !== true) return true
  let start = last
  for (let at = last - 1; at >= 0; at--) {
    const { role, content } = messages[at] as Message
    if (role === "assistant") start = at
    else if (role === "user" && content[0]?.["type"] !== "tool_result") break
  }
  return textOf(messages[start]?.content[0]?.["type"]).endsWith("thinking")
}

/** `output_format` is the older name of the format. */
function plainOutput(body: Fields): Fields | undefined {
  const { output_format: format } = body
  const output = said({ ...(format === undefined ? {} : { format }), ...fieldsOf(body["output_config"]) })
  return Object.keys(output).length === 0 ? undefined : output
}
