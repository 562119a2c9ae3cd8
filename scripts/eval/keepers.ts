/**
 * Simpler ways to keep a session inside a window, for comparison. Each cuts when recall cuts and down to the very
 * size, so that the average request is as large: what its text leaves free the tail takes, to within a token of it.
 *
 * | way | what is left of what went |
 * | --- | --- |
 * | truncation | nothing; the tail is longer in its place |
 * | one summary | the newest sentences of both sides, and what fits of the summary before it |
 * | rare words | 4,000 tokens of words that the user said or calls named, the rarest first |
 */
import { estimateTokens } from "@holdfast/llm/size"
import type { Message } from "@holdfast/schema/message"
import { calledIn, textOf, type UsedFact } from "./facts.ts"
import { type Recalled, weightOf } from "./recalled.ts"
import type { FateName } from "./window.ts"

export interface Keeper {
  readonly hasCut: boolean
  /** All of its requests together. */
  readonly tokens: number
  readonly tail: string
  add(message: Message): void
  /** Before an answer; `cut` where recall just cut. */
  request(recalled: Recalled, cut: boolean): void
  fateOf(fact: UsedFact): FateName
}

/**
 * A text in the place of what went, and behind it the newest messages, as far back as makes the request as large as
 * recall's: the message before them with its end alone. What a text does not fill, the tail has.
 */
abstract class Cutting implements Keeper {
  hasCut = false
  tokens = 0
  protected text = ""
  private all: readonly Message[] = []
  private shown: readonly Message[] = []
  private beginning = ""

  get tail(): string {
    return [this.beginning, ...this.shown.map(textOf)].join("\n")
  }

  add(message: Message): void {
    this.all = [...this.all, message]
    this.shown = [...this.shown, message]
  }

  request(recalled: Recalled, cut: boolean): void {
    if (cut) {
      this.hasCut = true
      const raw = new Set(recalled.messages)
      const gone = this.all.filter((message) => !raw.has(message))
      this.text = this.write(gone, tokensOf(recalled.history))
      this.fill(recalled.requestTokens - tokensOf(this.text))
    }
    this.tokens += tokensOf(this.text) + tokensOf(this.beginning) + weightOf(this.shown)
  }

  fateOf(fact: UsedFact): FateName {
    return fact.shownIn(this.text) ? "inWindow" : "lost"
  }

  private fill(tokensMax: number): void {
    let from = this.all.length
    while (from > 0 && weightOf(this.all.slice(from - 1)) <= tokensMax) from -= 1
    this.shown = this.all.slice(from)
    const before = this.all[from - 1]
    const room = tokensMax - weightOf(this.shown)
    this.beginning = before === undefined ? "" : endOf(textOf(before), room)
  }

  /** From all that ever went. */
  protected abstract write(gone: readonly Message[], tokensMax: number): string
}

/** The newest messages, and nothing else. */
export class Truncation extends Cutting {
  protected write(): string {
    return ""
  }
}

const tokensOf = (text: string): number => estimateTokens(Buffer.byteLength(text), "prose")

/** As much of its end as has so many tokens. */
function endOf(text: string, tokens: number): string {
  const bytes = Buffer.from(text)
  const share = Math.max(0, Math.min(1, tokens / Math.max(1, tokensOf(text))))
  return bytes.subarray(bytes.length - Math.floor(bytes.length * share)).toString()
}

export class Summary extends Cutting {
  private summed = 0

  protected write(gone: readonly Message[], tokensMax: number): string {
    const fresh = gone.filter(({ seq }) => seq > this.summed)
    this.summed = Math.max(this.summed, ...fresh.map(({ seq }) => seq))
    const sentences = [this.text, ...fresh.map(spokenIn)].flatMap((text) => text.split(/(?<=[.!?])\s+|\n+/))
    const kept: string[] = []
    let left = tokensMax
    for (const sentence of sentences.toReversed()) {
      const cost = tokensOf(sentence) + 1
      if (sentence.trim() === "" || cost > left) continue
      left -= cost
      kept.unshift(sentence.trim())
    }
    return kept.join("\n")
  }
}

const spokenIn = (message: Message): string =>
  message.kind !== "assistant"
    ? message.text
    : message.parts.flatMap(({ part }) => (part.type === "text" ? [part.text] : [])).join("\n")

const wordsTokensMax = 4_000

export class Words extends Cutting {
  protected write(gone: readonly Message[]): string {
    const counts = new Map<string, { messages: number; named: boolean }>()
    for (const message of gone) {
      const named = wordsOf(message.kind === "user" ? message.text : calledIn(message))
      for (const word of wordsOf(textOf(message))) {
        const known = counts.get(word) ?? { messages: 0, named: false }
        counts.set(word, { messages: known.messages + 1, named: known.named || named.has(word) })
      }
    }
    const ranked = [...counts]
      .filter(([, { named }]) => named)
      .toSorted(([, a], [, b]) => a.messages - b.messages)
    const kept: string[] = []
    let left = wordsTokensMax
    for (const [word] of ranked) {
      const cost = tokensOf(`${word} `)
      if (cost > left) break
      left -= cost
      kept.push(word)
    }
    return kept.join(" ")
  }
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/[\p{L}\p{N}_$@./~-]{4,160}/gu)].map(([word]) =>
      word.replace(/[^\p{L}\p{N}_$]+$/u, ""),
    ),
  )
