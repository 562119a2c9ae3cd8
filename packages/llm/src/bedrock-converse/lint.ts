/**
 * The provider's grammar, checked over blocks (LL3). Written from the grammar, not from `encode`:
 * it reads each block's text again and trusts nothing but its place.
 *
 *   tools → system → messages; consecutive blocks of one role are one message
 *   first and last message are the user's; no text is blank
 *   each call is answered once, at the very beginning of the next message
 *   reasoning is signed, belongs to the target, never ends an answer, and leads a tool loop
 */
import { type Fields, fieldsOf, isFields, isWellFormed, parseFields, textOf } from "../json-fields.ts"
import { functionNameShape, toolCalled } from "../request/call-shape.ts"
import { branchCalls, checkSegment, makeChainCheck, type Report } from "../request/checked-chain.ts"
import { checkImages } from "../image/check.ts"
import { bedrockImages } from "../image/rules.ts"
import { nativeTag } from "../request/lowering.ts"
import { markerFaults } from "../request/markers.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, LintFault } from "../wire.ts"
import { type ConverseFamily, familyOf } from "./families.ts"
import { hostedName, hostedToolFault } from "./hosted-tool.ts"
import {
  checkMessageBlock,
  checkText,
  closeMessage,
  type MessageState,
  startMessages,
} from "./message-grammar.ts"
import { markersMax } from "./place.ts"
import { checkParams } from "./settings-grammar.ts"

export function lint(encoded: Encoded, target: Target): readonly LintFault[] {
  const state = checkChain(encoded.blocks, { tag: nativeTag(target), family: familyOf(target) })
  const faults = [...state.faults]
  const report: Report = (rule, block, message) => void faults.push({ rule, block, message })
  const { length } = encoded.blocks
  const end = Math.max(0, length - 1)
  closeMessage({ ...state, open: new Set(state.open) }, null, length, report)
  if (state.role === null) report("role-last", end, "the request holds no message")
  else if (state.role === "assistant") report("role-last", end, "the last message is not the user's")
  if (state.callCount > 0 && state.toolNames.size === 0) {
    report("tools-missing", 0, "history holds calls but no tool is defined")
  }
  checkParams(state, encoded.params, target, report)
  checkImages(state, encoded, target, bedrockImages, report)
  return faults
}

/** The cap and the places of cache points; they are chosen after the check of the request itself. */
export const lintMarkers = (blocks: readonly Block[], markers: readonly number[]): readonly LintFault[] =>
  markerFaults(blocks, markers, markersMax)

interface Subject {
  readonly tag: string
  readonly family: ConverseFamily
}

interface State extends MessageState {
  faults: LintFault[]
  /** Position of the latest segment in the fixed order. */
  segment: number
  toolNames: ReadonlySet<string>
}

const checkChain = makeChainCheck<State, Subject>({
  start: () => ({ ...startMessages(), faults: [], segment: 0, toolNames: new Set() }),
  branch: branchCalls,
  check: checkBlock,
  keyOf: ({ tag, family }) => JSON.stringify([tag, family.name]),
})

function checkBlock(state: State, block: Block, at: number, subject: Subject, report: Report): void {
  state.segment = checkSegment(state.segment, block, at, report)
  const value = parseFields(block.json)
  if (value === null) return report("block-shape", at, "the block is not a JSON object")
  if (!isWellFormed(block.json, value)) report("surrogate", at, "the block holds half of a surrogate pair")
  checkMarkable(value, block, at, subject.family, report)
  if (block.native !== null && block.native !== subject.tag) {
    report("reasoning-native", at, "native content of another target")
  }
  if (block.segment === "tools") return checkTool(state, value, at, report)
  if (block.segment !== "system" && block.segment !== "agent") {
    const isSigned = subject.family.reasoningControl === "thinking"
    return checkMessageBlock(state, value, block, at, isSigned, report)
  }
  // documented: a prompt may be marked for a guardrail. This project writes none.
  if (block.role === null && isFields(value["guardContent"])) return
  if (block.role !== null || value["text"] === undefined) {
    return report("block-shape", at, "the system segment holds something other than text")
  }
  checkText(value, at, report)
}

function checkMarkable(
  value: Fields,
  block: Block,
  at: number,
  family: ConverseFamily,
  report: Report,
): void {
  if (value["cachePoint"] !== undefined) report("markers", at, "the block is a cache point of its own")
  if (!block.markable) return
  const text = value["text"] !== undefined
  const native = value["reasoningContent"] !== undefined || block.native !== null
  if (family.markable === "none" || (family.markable === "text" && !text) || native) {
    report("markers", at, "the model takes no cache point here")
  }
}

function checkTool(state: State, value: Fields, at: number, report: Report): void {
  if (value["toolSpec"] === undefined) {
    const fault = hostedToolFault(value)
    if (fault !== null) return report("tool-hosted", at, `a hosted tool ${fault}`)
    return checkUnique(state, hostedName(value), at, report)
  }
  const spec = fieldsOf(value["toolSpec"])
  const name = textOf(spec["name"])
  if (!functionNameShape.test(name)) report("tool-name", at, "a tool's name has an illegal shape")
  else checkUnique(state, name, at, report)
  if (spec["description"] !== undefined && textOf(spec["description"]).trim() === "") {
    report("text-empty", at, `the description of ${toolCalled(name)} is blank`)
  }
  const schema = fieldsOf(spec["inputSchema"])["json"]
  if (!isFields(schema) || schema["type"] !== "object" || !isFields(schema["properties"] ?? {})) {
    return report("tool-schema", at, `the input of ${toolCalled(name)} is not an object with properties`)
  }
  if (["oneOf", "anyOf", "allOf", "not", "enum"].some((key) => schema[key] !== undefined)) {
    report("tool-schema", at, `the input of ${toolCalled(name)} is a union`)
  }
}

function checkUnique(state: State, name: string, at: number, report: Report): void {
  if (state.toolNames.has(name)) return report("tool-unique", at, `the tool ${name} is defined twice`)
  state.toolNames = new Set([...state.toolNames, name])
}
