/**
 * Grammar of messages, one block at a time (LL3): roles, pairing of calls and results, reasoning.
 *
 * Consecutive blocks of one role are one message, so a change of role closes one message and opens
 * the next. The state holds what later blocks can still break, and nothing else.
 */
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { Report } from "../request/checked-chain.ts"
import {
  checkImage,
  fetchedImage,
  type ImageState,
  seenBase64,
  type SeenImage,
  startImages,
} from "../image/check.ts"
import { anthropicImages } from "../image/rules.ts"
import type { Block, LintFault } from "../wire.ts"
import { isHosted } from "./block-shape.ts"
import { nameShape } from "./hosted-tool.ts"

export interface GrammarState extends ImageState {
  faults: LintFault[]
  /** Position of the latest segment in the fixed order. */
  segment: number
  toolNames: ReadonlySet<string>
  role: Block["role"]
  /** Calls of the latest answer that have no result yet. */
  open: Set<string>
  /** Every call so far. Shared with later states, which own what is behind `callCount`. */
  callIds: Set<string>
  callCount: number
  /** The current user message holds nothing but results yet. */
  leading: boolean
  endsInThinking: boolean
  /** The latest block is one of a tool that the provider runs. */
  endsInHosted: boolean
  /** The latest answer holds a call. */
  answerCalls: boolean
  /** An answer goes on over its tool results; this is how it began. */
  turnOpen: boolean
  turnLedByThinking: boolean
}

export const startState = (): GrammarState => ({
  ...startImages(),
  faults: [],
  segment: 0,
  toolNames: new Set(),
  role: null,
  open: new Set(),
  callIds: new Set(),
  callCount: 0,
  leading: false,
  endsInThinking: false,
  endsInHosted: false,
  answerCalls: false,
  turnOpen: false,
  turnLedByThinking: false,
})

export interface GrammarTarget {
  readonly tag: string
  readonly systemRole: boolean
}

export function checkMessageBlock(
  state: GrammarState,
  value: Fields,
  block: Block,
  at: number,
  target: GrammarTarget,
  report: Report,
): void {
  const role = block.role
  if (role === null) return report("block-shape", at, "content of a message has no role")
  if (role !== state.role) {
    closeMessage(state, role, at, report)
    openMessage(state, role, value, at, target, report)
  } else if (role === "system") {
    report("system-place", at, "two system blocks stand side by side")
  }
  checkContent(state, value, block, at, target, report)
}

/** What must be true of the message before, now that `next` (or the end) follows it. */
export function closeMessage(state: GrammarState, next: Block["role"], at: number, report: Report): void {
  if (state.role === "assistant" && state.endsInThinking) {
    report("reasoning-final", at - 1, "an answer ends in thinking")
  }
  if (state.open.size > 0 && !(state.role === "assistant" && next === "user")) {
    report("pairing", at - 1, `calls without a result: ${[...state.open].join(", ")}`)
    state.open.clear()
  }
  if (state.role === "system" && next === "user") {
    report("system-place", at - 1, "a system message stands before user content")
  }
}

function openMessage(
  state: GrammarState,
  role: "user" | "assistant" | "system",
  first: Fields,
  at: number,
  target: GrammarTarget,
  report: Report,
): void {
  if (state.role === null && role !== "user") report("role-first", at, "the first message is not the user's")
  if (role === "system") {
    if (!target.systemRole) report("system-place", at, "the model takes no system messages")
    if (state.role !== "user") report("system-place", at, "a system message does not follow user content")
  }
  if (role === "user") {
    state.leading = true
    if (first["type"] !== "tool_result") state.turnOpen = false
  }
  if (role === "assistant") {
    state.answerCalls = false
    if (!state.turnOpen) state.turnLedByThinking = isThinking(first["type"])
    state.turnOpen = true
  }
  state.role = role
}

/** documented: what each role may hold. */
const typesOfRole: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "tool_result", "document", "search_result", "container_upload"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
  system: ["text"],
}

/** documented: what a result may hold beside texts and images; this project writes none of them. */
const typesOfResult: readonly unknown[] = ["document", "search_result", "tool_reference"]

function checkContent(
  state: GrammarState,
  value: Fields,
  block: Block,
  at: number,
  target: GrammarTarget,
  report: Report,
): void {
  const type = String(value["type"])
  state.endsInThinking = isThinking(type)
  state.endsInHosted = isHosted(type)
  if (block.role === "assistant" && isHosted(type)) return checkNative(block, at, target.tag, report)
  if (typesOfRole[String(block.role)]?.includes(type) !== true) {
    return report("block-shape", at, `${type} in a message of the ${String(block.role)} role`)
  }
  switch (type) {
    case "text":
      checkText(value, at, report)
      checkCitations(value, block, at, target.tag, report)
      return beforeOther(state, at, report)
    case "image":
      checkImage(state, seenImage(value, block), anthropicImages, at, report)
      return beforeOther(state, at, report)
    case "tool_use":
      return checkCall(state, value, at, report)
    case "tool_result":
      return checkResult(state, value, block, at, report)
    case "document":
    case "search_result":
    case "container_upload":
      return beforeOther(state, at, report)
    default:
      return checkThinking(value, block, at, target.tag, report)
  }
}

