/**
 * Grammar of contents, one part at a time (LL3): roles, pairing of calls and responses, thoughts.
 *
 * Consecutive parts of one role are one content, so a change of role closes one and opens the next.
 * The state holds what later parts can still break, and nothing else.
 */
import { type Fields, fieldsOf, isFields, textOf } from "../json-fields.ts"
import type { Report } from "../request/checked-chain.ts"
import { checkImage, type ImageState, seenBase64, startImages } from "../image/check.ts"
import { geminiImages } from "../image/rules.ts"
import type { Block } from "../wire.ts"
import { hostedMember, signatureOf } from "./native.ts"
import { functionNameShape } from "./part-shape.ts"

interface OpenCall {
  readonly name: string
  /** Empty where calls are told apart by their order. */
  readonly id: string
}

export interface ContentState extends ImageState {
  role: Block["role"]
  /** Calls of the latest answer that have no response yet. */
  open: OpenCall[]
  /** The current content of the user's holds nothing but responses yet. */
  leading: boolean
  /** The current answer holds a call. */
  called: boolean
  /** The current answer says or does something. */
  visible: boolean
  endsInThought: boolean
}

export const startContents = (): ContentState => ({
  ...startImages(),
  role: null,
  open: [],
  leading: false,
  called: false,
  visible: false,
  endsInThought: false,
})

export function checkContentPart(
  state: ContentState,
  value: Fields,
  block: Block,
  at: number,
  wantsSignatures: boolean,
  report: Report,
): void {
  if (block.role !== "user" && block.role !== "assistant") {
    return report("block-shape", at, "a part of a content has no role that the provider knows")
  }
  if (block.role !== state.role) {
    closeContent(state, block.role, at, report)
    if (state.role === null && block.role !== "user")
      report("role-first", at, "the first content is not the user's")
    state.role = block.role
    state.leading = true
    state.called = false
    state.visible = false
  }
  if (block.role === "user") checkInput(state, value, block, at, report)
  else checkAnswer(state, value, block, at, wantsSignatures, report)
}

/** What must be true of the content before, now that `next` (or the end) follows it. */
export function closeContent(state: ContentState, next: Block["role"], at: number, report: Report): void {
  if (state.role === "assistant") {
    if (!state.visible) report("text-empty", at - 1, "an answer without text and calls")
    if (state.endsInThought) report("reasoning-final", at - 1, "an answer ends in a thought")
  }
  state.endsInThought = false
  if (!(state.role === "assistant" && next === "user")) checkPaired(state, at - 1, report)
}

function checkInput(state: ContentState, value: Fields, block: Block, at: number, report: Report): void {
  const response = value["functionResponse"]
  if (isFields(response)) return checkResponse(state, response, at, report)
  checkPaired(state, at, report)
  state.leading = false
  if (isFields(value["inlineData"])) {
    const { mimeType, data } = value["inlineData"]
    return checkImage(state, seenBase64(data, textOf(mimeType), block), geminiImages, at, report)
  }
  if (typeof value["text"] !== "string")
    return report("block-shape", at, "input that is neither text, an image nor a response")
  if (value["text"].trim() === "") report("text-empty", at, "text without any visible character")
}

function checkResponse(state: ContentState, response: Fields, at: number, report: Report): void {
  const name = textOf(response["name"])
  const id = textOf(response["id"])
  if (!state.leading) report("result-order", at, `the response of ${name} stands behind other content`)
  const call = state.open.findIndex((open) => open.name === name && open.id === id)
  if (call < 0) report("result-unknown", at, `${name} has no open call in the content before`)
  else state.open.splice(call, 1)
  const said = Object.values(fieldsOf(response["response"]))
  if (said.every((text) => textOf(text).trim() === "")) {
    report("text-empty", at, `the response of ${name} is empty`)
  }
}

function checkPaired(state: ContentState, at: number, report: Report): void {
  if (state.open.length === 0) return
  report("pairing", at, `calls without a response: ${state.open.map(({ name }) => name).join(", ")}`)
  state.open = []
}

function checkAnswer(
  state: ContentState,
  value: Fields,
  block: Block,
  at: number,
  wantsSignatures: boolean,
  report: Report,
): void {
  const signature = signatureOf(value)
  if (value["thoughtSignature"] !== undefined && signature === null) {
    report("reasoning-signature", at, "a signature that is no text")
  }
  state.endsInThought = value["thought"] === true
  const call = value["functionCall"]
  if (isFields(call)) {
    if (wantsSignatures && !state.called && signature === null) {
      report("reasoning-signature", at, "the first call of an answer has no signature")
    }
    return checkCall(state, call, at, report)
  }
  if (hostedMember(value) !== null) {
    if (block.native === null) report("reasoning-native", at, "a hosted part of nobody")
    state.visible = true
    return
  }
  checkWords(state, value, block, at, signature !== null, report)
}

function checkWords(
  state: ContentState,
  value: Fields,
  block: Block,
  at: number,
  signed: boolean,
  report: Report,
): void {
  if (typeof value["text"] !== "string")
    return report("block-shape", at, "a part that the provider does not know")
  if (state.endsInThought || signed) {
    if (block.native === null) report("reasoning-native", at, "a thought of nobody")
  }
  const blank = value["text"].trim() === ""
  if (blank && !signed) report("text-empty", at, "text without any visible character")
  if (!state.endsInThought && !blank) state.visible = true
}

function checkCall(state: ContentState, call: Fields, at: number, report: Report): void {
  const name = textOf(call["name"])
  const id = textOf(call["id"])
  state.called = true
  state.visible = true
  if (!functionNameShape.test(name)) report("tool-name", at, "a call's name has an illegal shape")
  if (!isFields(call["args"])) report("call-input", at, "a call's arguments are not an object")
  if (call["id"] !== undefined && id === "") report("call-id", at, "a call's id has an illegal shape")
  if (id !== "" && state.open.some((open) => open.id === id)) {
    report("call-unique", at, `the call id ${id} is used twice`)
  }
  state.open.push({ name, id })
}
