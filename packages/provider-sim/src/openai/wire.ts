/**
 * Wire: what Responses and Chat Completions have in common. Each says what is its own; headers,
 * ids, the automatic prompt cache and the order of the checks are shared.
 */
import { digestOf } from "../answer.ts"
import type { SimRequest } from "../exchange.ts"
import type { JsonObject } from "../json.ts"
import type { ChatDialect, SimModel } from "../model.ts"
import { createPrefixOracle } from "../prefix-cache.ts"
import type { CachePrompt, PrefixMeasure } from "../prefix-cache.ts"
import type { Accepted, Refusal, SimWire, Validation, Verdict, WireRules } from "../sim-wire.ts"
import type { Sources } from "../sources.ts"
import { errorBody, openaiHeaders } from "./error.ts"
import { sources as shared } from "./facts.ts"
import { readBody } from "./http.ts"

/** What the checks of a body may know beside it. */
export interface BodyRules {
  readonly model: SimModel
  readonly outputMax: number
  readonly dialect: ChatDialect
}

type Wire<Body, Answer> = SimWire<Body, PrefixMeasure, Answer>

/** What differs between the two. */
export interface OwnWire<Body, Answer> extends Pick<
  Wire<Body, Answer>,
  "name" | "claims" | "view" | "checkWindow" | "build" | "summarize" | "whole" | "events" | "faults"
> {
  readonly sources: Sources
  /** The shape of the parameters; the model is looked up after it. */
  checkParams(body: JsonObject, dialect: ChatDialect): Verdict
  modelUnknown(name: string): Refusal
  /** Everything else, in order; a body that passes has the shape of its type. */
  checkBody(body: Body, rules: BodyRules): Verdict
  promptOf(accepted: Accepted<Body>, tokensMin: number): CachePrompt
}

export function openaiWire<Body extends { readonly model: string; readonly stream?: boolean | null }, Answer>(
  own: OwnWire<Body, Answer>,
): Wire<Body, Answer> {
  const { sources, checkParams: _, modelUnknown: __, checkBody: ___, promptOf, ...wire } = own
  return {
    ...wire,
    sources: [shared, sources],
    requestIdOf: (sequence) => `req_${digestOf(own.name, sequence).slice(0, 32)}`,
    validate: (request, rules) => validate(own, request, rules),
    createCache() {
      const oracle = createPrefixOracle()
      return {
        measure: (accepted, tokensMin) => oracle.measure(promptOf(accepted, tokensMin)),
        commit: (measure, nowMs, visibleAtMs) => oracle.commit(measure, nowMs, visibleAtMs),
      }
    },
    cacheParts: ({ read, write, input }) => ({ read, write, input }),
    wantsStream: ({ body }) => body.stream === true,
    headers: openaiHeaders,
    errorBody,
  }
}

function validate<Body extends { readonly model: string }, Answer>(
  own: OwnWire<Body, Answer>,
  request: SimRequest,
  rules: WireRules,
): Validation<Body> {
  const parsed = readBody(request, rules.apiKeys)
  if (parsed.kind === "refused") return parsed
  const { dialect } = rules
  const refuse = (refusal: Refusal): Validation<Body> => ({ kind: "refused", refusal, body: parsed.value })
  const params = own.checkParams(parsed.value, dialect)
  if (params !== undefined) return refuse(params)
  // The parameters have been checked above, the rest of the shape is by `checkBody`.
  const body = parsed.value as unknown as Body
  const name = body.model
  const model = Object.hasOwn(rules.models, name) ? rules.models[name] : undefined
  if (model === undefined) return refuse(own.modelUnknown(name))
  const sense = own.checkBody(body, { model, outputMax: rules.outputMaxOf(model), dialect })
  return sense === undefined ? { kind: "accepted", body, name, model } : refuse(sense)
}