export function checkText(value: Fields, at: number, report: Report): void {
  const text = value["text"]
  if (typeof text !== "string" || text.trim() === "")
    report("text-empty", at, "text without any visible character")
}

/** documented: results come first; a result behind other content counts as missing. */
function beforeOther(state: GrammarState, at: number, report: Report): void {
  if (state.role !== "user") return
  if (state.leading && state.open.size > 0) {
    report("pairing", at, `calls without a result: ${[...state.open].join(", ")}`)
    state.open.clear()
  }
  state.leading = false
}

const idShape = /^[a-zA-Z0-9_-]+$/

function checkCall(state: GrammarState, value: Fields, at: number, report: Report): void {
  const { id, name, input } = value
  state.answerCalls = true
  if (typeof id !== "string" || !idShape.test(id))
    return report("call-id", at, "a call's id has an illegal shape")
  if (typeof name !== "string" || !nameShape.test(name))
    report("tool-name", at, "a call's name has an illegal shape")
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    report("call-input", at, "a call's input is not an object")
  }
  if (state.callIds.has(id)) return report("call-unique", at, `the call id ${id} is used twice`)
  state.callIds.add(id)
  state.callCount += 1
  state.open.add(id)
}

function checkResult(state: GrammarState, value: Fields, block: Block, at: number, report: Report): void {
  const id = value["tool_use_id"]
  if (typeof id !== "string" || !idShape.test(id))
    return report("call-id", at, "a result's id has an illegal shape")
  if (!state.leading) report("result-order", at, `the result of ${id} stands behind other content`)
  if (!state.open.delete(id)) report("result-unknown", at, `${id} is no open call of the answer before`)
  const content = value["content"]
  if (Array.isArray(content) && content.length > 0) checkResultList(state, value, block, at, report)
  else if (typeof content !== "string" || content === "") {
    report("text-empty", at, `the result of ${id} is empty`)
  }
  if (value["is_error"] !== undefined && typeof value["is_error"] !== "boolean") {
    report("block-shape", at, "is_error is not a boolean")
  }
}

function checkResultList(state: GrammarState, value: Fields, block: Block, at: number, report: Report): void {
  for (const part of listOf(value["content"]).map(fieldsOf)) {
    if (part["type"] === "text") checkText(part, at, report)
    else if (part["type"] === "image") checkImage(state, seenImage(part, block), anthropicImages, at, report)
    else if (!typesOfResult.includes(part["type"]))
      report("block-shape", at, `${String(part["type"])} in a result`)
    // recorded: all content must be text if is_error is true.
    if (part["type"] !== "text" && value["is_error"] === true)
      report("media-place", at, `${String(part["type"])} in a failed result`)
  }
}

function seenImage(value: Fields, block: Block): SeenImage | null {
  const { type, media_type: mediaType, data, url } = fieldsOf(value["source"])
  if (type === "url") return typeof url === "string" ? fetchedImage : null
  return type === "base64" ? seenBase64(data, textOf(mediaType), block) : null
}

function checkThinking(value: Fields, block: Block, at: number, tag: string, report: Report): void {
  const signed = value["type"] === "thinking" ? value["signature"] : value["data"]
  if (typeof signed !== "string" || signed === "") report("reasoning-signature", at, "thinking is not signed")
  if (value["type"] === "thinking" && typeof value["thinking"] !== "string") {
    report("block-shape", at, "thinking without its text")
  }
  checkNative(block, at, tag, report)
}

function checkNative(block: Block, at: number, tag: string, report: Report): void {
  if (block.native !== tag) report("reasoning-native", at, "native content of another target")
  if (block.markable) report("markers", at, "native content cannot carry a cache marker")
}

/** LL8: what a text cites was sealed by its provider; unlike thinking, the text may carry a marker. */
function checkCitations(value: Fields, block: Block, at: number, tag: string, report: Report): void {
  const { citations } = value
  if (citations === undefined || citations === null) return
  if (!Array.isArray(citations)) return report("block-shape", at, "citations are not a list")
  if (citations.length > 0 && block.native !== tag)
    report("reasoning-native", at, "citations of another target")
}

const isThinking = (type: unknown): boolean => type === "thinking" || type === "redacted_thinking"
