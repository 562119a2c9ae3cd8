/**
 * The grammar of a conversation, one piece at a time (LL3): roles, pairing of calls and results,
 * reasoning, empty text, images.
 *
 * Blocks of one role in a row are one message, so a change of role closes one and opens the next. The
 * state holds what later pieces can still break, and nothing else.
 */
import { checkImage, type ImageState, startImages } from "../image/check.ts"
import { isFields, textOf } from "../json-fields.ts"
import { findCall } from "../request/call-shape.ts"
import type { Report } from "../request/checked-chain.ts"
import type { Block } from "../wire.ts"
import type { Piece } from "./piece.ts"
import type { Rules } from "./rules.ts"

export interface ConversationState extends ImageState {
  role: Block["role"]
  /** The current message is the first one. */
  first: boolean
  /** Calls of the latest answer that have no result yet. */
  open: readonly { readonly id: string; readonly name: string }[]
  /** Ids of calls and items so far. Shared with later states, which own what is behind the count. */
  ids: Set<string>
  idCount: number
  /** There was a call. */
  called: boolean
  /** The current message of the user's holds nothing but results yet. */
  leading: boolean
  /** The latest piece of the current message. */
  last: Piece | null
  /** The current answer says or does something. */
  visible: boolean
  /** The latest answer holds a call. */
  answerCalls: boolean
  /** An answer goes on over its tool results; this is how it began. */
  turnOpen: boolean
  turnLed: boolean
  /** First calls of answers that are not signed, since the user spoke last. */
  unsigned: readonly number[]
}

export const startConversation = (): ConversationState => ({
  ...startImages(),
  role: null,
  first: true,
  open: [],
  ids: new Set(),
  idCount: 0,
  called: false,
  leading: false,
  last: null,
  visible: false,
  answerCalls: false,
  turnOpen: false,
  turnLed: false,
  unsigned: [],
})

/** A state to go on with; the one it comes from keeps its meaning. */
export const branchConversation = <State extends ConversationState>(state: State): State =>
  state.ids.size === state.idCount
    ? { ...state }
    : { ...state, ids: new Set([...state.ids].slice(0, state.idCount)) }

export function checkMessage(
  state: ConversationState,
  pieces: readonly Piece[],
  block: Block,
  at: number,
  rules: Rules,
  report: Report,
): void {
  const { role } = block
  if (role === null || (role === "system" && rules.system === "unknown"))
    return report("block-shape", at, "a block of a message has no role that the provider knows")
  const isAnother = role !== state.role || (role === "assistant" && rules.answerPerBlock)
  if (isAnother) {
    closeMessage(state, role, at - 1, rules, report)
    openMessage(state, role, pieces[0], at, rules, report)
  } else if (role === "system" && rules.system === "before an answer") {
    report("system-place", at, "two instructions stand side by side")
  }
  for (const piece of pieces) {
    checkPlace(state, piece, role, block, at, report)
    checkPiece(state, piece, at, rules, report)
    state.last = piece
  }
}

/** What holds for the request as a whole. The state is used up. */
export function checkEnd(state: ConversationState, rules: Rules, end: number, report: Report): void {
  closeMessage(state, null, end, rules, report)
  for (const at of state.unsigned)
    report("reasoning-signature", at, "the first call of an answer has no signature")
  const paused = rules.pausesInHosted && state.last?.kind === "hosted"
  if (state.role === null) report("role-last", end, "the request holds no message")
  else if (state.role === "assistant" && !paused) report("role-last", end, "the last message is the model's")
}

/** What must be true of the message before, now that `next` (or the end) follows it. */
function closeMessage(
  state: ConversationState,
  next: Block["role"],
  at: number,
  rules: Rules,
  report: Report,
): void {
  const { role, last } = state
  if (role === "assistant") {
    if (!state.visible) report("text-empty", at, "an answer without text and calls")
    if (last?.kind === "reasoning" && last.ends !== true)
      report("reasoning-final", at, "an answer ends in reasoning")
  }
  if (!(role === "assistant" && next === "user")) checkPaired(state, at, report)
  if (role === "system" && next === "user" && rules.system === "before an answer")
    report("system-place", at, "an instruction stands before words of the user")
}

function openMessage(
  state: ConversationState,
  role: NonNullable<Block["role"]>,
  first: Piece | undefined,
  at: number,
  rules: Rules,
  report: Report,
): void {
  if (role === "system") {
    if (rules.system === "nowhere") report("system-place", at, "the model takes no instruction here")
    if (rules.system === "before an answer" && state.role !== "user")
      report("system-place", at, "an instruction does not follow words of the user")
  } else if (role === "user") {
    state.leading = true
    if (first?.kind !== "result") state.turnOpen = false
  } else {
    if (state.role === null && rules.userBefore === "answers")
      report("role-first", at, "the first message is not the user's")
    if (!state.turnOpen) state.turnLed = first?.kind === "reasoning"
    state.turnOpen = true
    state.answerCalls = false
    state.visible = false
  }
  state.first = state.role === null
  state.role = role
  state.last = null
  state.messageImages = 0
}

