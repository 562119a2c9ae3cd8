/**
 * The provider's grammar, checked over blocks (LL3). Written from the grammar, not from `encode`:
 * it reads each block's text again and trusts nothing but its place.
 *
 *   tools → system text → messages; consecutive blocks of one role are one message
 *   first role user; last role user, or system behind it; system only between user and answer
 *   each call is answered once, at the very beginning of the next user message
 *   thinking is signed, belongs to the target, never ends an answer, and leads a tool loop
 *
 * A finished check is kept at the last link of the chain. A request that extends it is checked
 * from there on, so a Hold costs a walk by identity and nothing more.
 */
import { chainOf, type Link } from "../blocks.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, LintFault } from "../wire.ts"
import { nativeTag } from "./entry.ts"
import {
  checkMessageBlock,
  checkText,
  closeMessage,
  type Fields,
  type GrammarState,
  type GrammarTarget,
  nameShape,
  type Report,
  startState,
} from "./message-grammar.ts"
import { markersMax } from "./place.ts"

/** documented: a smaller budget is refused. */
const thinkingTokensMin = 1_024

export function lint(encoded: Encoded, target: Target): readonly LintFault[] {
  const state = stateAt(encoded.blocks, { tag: nativeTag(target), systemRole: target.options.systemRole })
  const faults = [...state.faults]
  const report: Report = (rule, block, message) => void faults.push({ rule, block, message })
  checkEnd(state, encoded.blocks.length, report)
  checkParams(state, encoded, target, report)
  return faults
}

/** The cap and the places of markers; they are chosen after the check of the request itself. */
export function lintMarkers(blocks: readonly Block[], markers: readonly number[]): readonly LintFault[] {
  const faults: LintFault[] = []
  if (markers.length > markersMax) {
    faults.push({
      rule: "markers",
      block: markers[markersMax] ?? 0,
      message: `more than ${markersMax} cache markers`,
    })
  }
  for (const block of markers) {
    if (blocks[block]?.markable !== true) {
      faults.push({ rule: "markers", block, message: "a cache marker on a block that cannot carry one" })
    }
  }
  return faults
}

interface Checked {
  readonly target: string
  readonly state: GrammarState
}

const checked = new WeakMap<Link, Checked>()

function stateAt(blocks: readonly Block[], target: GrammarTarget): GrammarState {
  const key = `${target.tag} ${target.systemRole}`
  const last = chainOf(blocks)
  let known = last
  while (known !== null && checked.get(known)?.target !== key) known = known.previous
  const found = known === null ? undefined : checked.get(known)?.state
  if (found !== undefined && known === last) return found
  const state = found === undefined ? startState() : branch(found)
  const report: Report = (rule, block, message) => void state.faults.push({ rule, block, message })
  for (let i = known?.length ?? 0; i < blocks.length; i++)
    checkBlock(state, blocks[i] as Block, i, target, report)
  if (last !== null) checked.set(last, { target: key, state })
  return state
}

/** A state to go on with; the one it comes from keeps its meaning. */
function branch(state: GrammarState): GrammarState {
  const newest = state.callIds.size === state.callCount
  return {
    ...state,
    faults: [...state.faults],
    open: new Set(state.open),
    callIds: newest ? state.callIds : new Set([...state.callIds].slice(0, state.callCount)),
  }
}

const order = ["tools", "system", "agent", "history-baseline", "history-delta", "tail"]

function checkBlock(
  state: GrammarState,
  block: Block,
  at: number,
  target: GrammarTarget,
  report: Report,
): void {
  const place = order.indexOf(block.segment)
  if (place < state.segment) report("segment-order", at, `${block.segment} stands behind a later segment`)
  state.segment = Math.max(state.segment, place)
  const value = parseBlock(block.json)
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
  const name = value["name"]
  if (typeof name !== "string" || !nameShape.test(name))
    report("tool-name", at, "a tool's name has an illegal shape")
  else if (state.toolNames.has(name)) report("tool-unique", at, `the tool ${name} is defined twice`)
  else state.toolNames = new Set([...state.toolNames, name])
  const schema = value["input_schema"] as Fields | null | undefined
  if (typeof schema !== "object" || schema === null || schema["type"] !== "object") {
    return report("tool-schema", at, `the input of the tool ${String(name)} is not an object`)
  }
  // recorded: the provider refuses a union at the top.
  if (["oneOf", "anyOf", "allOf"].some((key) => schema[key] !== undefined)) {
    report("tool-schema", at, `the input of the tool ${String(name)} is a union`)
  }
  if (!hasLegalProperties(schema["properties"])) {
    report("tool-schema", at, `the input of the tool ${String(name)} has a property with an illegal name`)
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
  if (state.role === "assistant") report("role-last", length - 1, "the last message is not the user's")
  if (state.callCount > 0 && state.toolNames.size === 0) {
    report("tools-missing", 0, "history holds calls but no tool is defined")
  }
}

function checkParams(state: GrammarState, encoded: Encoded, target: Target, report: Report): void {
  const params = parseBlock(encoded.params)
  const outputTokens = params?.["max_tokens"]
  if (params === null || params["model"] !== target.model || params["stream"] !== true) {
    return report("params", 0, "the settings are not those of a stream of this model")
  }
  if (!Number.isSafeInteger(outputTokens) || (outputTokens as number) < 1) {
    report("params", 0, "the output limit is not a positive number")
  }
  const thinking = params["thinking"] as Fields | undefined
  if (thinking === undefined) return
  const budget = thinking["budget_tokens"] as number
  if (!Number.isSafeInteger(budget) || budget < thinkingTokensMin || budget >= (outputTokens as number)) {
    report("params", 0, `the thinking budget must lie between ${thinkingTokensMin} and the output limit`)
  }
  if (state.answerCalls && !state.turnLedByThinking) {
    report("reasoning-lead", 0, "thinking is on, but the answer that goes on does not begin with it")
  }
}

function parseBlock(json: string): Fields | null {
  try {
    const value = JSON.parse(json) as unknown
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    // Only a syntax error throws here.
    return null
  }
}

function isWellFormed(json: string, value: unknown): boolean {
  // Most blocks hold neither a half pair nor the escape of one.
  return json.isWellFormed() && (!/\\ud[89a-f]/iu.test(json) || holdsWholePairs(value))
}

function holdsWholePairs(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && holdsWholePairs(item))
}
