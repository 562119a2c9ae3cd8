/**
 * Conversation rules: user and assistant take turns, the user first; the message after calls
 * holds a result for each of them and for nothing else (recorded).
 */
import type { SimModel } from "../model.ts"
import { isSignatureOf } from "../signature.ts"
import type { Verdict } from "../sim-wire.ts"
import { toolResultsOf, toolUsesOf } from "./body.ts"
import type { ConverseBody, ConverseMessage } from "./body.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

export function checkConversation(body: ConverseBody, name: string, model: SimModel): Verdict {
  const { messages } = body
  if (messages[0]?.role !== "user") return invalid(facts.startsWithUser)
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    if (before?.role === message.role) return invalid(facts.alternates)
    const refusal = checkResults(message, before, index) ?? checkThinking(message, index, name)
    if (refusal !== undefined) return refusal
  }
  return checkEnd(messages, model) ?? checkTools(body)
}

/** Rules that need the model or several parameters. */
export function checkLimits(body: ConverseBody, outputMax: number): Verdict {
  const asked = body.inferenceConfig?.maxTokens ?? 0
  return asked > outputMax ? invalid(facts.outputTooLarge(outputMax)) : undefined
}

function checkResults(message: ConverseMessage, before: ConverseMessage | undefined, index: number): Verdict {
  const asked = toolUsesOf(before)
  const given = toolResultsOf(message)
  const missing = asked.filter((id) => !given.includes(id))
  const path = `messages.${index}`
  if (missing.length > 0) return invalid(facts.resultsMissing(path, missing.join(", ")))
  return given.length > asked.length ? invalid(facts.resultsTooMany(path)) : undefined
}

function checkThinking(message: ConverseMessage, index: number, name: string): Verdict {
  for (const [place, block] of message.content.entries()) {
    const thought = block.reasoningContent?.reasoningText
    if (thought !== undefined && !isSignatureOf(name, thought.text, thought.signature ?? "")) {
      return invalid(facts.signatureWrong(`messages.${index}.content.${place}`))
    }
  }
  return undefined
}

function checkEnd(messages: readonly ConverseMessage[], model: SimModel): Verdict {
  const last = messages.at(-1)
  if (last?.role !== "assistant") return undefined
  const open = toolUsesOf(last)
  if (open.length > 0) return invalid(facts.resultsMissing(`messages.${messages.length}`, open.join(", ")))
  return model.prefill === false ? invalid(facts.prefill) : undefined
}

function checkTools(body: ConverseBody): Verdict {
  const isUsed = body.messages.some(
    (message) => toolUsesOf(message).length > 0 || toolResultsOf(message).length > 0,
  )
  if (body.toolConfig === undefined) return isUsed ? invalid(facts.toolConfigMissing) : undefined
  const chosen = body.toolConfig.toolChoice?.tool?.name
  const isKnown = body.toolConfig.tools.some((tool) => tool.toolSpec?.name === chosen)
  return chosen === undefined || isKnown ? undefined : invalid(facts.choiceUnknown(chosen))
}
