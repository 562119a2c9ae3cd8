/** Where cache points go in a Converse request. */
import { expect, test } from "vitest"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import { markersMax } from "../../src/bedrock-converse/place.ts"
import { markerFaults } from "../any-wire/marker-faults.ts"
import type { RequestOptions } from "../../src/options.ts"
import { answer, bodyText, call, notice, segmentsOf, user } from "../requests.ts"
import { bedrockTarget, bodyOf, isCachePoint, novaTarget, otherTarget } from "./requests.ts"

const point = { cachePoint: { type: "default" } }
const folded = segmentsOf([user("go"), answer(call(1))], {
  historyBaseline: [notice("Summary.")],
  historyDelta: [notice("Since then.")],
})

test("[LL5] are blocks of their own behind the ends of segments, at most four", () => {
  const body = bodyOf(folded, bedrockTarget())
  expect(body.system).toEqual([{ text: "You are an agent." }, { text: "Build what is asked." }, point])
  expect(body.messages?.map(({ content }) => content.map(isCachePoint))).toEqual([
    [false, true, false, true, false],
    [false],
    [false, true],
  ])
  expect(body.toolConfig?.tools).toHaveLength(1)
})

test("[LL5] mark the previous end before the system when it lies far back", () => {
  const loop = [user("go"), ...Array.from({ length: 12 }, (_, i) => answer(call(i)))]
  const segments = { ...folded, tail: loop }
  const target = bedrockTarget()
  const encoded = bedrockConverse.encode(segments, target)
  const { markers } = bedrockConverse.place(encoded, target, 8).record
  expect(markers.map(({ block }) => block)).toEqual([3, 4, 7, encoded.blocks.length - 1])
})

test("[LL5] stand behind the last tool where there is no prompt", () => {
  const body = bodyOf(segmentsOf([user("go")], { system: "", agent: "" }), bedrockTarget())
  expect(body.toolConfig?.tools.map(isCachePoint)).toEqual([false, true])
})

test.each<[string, Partial<RequestOptions>, string]>([
  ["five minutes", { model: { cacheTtl: "5m" } }, '{"cachePoint":{"type":"default"}}'],
  ["an hour", { model: { cacheTtl: "1h" } }, '{"cachePoint":{"type":"default","ttl":"1h"}}'],
])("[LL5] live for %s", (_, options, written) => {
  const target = bedrockTarget(options)
  const placed = bedrockConverse.place(bedrockConverse.encode(folded, target), target, 0)
  expect(bodyText(placed).split(written)).toHaveLength(5)
})

test("[LL5] stand only behind text for models that refuse others, and never live an hour there", () => {
  const body = bodyOf(folded, novaTarget({ model: { cacheTtl: "1h" } }))
  expect(JSON.stringify(body.toolConfig)).not.toContain("cachePoint")
  expect(body.messages?.map(({ content }) => content.map(isCachePoint))).toEqual([
    [false, true, false, true, false, true],
    [false],
    [false],
  ])
  expect(JSON.stringify(body)).not.toContain("ttl")
})

test.each([
  ["other models", otherTarget()],
  ["a Claude of before", bedrockTarget({}, "anthropic.claude-3-sonnet-20240229-v1:0")],
  [
    "an id that says nothing",
    bedrockTarget({}, "arn:aws:bedrock:us-east-1:1:application-inference-profile/x"),
  ],
])("[LL5] are not written to %s", (_, target) => {
  expect(JSON.stringify(bodyOf(folded, target))).not.toContain("cachePoint")
})

test("[LL5] are written where the traits say so", () => {
  const id = "arn:aws:bedrock:us-east-1:1:application-inference-profile/x"
  const target = bedrockTarget({ traits: { cacheMarkers: "anthropic" } }, id)
  expect(JSON.stringify(bodyOf(folded, target)).split("cachePoint")).toHaveLength(5)
})

test("[LL5] are refused past the cap and behind what cannot have one", () => {
  const { blocks } = bedrockConverse.encode(folded, bedrockTarget())
  expect(markerFaults(blocks, [0, 1, 2, 3], markersMax)).toEqual([])
  expect(markerFaults(blocks, [0, 1, 2, 3, 4], markersMax).map((fault) => fault.block)).toEqual([4])
  expect(markerFaults(bedrockConverse.encode(folded, novaTarget()).blocks, [0, 99], markersMax)).toHaveLength(
    2,
  )
})
