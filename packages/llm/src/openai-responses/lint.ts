/**
 * The provider's grammar, checked over items (LL3). Written from the grammar, not from `encode`: it
 * reads each item's text again and trusts nothing but its place.
 *
 *   tools → instructions → input items
 *   each call is answered once, before anything else is said to the model
 *   reasoning belongs to the target, holds its content, and is followed by what it led to
 *   ids name one item; the last item is the user's, an instruction or a result
 */
import { type Fields, fieldsOf, isFields, isWellFormed, listOf, parseFields, textOf } from "../json-fields.ts"
import { checkSegment, makeChainCheck, type Report } from "../request/checked-chain.ts"
import { functionNameShape, toolCalled } from "../request/call-shape.ts"
import { checkHostedTool } from "../request/hosted-tools.ts"
import {
  checkImage,
  checkImages,
  fetchedImage,
  type ImageState,
  seenUrl,
  startImages,
} from "../image/check.ts"
import { openaiImages } from "../image/rules.ts"
import { nativeTag } from "../request/lowering.ts"
import { markerFaults } from "../request/markers.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, LintFault } from "../wire.ts"
import { hostedToolFault, isHostedTool } from "./hosted-tool.ts"
import { markersMax } from "./place.ts"

export function lint(encoded: Encoded, target: Target): readonly LintFault[] {
  const { blocks, params } = encoded
  // A copy: what is kept at the chain does not know where this request ends.
  const state = { ...checkChain(blocks, nativeTag(target)) }
  const faults = [...state.faults]
  const report: Report = (rule, block, message) => void faults.push({ rule, block, message })
  const end = Math.max(0, blocks.length - 1)
  checkPaired(state, end, report)
  checkFollowed(state, end, report)
  if (!state.said) report("role-last", end, "the request holds no input")
  else if (state.side === "assistant") report("role-last", end, "the last item is the model's")
  checkParams(params, target, report)
  checkChoice(params, blocks, report)
  checkImages(state, encoded, target, openaiImages, report)
  return faults
}

/** The cap and the places of markers; they are chosen after the check of the request itself. */
export const lintMarkers = (blocks: readonly Block[], markers: readonly number[]): readonly LintFault[] =>
  markerFaults(blocks, markers, markersMax)

interface State extends ImageState {
  faults: LintFault[]
  /** Position of the latest segment in the fixed order. */
  segment: number
  toolNames: ReadonlySet<string>
  /** Something other than instructions stands in the input. */
  said: boolean
  side: "assistant" | "input" | null
  /** Calls that have no result yet. */
  open: Set<string>
  /** Every call and item id so far. Shared with later states, which own what is behind the count. */
  ids: Set<string>
  idCount: number
  /** Reasoning whose consequence has not come yet. */
  loose: boolean
}

const start = (): State => ({
  ...startImages(),
  faults: [],
  segment: 0,
  toolNames: new Set(),
  said: false,
  side: null,
  open: new Set(),
  ids: new Set(),
  idCount: 0,
  loose: false,
})

function branch(state: State): State {
  const newest = state.ids.size === state.idCount
  return {
    ...state,
    faults: [...state.faults],
    open: new Set(state.open),
    ids: newest ? state.ids : new Set([...state.ids].slice(0, state.idCount)),
  }
}

const checkChain = makeChainCheck<State, string>({ start, branch, check: checkBlock, keyOf: (tag) => tag })

function checkBlock(state: State, block: Block, at: number, tag: string, report: Report): void {
  state.segment = checkSegment(state.segment, block, at, report)
  const value = parseFields(block.json)
  if (value === null) return report("block-shape", at, "the item is not a JSON object")
  if (!isWellFormed(block.json, value)) report("surrogate", at, "the item holds half of a surrogate pair")
  if (block.json.includes('"prompt_cache_breakpoint"') && hasMark(value)) {
    report("markers", at, "the item brings its own mark")
  }
  if (block.segment === "tools") return checkTool(state, value, at, report)
  if (block.native !== null && block.native !== tag) {
    report("reasoning-native", at, "native content of another target")
  }
  if (block.segment === "system" || block.segment === "agent") {
    if (value["role"] !== "developer" && value["role"] !== "system") {
      report("block-shape", at, "a prompt is not an instruction")
    }
    return checkText(value, "input_text", at, report)
  }
  checkItem(state, value, block, at, report)
}

const hasMark = (value: Fields): boolean =>
  listOf(value["content"]).some((part) => (part as Fields | null)?.["prompt_cache_breakpoint"] !== undefined)

