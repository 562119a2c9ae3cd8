/** Request rules: all that is asked of a Messages request, in order. */
import { wordOf } from "../../json.ts"
import type { BrokenJson } from "../../json.ts"
import type { Refusal, WireChecks } from "../../sim-wire.ts"
import { invalid, refusal } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { MessagesBody } from "../request-body.ts"
import { checkBreakpoints } from "./cache-control.ts"
import { checkSystem, doubtsOfContent } from "./content.ts"
import { checkConversation, checkMessages } from "./conversation.ts"
import { checkHttp } from "./http.ts"
import { checkImages } from "./images.ts"
import { checkLimits, checkParams, doubtsOfParams } from "./params.ts"
import { checkThinkingBlocks } from "./thinking.ts"
import { checkTools, doubtsOfTools } from "./tools.ts"

export const requestChecks: WireChecks<MessagesBody> = {
  checkHttp: (request, { apiKeys }) => checkHttp(request, apiKeys),
  notJson,
  checkParams,
  nameOf: (_, body) => wordOf(body["model"]),
  // recorded: an unknown model is a missing resource.
  modelUnknown: (name) => refusal(404, "not_found_error", facts.modelUnknown(name)),
  checkShape: (body, model) =>
    checkTools(body["tools"]) ??
    checkSystem(body["system"]) ??
    checkMessages(body["messages"], model.systemRole === true),
  checkBody(accepted) {
    const { body, model, contextTokens } = accepted
    return (
      checkLimits(accepted) ??
      checkConversation(body, model) ??
      checkThinkingBlocks(body) ??
      checkBreakpoints(body) ??
      checkImages(body, model, contextTokens)
    )
  },
  doubtsOf: (accepted) => [
    ...doubtsOfParams(accepted),
    ...doubtsOfTools(accepted.body),
    ...doubtsOfContent(accepted.body),
  ],
}

function notJson(broken: BrokenJson): Refusal {
  switch (broken.kind) {
    case "not-utf8":
      return invalid(facts.bodyInvalid(facts.notUtf8))
    case "surrogate": // recorded: three texts, with line, column and character of the escape.
      return invalid(facts.bodyInvalid(facts.loneSurrogate(broken.problem, broken.at)))
    case "syntax":
      return invalid(facts.bodyInvalid(facts.notJson))
    case "not-object":
      return invalid(facts.bodyNotObject)
  }
}