const kindsOf: Readonly<Record<NonNullable<Block["role"]>, readonly Piece["kind"][]>> = {
  user: ["text", "image", "result", "fault"],
  assistant: ["text", "reasoning", "call", "hosted", "fault"],
  system: ["text", "fault"],
}

/** What may stand there at all. */
function checkPlace(
  state: ConversationState,
  piece: Piece,
  role: NonNullable<Block["role"]>,
  block: Block,
  at: number,
  report: Report,
): void {
  const { kind } = piece
  if (!kindsOf[role].includes(kind)) {
    const what = kind === "strange" ? piece.what : kind
    report("block-shape", at, `${what} is nothing that a message of the role ${role} holds`)
  }
  const isNative = kind === "reasoning" || kind === "hosted" || piece.native === true
  if (isNative && block.native === null) report("reasoning-native", at, `native content of nobody: ${kind}`)
  if (piece.item === undefined) return
  if (piece.item === "") report("item-id", at, "an item's id has an illegal shape")
  else if (!remember(state, `item ${piece.item}`))
    report("item-unique", at, `the item id ${piece.item} is used twice`)
}

function checkPiece(state: ConversationState, piece: Piece, at: number, rules: Rules, report: Report): void {
  switch (piece.kind) {
    case "text":
      if (textOf(piece.text).trim() === "") report("text-empty", at, "text without any visible character")
      else state.visible = true
      if (state.role === "user") state.unsigned = []
      return checkInput(state, at, rules, report)
    case "image":
      checkImage(state, piece.seen, rules.images, at, report)
      return checkInput(state, at, rules, report)
    case "call":
      return checkCall(state, piece, at, rules, report)
    case "result":
      return checkResult(state, piece, at, rules, report)
    case "reasoning":
      if (!piece.sealed) report("reasoning-signature", at, "reasoning is not signed")
      return
    case "hosted":
      state.visible = true
      return
    case "fault":
      return report(piece.rule, at, piece.message)
    case "strange":
  }
}

/** documented: results come first; a result behind other content counts as missing. */
function checkInput(state: ConversationState, at: number, rules: Rules, report: Report): void {
  if (state.role !== "user") return
  checkPaired(state, at, report)
  if (rules.answersResults && state.last?.kind === "result")
    report("result-order", at, "words of the user follow a result without an answer between")
  state.leading = false
}

function checkPaired(state: ConversationState, at: number, report: Report): void {
  if (state.open.length === 0) return
  const calls = state.open.map(({ id, name }) => id || name)
  report("pairing", at, `calls without a result: ${calls.join(", ")}`)
  state.open = []
}

function checkCall(
  state: ConversationState,
  call: Extract<Piece, { kind: "call" }>,
  at: number,
  rules: Rules,
  report: Report,
): void {
  const { id, name, input, signed } = call
  if (rules.userBefore === "calls" && state.first && !state.answerCalls)
    report("role-first", at, "a call stands before anything of the user")
  if (rules.signsCalls && !state.answerCalls && signed !== true) state.unsigned = [...state.unsigned, at]
  state.called = true
  state.answerCalls = true
  state.visible = true
  if (!rules.callId.test(id)) report("call-id", at, "a call's id has an illegal shape")
  if (!rules.toolName.test(name)) report("tool-name", at, "a call's name has an illegal shape")
  if (!isFields(input)) report("call-input", at, "a call's input is not an object")
  const isKnown =
    rules.callsUniqueIn === "request"
      ? !remember(state, `call ${id}`)
      : id !== "" && state.open.some((open) => open.id === id)
  if (isKnown) return report("call-unique", at, `the call id ${id} is used twice`)
  state.open = [...state.open, { id, name }]
}

function checkResult(
  state: ConversationState,
  result: Extract<Piece, { kind: "result" }>,
  at: number,
  rules: Rules,
  report: Report,
): void {
  const { id, name = "", texts, images = [], failed = false } = result
  const called = id || name
  if (!rules.callId.test(id)) report("call-id", at, "a result's id has an illegal shape")
  if (!state.leading) report("result-order", at, `the result of ${called} stands behind other content`)
  const found =
    rules.pairedBy === "id" ? state.open.findIndex((call) => call.id === id) : findCall(state.open, name, id)
  if (found < 0 || (rules.pairedBy === "name" && state.open[found]?.name !== name))
    report("result-unknown", at, `${called} is no open call of the answer before`)
  else state.open = state.open.toSpliced(found, 1)
  const isSilent = texts.length === 0 && images.length === 0
  if (isSilent || texts.some((text) => textOf(text).trim() === ""))
    report("text-empty", at, `the result of ${called} is empty`)
  for (const image of images) checkImage(state, image, rules.images, at, report)
  // recorded: all content must be text if a result failed.
  if (failed && images.length > 0) report("media-place", at, "an image in a failed result")
}

function remember(state: ConversationState, id: string): boolean {
  if (state.ids.has(id)) return false
  state.ids.add(id)
  state.idCount += 1
  return true
}
