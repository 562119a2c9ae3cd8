/**
 * Breaks: where a request sent again what the cache should have given, and why (IM2, TU7).
 *
 * The ruler is the ledger's: a request is expected to read what the one before it read and wrote, or, of a
 * provider that caches by itself, all of it in whole steps. What is missing was sent again. The reason is
 * what the file shows to have changed, in the ledger's order; a gap longer than the prefix lives is seen
 * by the clock. What no line of the file explains has no cause on record, and none is made up.
 */
import type { CatalogModel } from "@holdfast/llm"
import { promptTokens, type Request, writtenTokens } from "./collect.ts"
import { lifeMs } from "./price.ts"

export const causes = [
  "model changed",
  "compaction",
  "tools changed",
  "system changed",
  "idle",
  "history edited",
  "effort changed",
  "prefix changed, cause not recorded",
] as const
export type Cause = (typeof causes)[number]

export interface Verdict {
  /** Tokens that were sent again though the cache should have held them; 0 where there is no break. */
  readonly missed: number
  readonly cause: Cause | null
  /** Since the request before; null where there is none, or a time is missing. */
  readonly gapMs: number | null
}

/** Fewer tokens than the smallest prefix that is cached at all are no break: counts differ by that much. */
const breakTokensMin = 1_024
/** Most files record when an answer came; a prefix lives from when its request was sent. */
const clockSlackMs = 15_000
/** recorded: what is cached without markers is counted in pieces of this size. */
const automaticTokensStep = 128

export function judgeRequest(request: Request, facts: CatalogModel, life: string): Verdict {
  const { previous, tokens } = request
  if (previous === null) return { missed: 0, cause: null, gapMs: null }
  const gapMs = request.at === null || previous.at === null ? null : Math.max(0, request.at - previous.at)
  const missed = Math.min(expectedRead(previous, facts), promptTokens(tokens)) - tokens.cacheRead
  if (missed < breakTokensMin) return { missed: 0, cause: null, gapMs }
  return { missed, cause: causeOf(request, previous, gapMs, lifeMs(life)), gapMs }
}

/**
 * How long what a request read and wrote is kept. A provider that caches by itself may keep it longer on
 * request, but no file records the request; recorded: after five minutes such prefixes are gone more often
 * than not, and after ten always.
 */
export function lifeAfter({ tokens }: Request, facts: CatalogModel, before: string | null): string {
  const [shortest = "5m"] = facts.cache === "automatic" ? [] : facts.cacheLives
  if (writtenTokens(tokens) === 0) return before ?? shortest
  return tokens.cacheWrite1h > tokens.cacheWrite5m ? "1h" : shortest
}

function expectedRead(previous: Request, facts: CatalogModel): number {
  const { tokens } = previous
  const cached = tokens.cacheRead + writtenTokens(tokens)
  if (facts.cache !== "automatic" || writtenTokens(tokens) > 0) return cached
  const prompt = promptTokens(tokens)
  if (prompt < facts.cacheTokensMin) return 0
  return Math.floor(prompt / automaticTokensStep) * automaticTokensStep
}

function causeOf(request: Request, previous: Request, gapMs: number | null, livesMs: number): Cause {
  const changed = (what: Request["changed"][number]) => request.changed.includes(what)
  if (request.model !== previous.model || request.provider !== previous.provider) return "model changed"
  if (changed("compaction")) return "compaction"
  if (changed("tools")) return "tools changed"
  if (changed("system")) return "system changed"
  if (gapMs !== null && gapMs >= livesMs - clockSlackMs) return "idle"
  if (changed("history")) return "history edited"
  return changed("effort") ? "effort changed" : "prefix changed, cause not recorded"
}
