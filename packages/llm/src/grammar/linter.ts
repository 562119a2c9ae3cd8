/**
 * The linter of every wire: one walk over blocks, by the wire's rules (LL3).
 *
 * Written from the providers' grammars, not from encoders: it reads each block's text again and trusts
 * nothing but its place. What was found out about a beginning is kept, so a block is looked at once.
 */
import { checkImages } from "../image/check.ts"
import { type Fields, isFields, isWellFormed, listOf, parseFields, textOf } from "../json-fields.ts"
import { canonicalJson } from "../canonical.ts"
import type { Json } from "@holdfast/schema/json"
import { toolCalled } from "../request/call-shape.ts"
import { checkSegment, makeChainCheck, type Report } from "../request/checked-chain.ts"
import { nativeTag } from "../request/lowering.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, LintFault } from "../wire.ts"
import {
  branchConversation,
  checkEnd,
  checkMessage,
  type ConversationState,
  startConversation,
} from "./conversation.ts"
import type { Piece } from "./piece.ts"
import type { Grammar, Rules, Settings } from "./rules.ts"

export type Lint = (encoded: Encoded, target: Target) => readonly LintFault[]

interface State extends ConversationState {
  faults: LintFault[]
  /** Position of the latest segment in the fixed order. */
  segment: number
  toolNames: ReadonlySet<string>
  functions: number
}

interface Subject {
  readonly rules: Rules
  readonly tag: string
  readonly target: Target
}

export function makeLinter(grammar: Grammar): Lint {
  const checkChain = makeChainCheck<State, Subject>({
    start: () => ({ ...startConversation(), faults: [], segment: 0, toolNames: new Set(), functions: 0 }),
    branch: (state) => ({ ...branchConversation(state), faults: [...state.faults] }),
    check: (state, block, at, subject, report) => checkBlock(grammar, state, block, at, subject, report),
    keyOf: ({ tag, rules }) => `${tag} ${rules.key}`,
  })
  return (encoded, target) => {
    const { blocks } = encoded
    const rules = grammar.rulesOf(target)
    const state = checkChain(blocks, { rules, tag: nativeTag(target), target })
    const faults = [...state.faults]
    const report: Report = (rule, block, message) => void faults.push({ rule, block, message })
    const end = Math.max(0, blocks.length - 1)
    checkEnd(branchConversation(state), rules, end, report)
    if (rules.callsWantTools && state.called && state.toolNames.size === 0)
      report("tools-missing", 0, "history holds calls but no tool is defined")
    const params = parseFields(encoded.params) ?? {}
    checkSettings(grammar.settingsOf(params, target, state), state, report)
    checkImages(state, encoded, target, rules.images, report)
    if (state.images > 0 && !rules.takesImages) report("media-unread", end, "the server takes no images")
    if (!grammar.hostsTools && (target.options.model.hostedTools ?? []).length > 0)
      report("tool-hosted", 0, "this wire has no tools that the provider runs: remove hostedTools")
    return faults
  }
}

function checkBlock(
  grammar: Grammar,
  state: State,
  block: Block,
  at: number,
  { rules, tag, target }: Subject,
  report: Report,
): void {
  state.segment = checkSegment(state.segment, block, at, report)
  const value = parseFields(block.json)
  if (value === null) return report("block-shape", at, "the block is not a JSON object")
  if (!isWellFormed(block.json, value)) report("surrogate", at, "the block holds half of a surrogate pair")
  if (grammar.isMarked?.(value) === true) report("markers", at, "the block brings its own cache marker")
  if (block.native !== null && block.native !== tag)
    report("reasoning-native", at, "native content of another target")
  if (block.segment === "tools") {
    if (block.markable && rules.markable !== "all") report("markers", at, "no cache marker may stand here")
    return checkTool(grammar, state, value, at, { rules, tag, target }, report)
  }
  const pieces = grammar.piecesOf(value, block, rules, target)
  if (block.markable && !pieces.every((piece) => isMarkable(piece, rules)))
    report("markers", at, "no cache marker may stand here")
  if (block.segment !== "system" && block.segment !== "agent")
    return checkMessage(state, pieces, block, at, rules, report)
  for (const piece of pieces) {
    if (block.role !== null || piece.kind !== "text")
      report("block-shape", at, "a prompt is something other than an instruction")
    else if (isBlankText(piece.text)) report("text-empty", at, "text without any visible character")
  }
}

const isBlankText = (text: unknown): boolean => textOf(text).trim() === ""

function isMarkable({ kind }: Piece, { markable }: Rules): boolean {
  if (kind === "reasoning" || kind === "hosted" || markable === "none") return false
  return markable === "all" || kind === "text"
}

function checkTool(
  grammar: Grammar,
  state: State,
  value: Fields,
  at: number,
  { rules, target }: Subject,
  report: Report,
): void {
  const tool = grammar.toolOf(value)
  // One that has no name is told from others by all that it says.
  const name = tool.name ?? canonicalJson(value as Json)
  if (tool.kind === "hosted" && tool.fault !== null)
    return report("tool-hosted", at, `a hosted tool ${tool.fault}`)
  if (tool.kind === "function" && !rules.toolName.test(name))
    report("tool-name", at, "a tool's name has an illegal shape")
  else if (state.toolNames.has(name)) report("tool-unique", at, `the tool ${name} is defined twice`)
  else state.toolNames = new Set([...state.toolNames, name])
  if (tool.kind === "hosted") return
  state.functions += 1
  const { schema, description } = tool
  if (description !== undefined && isBlankText(description))
    report("text-empty", at, `the description of ${toolCalled(name)} is blank`)
  if (schema === null) return
  const fault =
    !isFields(schema) || schema["type"] !== "object"
      ? "is not an object"
      : grammar.schemaFault(schema, target)
  if (fault !== null) report("tool-schema", at, `the input of ${toolCalled(name)} ${fault}`)
}

/** recorded, of most providers: an object at the top, and no union. */
export function unionFault(schema: Fields): string | null {
  if (!isFields(schema["properties"] ?? {})) return "is not an object with properties"
  return ["oneOf", "anyOf", "allOf", "not", "enum"].some((key) => schema[key] !== undefined)
    ? "is a union"
    : null
}

function checkSettings(settings: Settings, state: State, report: Report): void {
  const { toolNames, answerCalls, turnLed } = state
  const fault = (message: string) => report("params", 0, message)
  if (!settings.isOurs) return fault("the settings are not those of this model")
  const { output, ranges, stop, stopsMax, chosen, faults } = settings
  if ("output" in settings && (!Number.isSafeInteger(output) || (output as number) < 1))
    fault("the output limit is not a positive number")
  for (const [name, value, min, max] of ranges) {
    if (value !== undefined && !(typeof value === "number" && value >= min && value <= max))
      fault(`${name} must lie between ${min} and ${max}`)
  }
  // recorded and documented: an empty stop sequence is refused everywhere.
  if (listOf(stop).includes("")) fault("a stop sequence holds nothing: remove it")
  if (stopsMax !== undefined && listOf(stop).length > stopsMax)
    fault(`more than ${stopsMax} stop sequences: leave some out`)
  if (chosen !== undefined && !toolNames.has(chosen as string))
    fault(`the tool ${String(chosen)} must be called and is not defined: define it or choose another`)
  for (const message of faults) fault(message)
  // documented, for Claude on every wire: a budget is only legal where the loop began with thinking.
  if (settings.budgeted === true && answerCalls && !turnLed)
    report("reasoning-lead", 0, "thinking is on, but the answer that goes on does not begin with it")
}
