/**
 * Recorded sessions, replayed on the cache oracle: each recorded request is given to it in order, at
 * its recorded time, and what it would read stands beside what the provider did read.
 *
 * The messages are recorded, their sizes are not: what was added between two calls has the size by
 * which the recorded prompt grew. Tools and system are not recorded either; they are one block, the
 * head, of the size that a session shows when it begins anew. Where the first call of a session
 * reads, somebody else had written the head, and the oracle is given that request before.
 * Markers are assumed on the head and the last two messages, as the recorded tool places them.
 */
import { createMarkerCache } from "@holdfast/provider-sim/anthropic-messages/marker-cache"
import type { MarkerBlock } from "@holdfast/provider-sim/anthropic-messages/marker-cache"
import { createPrefixOracle } from "@holdfast/provider-sim/prefix-cache"
import type { CacheRules, PromptPart } from "@holdfast/provider-sim/prefix-cache"
import { bytesPerToken } from "@holdfast/provider-sim/tokens"
import type { RecordedSession, RecordedUse } from "./recorded-usage.ts"

const lifeMs = { "5m": 300_000, "1h": 3_600_000 } as const
const shortMs = lifeMs["5m"]
/** What the time of an answer may differ from that of its request. */
const edgeMs = 30_000

export type Kind = "first" | "segment" | "rewritten" | "minutes" | "hour" | "edge" | "lapsed"

export interface Compared {
  readonly kind: Kind
  readonly call: string
  readonly predicted: number
  readonly recorded: number
  /** What the call before has read and written; all of it can be read again. */
  readonly sum: number
}

function kindOf(call: RecordedUse, before: RecordedUse | undefined): Kind {
  if (before === undefined) return "first"
  if (call.opens === "segment") return "segment"
  const pauseMs = call.atMs - before.atMs
  const life = lifeMs[before.ttl]
  if (pauseMs >= life + edgeMs) return "lapsed"
  if (pauseMs >= life) return "edge"
  if (call.prompt < before.prompt) return "rewritten"
  return pauseMs < shortMs ? "minutes" : "hour"
}

/** The size of the head at each call: the head may change unseen only while nothing of it is cached. */
function headsOf(calls: readonly RecordedUse[]): readonly number[] {
  const kinds = calls.map((call, index) => kindOf(call, calls[index - 1]))
  const epochs: number[] = []
  for (const kind of kinds) epochs.push((epochs.at(-1) ?? 0) + (kind === "lapsed" ? 1 : 0))
  const shown = new Map<number, number>()
  for (const [index, call] of calls.entries()) {
    const epoch = epochs[index] as number
    if (call.opens !== null && call.read > 0 && !shown.has(epoch)) shown.set(epoch, call.read)
  }
  const heads: number[] = []
  for (const epoch of epochs) heads.push(shown.get(epoch) ?? heads.at(-1) ?? [...shown.values()][0] ?? 0)
  return heads
}

interface Sized {
  readonly names: readonly string[]
  readonly tokens: number
}

/** The messages of each prompt with their sizes; what has shrunk is one message that nobody knew. */
function* prompts({ calls }: RecordedSession, heads: readonly number[]) {
  let messages: readonly Sized[] = []
  for (const [index, call] of calls.entries()) {
    const before = calls[index - 1]
    const head = heads[index] as number
    const isAnew = call.opens !== null || head !== heads[index - 1]
    if (isAnew || before === undefined || call.prompt < before.prompt) {
      messages = [{ names: [`${index}`], tokens: call.prompt - head }]
    } else {
      const grown = call.prompt - before.prompt
      const last = call.added.length - 1
      const added = call.added.map((names, place) => ({ names, tokens: place === last ? grown : 0 }))
      messages = [...messages, ...added]
    }
    yield { call, before, head, messages, title: `call ${index}` }
  }
}

/** The blocks of a prompt, marked at the head and the last two messages. */
function markedBlocks(head: number, messages: readonly Sized[], ttl: "5m" | "1h"): readonly MarkerBlock[] {
  const blocks: MarkerBlock[] = head === 0 ? [] : [{ text: `head ${head}`, tokens: head, ttl }]
  for (const [place, { names, tokens }] of messages.entries()) {
    const last = names.length - 1
    for (const [index, text] of names.entries()) {
      const isMarked = index === last && place >= messages.length - 2
      blocks.push({ text, tokens: index === last ? tokens : 0, ...(isMarked ? { ttl } : {}) })
    }
  }
  return blocks
}

export function replayMarkers(session: RecordedSession): readonly Compared[] {
  const cache = createMarkerCache()
  const ask = (blocks: readonly MarkerBlock[], seed: string, nowMs: number) => {
    const measure = cache.measure({ blocks, seed, nowMs, tokensMin: 4_096 })
    cache.commit(measure, nowMs, nowMs)
    return measure.usage.read
  }
  const compared: Compared[] = []
  for (const { call, before, head, messages, title } of prompts(session, headsOf(session.calls))) {
    const { atMs, ttl, model, read: recorded } = call
    if (before === undefined && recorded > 0) ask(markedBlocks(head, [], ttl), model, atMs - 1)
    const predicted = ask(markedBlocks(head, messages, ttl), model, atMs)
    const kind = kindOf(call, before)
    compared.push({
      kind,
      call: `${session.name} ${title}`,
      predicted,
      recorded,
      sum: before?.prompt ?? 0,
    })
  }
  return compared
}

/** A group as a part of exactly its size: the same messages are the same bytes. */
function partOf({ names, tokens }: Sized): PromptPart {
  const size = tokens * bytesPerToken
  return { text: names.join("").padEnd(size).slice(0, size) }
}

export function replayPrefix(
  session: RecordedSession,
  rules: CacheRules,
  hidden: number,
): readonly Compared[] {
  const oracle = createPrefixOracle()
  const head = session.calls[0]?.read ?? 0
  const known = new Map<Sized, PromptPart>()
  const first: Sized = { names: ["head"], tokens: head + hidden }
  const ask = (messages: readonly Sized[], nowMs: number) => {
    const parts = [first, ...messages].map((group) => {
      const part = known.get(group) ?? partOf(group)
      known.set(group, part)
      return part
    })
    const measure = oracle.measure({ parts, seed: session.name, rules, nowMs, tokensMin: 1_024 })
    oracle.commit(measure, nowMs, nowMs)
    return Math.max(0, measure.read - hidden)
  }
  const heads = session.calls.map(() => head)
  const compared: Compared[] = []
  for (const { call, before, messages, title } of prompts(session, heads)) {
    const { atMs, read: recorded } = call
    if (before === undefined && recorded > 0) ask([], atMs - 1)
    const predicted = ask(messages, atMs)
    const sum = before?.prompt ?? 0
    compared.push({ kind: kindOf(call, before), call: `${session.name} ${title}`, predicted, recorded, sum })
  }
  return compared
}
