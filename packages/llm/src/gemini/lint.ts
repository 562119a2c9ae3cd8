/**
 * The provider's grammar, checked over parts (LL3). Written from the grammar, not from `encode`: it
 * reads each part's text again and trusts nothing but its place.
 *
 *   tools → system instruction → contents; consecutive parts of one role are one content
 *   first and last content are the user's
 *   the calls of a content are answered in order, at the very beginning of the next one
 *   native parts belong to the target; thoughts never end an answer, and no answer is silent
 */
import { type Fields, fieldsOf, isFields, isWellFormed, listOf, parseFields, textOf } from "../json-fields.ts"
import { checkSegment, makeChainCheck, type Report } from "../request/checked-chain.ts"
import { checkHostedTool } from "../request/hosted-tools.ts"
import { checkImages } from "../image/check.ts"
import { geminiImages } from "../image/rules.ts"
import { nativeTag } from "../request/lowering.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, LintFault } from "../wire.ts"
import { familyOf, isGeminiApi, isOlder } from "./families.ts"
import {
  checkContentPart,
  checkSigned,
  closeContent,
  type ContentState,
  startContents,
} from "./content-grammar.ts"
import { hostedToolFault, isHostedTool } from "./hosted-tool.ts"
import { functionNameShape } from "./part-shape.ts"
import { refusedKeywords } from "./schema-projection.ts"

export function lint(encoded: Encoded, target: Target): readonly LintFault[] {
  const subject = { tag: nativeTag(target), wantsSignatures: familyOf(target).wantsSignatures }
  const state = checkChain(encoded.blocks, subject)
  const faults = [...state.faults]
  const report: Report = (rule, block, message) => void faults.push({ rule, block, message })
  const { length } = encoded.blocks
  const end = Math.max(0, length - 1)
  closeContent({ ...state, open: [...state.open] }, null, length, report)
  checkSigned(state, report)
  if (state.role === null) report("role-last", end, "the request holds no content")
  else if (state.role === "assistant") report("role-last", end, "the last content is the model's")
  checkParams(encoded.params, target, state, report)
  checkImages(state, encoded, target, geminiImages, report)
  return faults
}

interface Subject {
  readonly tag: string
  readonly wantsSignatures: boolean
}

interface State extends ContentState {
  faults: LintFault[]
  /** Position of the latest segment in the fixed order. */
  segment: number
  toolNames: ReadonlySet<string>
  /** How many of the tools are functions. */
  functions: number
}

const checkChain = makeChainCheck<State, Subject>({
  start: () => ({ ...startContents(), faults: [], segment: 0, toolNames: new Set(), functions: 0 }),
  branch: (state) => ({ ...state, faults: [...state.faults], open: [...state.open] }),
  check: checkBlock,
  keyOf: ({ tag, wantsSignatures }) => JSON.stringify([tag, wantsSignatures]),
})

function checkBlock(state: State, block: Block, at: number, subject: Subject, report: Report): void {
  state.segment = checkSegment(state.segment, block, at, report)
  const value = parseFields(block.json)
  if (value === null) return report("block-shape", at, "the part is not a JSON object")
  if (!isWellFormed(block.json, value)) report("surrogate", at, "the part holds half of a surrogate pair")
  if (block.markable) report("markers", at, "no part can carry a cache marker")
  if (block.native !== null && block.native !== subject.tag) {
    report("reasoning-native", at, "native content of another target")
  }
  if (block.segment === "tools") return checkTool(state, value, at, report)
  if (block.segment !== "system" && block.segment !== "agent") {
    return checkContentPart(state, value, block, at, subject.wantsSignatures, report)
  }
  if (block.role !== null || typeof value["text"] !== "string") {
    return report("block-shape", at, "the system instruction holds something other than text")
  }
  if (value["text"].trim() === "") report("text-empty", at, "text without any visible character")
}

function checkTool(state: State, value: Fields, at: number, report: Report): void {
  if (isHostedTool(value)) return checkHostedTool(state, value, hostedToolFault(value), at, report)
  state.functions += 1
  const name = textOf(value["name"])
  if (!functionNameShape.test(name)) report("tool-name", at, "a function's name has an illegal shape")
  else if (state.toolNames.has(name)) report("tool-unique", at, `the function ${name} is defined twice`)
  else state.toolNames = new Set([...state.toolNames, name])
  const parameters = value["parameters"]
  if (parameters === undefined) return
  if (!isFields(parameters) || parameters["type"] !== "object" || !isFields(parameters["properties"])) {
    return report("tool-schema", at, `the input of ${name} is not an object with properties`)
  }
  const refused = refusedKeywords(parameters as never)
  if (refused.length > 0) report("tool-schema", at, `the input of ${name} says ${refused.join(", ")}`)
}

function checkParams(text: string, target: Target, { toolNames, functions }: State, report: Report): void {
  const params = parseFields(text)
  if (params === null || params["model"] !== target.model || target.model === "") {
    return report("params", 0, "the settings are not those of this model")
  }
  const config = fieldsOf(params["generationConfig"])
  const output = config["maxOutputTokens"]
  if (!Number.isSafeInteger(output) || (output as number) < 1) {
    report("params", 0, "the output limit is not a positive number")
  }
  const thinking = fieldsOf(config["thinkingConfig"])
  if (thinking["thinkingBudget"] !== undefined && thinking["thinkingLevel"] !== undefined) {
    report("params", 0, "thinking is limited by a budget and by a level at once")
  }
  // recorded: thinking level is not supported for this model.
  if (thinking["thinkingLevel"] !== undefined && familyOf(target).thinking === "budget") {
    report("params", 0, "this model takes no thinkingLevel: set a thinkingBudget")
  }
  checkSampling(config, report)
  // recorded: function calling with a response mime type 'application/json' is unsupported.
  const json = config["responseMimeType"] === "application/json"
  if (json && functions > 0 && isOlder(target) && isGeminiApi(target.endpoint)) {
    report("params", 0, "this model takes no functions beside a structured answer: leave one of them out")
  }
  const calling = fieldsOf(fieldsOf(params["toolConfig"])["functionCallingConfig"])
  const unknown = listOf(calling["allowedFunctionNames"]).filter((name) => !toolNames.has(name as string))
  if (unknown.length > 0)
    report("params", 0, `a function that must be called is not defined: ${unknown.join(", ")}`)
}

/** recorded: the ranges of temperature and topP. documented: up to five stop sequences. */
function checkSampling({ temperature, topP, stopSequences }: Fields, report: Report): void {
  if (typeof temperature === "number" && !(temperature >= 0 && temperature <= 2)) {
    report("params", 0, "the temperature is not between 0 and 2: set another")
  }
  if (typeof topP === "number" && !(topP >= 0 && topP <= 1)) {
    report("params", 0, "topP is not between 0 and 1: set another")
  }
  if (listOf(stopSequences).length > stopsMax) {
    report("params", 0, `more than ${stopsMax} stop sequences: remove some`)
  }
}

const stopsMax = 5