function checkTool(state: State, value: Fields, at: number, report: Report): void {
  if (isHostedTool(value)) return checkHostedTool(state, value, hostedToolFault(value), at, report)
  const name = textOf(value["name"])
  if (!functionNameShape.test(name)) report("tool-name", at, "a tool's name has an illegal shape")
  else if (state.toolNames.has(name)) report("tool-unique", at, `the tool ${name} is defined twice`)
  else state.toolNames = new Set([...state.toolNames, name])
  const schema = value["parameters"] as Fields | null | undefined
  const legal = typeof schema === "object" && schema !== null && schema["type"] === "object"
  if (value["type"] !== "function" || !legal || typeof schema["properties"] !== "object") {
    return report("tool-schema", at, `the input of ${toolCalled(name)} is not an object with properties`)
  }
  if (["oneOf", "anyOf", "allOf", "not", "enum"].some((key) => schema[key] !== undefined)) {
    report("tool-schema", at, `the input of ${toolCalled(name)} is a union`)
  }
}

function checkItem(state: State, value: Fields, block: Block, at: number, report: Report): void {
  const type = textOf(value["type"])
  const side = value["role"] !== "assistant" ? sideOf(type) : "assistant"
  const expected = block.role === "assistant" ? "assistant" : "input"
  if (side !== expected || block.role === null) {
    report("block-shape", at, `${type} on the wrong side of the conversation`)
  }
  state.said = true
  state.side = side
  if (side === "input") checkFollowed(state, at - 1, report)
  const id = value["id"]
  if (id !== undefined) checkId(state, textOf(id), at, report)
  if (type === "reasoning") return checkReasoning(state, value, block, at, report)
  if (side === "assistant") state.loose = false
  if (type === "message") return checkMessage(state, value, block, at, report)
  if (type === "function_call") return checkCall(state, value, at, report)
  if (type === "function_call_output") return checkResult(state, value, block, at, report)
  if (block.native === null && side === "assistant") {
    report("block-shape", at, `an item of the unknown type ${type}`)
  }
}

/** Messages that are not the model's, results of whatever kind and approvals are input. */
const sideOf = (type: string): "assistant" | "input" =>
  type === "message" || type.endsWith("_output") || type === "mcp_approval_response" ? "input" : "assistant"

function checkMessage(state: State, value: Fields, block: Block, at: number, report: Report): void {
  const role = textOf(value["role"])
  if (role === "assistant") return checkText(value, isRefusal(value) ? "refusal" : "output_text", at, report)
  if (role !== "user" && role !== "developer" && role !== "system") {
    return report("block-shape", at, `a message of the role ${role}`)
  }
  checkPaired(state, at, report)
  if (role === "user") checkInput(state, value["content"], block, at, report)
  else checkText(value, "input_text", at, report)
}

/** What the user's side brings: texts and images. */
function checkInput(state: State, content: unknown, block: Block, at: number, report: Report): void {
  const parts = listOf(content).map(fieldsOf)
  if (parts.length === 0) report("block-shape", at, "input without any part")
  for (const { type, text, image_url: url, file_id: file } of parts) {
    if (type === "input_image") {
      const seen = textOf(file) === "" ? seenUrl(url, block) : fetchedImage
      checkImage(state, seen, openaiImages, at, report)
    } else if (type === "input_file") continue
    else if (type !== "input_text") report("block-shape", at, `input of the type ${textOf(type)}`)
    else if (textOf(text).trim() === "") report("text-empty", at, "text without any visible character")
  }
}

function checkText(value: Fields, type: string, at: number, report: Report): void {
  const parts = listOf(value["content"]) as readonly (Fields | null)[]
  if (parts.length === 0 || parts.some((part) => part?.["type"] !== type)) {
    return report("block-shape", at, `a message without ${type}`)
  }
  if (parts.some((part) => textOf(part?.[type === "refusal" ? "refusal" : "text"]).trim() === "")) {
    report("text-empty", at, "text without any visible character")
  }
}

/** Words with which the model declined have a part of their own. */
const isRefusal = (value: Fields): boolean => fieldsOf(listOf(value["content"])[0])["type"] === "refusal"

/** documented: what the provider takes as an id. */
const idShape = /^[\w.:-]{1,64}$/

function checkId(state: State, id: string, at: number, report: Report): void {
  if (id === "") return report("item-id", at, "an item's id has an illegal shape")
  if (!remember(state, `item ${id}`)) report("item-unique", at, `the item id ${id} is used twice`)
}

