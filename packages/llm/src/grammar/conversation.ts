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
import type { Block } from "../wire.ts"
import type { Piece } from "./piece.ts"
import type { Rules } from "./rules.ts"

type Role = NonNullable<Block["role"]>
type PieceOf<K extends Piece["kind"]> = Extract<Piece, { kind: K }>

export interface ConversationState extends ImageState {
  role: Role | null
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

/** Where the walk is, and what it goes by. */
export interface Walk {
  readonly state: ConversationState
  readonly rules: Rules
  /** Tells a fault at this place. */
  readonly tell: (rule: string, message: string, at?: number) => void
  readonly at: number
}

export function checkMessage(walk: Walk, pieces: readonly Piece[], { role, native }: Block): void {
  const { state, rules, tell } = walk
  if (role === null || (role === "system" && rules.system === "unknown"))
    return tell("block-shape", "a block of a message has no role that the provider knows")
  if (role !== state.role || (role === "assistant" && rules.answerPerBlock)) {
    closeMessage(walk, role)
    openMessage(walk, role, pieces[0])
  } else if (role === "system" && rules.system === "before an answer") {
    tell("system-place", "two system blocks stand side by side")
  }
  for (const piece of pieces) {
    checkPlace(walk, piece, role, native !== null)
    checkPiece(walk, piece)
    state.last = piece
  }
}

/** What holds for the request as a whole. The state is used up. */
export function checkEnd(walk: Walk): void {
  const { state, rules, tell } = walk
  closeMessage(walk, null)
  for (const at of state.unsigned)
    tell("reasoning-signature", "the first call of an answer has no signature", at)
  const paused = rules.pausesInHosted && state.last?.kind === "hosted"
  if (state.role === null) tell("role-last", "the request holds no message")
  else if (state.role === "assistant" && !paused) tell("role-last", "the last message is the model's")
}

/** What must be true of the message before, now that `next` (or the end) follows it. */
function closeMessage(walk: Walk, next: Role | null): void {
  const { state, rules, tell } = walk
  const { role, last } = state
  if (role === "assistant") {
    if (!state.visible) tell("text-empty", "an answer without text and calls")
    if (last?.kind === "reasoning" && last.ends !== true)
      tell("reasoning-final", "an answer ends in reasoning")
  }
  if (!(role === "assistant" && next === "user")) checkPaired(walk)
  if (role === "system" && next === "user" && rules.system === "before an answer")
    tell("system-place", "an instruction stands before words of the user")
}

function openMessage({ state, rules, tell }: Walk, role: Role, opening: Piece | undefined): void {
  state.first = state.role === null
  if (role === "system") {
    if (rules.system === "nowhere") tell("system-place", "the model takes no instruction here")
    if (rules.system === "before an answer" && state.role !== "user")
      tell("system-place", "an instruction does not follow words of the user")
  } else if (role === "user") {
    state.leading = true
    if (opening?.kind !== "result") state.turnOpen = false
  } else {
    if (state.first && rules.userBefore === "answers")
      tell("role-first", "the first message is not the user's")
    if (!state.turnOpen) state.turnLed = opening?.kind === "reasoning"
    state.turnOpen = true
    state.answerCalls = false
    state.visible = false
  }
  state.role = role
  state.last = null
  state.messageImages = 0
}

const kindsOf: Readonly<Record<Role, readonly Piece["kind"][]>> = {
  user: ["text", "image", "result", "fault"],
  assistant: ["text", "reasoning", "call", "hosted", "fault"],
  system: ["text", "fault"],
}

/** What may stand there at all. */
function checkPlace({ state, tell }: Walk, piece: Piece, role: Role, isNative: boolean): void {
  const { kind, item } = piece
  if (!kindsOf[role].includes(kind)) {
    const what = kind === "strange" ? piece.what : kind
    tell("block-shape", `${what} is nothing that a message of the role ${role} holds`)
  }
  if ((kind === "reasoning" || kind === "hosted" || piece.native === true) && !isNative)
    tell("reasoning-native", `native content of nobody: ${kind}`)
  if (item === "") tell("item-id", "an item's id has an illegal shape")
  else if (item !== undefined && !remember(state, `item ${item}`))
    tell("item-unique", `the item id ${item} is used twice`)
}

function checkPiece(walk: Walk, piece: Piece): void {
  const { state, rules, tell } = walk
  switch (piece.kind) {
    case "text":
      if (textOf(piece.text).trim() === "") tell("text-empty", "text without any visible character")
      else state.visible = true
      if (state.role === "user") state.unsigned = []
      return checkInput(walk)
    case "image":
      checkImage(state, piece.seen, rules.images, tell)
      return checkInput(walk)
    case "call":
      return checkCall(walk, piece)
    case "result":
      return checkResult(walk, piece)
    case "reasoning":
      if (!piece.sealed) tell("reasoning-signature", "reasoning is not signed")
      return
    case "hosted":
      state.visible = true
      return
    case "fault":
      return tell(piece.rule, piece.message)
    case "strange":
  }
}

/** documented: results come first; a result behind other content counts as missing. */
function checkInput(walk: Walk): void {
  const { state, rules, tell } = walk
  if (state.role !== "user") return
  checkPaired(walk)
  if (rules.answersResults && state.last?.kind === "result")
    tell("result-order", "words of the user follow a result without an answer between")
  state.leading = false
}

function checkPaired({ state, tell }: Walk): void {
  if (state.open.length === 0) return
  tell("pairing", `calls without a result: ${state.open.map(({ id, name }) => id || name).join(", ")}`)
  state.open = []
}

function checkCall({ state, rules, tell, at }: Walk, call: PieceOf<"call">): void {
  const { id, name, input, signed } = call
  if (rules.userBefore === "calls" && state.first && !state.answerCalls)
    tell("role-first", "a call stands before anything of the user")
  if (rules.signsCalls && !state.answerCalls && signed !== true) state.unsigned = [...state.unsigned, at]
  state.called = true
  state.answerCalls = true
  state.visible = true
  if (!rules.callId.test(id)) tell("call-id", "a call's id has an illegal shape")
  if (!rules.toolName.test(name)) tell("tool-name", "a call's name has an illegal shape")
  if (!isFields(input)) tell("call-input", "a call's input is not an object")
  const isKnown =
    rules.callsUniqueIn === "request"
      ? !remember(state, `call ${id}`)
      : id !== "" && state.open.some((open) => open.id === id)
  if (isKnown) return tell("call-unique", `the call id ${id} is used twice`)
  state.open = [...state.open, { id, name }]
}

function checkResult({ state, rules, tell }: Walk, result: PieceOf<"result">): void {
  const { id, name = "", texts, images = [], failed = false } = result
  const called = id || name
  if (!rules.callId.test(id)) tell("call-id", "a result's id has an illegal shape")
  if (!state.leading) tell("result-order", `the result of ${called} stands behind other content`)
  const found =
    rules.pairedBy === "id" ? state.open.findIndex((call) => call.id === id) : findCall(state.open, name, id)
  if (found < 0 || (rules.pairedBy === "name" && state.open[found]?.name !== name))
    tell("result-unknown", `${called} is no open call of the answer before`)
  else state.open = state.open.toSpliced(found, 1)
  const isSilent = texts.length === 0 && images.length === 0
  if (isSilent || texts.some((text) => textOf(text).trim() === ""))
    tell("text-empty", `the result of ${called} is empty`)
  for (const image of images) checkImage(state, image, rules.images, tell)
  // recorded: all content must be text if a result failed.
  if (failed && images.length > 0) tell("media-place", "an image in a failed result")
}

function remember(state: ConversationState, id: string): boolean {
  if (state.ids.has(id)) return false
  state.ids.add(id)
  state.idCount += 1
  return true
}
