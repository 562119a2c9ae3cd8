/**
 * Generations of Gemini models, as data: where the bytes for them differ (LL1).
 *
 * A family is named by the traits or known by the model's name. A name that is not known counts as
 * the newest, because aliases such as `gemini-flash-latest` move on.
 */
import type { Target } from "../segments.ts"

export interface GeminiFamily {
  readonly name: string
  /** The first call of each answer must bring a signature, its own or the documented stand-in (LL4). */
  readonly wantsSignatures: boolean
  /** How much a model thinks is a level, a budget, or not to be said. */
  readonly thinking: "level" | "budget" | "none"
}

const newest: GeminiFamily = { name: "newest", wantsSignatures: true, thinking: "level" } // documented

export const families: Readonly<Record<string, GeminiFamily>> = {
  newest,
  "2.5": { name: "2.5", wantsSignatures: false, thinking: "budget" }, // documented
  plain: { name: "plain", wantsSignatures: false, thinking: "none" }, // documented
}

const names: readonly (readonly [pattern: RegExp, family: string])[] = [
  [/gemini-2\.5/, "2.5"],
  [/gemini-(?:1|2\.0)|gemma|learnlm/, "plain"],
]

export function familyOf({ model, options }: Target): GeminiFamily {
  const named = options.traits.profile ?? ""
  if (Object.hasOwn(families, named)) return families[named] as GeminiFamily
  const known = names.find(([pattern]) => pattern.test(model.toLowerCase()))
  return families[known?.[1] ?? newest.name] as GeminiFamily
}

/** Whether the model is known to be of a generation before the newest. */
export const isOlder = (target: Target): boolean => ["2.5", "plain"].includes(familyOf(target).name)

/** Whether the API is that of the cloud, which knows some fields under no name. */
export const isVertex = (endpoint: string): boolean => /\baiplatform\b/.test(endpoint)

/** Whether the API is that of the developers. */
export const isGeminiApi = (endpoint: string): boolean =>
  endpoint.includes("//generativelanguage.googleapis.com")