function checkCall(state: State, value: Fields, at: number, report: Report): void {
  const id = textOf(value["call_id"])
  if (!idShape.test(id)) return report("call-id", at, "a call's id has an illegal shape")
  if (!functionNameShape.test(textOf(value["name"])))
    report("tool-name", at, "a call's name has an illegal shape")
  if (parseFields(textOf(value["arguments"])) === null)
    report("call-input", at, "a call's arguments are no JSON object")
  if (!remember(state, `call ${id}`)) return report("call-unique", at, `the call id ${id} is used twice`)
  state.open.add(id)
}

function checkResult(state: State, value: Fields, block: Block, at: number, report: Report): void {
  const id = textOf(value["call_id"])
  if (!idShape.test(id)) return report("call-id", at, "a result's id has an illegal shape")
  if (!state.open.delete(id)) report("result-unknown", at, `${id} is no open call`)
  if (Array.isArray(value["output"])) checkInput(state, value["output"], block, at, report)
  else if (textOf(value["output"]) === "") report("text-empty", at, `the result of ${id} is empty`)
}

function checkReasoning(state: State, value: Fields, block: Block, at: number, report: Report): void {
  const sealed = textOf(value["encrypted_content"]) !== "" || listOf(value["content"]).length > 0
  if (!sealed || !Array.isArray(value["summary"])) {
    report("reasoning-signature", at, "reasoning without its content")
  }
  if (block.native === null) report("reasoning-native", at, "reasoning of nobody")
  state.loose = true
}

function checkPaired(state: State, at: number, report: Report): void {
  if (state.open.size === 0) return
  report("pairing", at, `calls without a result: ${[...state.open].join(", ")}`)
  state.open = new Set()
}

function checkFollowed(state: State, at: number, report: Report): void {
  if (state.loose) report("reasoning-final", at, "reasoning is not followed by what it led to")
  state.loose = false
}

function remember(state: State, id: string): boolean {
  if (state.ids.has(id)) return false
  state.ids.add(id)
  state.idCount += 1
  return true
}

function checkParams(json: string, target: Target, report: Report): void {
  const params = parseFields(json)
  if (params === null || params["model"] !== target.model || params["stream"] !== true) {
    return report("params", 0, "the settings are not those of a stream of this model")
  }
  if (params["store"] !== false) report("params", 0, "the provider would store the conversation")
  const output = params["max_output_tokens"]
  if (!Number.isSafeInteger(output) || (output as number) < 1) {
    report("params", 0, "the output limit is not a positive number")
  }
  const key = textOf(params["prompt_cache_key"])
  if (key === "" || key.length > 64) report("params", 0, "the cache key must have 1 to 64 characters")
  checkSampling(params, target, report)
}

/** documented: what the settings of sampling range over, and the models that take none beside reasoning. */
function checkSampling(params: Fields, { provider, model }: Target, report: Report): void {
  const { effort } = fieldsOf(params["reasoning"])
  const reasons = effort !== undefined && effort !== "none"
  const takesNone =
    provider === "openai" && (unsampled.test(model) || (reasons && sampledWithoutReasoning.test(model)))
  for (const [name, max] of [
    ["temperature", 2],
    ["top_p", 1],
  ] as const) {
    const value = params[name]
    if (value === undefined) continue
    if (typeof value !== "number" || value < 0 || value > max) {
      report("params", 0, `${name} must be between 0 and ${max}`)
    } else if (takesNone && value !== 1) {
      report("params", 0, `${model} takes no ${name} when it reasons: leave it out`)
    }
  }
}

const unsampled = /^(?:gpt-5(?:-mini|-nano|-pro)?|o[134](?:-mini|-pro)?)(?:-\d{4}-\d\d-\d\d)?$/
const sampledWithoutReasoning = /^gpt-5\.[12](?:-\d{4}-\d\d-\d\d)?$/

/** A tool that must be called is defined. */
function checkChoice(json: string, blocks: readonly Block[], report: Report): void {
  const choice = parseFields(json)?.["tool_choice"]
  if (!isFields(choice) || choice["type"] !== "function") return
  const name = textOf(choice["name"])
  const isDefined = blocks.some(
    (block) => block.segment === "tools" && parseFields(block.json)?.["name"] === name,
  )
  if (!isDefined) report("tool-choice", 0, `the tool ${name} must be called and is not defined: add it`)
}
