/**
 * One entry of history as messages of a prompt, made once for as long as the entry object lives.
 *
 *   LL2  A system entry is a system message at its place where the model takes one, else wrapped on
 *        the user's side.
 *   LL4  What a model said about a part (`providerMetadata`) comes back to the same model as
 *        `providerOptions`; to another, visible reasoning becomes ordinary text.
 *   LL9  A call that the provider ran and its result go together, or not at all.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { SegmentName } from "@holdfast/schema/turn"
import { fieldsOf, isFields, textOf } from "../json-fields.ts"
import { imagesBehind } from "../image/behind-results.ts"
import { inputObject } from "../request/call-shape.ts"
import { type HostedSide, isNativeTo, makeLowering, withoutLoneHosted } from "../request/lowering.ts"
import { isBlank } from "../request/runtime-words.ts"
import type { EntryPart } from "../segments.ts"
import type { Block } from "../wire.ts"
import { answerMessage, resultsMessage, systemBlock, userMessage } from "./message-shape.ts"

/** What decides how entries are written. */
export interface EntryKey {
  readonly tag: string
  readonly systemRole: boolean
}

export const lowerSaid = makeLowering<readonly Block[], EntryKey>({
  idOf: ({ tag, systemRole }, kind) => (kind === "user" || kind === "notice" ? "" : `${systemRole} ${tag}`),
  user: (words, images, segment) => [userMessage(segment, words, images)],
  runtime: (words, segment, _, kind) => [userMessage(segment, words, [], kind)],
  system: (text, segment, { systemRole }) => (systemRole ? [systemBlock(segment, "system", text)] : null),
  answer: (parts, segment, { tag }) => answerBlocks(parts, segment, tag),
  nothing: [],
})

function answerBlocks(parts: readonly EntryPart[], segment: SegmentName, tag: string): readonly Block[] {
  const whole = withoutLoneHosted(parts, tag, sideOf)
  const ids = callIds(whole, tag)
  const content = whole.flatMap((part) => partContent(part, tag, ids))
  // Reasoning alone led to nothing.
  if (content.every((part) => part["type"] === "reasoning")) return []
  const native =
    whole.some((part) => part.type !== "call" && isNativeTo(part.native, tag)) || hasCalls(whole, tag)
  const results = whole.flatMap((part) => {
    if (part.type !== "call") return []
    const { call, name, result, failed, images = [] } = part
    return [{ call, id: ids.get(part) ?? call, name, text: result, failed, imagesBehind: images.length > 0 }]
  })
  const calls = results.map(({ call }) => call)
  const answer = answerMessage(segment, content, calls, native ? tag : null)
  if (results.length === 0) return [answer]
  const behind = imagesBehind(whole)
  const shown = behind === null ? [] : [userMessage(segment, behind.words, behind.images)]
  return [answer, resultsMessage(segment, results), ...shown]
}

const hasCalls = (parts: readonly EntryPart[], tag: string): boolean =>
  parts.some((part) => part.type === "call" && isNativeTo(part.native, tag))

function partContent(
  part: EntryPart,
  tag: string,
  ids: ReadonlyMap<EntryPart, string>,
): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      return isBlank(part.text) ? [] : [{ type: "text", text: part.text, ...optionsOf(part, tag) }]
    case "reasoning":
      if (part.native === null) return []
      if (isNativeTo(part.native, tag))
        return [{ type: "reasoning", text: part.text, ...optionsOf(part, tag) }]
      return isBlank(part.text) ? [] : [{ type: "text", text: part.text }]
    case "call":
      return [
        {
          type: "tool-call",
          toolCallId: ids.get(part) ?? part.call,
          toolName: part.name,
          input: inputObject(part.input),
          ...optionsOf(part, tag),
        },
      ]
    case "hosted":
      return [hostedContent(fieldsOf(part.native.opaque))]
  }
}

/** The model's own ids for calls, as long as it is the one that reads them; none belongs to two. */
function callIds(parts: readonly EntryPart[], tag: string): ReadonlyMap<EntryPart, string> {
  const ids = new Map<EntryPart, string>()
  const used = new Set<string>()
  for (const part of parts) {
    if (part.type !== "call" || !isNativeTo(part.native, tag)) continue
    const own = textOf(fieldsOf(part.native.opaque)["toolCallId"])
    if (own === "" || used.has(own)) continue
    used.add(own)
    ids.set(part, own)
  }
  return ids
}

const optionsOf = (part: Exclude<EntryPart, { type: "hosted" }>, tag: string): JsonObject =>
  isNativeTo(part.native, tag) ? optionsIn(fieldsOf(part.native.opaque)) : {}

const optionsIn = ({ providerMetadata }: JsonObject): JsonObject =>
  isFields(providerMetadata) ? { providerOptions: providerMetadata } : {}

/** What the provider ran itself: its call, or its result, in the words of a prompt. */
function hostedContent(opaque: JsonObject): JsonObject {
  const { type, toolCallId = "", toolName = "" } = opaque
  const options = optionsIn(opaque)
  if (type === "tool-result") {
    const kind = opaque["isError"] === true ? "error-json" : "json"
    return { type, toolCallId, toolName, output: { type: kind, value: opaque["result"] ?? null }, ...options }
  }
  const input = opaque["input"] ?? {}
  return { type: "tool-call", toolCallId, toolName, input, providerExecuted: true, ...options }
}

function sideOf(opaque: Json): HostedSide {
  const { type, toolCallId } = fieldsOf(opaque)
  return { id: textOf(toolCallId), side: type === "tool-result" ? "tells" : "does" }
}
