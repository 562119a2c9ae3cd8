/**
 * Request validation: the whole order of rules, from the socket's bytes to a body that is known
 * to be legal. Written from the provider's documentation and traffic, apart from our own linter,
 * so that one can find the mistakes of the other.
 */
import type { Refusal } from "../api-error.ts"
import type { SimRequest } from "../exchange.ts"
import type { SimModel } from "../model.ts"
import type { JsonObject, MessagesBody } from "../request-body.ts"
import { checkBreakpoints, checkCacheControl } from "./cache-control.ts"
import { checkSystem } from "./content.ts"
import { checkConversation, checkMessages } from "./conversation.ts"
import { checkHttp } from "./http.ts"
import { parseBody } from "./json.ts"
import { checkLimits, checkParams } from "./params.ts"
import type { Verdict } from "./shape.ts"
import { checkThinkingBlocks } from "./thinking.ts"
import { checkTools } from "./tools.ts"

export interface ValidationRules {
  readonly models: Readonly<Record<string, SimModel>>
  readonly apiKeys?: readonly string[]
  outputMaxOf(model: SimModel): number
}

export type Validation =
  | { readonly kind: "accepted"; readonly body: MessagesBody; readonly model: SimModel }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly body?: JsonObject }

export function validateRequest(request: SimRequest, rules: ValidationRules): Validation {
  const http = checkHttp(request, rules.apiKeys)
  if (http !== undefined) return { kind: "refused", refusal: http }
  const parsed = parseBody(request.body)
  if (parsed.kind === "refused") return parsed
  const refuse = (refusal: Refusal): Validation => ({ kind: "refused", refusal, body: parsed.value })

  const params = checkParams(parsed.value)
  if (params !== undefined) return refuse(params)
  const name = parsed.value["model"] as string
  const model = Object.hasOwn(rules.models, name) ? rules.models[name] : undefined
  // recorded: an unknown model is a missing resource.
  if (model === undefined) return refuse({ status: 404, type: "not_found_error", message: `model: ${name}` })

  const shape = checkShape(parsed.value, model)
  if (shape !== undefined) return refuse(shape)
  // Every field that the type names has been checked above.
  const body = parsed.value as unknown as MessagesBody
  const sense = checkSense(body, model, rules)
  return sense === undefined ? { kind: "accepted", body, model } : refuse(sense)
}

function checkShape(body: JsonObject, model: SimModel): Verdict {
  return (
    checkTools(body["tools"]) ??
    checkSystem(body["system"]) ??
    checkMessages(body["messages"], model.systemRole === true) ??
    checkCacheControl("", body["cache_control"])
  )
}

function checkSense(body: MessagesBody, model: SimModel, rules: ValidationRules): Verdict {
  return (
    checkLimits(body, model, rules.outputMaxOf(model)) ??
    checkConversation(body, model) ??
    checkThinkingBlocks(body) ??
    checkBreakpoints(body)
  )
}
