/** Blocks of a Messages body as somebody wrote them: what stands where, and the markers on them. */
import { type Fields, fieldsOf, listOf } from "../json-fields.ts"
import { textBlocks } from "../recording/written-form.ts"

/** Parts of a result: documented as a text, a list, or nothing, and an empty text is nothing. */
export const resultParts = (content: unknown): readonly Fields[] =>
  content === "" ? [] : textBlocks(content)

/** documented: a call that the model made itself, which is what a call is unless it says otherwise. */
export const isDirect = ({ caller }: Fields): boolean =>
  caller === undefined || caller === null || fieldsOf(caller)["type"] === "direct"

/** Messages of a body with their blocks; the last answer may be empty, and then says nothing. */
export function messagesOf(body: Fields): readonly WrittenMessage[] {
  const messages = listOf(body["messages"])
    .map(fieldsOf)
    .map((message) => ({ message, blocks: textBlocks(message["content"]) }))
  const last = messages.at(-1)
  const open = last?.message["role"] === "assistant" && last.blocks.every(({ text }) => text === "")
  return open ? messages.slice(0, -1) : messages
}

export interface WrittenMessage {
  readonly message: Fields
  readonly blocks: readonly Fields[]
}

/** No prompt and an empty one are the same. */
export const promptsOf = (body: Fields): readonly Fields[] =>
  body["system"] === "" ? [] : textBlocks(body["system"])

export interface PlacedMarker {
  readonly marker: Fields
  /** Of the block that it stands on, or in which it stands. */
  readonly block: number
  readonly type: unknown
}

/** Cache markers in the order in which the provider reads a request. */
export function markersOf(body: Fields): readonly PlacedMarker[] {
  const blocks = [
    ...listOf(body["tools"]).map(fieldsOf),
    ...promptsOf(body),
    ...messagesOf(body).flatMap((message) => message.blocks),
  ]
  const placed = blocks.flatMap((block, at) => markersIn(block, at))
  const own = markerOf(body)
  const last = placed.at(-1)
  // documented: one of the whole request stands on the last block, where it may stand already.
  const stands = own !== null && last?.block === blocks.length - 1 && ttlOf(last.marker) === ttlOf(own)
  return own === null || stands
    ? placed
    : [...placed, { marker: own, block: Math.max(0, blocks.length - 1), type: null }]
}

export const ttlOf = (marker: Fields): unknown => marker["ttl"] ?? "5m"

/** Only results, documents and search results hold blocks that can be marked themselves. */
function markersIn(block: Fields, at: number): readonly PlacedMarker[] {
  const inside = [...listOf(block["content"]), ...listOf(fieldsOf(block["source"])["content"])]
  const marker = markerOf(block)
  return [
    ...inside.flatMap((part) => markersIn(fieldsOf(part), at)),
    ...(marker === null ? [] : [{ marker, block: at, type: block["type"] }]),
  ]
}

function markerOf({ cache_control: marker }: Fields): Fields | null {
  return marker === undefined || marker === null ? null : fieldsOf(marker)
}
