/**
 * Wire: what Responses and Chat Completions have in common. Each says what is its own; headers,
 * ids, the automatic prompt cache and the order of the checks are shared.
 */
import { wordOf } from "../json.ts"
import { digestOf } from "../answer/answer.ts"
import { createPrefixOracle } from "../prefix-cache.ts"
import type { CachePrompt, PrefixMeasure } from "../prefix-cache.ts"
import type { Accepted, SimWire } from "../sim-wire.ts"
import type { Sources } from "../sources.ts"
import { errorBody, invalid, openaiHeaders } from "./error.ts"
import { facts, sources as shared } from "./facts.ts"
import { checkHttp, urlUnknown } from "./http.ts"

type Wire<Body, Answer> = SimWire<Body, PrefixMeasure, Answer>

/** What the two share. */
type Shared = "requestIdOf" | "notFound" | "checkHttp" | "notJson" | "nameOf" | "createCache" | "cacheParts"

/** What differs between them. */
export interface OwnWire<Body, Answer> extends Omit<
  Wire<Body, Answer>,
  Shared | "sources" | "wantsStream" | "headers" | "errorBody"
> {
  readonly sources: Sources
  promptOf(accepted: Accepted<Body>, tokensMin: number): CachePrompt
}

export function openaiWire<Body extends { readonly model: string; readonly stream?: boolean | null }, Answer>(
  own: OwnWire<Body, Answer>,
): Wire<Body, Answer> {
  const { sources, promptOf, ...wire } = own
  return {
    ...wire,
    sources: [shared, sources],
    requestIdOf: (sequence) => `req_${digestOf(wire.name, sequence).slice(0, 32)}`,
    notFound: urlUnknown,
    checkHttp: (request, { apiKeys }) => checkHttp(request, apiKeys),
    // assumed: half a surrogate pair is answered like any other broken JSON.
    notJson: () => invalid(facts.bodyNotJson),
    nameOf: (_, body) => wordOf(body["model"]),
    createCache() {
      const oracle = createPrefixOracle()
      return { ...oracle, measure: (accepted, tokensMin) => oracle.measure(promptOf(accepted, tokensMin)) }
    },
    cacheParts: ({ read, write, input }) => ({ read, write, input }),
    wantsStream: ({ body }) => body.stream === true,
    headers: openaiHeaders,
    errorBody,
  }
}
