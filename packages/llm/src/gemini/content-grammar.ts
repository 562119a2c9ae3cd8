/**
 * Grammar of contents, one part at a time (LL3): roles, pairing of calls and responses, thoughts.
 *
 * Consecutive parts of one role are one content, so a change of role closes one and opens the next.
 * The state holds what later parts can still break, and nothing else.
 */
import { type Fields, isFields, textOf } from "../json-fields.ts"
import type { Report } from "../request/checked-chain.ts"
import { checkImage, type ImageState, seenBase64, startImages } from "../image/check.ts"
import { geminiImages } from "../image/rules.ts"
import type { Block } from "../wire.ts"
import { findCall, hostedMember, signatureOf } from "./native.ts"
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
  /** First calls without a signature, since the user spoke last. */
  unsigned: readonly number[]
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
  unsigned: [],
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

/** documented: signatures are wanted of the calls since the user spoke last. */
export function checkSigned(state: ContentState, report: Report): void {
  for (const at of state.unsigned) {
    report("reasoning-signature", at, "the first call of an answer has no signature")
  }
}

/** documented: beside the images that a Session holds. */
const images = { ...geminiImages, types: [...geminiImages.types, "image/heic", "image/heif"] }

/** documented: other media than images. */
const otherMedia = /^(?:application\/pdf$|text\/|audio\/|video\/)/

function checkInput(state: ContentState, value: Fields, block: Block, at: number, report: Report): void {
  const response = value["functionResponse"]
  if (isFields(response)) return checkResponse(state, response, at, report)
  checkPaired(state, at, report)
  state.leading = false
  if (isMedia(value)) return checkMedia(state, value, block, at, report)
  state.unsigned = []
  if (typeof value["text"] !== "string")
    return report("block-shape", at, "input that is neither text, an image nor a response")
  if (value["text"].trim() === "") report("text-empty", at, "text without any visible character")
}

const isMedia = (value: Fields): boolean => isFields(value["inlineData"]) || isFields(value["fileData"])

/** What is stored with the provider is known to it alone. */
function checkMedia(state: ContentState, value: Fields, block: Block, at: number, report: Report): void {
  if (!isFields(value["inlineData"])) return
  const { mimeType, data } = value["inlineData"]
  if (otherMedia.test(textOf(mimeType))) return
  checkImage(state, seenBase64(data, textOf(mimeType), block), images, at, report)
}

function checkResponse(state: ContentState, response: Fields, at: number, report: Report): void {
  const name = textOf(response["name"])
  const id = textOf(response["id"])
  if (!state.leading) report("result-order", at, `the response of ${name} stands behind other content`)
  const call = findCall(state.open, name, id)
  if (state.open[call]?.name !== name)
    report("result-unknown", at, `${name} has no open call in the content before`)
  else state.open.splice(call, 1)
  if (!isFields(response["response"])) {
    return report("block-shape", at, `the response of ${name} is no object: write {"output": …}`)
  }
  const said = Object.values(response["response"])
  if (said.length > 0 && said.every((text) => typeof text === "string" && text.trim() === "")) {
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
    if (wantsSignatures && !state.called && signature === null) state.unsigned = [...state.unsigned, at]
    return checkCall(state, call, at, report)
  }
  if (hostedMember(value) !== null) {
    if (block.native === null) report("reasoning-native", at, "a hosted part of nobody")
    state.visible = true
    return
  }
  // Models that draw have images in their answers; no image of ours is one (LL7).
  if (isMedia(value) && block.holes === undefined) {
    state.visible = true
    return checkMedia(state, value, block, at, report)
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
  if (call["args"] !== undefined && !isFields(call["args"]))
    report("call-input", at, "a call's arguments are not an object")
  if (call["id"] !== undefined && id === "") report("call-id", at, "a call's id has an illegal shape")
  if (id !== "" && state.open.some((open) => open.id === id)) {
    report("call-unique", at, `the call id ${id} is used twice`)
  }
  state.open.push({ name, id })
}
