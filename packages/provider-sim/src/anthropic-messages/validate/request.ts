/**
 * Request validation: the whole order of rules, from the socket's bytes to a body that is known
 * to be legal. Written from the provider's documentation and traffic, apart from our own linter,
 * so that one can find the mistakes of the other.
 */
import { refusal } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { SimRequest } from "../../exchange.ts"
import type { SimModel } from "../../model.ts"
import type { JsonObject } from "../../json.ts"
import type { MessagesBody } from "../request-body.ts"
import { checkBreakpoints } from "./cache-control.ts"
import { checkSystem } from "./content.ts"
import { checkConversation, checkMessages } from "./conversation.ts"
import { checkHttp } from "./http.ts"
import { checkImages } from "./images.ts"
import { parseBody } from "./json.ts"
import { checkLimits, checkParams } from "./params.ts"
import type { Refusal, Validation, Verdict, WireRules } from "../../sim-wire.ts"
import { checkThinkingBlocks } from "./thinking.ts"
import { checkTools } from "./tools.ts"

export function validateRequest(request: SimRequest, rules: WireRules): Validation<MessagesBody> {
  const http = checkHttp(request, rules.apiKeys)
  if (http !== undefined) return { kind: "refused", refusal: http }
  const parsed = parseBody(request.body)
  if (parsed.kind === "refused") return parsed
  const refuse = (refused: Refusal): Validation<MessagesBody> => ({
    kind: "refused",
    refusal: refused,
    body: parsed.value,
  })

  const params = checkParams(parsed.value)
  if (params !== undefined) return refuse(params)
  const name = parsed.value["model"] as string
  const model = Object.hasOwn(rules.models, name) ? rules.models[name] : undefined
  // recorded: an unknown model is a missing resource.
  if (model === undefined) return refuse(refusal(404, "not_found_error", facts.modelUnknown(name)))

  const shape = checkShape(parsed.value, model)
  if (shape !== undefined) return refuse(shape)
  // Every field that the type names has been checked above.
  const body = parsed.value as unknown as MessagesBody
  const sense = checkSense(body, model, rules)
  return sense === undefined ? { kind: "accepted", body, name, model } : refuse(sense)
}

function checkShape(body: JsonObject, model: SimModel): Verdict {
  return (
    checkTools(body["tools"]) ??
    checkSystem(body["system"]) ??
    checkMessages(body["messages"], model.systemRole === true)
  )
}

function checkSense(body: MessagesBody, model: SimModel, rules: WireRules): Verdict {
  return (
    checkLimits(body, model, rules.outputMaxOf(model)) ??
    checkConversation(body, model) ??
    checkThinkingBlocks(body) ??
    checkBreakpoints(body) ??
    checkImages(body, model, rules.contextTokensOf(model))
  )
}
