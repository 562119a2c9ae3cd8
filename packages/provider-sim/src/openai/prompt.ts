/**
 * Prompt: which cache rules a request falls under, and how its pieces become parts.
 *
 * The order of parts is tools, output schema, instructions, conversation (documented). Before
 * GPT-5.6 a read ends at any 128 tokens from 1,024 on; since then exactly at a breakpoint. Another
 * `prompt_cache_key` is another machine (pessimistic).
 */
import type { JsonObject } from "../json.ts"
import type { SimModel } from "../model.ts"
import { imageWords } from "../image/sent.ts"
import type { SentImage } from "../image/sent.ts"
import { anything } from "../shape.ts"
import type { Check, Fields } from "../shape.ts"
import type { Verdict } from "../sim-wire.ts"
import type { CacheRules, PromptPart } from "../prefix-cache.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"
import { object, oneOf } from "./shape.ts"

/** The fields of a request that steer the cache, on both wires. */
export interface CacheParams {
  readonly prompt_cache_key?: string | null
  readonly prompt_cache_retention?: "in_memory" | "24h" | null
  readonly prompt_cache_options?: { readonly mode?: "implicit" | "explicit"; readonly ttl?: "30m" } | null
}

/** A part of a message; any may bear a breakpoint (documented). */
export const contentPart = (fields: Fields): Check =>
  object({ type: anything, ...fields, prompt_cache_breakpoint: object({ mode: oneOf(["explicit"]) }) })

/** documented. */
export const cacheOptionsField = object({ mode: oneOf(["implicit", "explicit"]), ttl: oneOf(["30m"]) })

export function hasBreakpoints(name: string, model: SimModel): boolean {
  return model.cacheBreakpoints ?? facts.breakpointModels.test(name)
}

/** documented: breakpoints came with GPT-5.6, and their life replaces the retention. */
export function checkCacheParams(params: CacheParams, name: string, model: SimModel): Verdict {
  if ((params.prompt_cache_options ?? undefined) === undefined) return undefined
  const path = "prompt_cache_options"
  if (!hasBreakpoints(name, model)) {
    return invalid(facts.breakpointsUnsupported(path), path, "unsupported_parameter")
  }
  return (params.prompt_cache_retention ?? undefined) === undefined
    ? undefined
    : invalid(facts.retentionAndOptions, path)
}

export function cacheRulesOf(params: CacheParams, name: string, model: SimModel): CacheRules {
  if (hasBreakpoints(name, model)) {
    return {
      kind: "breakpoints",
      mode: params.prompt_cache_options?.mode ?? "implicit",
      idleMs: facts.breakpointIdleMs,
      writesMax: facts.breakpointWritesMax,
      candidatesMax: facts.breakpointCandidatesMax,
    }
  }
  const isLong = retentionOf(params, model) === "24h"
  return {
    kind: "prefix",
    tokensStep: facts.cacheTokensStep,
    idleMs: isLong ? facts.cacheIdleLongMs : facts.cacheIdleMs,
  }
}

/** recorded: the reasoning models of today keep for a day, older ones in memory. */
export function retentionOf(params: CacheParams, model: SimModel): "in_memory" | "24h" {
  return params.prompt_cache_retention ?? (model.thinking === true ? "24h" : "in_memory")
}

/** One block of content; the marker is no part of what the model sees, an image is what it costs. */
export function blockPart(
  role: string,
  block: JsonObject,
  image: (SentImage & { readonly tokens: number }) | undefined,
): PromptPart {
  const { prompt_cache_breakpoint: marker, ...rest } = block
  const shown = image === undefined ? JSON.stringify(rest) : imageWords(image.content, image.tokens)
  return { text: `${role} ${shown}`, isMarked: marker !== undefined && marker !== null }
}

/** The parts of one message; the last of them may bear an implicit breakpoint. */
export function messageParts(parts: readonly PromptPart[], endsMessage: boolean): readonly PromptPart[] {
  return parts.map((part, index) => (index === parts.length - 1 ? { ...part, endsMessage } : part))
}
