/**
 * The provider's grammar, checked over blocks (LL3). Written from the grammar, not from `encode`:
 * it reads each block's text again and trusts nothing but its place.
 *
 *   tools → system text → messages; consecutive blocks of one role are one message
 *   first role user; last role user, or system behind it, or an answer that paused over the provider's
 *   own tool; system only between user and answer
 *   each call is answered once, at the very beginning of the next user message
 *   thinking is signed, belongs to the target, never ends an answer, and leads a tool loop
 *
 */
import { type Fields, fieldsOf, isWellFormed, parseFields } from "../json-fields.ts"
import { toolCalled } from "../request/call-shape.ts"
import { branchCalls, checkSegment, makeChainCheck, type Report } from "../request/checked-chain.ts"
import { checkHostedTool } from "../request/hosted-tools.ts"
import { checkImages } from "../image/check.ts"
import { anthropicImages } from "../image/rules.ts"
import { nativeTag } from "../request/lowering.ts"
import { markerFaults } from "../request/markers.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, LintFault } from "../wire.ts"
import { hostedToolFault, isHostedTool, nameShape } from "./hosted-tool.ts"
import {
  checkMessageBlock,
  checkText,
  closeMessage,
  type GrammarState,
  type GrammarTarget,
  startState,
} from "./message-grammar.ts"
import { markersMax } from "./place.ts"
import { checkSettings } from "./settings-grammar.ts"

export function lint(encoded: Encoded, target: Target): readonly LintFault[] {
  const systemRole = target.options.traits.systemRole === true
  const state = checkChain(encoded.blocks, { tag: nativeTag(target), systemRole })
  const faults = [...state.faults]
  const report: Report = (rule, block, message) => void faults.push({ rule, block, message })
  checkEnd(state, encoded.blocks.length, report)
  checkParams(state, encoded, target, report)
  checkImages(state, encoded, target, anthropicImages, report)
  return faults
}

/** The cap and the places of markers; they are chosen after the check of the request itself. */
export const lintMarkers = (blocks: readonly Block[], markers: readonly number[]): readonly LintFault[] =>
  markerFaults(blocks, markers, markersMax)

function checkBlock(
  state: GrammarState,
  block: Block,
  at: number,
  target: GrammarTarget,
  report: Report,
): void {
  state.segment = checkSegment(state.segment, block, at, report)
  const value = parseFields(block.json)
  if (value === null) return report("block-shape", at, "the block is not a JSON object")
  if (!isWellFormed(block.json, value)) report("surrogate", at, "the block holds half of a surrogate pair")
  if (value["cache_control"] !== undefined) report("markers", at, "the block brings its own cache marker")
  if (block.segment === "tools") return checkTool(state, value, at, report)
  if (block.segment !== "system" && block.segment !== "agent") {
    return checkMessageBlock(state, value, block, at, target, report)
  }
  if (value["type"] !== "text")
    report("block-shape", at, "the system segment holds something other than text")
  checkText(value, at, report)
}

function checkTool(state: GrammarState, value: Fields, at: number, report: Report): void {
  if (isHostedTool(value)) return checkHostedTool(state, value, hostedToolFault(value), at, report)
  const name = value["name"]
  if (typeof name !== "string" || !nameShape.test(name))
    report("tool-name", at, "a tool's name has an illegal shape")
  else if (state.toolNames.has(name)) report("tool-unique", at, `the tool ${name} is defined twice`)
  else state.toolNames = new Set([...state.toolNames, name])
  const schema = value["input_schema"] as Fields | null | undefined
  if (typeof schema !== "object" || schema === null || schema["type"] !== "object") {
    return report("tool-schema", at, `the input of ${toolCalled(name)} is not an object`)
  }
  // recorded: the provider refuses a union at the top.
  if (["oneOf", "anyOf", "allOf"].some((key) => schema[key] !== undefined)) {
    report("tool-schema", at, `the input of ${toolCalled(name)} is a union`)
  }
  if (!hasLegalProperties(schema["properties"])) {
    report("tool-schema", at, `the input of ${toolCalled(name)} has a property with an illegal name`)
  }
}

/** recorded: one property name of another shape makes the provider refuse all tools. */
const propertyShape = /^[a-zA-Z0-9_.-]{1,64}$/

const hasLegalProperties = (properties: unknown): boolean =>
  properties === undefined ||
  (typeof properties === "object" &&
    properties !== null &&
    !Array.isArray(properties) &&
    Object.keys(properties).every((key) => propertyShape.test(key)))

function checkEnd(state: GrammarState, length: number, report: Report): void {
  if (state.role === null) return report("role-last", Math.max(0, length - 1), "the request holds no message")
  closeMessage({ ...state, open: new Set(state.open) }, null, length, report)
  if (state.callCount > 0 && state.toolNames.size === 0) {
    report("tools-missing", 0, "history holds calls but no tool is defined")
  }
  // documented: an answer that paused over a tool of the provider's own is sent back as it is, to go on.
  if (state.endsInHosted) return
  if (state.role === "assistant") report("role-last", length - 1, "the last message is not the user's")
}

function checkParams(state: GrammarState, encoded: Encoded, target: Target, report: Report): void {
  const params = parseFields(encoded.params)
  const outputTokens = params?.["max_tokens"]
  if (params === null || params["model"] !== target.model || params["stream"] !== true) {
    return report("params", 0, "the settings are not those of a stream of this model")
  }
  if (!Number.isSafeInteger(outputTokens) || (outputTokens as number) < 1) {
    report("params", 0, "the output limit is not a positive number")
  }
  checkSettings(params, state.toolNames, report)
  const thinking = fieldsOf(params["thinking"])
  if (thinking["type"] === "enabled" && state.answerCalls && !state.turnLedByThinking) {
    report("reasoning-lead", 0, "thinking is on, but the answer that goes on does not begin with it")
  }
}

const checkChain = makeChainCheck<GrammarState, GrammarTarget>({
  start: startState,
  branch: branchCalls,
  check: checkBlock,
  keyOf: ({ tag, systemRole }) => `${tag} ${systemRole}`,
})
