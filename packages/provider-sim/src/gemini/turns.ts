/**
 * Turn rules: what contents must be to each other.
 *
 * A turn of calls follows the user or the responses before; the responses follow at once and are
 * as many (recorded). A model that thinks wants the signature of the first call of each step back,
 * since the last words of the user (documented).
 */
import type { SimModel } from "../model.ts"
import { sealThought } from "../signature.ts"
import { firstRefusal } from "../shape.ts"
import type { Verdict } from "../sim-wire.ts"
import { callsOf, declarationsOf, hasHostedTools, responsesOf } from "./body.ts"
import type { GeminiBody, GeminiContent } from "./body.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

export function checkTurns(body: GeminiBody, name: string, model: SimModel): Verdict {
  return firstRefusal(
    body.contents,
    (content, index) =>
      checkTurn(content, body.contents[index - 1], body.contents[index + 1]) ??
      checkSignatures(body, content, index, name, model),
  )
}

/** Rules that need several parameters or the model. */
export function checkLimits(body: GeminiBody, model: SimModel, outputMax: number): Verdict {
  const { maxOutputTokens: output, thinkingConfig } = body.generationConfig ?? {}
  if (output !== undefined && (output < 1 || output > outputMax)) {
    return invalid(facts.outputRange(output, outputMax))
  }
  if (thinkingConfig !== undefined && model.thinking !== true) return invalid(facts.thinkingUnsupported)
  if (body.cachedContent !== undefined) {
    return { status: 403, type: "PERMISSION_DENIED", message: facts.cachedUnknown }
  }
  return checkToolConfig(body)
}

function checkToolConfig(body: GeminiBody): Verdict {
  const { functionCallingConfig: config, includeServerSideToolInvocations: told } = body.toolConfig ?? {}
  const names = declarationsOf(body).map((one) => one.name)
  if (names.length > 0 && hasHostedTools(body) && told !== true) return invalid(facts.hostedSilent)
  if (config === undefined) return undefined
  if (names.length === 0) return invalid(facts.configWithoutTools)
  const allowed = config.allowedFunctionNames ?? []
  if (allowed.length > 0 && config.mode !== "ANY" && config.mode !== "VALIDATED") {
    return invalid(facts.allowedWithoutAny)
  }
  const unknown = allowed.find((name) => !names.includes(name))
  return unknown === undefined ? undefined : invalid(facts.allowedUnknown(unknown))
}

function checkTurn(
  content: GeminiContent,
  before: GeminiContent | undefined,
  after: GeminiContent | undefined,
): Verdict {
  const calls = callsOf(content).length
  const responses = responsesOf(content).length
  if (calls > 0 && responses > 0) return invalid(facts.callMixed)
  if (responses > 0 && callsOf(before).length === 0) return invalid(facts.responseTurn)
  if (calls === 0) return undefined
  if (before === undefined || before.role === "model") return invalid(facts.callTurn)
  return responsesOf(after).length === calls ? undefined : invalid(facts.responseCount)
}

/** documented: what may stand for the signature of a call that another model made. */
const standIns: ReadonlySet<string> = new Set([
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
])

function checkSignatures(
  body: GeminiBody,
  content: GeminiContent,
  index: number,
  name: string,
  model: SimModel,
): Verdict {
  const wrong = content.parts.find(
    ({ thoughtSignature: signature }) =>
      signature !== undefined && !standIns.has(signature) && signature !== sealThought(name),
  )
  if (wrong !== undefined) return invalid(facts.signatureWrong)
  const [first] = callsOf(content)
  if (model.thinking !== true || first === undefined || first.thoughtSignature !== undefined) return undefined
  if (facts.unsignedModels.test(name)) return undefined
  const start = body.contents.findLastIndex(
    (one) => one.role !== "model" && one.parts.some((part) => part.text !== undefined),
  )
  return index > start
    ? invalid(facts.signatureMissing(first.functionCall?.name ?? "", index + 1))
    : undefined
}
