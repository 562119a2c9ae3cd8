/**
 * Prefix cache: what an automatic prompt cache would read and write for each request.
 *
 * A prompt is a chain of parts; one that differs ends what can be read (documented). Providers and
 * generations of models differ in where a read may end:
 *   prefix       at any step of any earlier prompt; writes are free and not reported;
 *   breakpoints  exactly at a breakpoint that was written: the end of the newest message unless
 *                the request says `explicit`, and marked parts; writes are few and paid for;
 *   units        at the end of a whole unit: an earlier prompt, with its answer or without, a fixed
 *                interval, or what two earlier prompts had in common; writes are free.
 * A life counts from the last use. An entry is visible once the answer to its request has begun
 * (assumed, as for Anthropic).
 */
import { createHash } from "node:crypto"
import { bytesPerToken, tokensOfText } from "./tokens.ts"

export interface PromptPart {
  /** What the part says; the same words are the same tokens. */
  readonly text: string
  /** An implicit breakpoint may stand after this part. */
  readonly endsMessage?: boolean
  /** A breakpoint was asked for after this part. */
  readonly isMarked?: boolean
  /** The model said this, in an earlier answer. */
  readonly isAnswer?: boolean
}

export type CacheRules =
  | { readonly kind: "prefix"; readonly tokensStep: number; readonly idleMs: number }
  | {
      readonly kind: "breakpoints"
      readonly mode: "implicit" | "explicit"
      readonly idleMs: number
      readonly writesMax: number
      /** Breakpoints that are tried, the latest first. */
      readonly candidatesMax: number
    }
  | {
      readonly kind: "units"
      /** How finely common beginnings are told apart, and what is read is counted. */
      readonly tokensStep: number
      /** A multiple of the step. */
      readonly tokensInterval: number
      readonly idleMs: number
    }
  | { readonly kind: "none" }

export interface CachePrompt {
  readonly parts: readonly PromptPart[]
  /** Model and routing key; what differs here shares nothing. */
  readonly seed: string
  readonly rules: CacheRules
  readonly nowMs: number
  readonly tokensMin: number
}

/** A request measured against the cache, not yet part of it. The three parts add up. */
export interface PrefixMeasure {
  readonly tokens: number
  readonly read: number
  readonly write: number
  readonly input: number
  readonly touched: readonly string[]
  readonly idleMs: number
}

export interface PrefixOracle {
  /** Pure look: what this request would read and write now. */
  measure(prompt: CachePrompt): PrefixMeasure
  /** Makes the writes and refreshes of a measured request real; a repeat changes nothing. */
  commit(measure: PrefixMeasure, nowMs: number, visibleAtMs: number): void
}

const entriesMax = 100_000

interface Entry {
  readonly usedMs: number
  readonly idleMs: number
  readonly visibleAtMs: number
}

interface Position {
  readonly hash: string
  readonly tokens: number
}

export function createPrefixOracle(): PrefixOracle {
  const entries = new Map<string, Entry>()
  const isLive = (entry: Entry | undefined, nowMs: number): entry is Entry =>
    entry !== undefined && nowMs < entry.usedMs + entry.idleMs

  return {
    measure(prompt) {
      const isReadable = ({ hash }: Position) => {
        const entry = entries.get(hash)
        return isLive(entry, prompt.nowMs) && prompt.nowMs >= entry.visibleAtMs
      }
      const tokens = prompt.parts.reduce((sum, part) => sum + tokensOfText(part.text), 0)
      switch (prompt.rules.kind) {
        case "none":
          return { tokens, read: 0, write: 0, input: tokens, touched: [], idleMs: 0 }
        case "prefix":
          return measurePrefix(prompt, prompt.rules, tokens, isReadable)
        case "breakpoints":
          return measureBreakpoints(prompt, prompt.rules, tokens, isReadable)
        case "units":
          return measureUnits(prompt, prompt.rules, tokens, isReadable)
      }
    },

    commit(measure, nowMs, visibleAtMs) {
      for (const hash of measure.touched) {
        const known = entries.get(hash)
        const visible = isLive(known, nowMs) ? Math.min(known.visibleAtMs, visibleAtMs) : visibleAtMs
        entries.delete(hash)
        entries.set(hash, { usedMs: nowMs, idleMs: measure.idleMs, visibleAtMs: visible })
      }
      for (const hash of entries.keys()) {
        if (entries.size <= entriesMax) break
        entries.delete(hash)
      }
    },
  }
}

function measurePrefix(
  prompt: CachePrompt,
  rules: { readonly tokensStep: number; readonly idleMs: number },
  tokens: number,
  isReadable: (position: Position) => boolean,
): PrefixMeasure {
  const steps = prefixSteps(prompt, rules.tokensStep).filter((step) => step.tokens >= prompt.tokensMin)
  const read = steps.findLast(isReadable)?.tokens ?? 0
  const touched = steps.map((step) => step.hash)
  return { tokens, read, write: 0, input: tokens - read, touched, idleMs: rules.idleMs }
}

