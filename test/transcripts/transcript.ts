/**
 * Transcripts as they are stored: segments of messages or items, as the provider has them, and for
 * each call how much of them was its prompt and what its cache did. A segment begins where the
 * agent had compacted.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { JsonObject } from "@holdfast/schema/json"

export interface Transcript<Item> {
  readonly name: string
  readonly segments: readonly Segment<Item>[]
}

export interface Segment<Item> {
  readonly items: readonly Item[]
  readonly calls: readonly WireCall[]
}

export interface WireCall {
  readonly prompt_len: number
  readonly ts: string
  readonly model: string
  readonly usage: {
    readonly input_tokens: number
    /** OpenAI's part of the input; Anthropic's counts stand beside the input. */
    readonly cached_input_tokens?: number
    readonly cache_read_input_tokens?: number
    readonly cache_creation_input_tokens?: number
    readonly cache_creation?: { readonly ephemeral_1h_input_tokens: number }
  }
}

/** A message of Anthropic. */
export interface WireMessage {
  readonly role: string
  readonly content: string | readonly WireBlock[]
}

export interface WireBlock {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly id?: string
  readonly name?: string
  readonly input?: JsonObject
  readonly tool_use_id?: string
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[]
  readonly is_error?: boolean
}

/** An item of the Responses API. What the model said stands in items of their own, one after another. */
export interface WireItem {
  readonly type: string
  readonly role?: string
  readonly content?: readonly { readonly text?: string }[]
  readonly summary?: readonly { readonly text?: string }[]
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: unknown
  readonly input?: string
  readonly output?: unknown
}

const folder = join(import.meta.dirname, "../../../shared/data/transcripts")

type Api = "anthropic-messages" | "openai-responses"

/** Of one provider, in order of their names; none where the data is absent. */
export function transcriptFiles(api: Api): readonly string[] {
  const files = join(folder, api)
  if (!existsSync(files)) return []
  return readdirSync(files)
    .filter((file) => file.endsWith(".json"))
    .toSorted()
    .map((file) => join(files, file))
}

/** Real ones of one provider. */
export const readTranscripts = <Item>(api: Api): readonly Transcript<Item>[] =>
  transcriptFiles(api).map((file) => readTranscript<Item>(file))

function readTranscript<Item>(file: string): Transcript<Item> {
  const { segments } = JSON.parse(readFileSync(file, "utf8")) as Transcript<Item>
  return { name: basename(file).slice(0, 8), segments }
}
