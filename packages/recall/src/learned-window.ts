/**
 * Learned window: what a refusal for size tells about a model (TU5).
 *
 * Most providers say how much they take. Where the words hold no number, the window ends at the
 * largest request that is known to have been taken; half of the refused one, if that is more, since
 * one large output must not leave a window of nothing. A number that is no news teaches nothing: our
 * estimate was wrong, and the next answer corrects it.
 */
import type { ModelRef } from "@holdfast/schema/model"
import { modelKey } from "@holdfast/schema/state/state"
import type { WindowLimits } from "./cut.ts"

export interface SizeRefusal {
  /** The provider did not say that it is the size; only that the request is larger than the last it took speaks for it. */
  readonly suspected?: boolean
  /** What the provider said. */
  readonly words: string
  readonly refusedTokens: number
  /** Of the last answered request; 0 if none is known. */
  readonly acceptedTokens: number
}

/** The window to believe in from now on; null if nothing lower is learned. */
export function learnWindow(refusal: SizeRefusal, limits: WindowLimits): number | null {
  const { contextTokens, outputTokens } = limits
  const taken = Math.max(refusal.acceptedTokens, Math.floor(refusal.refusedTokens / 2))
  const unnamed = taken === 0 ? 0 : Math.max(taken, inputTokensMin) + outputTokens
  const learned = windowIn(refusal.words) ?? unnamed
  return learned > outputTokens && learned < contextTokens ? learned : null
}

/** What is believed of a model's window, with what was learned of it. */
export const knownWindow = (
  limits: ReadonlyMap<string, number>,
  model: ModelRef,
  contextTokens: number,
): number => Math.min(contextTokens, limits.get(modelKey(model)) ?? contextTokens)

/** No model takes less: a provider that refuses so little means something else by it. */
const inputTokensMin = 8_000

/** Smaller numbers are something else. */
const windowTokensMin = 1_000

/** The limit that a refusal names, or null. recorded and documented: the words of each. */
export function windowIn(words: string): number | null {
  for (const pattern of limitTexts) {
    const found = Number(pattern.exec(words)?.[1]?.replaceAll(/[,_]/g, "") ?? 0)
    if (found >= windowTokensMin) return found
  }
  return null
}

const limitTexts: readonly RegExp[] = [
  // Anthropic: `208310 tokens > 200000 maximum`, `190000 + 20000 > 200000`.
  /> (\d[\d,_]*)\b/,
  // OpenAI and many that speak its form; xAI, Mistral.
  /maximum (?:model |context |prompt |input )*length(?: is| of|:)?(?: only)? \(?(\d[\d,_]*)/i,
  /with (\d[\d,_]*) maximum context/i,
  // Gemini, Copilot.
  /maximum number of tokens allowed(?: is| of|:)? \(?(\d[\d,_]*)/i,
  /exceeds the (?:limit|maximum)(?: of|:)? \(?(\d[\d,_]*)/i,
  // llama.cpp, LM Studio, Ollama.
  /context (?:size|length|window)(?: is| of|:)?(?: only)? \(?(\d[\d,_]*)/i,
  // OpenAI, Groq: a limit a minute that one request alone passes.
  /\bLimit:? (\d[\d,_]*)/,
]
