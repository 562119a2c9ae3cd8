/**
 * What recorded sessions say of the provider's cache: for each call its time, what it read and
 * wrote, and which blocks its prompt had added. The data lies beside the repository and is never
 * part of it; where it is absent there are no sessions.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface RecordedUse {
  /** First call of the session, first one after a compaction, or neither. */
  readonly opens: "session" | "segment" | null
  readonly model: string
  /** When the answer began; when the request did is not recorded. */
  readonly atMs: number
  readonly ttl: "5m" | "1h"
  /** Tokens of the whole prompt, as far as the provider caches it. */
  readonly prompt: number
  readonly read: number
  /** The messages that this prompt has and the one before had not, each as the names of its blocks. */
  readonly added: readonly (readonly string[])[]
}

export interface RecordedSession {
  readonly name: string
  readonly calls: readonly RecordedUse[]
}

const folder = join(import.meta.dirname, "../../../shared/data/transcripts")

/** The sessions of one provider, in order of their names. */
export function loadUsage(api: "anthropic-messages" | "openai-responses"): readonly RecordedSession[] {
  const files = join(folder, api)
  if (!existsSync(files)) return []
  return readdirSync(files)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => {
      const { segments } = JSON.parse(readFileSync(join(files, file), "utf8")) as WireTranscript
      const calls = segments.flatMap((segment, index) => readSegment(segment, index === 0))
      return { name: file.slice(0, 8), calls }
    })
}

interface WireUsage {
  readonly input_tokens: number
  /** OpenAI's part of the input; Anthropic's counts stand beside the input. */
  readonly cached_input_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens: number }
}

interface WireSegment {
  readonly items: readonly { readonly content?: unknown }[]
  readonly calls: readonly {
    readonly prompt_len: number
    readonly ts: string
    readonly model: string
    readonly usage: WireUsage
  }[]
}

interface WireTranscript {
  readonly segments: readonly WireSegment[]
}

function readSegment({ items, calls }: WireSegment, isFirst: boolean): readonly RecordedUse[] {
  const isLong = calls.some(({ usage }) => (usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0)
  return calls.map(({ prompt_len: end, ts, model, usage }, index) => {
    const { cache_read_input_tokens: read, cache_creation_input_tokens: write } = usage
    return {
      opens: index > 0 ? null : isFirst ? "session" : "segment",
      model,
      atMs: Date.parse(ts),
      ttl: isLong ? "1h" : "5m",
      prompt: read === undefined ? usage.input_tokens : read + (write ?? 0),
      read: read ?? usage.cached_input_tokens ?? 0,
      added: items.slice(calls[index - 1]?.prompt_len ?? 0, end).map(blockNames),
    }
  })
}

/** Names stand for what was said: the same content is the same name. */
function blockNames(item: { readonly content?: unknown }): readonly string[] {
  const blocks: readonly unknown[] = Array.isArray(item.content) ? item.content : [item]
  return blocks.map((block) => createHash("sha256").update(JSON.stringify(block)).digest("base64"))
}
