/**
 * The blocks of a body as somebody wrote it, for the linter of its wire (LL3).
 *
 * A body that was read and encoded again would be legal by construction, so the linter is given the
 * body's own blocks. Shorthand is written out as in `meaning.ts`, cache markers are taken off, and
 * what a wire has no table for here is not split: null.
 */
import type { Json } from "@holdfast/schema/json"
import type { SegmentName } from "@holdfast/schema/turn"
import { makeBlock } from "../blocks.ts"
import { canonicalJson } from "../canonical.ts"
import { partTools } from "../gemini/hosted-tool.ts"
import { type Fields, fieldsOf, listOf, lookUp, textOf } from "../json-fields.ts"
import type { Block } from "../wire.ts"

/** `native` is the tag of the target, `promptRole` how its prompts are written. */
export interface BlockOwner {
  readonly native: string
  readonly promptRole: string
}

/** A block that has only its content, and the place that the body gives it. */
interface Piece {
  readonly segment: SegmentName
  readonly role: Block["role"]
  readonly content: Fields
}

export function bodyBlocks(wire: string, body: Fields, owner: BlockOwner): readonly Block[] | null {
  const split = lookUp(splits, wire)
  if (split === undefined) return null
  return split(body, owner.promptRole).map(({ segment, role, content }) =>
    makeBlock({
      segment,
      role,
      json: canonicalJson(withoutMarker(content) as Json),
      tokens: 0,
      markable: false,
      native: role === "assistant" ? owner.native : null,
    }),
  )
}

const splits: Readonly<Record<string, (body: Fields, promptRole: string) => readonly Piece[]>> = {
  "anthropic-messages": (body) => [
    ...tools(body["tools"]),
    ...textBlocks(body["system"]).map(piece("system", null)),
    ...listOf(body["messages"]).flatMap((message) => {
      const { role, content } = fieldsOf(message)
      return textBlocks(content).map((block) => piece("tail", roleOf(role))(withTextResult(block)))
    }),
  ],
  gemini: (body) => [
    ...geminiTools(body["tools"]),
    ...grouped(body, fieldsOf(body["systemInstruction"])["parts"], "contents", "parts"),
  ],
  "bedrock-converse": (body) => [
    ...tools(fieldsOf(body["toolConfig"])["tools"]),
    ...grouped(body, body["system"], "messages", "content"),
  ],
  "openai-chat": (body, promptRole) => [
    ...tools(body["tools"]),
    ...conversation(listOf(body["messages"]).map(withText), promptRole),
  ],
  "openai-responses": (body, promptRole) => {
    const input =
      typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : body["input"]
    const { instructions } = body
    const given = typeof instructions === "string" ? [{ role: promptRole, content: instructions }] : []
    return [...tools(body["tools"]), ...conversation([...given, ...listOf(input)].map(withParts), promptRole)]
  },
}

const piece =
  (segment: SegmentName, role: Block["role"]) =>
  (content: Fields): Piece => ({ segment, role, content })

const tools = (value: unknown): readonly Piece[] => listOf(value).map(fieldsOf).map(piece("tools", null))

function geminiTools(value: unknown): readonly Piece[] {
  const { functions, hosted } = partTools(value)
  return tools([...functions, ...hosted])
}

/** Prompts, then messages of parts. */
function grouped(body: Fields, prompts: unknown, messages: string, parts: string): readonly Piece[] {
  return [
    ...listOf(prompts).map(fieldsOf).map(piece("system", null)),
    ...listOf(body[messages])
      .map(fieldsOf)
      .flatMap((message) =>
        listOf(message[parts])
          .map(fieldsOf)
          .map(piece("tail", roleOf(message["role"]))),
      ),
  ].filter(({ content }) => content["cachePoint"] === undefined)
}

/** Instructions before anything was said are prompts. */
function conversation(items: readonly Fields[], promptRole: string): readonly Piece[] {
  const said = items.findIndex((item) => !isInstruction(item))
  const from = said < 0 ? items.length : said
  return items.map((item, at) => {
    if (at < from) return piece("system", null)({ ...item, role: promptRole })
    if (isInstruction(item)) return piece("tail", "system")(item)
    return piece("tail", isAnswer(item) ? "assistant" : "user")(item)
  })
}

const isInstruction = ({ role }: Fields): boolean => role === "system" || role === "developer"

/** Input without a role is a result. */
const isAnswer = ({ role, type }: Fields): boolean =>
  role === "assistant" || (role === undefined && !textOf(type).endsWith("_output"))

function roleOf(role: unknown): Block["role"] {
  if (role === "assistant" || role === "model") return "assistant"
  return role === "system" ? "system" : "user"
}

const textBlocks = (content: unknown): readonly Fields[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(fieldsOf)

/** A result's text, where it is a list of texts. */
function withTextResult(block: Fields): Fields {
  if (block["type"] !== "tool_result") return block
  const text = joined(block["content"], "text")
  return text === null ? block : { ...block, content: text }
}

function withText(value: unknown): Fields {
  const message = fieldsOf(value)
  const text = joined(message["content"], "text")
  return text === null ? message : { ...message, content: text }
}

function withParts(value: unknown): Fields {
  const item = fieldsOf(value)
  const { content, role } = item
  if (item["type"] !== undefined && item["type"] !== "message") return item
  const type = role === "assistant" ? "output_text" : "input_text"
  const parts = typeof content === "string" ? [{ type, text: content }] : content
  return { type: "message", ...item, content: parts }
}

/** Texts of a list as one, or null if it holds anything else. */
function joined(content: unknown, type: string): string | null {
  const parts = listOf(content).map(fieldsOf)
  if (parts.length === 0 || parts.some((part) => part["type"] !== type)) return null
  return parts.map((part) => textOf(part["text"])).join("\n")
}

function withoutMarker(content: Fields): Fields {
  const { cache_control: _, ...rest } = content
  return rest
}
