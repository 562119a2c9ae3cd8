/**
 * What sessions say of the provider's cache: for each call its time, what it read and wrote, and
 * which blocks its prompt had added.
 */
import { createHash } from "node:crypto"
import type { Segment, Transcript } from "./transcript.ts"

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

export const usageOf = ({ name, segments }: Transcript<object>): RecordedSession => ({
  name,
  calls: segments.flatMap((segment, index) => readSegment(segment, index === 0)),
})

function readSegment(
  { items, calls }: Segment<{ readonly content?: unknown }>,
  isFirst: boolean,
): readonly RecordedUse[] {
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
