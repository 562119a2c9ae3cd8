/**
 * Grammar of messages, one block at a time (LL3): roles, pairing of calls and results, reasoning.
 *
 * Consecutive blocks of one role are one message, so a change of role closes one message and opens
 * the next. The state holds what later blocks can still break, and nothing else.
 */
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import { functionNameShape } from "../request/call-shape.ts"
import type { Report } from "../request/checked-chain.ts"
import {
  checkImage,
  fetchedImage,
  type ImageState,
  seenBase64,
  type SeenImage,
  startImages,
} from "../image/check.ts"
import { bedrockImages } from "../image/rules.ts"
import type { Block } from "../wire.ts"

export interface MessageState extends ImageState {
  role: Block["role"]
  /** Calls of the latest answer that have no result yet. */
  open: Set<string>
  /** Every call so far. Shared with later states, which own what is behind `callCount`. */
  callIds: Set<string>
  callCount: number
  /** The current message of the user's holds nothing but results yet. */
  leading: boolean
  endsInReasoning: boolean
  /** The latest answer holds a call. */
  answerCalls: boolean
  /** An answer goes on over its tool results; this is how it began. */
  turnOpen: boolean
  turnLedByReasoning: boolean
}

export const startMessages = (): MessageState => ({
  ...startImages(),
  role: null,
  open: new Set(),
  callIds: new Set(),
  callCount: 0,
  leading: false,
  endsInReasoning: false,
  answerCalls: false,
  turnOpen: false,
  turnLedByReasoning: false,
})

/** `isSigned`: whether the model signs its reasoning, and refuses what is not. */
export function checkMessageBlock(
  state: MessageState,
  value: Fields,
  block: Block,
  at: number,
  isSigned: boolean,
  report: Report,
): void {
  const { role } = block
  if (role !== "user" && role !== "assistant") {
    return report("block-shape", at, "a block of a message has no role that the provider knows")
  }
  if (role !== state.role) {
    closeMessage(state, role, at, report)
    openMessage(state, role, value, at, report)
  }
  if (role === "user") checkInput(state, value, block, at, report)
  else checkAnswer(state, value, block, at, isSigned, report)
}

/** What must be true of the message before, now that `next` (or the end) follows it. */
export function closeMessage(state: MessageState, next: Block["role"], at: number, report: Report): void {
  if (state.role === "assistant" && state.endsInReasoning) {
    report("reasoning-final", at - 1, "an answer ends in reasoning")
  }
  if (!(state.role === "assistant" && next === "user")) checkPaired(state, at - 1, report)
}

function openMessage(
  state: MessageState,
  role: "user" | "assistant",
  first: Fields,
  at: number,
  report: Report,
): void {
  if (state.role === null && role !== "user") report("role-first", at, "the first message is not the user's")
  if (role === "user") {
    state.leading = true
    if (first["toolResult"] === undefined) state.turnOpen = false
  } else {
    state.answerCalls = false
    if (!state.turnOpen) state.turnLedByReasoning = first["reasoningContent"] !== undefined
    state.turnOpen = true
  }
  state.role = role
  state.messageImages = 0
}

function checkInput(state: MessageState, value: Fields, block: Block, at: number, report: Report): void {
  if (isFields(value["toolResult"])) return checkResult(state, value["toolResult"], block, at, report)
  checkPaired(state, at, report)
  state.leading = false
  if (isFields(value["image"])) {
    return checkImage(state, seenImage(value["image"], block), bedrockImages, at, report)
  }
  if (isOther(value, otherInput)) return
  if (value["text"] === undefined)
    return report("block-shape", at, "input that is neither text, an image nor a result")
  checkText(value, at, report)
}

/** documented: what else a conversation may hold. This project writes none of it. */
const otherInput = ["document", "video", "audio", "guardContent", "searchResult"]
const otherAnswers = ["citationsContent", "audio"]

const isOther = (value: Fields, kinds: readonly string[]): boolean =>
  kinds.some((kind) => isFields(value[kind]))

