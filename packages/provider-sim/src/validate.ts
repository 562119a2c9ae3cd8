/**
 * Validation: the order in which every wire looks at a request, from the socket's bytes to a body
 * that is known to be legal. The rules are the wire's own, written from documentation and traffic,
 * apart from our own linter, so that one can find the mistakes of the other.
 */
import { parseJson } from "./json.ts"
import type { JsonObject } from "./json.ts"
import type { SimModel } from "./model.ts"
import type { Accepted, Arrival, ListedModel, ProviderSimOptions, Refusal, WireChecks } from "./sim-wire.ts"

export type Validation<Body> =
  | { readonly kind: "accepted"; readonly accepted: Accepted<Body> }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly body?: JsonObject }

/** `bodyOf` finds the body in what was sent, and what it refers to. */
export function validate<Body>(
  wire: WireChecks<Body>,
  arrival: Arrival,
  options: ProviderSimOptions,
  bodyOf: (sent: JsonObject) => { readonly body: JsonObject } | { readonly refusal: Refusal },
): Validation<Body> {
  const { request, nowMs } = arrival
  const http = wire.checkHttp(request, options, nowMs)
  if (http !== undefined) return { kind: "refused", refusal: http }
  const parsed = parseJson(request.body)
  if (parsed.kind !== "object") return { kind: "refused", refusal: wire.notJson(parsed) }
  const sent = parsed.value
  const refuse = (refusal: Refusal) => ({ kind: "refused", refusal, body: sent }) as const
  const found = bodyOf(wire.readBody?.(sent) ?? sent)
  if ("refusal" in found) return refuse(found.refusal)
  const json = found.body
  const dialect = options.dialect ?? "openai"
  const params = wire.checkParams?.(json, dialect)
  if (params !== undefined) return refuse(params)
  const name = wire.nameOf(request, json)
  const model = Object.hasOwn(options.models, name) ? options.models[name] : undefined
  if (model === undefined) return refuse(wire.modelUnknown(name, request))
  const shape = wire.checkShape?.(json, model)
  if (shape !== undefined) return refuse(shape)
  const accepted: Accepted<Body> = {
    ...arrival,
    sent,
    // Every field that the type names has been checked above, or is before it is used.
    body: json as unknown as Body,
    ...listed(name, model, options),
    dialect,
  }
  const sense = wire.checkBody(accepted)
  return sense === undefined ? { kind: "accepted", accepted } : refuse(sense)
}

/** A model with its limits, its own or those of the provider. */
export function listed(name: string, model: SimModel, options: ProviderSimOptions): ListedModel {
  return {
    name,
    model,
    contextTokens: model.limit?.context ?? options.contextTokens ?? 200_000,
    outputMax: model.limit?.output ?? options.outputTokens ?? 64_000,
  }
}
