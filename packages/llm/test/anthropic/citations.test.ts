/** What a text cites of the provider's own results: kept, and given back to the provider alone. */
import { expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import { anthropicMessages } from "../../src/anthropic-messages/index.ts"
import type { EntryPart } from "../../src/segments.ts"
import type { Block } from "../../src/wire.ts"
import { decode } from "../answers.ts"
import * as stream from "../fixtures/streams.ts"
import { answer, messagesOf, segmentsOf, targetOf, user } from "../requests.ts"

const target = targetOf()
const cite = (title: string): Json => ({
  type: "web_search_result_location",
  url: "https://a.example",
  title,
  encrypted_index: "aW5kZXg=",
  cited_text: "It rains.",
})
const opaque = { type: "text", citations: [cite("one"), cite("two")] }
const cited = (model = target.model, of: Json = opaque): EntryPart => ({
  type: "text",
  text: "Rain.",
  native: { provider: target.provider, model, endpoint: target.endpoint, opaque: of },
})
const encodeAnswer = (part: EntryPart) =>
  anthropicMessages.encode(segmentsOf([user("a"), answer(part), user("c")]), target)
const plain = [{ type: "text", text: "Rain." }]
const sent = (part: EntryPart) => {
  const encoded = encodeAnswer(part)
  expect(anthropicMessages.lint(encoded, target)).toEqual([])
  return messagesOf(encoded, target)[1]?.content
}

test("[LL8] citations are gathered from the start and from the deltas of a text", () => {
  const events = decode(anthropicMessages, [
    stream.messageStart,
    stream.blockStart(0, { type: "text", text: "", citations: [cite("one")] }),
    stream.blockDelta(0, { type: "text_delta", text: "Ra" }),
    stream.blockDelta(0, { type: "citations_delta", citation: cite("two") }),
    stream.blockDelta(0, { type: "text_delta", text: "in." }),
    stream.blockDelta(0, { type: "citations_delta", citation: "none" }),
    stream.blockStop(0),
    stream.blockStart(1, { type: "text", text: "Sun.", citations: [] }),
    stream.blockStop(1),
  ])
  expect(events.filter(({ type }) => type === "text-end")).toEqual([
    { type: "text-end", index: 0, text: "Rain.", opaque },
    { type: "text-end", index: 1, text: "Sun." },
  ])
})

test("[LL4 LL8] citations go back to the target that gave them, and to no other", () => {
  expect(sent(cited())).toEqual([{ type: "text", text: "Rain.", citations: opaque.citations }])
  expect(sent(cited("other"))).toEqual(plain)
  const stripped = targetOf({}, { traits: { withoutNative: true } })
  const encoded = anthropicMessages.encode(segmentsOf([user("a"), answer(cited()), user("c")]), stripped)
  expect(messagesOf(encoded, stripped)[1]?.content).toEqual(plain)
})

test.each<Json>([
  null,
  "x",
  [],
  { type: "text" },
  { type: "text", citations: [] },
  { type: "other", citations: [1] },
])("[LL8] the native value %j cites nothing", (of) => expect(sent(cited(target.model, of))).toEqual(plain))

test("[LL3 LL4] citations of another target, or in no list, are faults", () => {
  const encoded = encodeAnswer(cited())
  const at = encoded.blocks.findIndex(({ json }) => json.includes("citations"))
  const rulesWith = (more: Partial<Block>) => {
    const blocks = encoded.blocks.map((block, place) => (place === at ? { ...block, ...more } : block))
    return anthropicMessages.lint({ ...encoded, blocks }, target).map(({ rule }) => rule)
  }
  expect(rulesWith({ native: "other" })).toEqual(["reasoning-native"])
  expect(rulesWith({ json: '{"type":"text","text":"a","citations":{}}' })).toEqual(["block-shape"])
})