function checkAnswer(
  state: MessageState,
  value: Fields,
  block: Block,
  at: number,
  isSigned: boolean,
  report: Report,
): void {
  state.endsInReasoning = value["reasoningContent"] !== undefined
  const { reasoningContent, toolUse, toolResult } = value
  if (isFields(reasoningContent)) return checkReasoning(reasoningContent, block, at, isSigned, report)
  const hosted = isFields(toolResult) || fieldsOf(toolUse)["type"] === "server_tool_use"
  if (hosted) {
    if (block.native === null) report("reasoning-native", at, "hosted content of nobody")
    return
  }
  if (isFields(toolUse)) return checkCall(state, toolUse, at, report)
  if (isOther(value, otherAnswers)) return
  if (value["text"] === undefined) return report("block-shape", at, "a block that an answer cannot hold")
  checkText(value, at, report)
}

export function checkText(value: Fields, at: number, report: Report): void {
  const { text } = value
  if (typeof text !== "string" || text.trim() === "") {
    report("text-empty", at, "text without any visible character")
  }
}

/** documented: ids of calls. */
const idShape = /^[a-zA-Z0-9_-]{1,64}$/

function checkCall(state: MessageState, use: Fields, at: number, report: Report): void {
  const id = textOf(use["toolUseId"])
  state.answerCalls = true
  if (!idShape.test(id)) return report("call-id", at, "a call's id has an illegal shape")
  if (!functionNameShape.test(textOf(use["name"])))
    report("tool-name", at, "a call's name has an illegal shape")
  if (!isFields(use["input"])) report("call-input", at, "a call's input is not an object")
  if (state.callIds.has(id)) return report("call-unique", at, `the call id ${id} is used twice`)
  state.callIds.add(id)
  state.callCount += 1
  state.open.add(id)
}

function seenImage({ format, source }: Fields, block: Block): SeenImage | null {
  const { bytes, s3Location } = fieldsOf(source)
  if (isFields(s3Location)) return fetchedImage
  return seenBase64(bytes, `image/${textOf(format)}`, block)
}

function checkResult(state: MessageState, result: Fields, block: Block, at: number, report: Report): void {
  const id = textOf(result["toolUseId"])
  if (!idShape.test(id)) return report("call-id", at, "a result's id has an illegal shape")
  if (!state.leading) report("result-order", at, `the result of ${id} stands behind other content`)
  if (!state.open.delete(id)) report("result-unknown", at, `${id} is no open call of the answer before`)
  const pieces = listOf(result["content"]).map(fieldsOf)
  const { status } = result
  const images = pieces.flatMap(({ image }) => (isFields(image) ? [image] : []))
  const texts = pieces.filter((piece) => !isOtherPiece(piece)).map(({ text }) => textOf(text))
  // recorded: only a failed result must hold something.
  const isBare = pieces.length === 0 && (status === "error" || !Array.isArray(result["content"]))
  if (isBare || texts.some((text) => text.trim() === "")) {
    report("text-empty", at, `the result of ${id} is empty`)
  }
  for (const image of images) checkImage(state, seenImage(image, block), bedrockImages, at, report)
  if (images.length > 0 && status === "error") report("media-place", at, "an image in a failed result")
  if (status !== undefined && status !== "error" && status !== "success") {
    report("block-shape", at, "a result with an unknown status")
  }
}

/** documented: pieces of a result that are no text. */
const isOtherPiece = (piece: Fields): boolean =>
  piece["json"] !== undefined || isOther(piece, ["image", "document", "video", "searchResult"])

function checkReasoning(content: Fields, block: Block, at: number, isSigned: boolean, report: Report): void {
  const said = fieldsOf(content["reasoningText"])
  const signed = (textOf(said["signature"]) !== "" || !isSigned) && typeof said["text"] === "string"
  if (!signed && textOf(content["redactedContent"]) === "") {
    report("reasoning-signature", at, "reasoning is not signed")
  }
  if (block.native === null) report("reasoning-native", at, "reasoning of nobody")
}

function checkPaired(state: MessageState, at: number, report: Report): void {
  if (state.open.size === 0) return
  report("pairing", at, `calls without a result: ${[...state.open].join(", ")}`)
  state.open = new Set()
}
