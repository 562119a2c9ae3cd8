/** A conversation while it is read: prompts first, then entries; a result finds its call. */
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import { ReadImages } from "../image/read.ts"
import { isBlank, textOfNothing, wordsOfResult } from "../request/runtime-words.ts"
import type { Entry, EntryPart, Segments, ToolDefinition } from "../segments.ts"
import type { FieldReader } from "./field-reader.ts"

export class ReadConversation {
  readonly images = new ReadImages()
  readonly #prompts: string[] = []
  readonly #tail: Entry[] = []
  #parts: EntryPart[] = []
  /** Calls of the answer that is read whose result has not come, with where they stand. */
  readonly #open = new Map<string, FieldReader>()
  /** Images that the user's next words speak of. */
  #shown: Media[] = []

  /** An instruction is a prompt as long as nothing was said. */
  instruct(text: string): void {
    if (isBlank(text)) return
    if (this.began) this.#say({ kind: "system", text })
    else this.#prompts.push(text)
  }

  /** Something was said. */
  get began(): boolean {
    return this.#tail.length > 0 || this.#parts.length > 0
  }

  user(text: string, images: readonly Media[] = []): void {
    const shown = [...this.#shown, ...images]
    this.#shown = []
    if (shown.length > 0) this.#say({ kind: "user", text: isBlank(text) ? "" : text, images: shown })
    else this.#say({ kind: "user", text: isBlank(text) ? textOfNothing : text })
  }

  /** An image of a message whose blocks come one by one. */
  show(media: Media): void {
    this.#shown.push(media)
  }

  /** What was shown without words behind it. */
  endMessage(): void {
    if (this.#shown.length > 0) this.user("")
  }

  /** Blank text says nothing, unless it was given back for what the provider put on it. */
  answer(part: EntryPart): void {
    if (part.type !== "text" || part.native !== undefined || !isBlank(part.text)) this.#parts.push(part)
  }

  call(id: string, name: string, input: Json, at: FieldReader, native?: EntryPart["native"]): void {
    const part = { type: "call", call: id as CallId, name, input, result: "", failed: false } as const
    this.#parts.push(native === undefined ? part : { ...part, native })
    if (this.#open.has(id)) at.strange("an id that is used twice")
    this.#open.set(id, at)
  }

  result(id: string, text: string, failed: boolean, at: FieldReader, images: readonly Media[] = []): void {
    const place = this.#parts.findIndex((part) => part.type === "call" && part.call === id)
    const part = this.#parts[place]
    if (part?.type !== "call" || !this.#open.delete(id)) return at.strange(`result of ${id || "nothing"}`)
    this.#parts[place] =
      images.length === 0
        ? { ...part, result: wordsOfResult(text), failed }
        : { ...part, result: text, failed, images }
  }

  /** Whether calls of the answer have results, so that more of the model's words begin another. */
  get answered(): boolean {
    return this.#parts.filter(({ type }) => type === "call").length > this.#open.size
  }

  /** Whatever comes next belongs to another answer. Every rendered call has a result (TU2). */
  endAnswer(): void {
    for (const at of this.#open.values()) at.strange("call without a result")
    this.#open.clear()
    if (this.#parts.length > 0) this.#tail.push({ kind: "assistant", parts: this.#parts })
    this.#parts = []
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
