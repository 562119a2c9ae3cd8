/** Settings that the provider refuses alone or together (LL3): thinking, sampling, choice of tools. */
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { Report } from "../request/checked-chain.ts"

/** documented: a smaller budget is refused. */
const thinkingTokensMin = 1_024

/** documented: what `top_p` may still be while the model thinks. */
const topPMin = 0.95

/** `tools`: names of what is declared. */
export function checkSettings(params: Fields, tools: ReadonlySet<string>, report: Report): void {
  checkChoice(params, tools, report)
  const stop = listOf(params["stop_sequences"])
  // recorded: each stop sequence must contain non-whitespace.
  if (stop.some((text) => textOf(text).trim() === ""))
    report("params", 0, "a stop sequence holds no visible character: remove it")
  const { type, budget_tokens: budget } = fieldsOf(params["thinking"])
  if (type === "enabled" && !isBudget(budget, params["max_tokens"])) {
    report("params", 0, `the thinking budget must lie between ${thinkingTokensMin} and the output limit`)
  }
  if (type === "enabled" || type === "adaptive") checkSampling(params, report)
}

const isBudget = (budget: unknown, outputTokens: unknown): boolean =>
  typeof budget === "number" &&
  Number.isSafeInteger(budget) &&
  budget >= thinkingTokensMin &&
  budget < (outputTokens as number)

/** recorded: a choice needs tools, and a tool that is named must be one of them. */
function checkChoice(params: Fields, tools: ReadonlySet<string>, report: Report): void {
  if (params["tool_choice"] === undefined) return
  const { type, name } = fieldsOf(params["tool_choice"])
  if (tools.size === 0)
    return report("tool-choice", 0, "a tool is to be chosen, but none is declared: remove the choice")
  // Tools behind a server have names that stand nowhere in the request.
  const known = tools.has(textOf(name)) || params["mcp_servers"] !== undefined
  if (type === "tool" && !known) {
    const words = `the tool ${String(name)} is to be called, but it is not declared: declare it or choose another`
    report("tool-choice", 0, words)
  }
}

/** recorded, in both ways of thinking: it leaves no room for another sampling or for a forced call. */
function checkSampling(params: Fields, report: Report): void {
  const { temperature, top_k: topK, top_p: topP } = params
  const choice = fieldsOf(params["tool_choice"])["type"]
  if (temperature !== undefined && temperature !== 1)
    report("params", 0, "the temperature must be 1 while the model thinks: remove it, or turn thinking off")
  if (topK !== undefined && topK !== null)
    report("params", 0, "top_k cannot be set while the model thinks: remove it, or turn thinking off")
  if (typeof topP === "number" && topP < topPMin)
    report("params", 0, `top_p must be ${topPMin} or more while the model thinks: remove it`)
  if (choice === "any" || choice === "tool")
    report("tool-choice", 0, "a call cannot be forced while the model thinks: choose auto, or turn it off")
}