/** The prompt as one run of bytes, hashed at every step. */
function prefixSteps(prompt: CachePrompt, tokensStep: number): readonly Position[] {
  const bytes = promptBytes(prompt.parts)
  const size = tokensStep * bytesPerToken
  const steps: Position[] = []
  const rolling = createHash("sha256").update(prompt.seed).update("\0")
  for (let end = size; end <= bytes.length; end += size) {
    rolling.update(bytes.subarray(end - size, end))
    steps.push({ hash: rolling.copy().digest("base64"), tokens: end / bytesPerToken })
  }
  return steps
}

/** Each part fills whole tokens. */
function promptBytes(parts: readonly PromptPart[]): Uint8Array {
  const sizes = parts.map((part) => tokensOfText(part.text) * bytesPerToken)
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0))
  let at = 0
  for (const [index, part] of parts.entries()) {
    bytes.write(part.text, at)
    at += sizes[index] ?? 0
  }
  return bytes
}

function measureBreakpoints(
  prompt: CachePrompt,
  rules: Extract<CacheRules, { kind: "breakpoints" }>,
  tokens: number,
  isReadable: (position: Position) => boolean,
): PrefixMeasure {
  const positions = partEnds(prompt)
  const longEnough = positions.filter((position) => position.tokens >= prompt.tokensMin)
  const marked = longEnough.filter(({ part }) => part.isMarked === true)
  const ends = rules.mode === "implicit" ? longEnough.filter(({ part }) => part.endsMessage === true) : []
  const newest = ends.slice(-1)
  // documented: breakpoints count, not blocks; the end of a message is one once a request ended there.
  const isBreakpoint = (position: (typeof positions)[number]) =>
    marked.includes(position) ||
    newest.includes(position) ||
    (ends.includes(position) && isReadable(position))
  const candidates = longEnough.filter(isBreakpoint).slice(-rules.candidatesMax)
  const written = [...newest, ...marked.slice(newest.length - rules.writesMax)]
  const hit = candidates.findLast(isReadable)
  const read = hit?.tokens ?? 0
  const reach = Math.max(read, ...written.map((position) => position.tokens))
  const touched = new Set([...written, ...(hit === undefined ? [] : [hit])].map((position) => position.hash))
  return {
    tokens,
    read,
    write: reach - read,
    input: tokens - reach,
    touched: [...touched],
    idleMs: rules.idleMs,
  }
}

/** Two requests show what they share; a unit of it is there for the third (documented). */
function measureUnits(
  prompt: CachePrompt,
  rules: Extract<CacheRules, { kind: "units" }>,
  tokens: number,
  isReadable: (position: Position) => boolean,
): PrefixMeasure {
  const steps = prefixSteps(prompt, rules.tokensStep).filter((step) => step.tokens >= prompt.tokensMin)
  const ends = partEnds(prompt)
  const isUnit = (position: Position) => isReadable(named("unit", position))
  // assumed: what is sent back as an answer is what the model said.
  const isAnswered = (index: number) => {
    const isOver = ends[index]?.part.isAnswer === true && ends[index + 1]?.part.isAnswer !== true
    const asked = isOver ? ends.slice(0, index).findLast(({ part }) => part.isAnswer !== true) : undefined
    return asked !== undefined && isUnit(asked)
  }
  const units = [...steps.filter(isUnit), ...ends.filter((end, index) => isUnit(end) || isAnswered(index))]
  const hit = units.reduce<Position | undefined>(
    (best, unit) => (unit.tokens > (best?.tokens ?? 0) ? unit : best),
    undefined,
  )
  // documented: what is read is counted in whole steps.
  const whole = (hit?.tokens ?? 0) - ((hit?.tokens ?? 0) % rules.tokensStep)
  const read = whole >= prompt.tokensMin ? whole : 0
  const common = steps.findLast((step) => isReadable(named("seen", step)))
  const written = [
    ...ends.slice(-1),
    ...steps.filter((step) => step.tokens % rules.tokensInterval === 0),
    ...(common === undefined ? [] : [common]),
    ...(hit === undefined ? [] : [hit]),
  ]
  const touched = [...written.map((unit) => named("unit", unit)), ...steps.map((step) => named("seen", step))]
  return {
    tokens,
    read,
    write: 0,
    input: tokens - read,
    touched: [...new Set(touched.map(({ hash }) => hash))],
    idleMs: rules.idleMs,
  }
}

const named = (kind: "unit" | "seen", { hash, tokens }: Position): Position => ({
  hash: `${kind} ${hash}`,
  tokens,
})

/** The prompt as a chain of parts, hashed at the end of each. */
function partEnds(prompt: CachePrompt): readonly (Position & { readonly part: PromptPart })[] {
  let hash = digest("", prompt.seed)
  let at = 0
  return prompt.parts.map((part) => {
    hash = digest(hash, part.text)
    at += tokensOfText(part.text)
    return { hash, tokens: at, part }
  })
}

function digest(previous: string, content: string): string {
  return createHash("sha256").update(previous).update("\0").update(content).digest("base64")
}
