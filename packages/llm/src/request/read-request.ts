/**
 * Reading a request that somebody else sent, for replays of recorded traffic: a body back to the
 * canonical request that means the same.
 */
import type { CallId } from "@holdfast/schema/id"
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import { ReadImages } from "../image/read.ts"
import { ingestOptions } from "../ingest-options.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { RequestOptions } from "../options.ts"
import type { Entry, EntryPart, Segments, ToolDefinition } from "../segments.ts"

export interface ReadRequest {
  readonly model: string
  readonly segments: Segments
  readonly options: RequestOptions
  /** Bytes of the images in the segments, by their hash. */
  readonly images: ReadonlyMap<string, Uint8Array>
  /** What the canonical request has no word for, by its place in the body. */
  readonly unread: readonly string[]
}

/** The body's fields that are not the conversation, as options. */
export function readOptions(body: Fields, conversation: readonly string[]): RequestOptions {
  const rest = Object.entries(body).filter(([name]) => !conversation.includes(name))
  const { generation, model, body: passed } = ingestOptions(Object.fromEntries(rest) as JsonObject)
  return { generation: { outputTokensMax: 4_096, ...generation }, model, body: passed, traits: {} }
}

/** A conversation while it is read: prompts first, then entries; a result finds its call. */
export class ReadConversation {
  readonly unread: string[] = []
  readonly images = new ReadImages()
  readonly #prompts: string[] = []
  readonly #tail: Entry[] = []
  #parts: EntryPart[] = []
  /** Images that the user's next words speak of. */
  #shown: Media[] = []

  /** An instruction is a prompt as long as nothing was said. */
  instruct(text: string): void {
    const began = this.#tail.length > 0 || this.#parts.length > 0
    if (began) this.#say({ kind: "system", text })
    else this.#prompts.push(text)
  }

  user(text: string, images: readonly Media[] = []): void {
    const shown = [...this.#shown, ...images]
    this.#shown = []
    this.#say(shown.length === 0 ? { kind: "user", text } : { kind: "user", text, images: shown })
  }

  /** An image of a message whose blocks come one by one. False if it cannot be read. */
  show(media: Media | null): boolean {
    if (media !== null) this.#shown.push(media)
    return media !== null
  }

  /** What was shown without words behind it. */
  endMessage(): void {
    if (this.#shown.length > 0) this.user("")
  }

  answer(part: EntryPart): void {
    this.#parts.push(part)
  }

  call(id: string, name: string, input: Json, native: EntryPart["native"]): void {
    const part = { type: "call", call: id as CallId, name, input, result: "", failed: false } as const
    this.#parts.push(native === undefined ? part : { ...part, native })
  }

  result(id: string, result: string, failed: boolean, images: readonly Media[] = []): void {
    const at = this.#parts.findIndex((part) => part.type === "call" && part.call === id)
    const part = this.#parts[at]
    if (part?.type !== "call") this.unread.push(`result of ${id}`)
    else this.#parts[at] = { ...part, result, failed, ...(images.length === 0 ? {} : { images }) }
  }

  /** Whatever comes next belongs to another answer. */
  endAnswer(): void {
    if (this.#parts.length > 0) this.#tail.push({ kind: "assistant", parts: this.#parts })
    this.#parts = []
  }

  /** Whether the answer being read has results already, so that more of the model's words begin another. */
  get answered(): boolean {
    return this.#parts.some(
      (part) => part.type === "call" && (part.result !== "" || part.images !== undefined),
    )
  }

  segments(tools: readonly ToolDefinition[]): Segments {
    this.endAnswer()
    const [system = "", ...agent] = this.#prompts
    return {
      tools,
      system,
      agent: agent.join("\n\n"),
      historyBaseline: [],
      historyDelta: [],
      tail: this.#tail,
    }
  }

  #say(entry: Entry): void {
    this.endAnswer()
    this.#tail.push(entry)
  }
}

/** Text of a message, as a string or as parts of the given types; null if it holds anything else. */
export function readText(content: unknown, ...types: readonly string[]): string | null {
  if (typeof content === "string") return content
  const parts = listOf(content).map(fieldsOf)
  if (parts.length === 0 || parts.some((part) => !types.includes(textOf(part["type"])))) return null
  return parts.map((part) => textOf(part["text"])).join("\n")
}

export interface ReadContent {
  readonly text: string
  readonly images: readonly Media[]
}

/** Text and images of a message; null if a part is neither. */
export function readContent(
  content: unknown,
  textType: string,
  imageOf: (part: Fields) => Media | null,
): ReadContent | null {
  if (typeof content === "string") return { text: content, images: [] }
  const parts = listOf(content).map(fieldsOf)
  const others = parts.filter((part) => part["type"] !== textType)
  const images = others.flatMap((part) => imageOf(part) ?? [])
  if (parts.length === 0 || images.length < others.length) return null
  const texts = parts.filter((part) => part["type"] === textType)
  return { text: texts.map((part) => textOf(part["text"])).join("\n"), images }
}

/** Tools, wherever a wire keeps their three members. */
export const readTools = (
  tools: unknown,
  membersOf: (tool: Fields) => readonly [name: unknown, description: unknown, schema: unknown],
): readonly ToolDefinition[] =>
  listOf(tools).flatMap((tool) => {
    const [name, description, schema] = membersOf(fieldsOf(tool))
    if (typeof name !== "string" || !isFields(schema)) return []
    return [{ name, description: textOf(description), inputSchema: schema as JsonObject }]
  })
