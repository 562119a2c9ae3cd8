/**
 * Bodies that somebody else wrote, in the form of one wire: for replays and for the linter.
 *
 *   read      the canonical request that means the same
 *   meaning   the body without what means nothing to its provider, to compare two of them
 *   blocks    its blocks as they stand there, since those that were encoded are legal by construction
 *   faults    what else is illegal about it, outside of its blocks
 */
import type { SegmentName } from "@holdfast/schema/turn"
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { ReadRequest } from "../request/read-request.ts"
import type { Target } from "../segments.ts"
import type { Block, LintFault } from "../wire.ts"

export interface WrittenForm {
  /** `tag`: whom it is for, and the model where the address named it. Null if it is no request of this wire. */
  readonly read: (
    body: string,
    tag: Pick<Target, "provider" | "endpoint"> & { readonly model?: string },
  ) => ReadRequest | null
  /** `asked`: the recorded body of the two, which may leave to the provider what this project always says. */
  readonly meaning: (body: Fields, asked: Fields) => Fields
  /** `promptRole`: how the target's prompts are written. */
  readonly blocks: (body: Fields, promptRole: string) => readonly WrittenBlock[]
  readonly faults: (body: Fields, target: Target) => readonly LintFault[]
}

/** A block that has only its content, and the place that the body gives it. */
export interface WrittenBlock {
  readonly segment: SegmentName
  readonly role: Block["role"]
  readonly content: Fields
}

export const written =
  (segment: SegmentName, role: Block["role"]) =>
  (content: Fields): WrittenBlock => ({ segment, role, content })

export const writtenTools = (value: unknown): readonly WrittenBlock[] =>
  listOf(value).map(fieldsOf).map(written("tools", null))

/** Text as the one block that it stands for. */
export const textBlocks = (content: unknown): readonly Fields[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(fieldsOf)

/** Prompts, then messages of parts. */
export function grouped(
  body: Fields,
  prompts: unknown,
  messages: string,
  parts: string,
): readonly WrittenBlock[] {
  return [
    ...listOf(prompts).map(fieldsOf).map(written("system", null)),
    ...listOf(body[messages])
      .map(fieldsOf)
      .flatMap((message) =>
        listOf(message[parts])
          .map(fieldsOf)
          .map(written("tail", roleOf(message["role"]))),
      ),
  ].filter(({ content }) => content["cachePoint"] === undefined)
}

/** Instructions before anything was said are prompts. */
export function conversation(items: readonly Fields[], promptRole: string): readonly WrittenBlock[] {
  const said = items.findIndex((item) => !isInstruction(item))
  const from = said < 0 ? items.length : said
  return items.map((item, at) => {
    if (at < from) return written("system", null)({ ...item, role: promptRole })
    if (isInstruction(item)) return written("tail", "system")(item)
    return written("tail", isAnswer(item) ? "assistant" : "user")(item)
  })
}

const isInstruction = ({ role }: Fields): boolean => role === "system" || role === "developer"

/** Input without a role is a result. */
const isAnswer = ({ role, type }: Fields): boolean =>
  role === "assistant" || (role === undefined && !textOf(type).endsWith("_output"))

export function roleOf(role: unknown): Block["role"] {
  if (role === "assistant" || role === "model") return "assistant"
  return role === "system" ? "system" : "user"
}

/** Texts of a list as one, or null if it holds anything else. */
export function joinedTexts(content: unknown, type: string): string | null {
  const parts = listOf(content).map(fieldsOf)
  if (parts.length === 0 || parts.some((part) => part["type"] !== type)) return null
  return parts.map((part) => textOf(part["text"])).join("\n")
}

/** Functions before the tools that the provider runs: their order among each other says nothing. */
export function withOrderedTools(body: Fields, isHosted: (tool: Fields) => boolean): Fields {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const given = tools.map(fieldsOf)
  return { ...body, tools: [...given.filter((tool) => !isHosted(tool)), ...given.filter(isHosted)] }
}

/** Images before the text of their message, as this project writes them. */
export function imagesFirst(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const parts = content.map(plainImage)
  return [...parts.filter(isImage), ...parts.filter((part) => !isImage(part))]
}

const isImage = ({ type }: Fields): boolean => type === "input_image" || type === "image_url"

/** An image without a detail that is the default, its address written out. */
export function plainImage(value: unknown): Fields {
  const part = fieldsOf(value)
  if (part["type"] === "input_image") return withoutAuto(part)
  if (part["type"] !== "image_url") return part
  const { image_url: given } = part
  return { ...part, image_url: typeof given === "string" ? { url: given } : withoutAuto(fieldsOf(given)) }
}

const withoutAuto = (part: Fields): Fields => (part["detail"] === "auto" ? without("detail", part) : part)

export const without = (left: string, body: Fields): Fields =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== left))
