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
import { makeChainCheck } from "../request/checked-chain.ts"
import { nativeTag } from "../request/lowering.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, LintFault } from "../wire.ts"
import { branchConversation, checkEnd, checkMessage, startConversation } from "./conversation.ts"
import type { ConversationState, Walk } from "./conversation.ts"
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
  readonly grammar: Grammar
  readonly tag: string
}

type Tell = Walk["tell"]

export function makeLinter(grammarOf: (target: Target) => Grammar): Lint {
  const checkChain = makeChainCheck<State, Subject>({
    start: () => ({ ...startConversation(), faults: [], segment: 0, toolNames: new Set(), functions: 0 }),
    branch: (state) => ({ ...branchConversation(state), faults: [...state.faults] }),
    check: (state, block, at, subject) => {
      const walk = { state, at, rules: subject.grammar.rules, tell: tellerOf(state.faults, at) }
      checkBlock(walk, block, subject)
    },
    keyOf: ({ tag, grammar }) => `${tag} ${grammar.rules.key}`,
  })
  return (encoded, target) => {
    const { blocks } = encoded
    const grammar = grammarOf(target)
    const { rules } = grammar
    const state = checkChain(blocks, { grammar, tag: nativeTag(target) })
    const faults = [...state.faults]
    const at = Math.max(0, blocks.length - 1)
    const tell = tellerOf(faults, at)
    checkEnd({ state: branchConversation(state), rules, tell, at })
    if (rules.callsWantTools && state.called && state.toolNames.size === 0)
      tell("tools-missing", "history holds calls but no tool is defined", 0)
    const params = parseFields(encoded.params) ?? {}
    checkSettings(grammar.settingsOf(params, state), state, tellerOf(faults, 0))
    checkImages(state, encoded, target, rules.images, tell)
    if (state.images > 0 && !rules.takesImages) tell("media-unread", "the server takes no images")
    if (!grammar.hostsTools && (target.options.model.hostedTools ?? []).length > 0)
      tell("tool-hosted", "this wire has no tools that the provider runs: remove hostedTools", 0)
    return faults
  }
}

const tellerOf =
  (faults: LintFault[], here: number): Tell =>
  (rule, message, block = here) =>
    void faults.push({ rule, block, message })

interface LinterWalk extends Walk {
  readonly state: State
}

function checkBlock(walk: LinterWalk, block: Block, { grammar, tag }: Subject): void {
  const { state, rules, tell } = walk
  checkSegment(state, block, tell)
  const value = parseFields(block.json)
  if (value === null) return tell("block-shape", "the block is not a JSON object")
  if (!isWellFormed(block.json, value)) tell("surrogate", "the block holds half of a surrogate pair")
  if (grammar.isMarked?.(value) === true) tell("markers", "the block brings its own cache marker")
  if (block.native !== null && block.native !== tag)
    tell("reasoning-native", "native content of another target")
  const isTool = block.segment === "tools"
  const pieces = isTool ? [] : grammar.piecesOf(value, block)
  const isLegal = isTool ? rules.markable === "all" : pieces.every((piece) => isMarkable(piece, rules))
  if (block.markable && !isLegal) tell("markers", "no cache marker may stand here")
  if (isTool) return checkTool(grammar, walk, value)
  if (block.segment !== "system" && block.segment !== "agent") return checkMessage(walk, pieces, block)
  for (const piece of pieces) {
    if (block.role !== null || piece.kind !== "text")
      tell("block-shape", "a prompt is something other than an instruction")
    else if (isBlankText(piece.text)) tell("text-empty", "text without any visible character")
  }
}

const order = ["tools", "system", "agent", "history-baseline", "history-delta", "tail"]

/** The segments stand in their order. */
function checkSegment(state: State, { segment }: Block, tell: Tell): void {
  const place = order.indexOf(segment)
  if (place < state.segment) tell("segment-order", `${segment} stands behind a later segment`)
  state.segment = Math.max(state.segment, place)
}

const isBlankText = (text: unknown): boolean => textOf(text).trim() === ""

function isMarkable({ kind }: Piece, { markable }: Rules): boolean {
  if (kind === "reasoning" || kind === "hosted" || markable === "none") return false
  return markable === "all" || kind === "text"
}

function checkTool(grammar: Grammar, { state, rules, tell }: LinterWalk, value: Fields): void {
  const tool = grammar.toolOf(value)
  // One that has no name is told from others by all that it says.
  const name = tool.name ?? canonicalJson(value as Json)
  if (tool.kind === "hosted" && tool.fault !== null) return tell("tool-hosted", `a hosted tool ${tool.fault}`)
  if (tool.kind === "function" && !rules.toolName.test(name))
    tell("tool-name", "a tool's name has an illegal shape")
  else if (state.toolNames.has(name)) tell("tool-unique", `the tool ${name} is defined twice`)
  else state.toolNames = new Set([...state.toolNames, name])
  if (tool.kind === "hosted") return
  state.functions += 1
  const { schema, description } = tool
  if (description !== undefined && isBlankText(description))
    tell("text-empty", `the description of ${toolCalled(name)} is blank`)
  if (!("schema" in tool)) return
  const isObject = isFields(schema) && schema["type"] === "object"
  const fault = isObject ? grammar.schemaFault(schema) : "is not an object"
  if (fault !== null) tell("tool-schema", `the input of ${toolCalled(name)} ${fault}`)
}

/** recorded, of most providers: an object at the top, and no union. */
export function unionFault(schema: Fields): string | null {
  if (!isFields(schema["properties"] ?? {})) return "is not an object with properties"
  return ["oneOf", "anyOf", "allOf", "not", "enum"].some((key) => schema[key] !== undefined)
    ? "is a union"
    : null
}

function checkSettings(settings: Settings, state: State, tell: Tell): void {
  const { toolNames, answerCalls, turnLed } = state
  const fault = (message: string) => tell("params", message)
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
    tell("reasoning-lead", "thinking is on, but the answer that goes on does not begin with it")
}
