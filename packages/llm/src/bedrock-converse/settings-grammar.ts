/**
 * Settings that the provider refuses, alone or together (LL3): documented by AWS for Converse, and by
 * the makers for what their models take. Each fault says what to change.
 */
import { type Fields, fieldsOf, listOf, parseFields } from "../json-fields.ts"
import type { Report } from "../request/checked-chain.ts"
import type { Target } from "../segments.ts"
import { familyOf } from "./families.ts"
import { reasonsWithoutLimit } from "./params.ts"

/** What the settings have to fit to. */
export interface Conversation {
  readonly toolNames: ReadonlySet<string>
  readonly answerCalls: boolean
  readonly turnLedByReasoning: boolean
}

export function checkParams(state: Conversation, json: string, target: Target, report: Report): void {
  const params = parseFields(json)
  if (params === null || params["model"] !== target.model || target.model === "") {
    return report("params", 0, "the settings are not those of this model")
  }
  const inference = fieldsOf(params["inferenceConfig"])
  const fields = fieldsOf(params["additionalModelRequestFields"])
  const choice = fieldsOf(fieldsOf(params["toolConfig"])["toolChoice"])
  const fault = (message: string) => report("params", 0, message)
  checkInference(inference, fields, fault)
  const chosen = fieldsOf(choice["tool"])["name"]
  if (chosen !== undefined && !state.toolNames.has(chosen as string)) {
    fault(`a tool that must be called is not defined: ${String(chosen)}`)
  }
  const { reasoningControl } = familyOf(target)
  if (reasoningControl === "thinking") checkClaude(inference, fields, choice, target.model, fault)
  if (reasoningControl === "reasoningConfig" && reasonsWithoutLimit(fields) && isSampled(inference)) {
    fault("high reasoning effort takes neither temperature nor topP: leave them out")
  }
  const thinking = fieldsOf(fields["thinking"])
  if (thinking["type"] !== "enabled") return
  checkBudget(thinking["budget_tokens"], inference["maxTokens"], fields, fault)
  if (state.answerCalls && !state.turnLedByReasoning) {
    report("reasoning-lead", 0, "thinking is on, but the answer that goes on does not begin with it")
  }
}

type Fault = (message: string) => void

function checkInference(inference: Fields, fields: Fields, fault: Fault): void {
  const { maxTokens, stopSequences } = inference
  const isLimited = maxTokens !== undefined || !reasonsWithoutLimit(fields)
  if (isLimited && (!Number.isSafeInteger(maxTokens) || (maxTokens as number) < 1)) {
    fault("the output limit is not a positive number")
  }
  for (const name of ["temperature", "topP"]) {
    const value = inference[name]
    if (value !== undefined && !(typeof value === "number" && value >= 0 && value <= 1)) {
      fault(`${name} must lie between 0 and 1`)
    }
  }
  if (listOf(stopSequences).includes("")) fault("a stop sequence is empty: leave it out")
}

const isSampled = ({ temperature, topP }: Fields): boolean => temperature !== undefined || topP !== undefined

/** documented: a smaller budget is refused. */
const thinkingTokensMin = 1_024

function checkBudget(budget: unknown, output: unknown, fields: Fields, fault: Fault): void {
  // documented: thinking between calls may take more than one answer.
  const isInterleaved = listOf(fields["anthropic_beta"]).some((beta) =>
    String(beta).startsWith("interleaved-thinking"),
  )
  const isWithin = isInterleaved || (budget as number) < (output as number)
  if (!Number.isSafeInteger(budget) || (budget as number) < thinkingTokensMin || !isWithin) {
    fault(`the thinking budget must lie between ${thinkingTokensMin} and the output limit`)
  }
}

/** documented: models that take one of temperature and topP. */
const oneSampling = /claude-(?:opus-4-[1-9]|(?:sonnet|haiku)-4-[5-9])(?!\d)/

/** documented: the smallest topP beside thinking. */
const topPMin = 0.95

function checkClaude(inference: Fields, fields: Fields, choice: Fields, model: string, fault: Fault): void {
  const { temperature, topP } = inference
  if (oneSampling.test(model) && temperature !== undefined && topP !== undefined) {
    fault("the model takes temperature or topP, not both: leave one out")
  }
  const { type } = fieldsOf(fields["thinking"])
  if (type !== "enabled" && type !== "adaptive") return
  if (temperature !== undefined && temperature !== 1)
    fault("thinking takes no temperature but 1: leave it out")
  if (topP !== undefined && (topP as number) < topPMin)
    fault(`thinking takes no topP below ${topPMin}: leave it out`)
  if (fields["top_k"] !== undefined) fault("thinking takes no top_k: leave it out")
  if (choice["any"] !== undefined || choice["tool"] !== undefined) {
    fault("thinking goes with no forced call: let the model choose, or switch thinking off")
  }
}
