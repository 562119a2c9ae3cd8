/** Identity of blocks, canonical text, sizes, expectations and the catalog. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { chainOf, makeBlock, requestHash, type RequestIdentity } from "../src/blocks.ts"
import { expectedCacheRead } from "../src/cache-expectation.ts"
import { canonicalJson } from "../src/canonical.ts"
import { catalogModels, findModel, priceFor, traitsOf, type WireName } from "../src/catalog.ts"
import { estimateTokens } from "../src/size.ts"
import type { Block } from "../src/wire.ts"
import { wires } from "../src/wires.ts"
import { foldHashes } from "./any-wire/prefix.ts"
import type { Json } from "@holdfast/schema/json"

const block = (text: string, tokens = 1): Block =>
  makeBlock({
    segment: "tail",
    role: "user",
    kind: "text",
    unit: null,
    json: JSON.stringify({ text }),
    tokens,
    markable: true,
    native: null,
  })

describe("the prefix hash", () => {
  test("[TU1] is the fold of the block hashes, however chains share, branch and interleave", () => {
    const pool = Array.from({ length: 8 }, (_, i) => block(`${i % 6}`))
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(7), { maxLength: 10 }), { maxLength: 12 }), (requests) => {
        for (const picks of requests) {
          const blocks = picks.map((pick) => pool[pick] as Block)
          const chain = chainOf(blocks)
          expect(chain?.length ?? 0).toBe(blocks.length)
          if (chain !== null) expect(chain.prefixHash).toBe(foldHashes(blocks.map((item) => item.hash)))
        }
      }),
    )
  })

  test("[TU1] of a longer request stands on the links of the shorter", () => {
    const [a, b, c] = [block("a"), block("b"), block("c")]
    const first = chainOf([a, b])
    expect(chainOf([a, b, c])?.previous).toBe(first)
    expect(chainOf([a, b])).toBe(first)
  })

  test("[TU1] keeps no list that nobody asks for any more, however many one loop makes", () => {
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as () => void
    const head = Array.from({ length: 10_000 }, (_, at) => block(`${at}`))
    chainOf(head)
    collect()
    const before = process.memoryUsage().heapUsed
    for (let at = 0; at < 200; at++) chainOf([...head, block(`of one request alone ${at}`)])
    collect()
    // Ten lists of 10,000 references; two hundred of them take twenty times as much.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * head.length * 8)
  })

  test("[TU1] knows the role and the place of a block", () => {
    const content = { kind: "text", unit: null, json: "{}", tokens: 1, markable: true, native: null } as const
    const hashes = [
      makeBlock({ ...content, segment: "tail", role: "user" }),
      makeBlock({ ...content, segment: "tail", role: "assistant" }),
      makeBlock({ ...content, segment: "tail", role: "system" }),
      makeBlock({ ...content, segment: "system", role: null }),
      makeBlock({ ...content, segment: "tools", role: null }),
    ].map((item) => item.hash)
    expect(new Set(hashes).size).toBe(5)
    expect(makeBlock({ ...content, segment: "history-delta", role: "user" }).hash).toBe(hashes[0])
  })
})

describe("the request hash", () => {
  const identity = {
    prefixHash: foldHashes(["a"]),
    params: "{}",
    markers: [
      { block: 1, lifetime: "5m" },
      { block: 9, lifetime: "5m" },
    ],
    encoder: "wire/1",
  }
  const [first, last] = identity.markers as [Marker, Marker]

  test.each<[string, Partial<RequestIdentity>]>([
    ["another prefix", { prefixHash: foldHashes(["b"]) }],
    ["other settings", { params: '{"a":1}' }],
    ["another encoder", { encoder: "wire/2" }],
    ["a marker elsewhere", { markers: [first, { ...last, block: 8 }] }],
    ["one marker less", { markers: [first] }],
    ["another lifetime of all", { markers: identity.markers.map(({ block: at }) => hourly(at)) }],
    ["another lifetime of one", { markers: [hourly(1), last] }],
  ])("[TU1] changes with %s alone", (_, more) =>
    expect(requestHash({ ...identity, ...more })).not.toBe(requestHash(identity)),
  )

  test("[TU1] of the same request is the same", () =>
    expect(requestHash(structuredClone(identity))).toBe(requestHash(identity)))
})

type Marker = RequestIdentity["markers"][number]

function hourly(at: number): Marker {
  return { block: at, lifetime: "1h" }
}

describe("canonical JSON", () => {
  test.each<[Json, string]>([
    [{ b: 1, a: 2 }, '{"b":1,"a":2}'],
    [-0, "0"],
    ["\ud800", '"\ufffd"'],
    ["\\ud800", '"\\\\ud800"'],
    [{ "\udc00": ["\ud83d", "\ud83d\ude00"] }, '{"\ufffd":["\ufffd","\ud83d\ude00"]}'],
    [JSON.parse('{"__proto__":"\\ud800"}') as Json, '{"__proto__":"\ufffd"}'],
  ])("[TU1] writes %j", (value, text) => expect(canonicalJson(value)).toBe(text))

  test("[TU1] is well formed and survives a round trip for every value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = canonicalJson(value as Json)
        expect(text.isWellFormed()).toBe(true)
        expect(canonicalJson(JSON.parse(text) as Json)).toBe(text)
      }),
    )
  })
})

describe("sizes", () => {
  test("[TU6] are estimated by content", () => {
    expect(estimateTokens(3_500, "prose")).toBe(1_000)
    expect(estimateTokens(3_100, "output")).toBe(1_000)
  })
})

describe("an expected cache read", () => {
  const blocks = Array.from({ length: 60 }, (_, i) => block(`${i}`, 100))
  const marked = (...at: readonly number[]) => at.map((index) => ({ block: index, lifetime: "5m" }))
  const ask = (more: Partial<Parameters<typeof expectedCacheRead>[0]>) =>
    expectedCacheRead({
      previous: { markers: marked(1, 9, 29) },
      commonBlocks: 30,
      blocks,
      markers: marked(1, 9, 35),
      sameSettings: true,
      tokensMin: 1_000,
      ...more,
    })

  test.each<[string, number, Parameters<typeof ask>[0]]>([
    ["everything up to the previous end", 3_000, {}],
    ["nothing the first time", 0, { previous: null }],
    ["nothing under other settings", 0, { sameSettings: false }],
    ["what stands before the first change", 1_000, { commonBlocks: 29 }],
    [
      "the common prefix, in whole pieces, where nothing is marked",
      2_944,
      { previous: { markers: [] }, markers: [] },
    ],
    ["nothing of a short common prefix", 0, { previous: { markers: [] }, markers: [], commonBlocks: 9 }],
    ["nothing beyond the look-back", 1_000, { markers: marked(1, 9, 59) }],
    ["nothing below the provider's minimum", 0, { commonBlocks: 5 }],
  ])("[TU7] is %s", (_, tokens, more) => expect(ask(more)).toBe(tokens))

  // Where the newest message is marked by the provider, markers are counted and blocks are not.
  const added = (count: number) => Array.from({ length: 30 + count }, (_, i) => block(`${i}`, 100))
  const sparse = (count: number) => marked(...Array.from({ length: count }, (_, i) => 30 + i))
  test.each<[string, number, Parameters<typeof ask>[0]]>([
    ["the previous end behind one more block", 3_000, { blocks: added(1), markers: marked(1) }],
    ["the previous end behind 79 more blocks", 3_000, { blocks: added(79), markers: marked(1) }],
    ["the previous end behind 80 more blocks", 3_000, { blocks: added(80), markers: marked(1) }],
    ["the previous end behind 500 more blocks", 3_000, { blocks: added(500), markers: marked(1) }],
    ["the previous end where nothing is marked by us", 3_000, { blocks: added(500), markers: [] }],
    [
      "an earlier marker where the previous end has changed",
      1_000,
      { blocks: added(500), markers: marked(1), commonBlocks: 20 },
    ],
    ["the previous end as the eightieth marker", 3_000, { blocks: added(500), markers: sparse(78) }],
    ["nothing of what eighty markers follow", 0, { blocks: added(500), markers: sparse(79) }],
    [
      "nothing below the minimum, however near",
      0,
      { blocks: added(1), markers: marked(1), tokensMin: 3_001 },
    ],
  ])("[TU7] with the newest message marked is %s", (_, tokens, more) =>
    expect(ask({ previous: { markers: marked(1, 9) }, newestMarked: 29, ...more })).toBe(tokens),
  )
})

describe("the catalog", () => {
  const find = (model: string) => findModel({ provider: "anthropic", model })

  test("[CA1] knows dated names, and has a safe answer for unknown ones", () => {
    expect(find("claude-haiku-4-5-20251001")).toBe(find("claude-haiku-4-5"))
    expect(find("claude-opus-4-20250514").price).toMatchObject({
      input: 15,
      cacheRead: 1.5,
      cacheWrite: 18.75,
    })
    for (const name of ["claude-opus-9", "constructor", ""]) {
      expect(find(name)).toMatchObject({
        source: "assumed",
        price: null,
        systemRole: false,
        reasoning: "none",
      })
    }
    expect(findModel({ provider: "elsewhere", model: "claude-opus-4-5" }).price).toBeNull()
  })

  test("[LL2] names the models that take system messages in place", () => {
    const names = catalogModels("anthropic").filter((ref) => findModel(ref).systemRole)
    expect(names.map((ref) => ref.model)).toEqual([
      "claude-opus-5",
      "claude-fable-5-1",
      "claude-mythos-5-1",
      "claude-opus-4-8",
    ])
  })

  test("[CA1] lets the user's configuration win", () => {
    const found = findModel({ provider: "anthropic", model: "claude-opus-4-5" }, { contextTokensMax: 90_000 })
    expect(found).toMatchObject({ contextTokensMax: 90_000, outputTokensMax: 64_000, source: "configured" })
  })

  test("[CA1] knows for every row a wire, a place and, if any, a whole price", () => {
    for (const ref of catalogModels()) {
      const facts = findModel(ref)
      expect(Object.keys(wires)).toContain(facts.wire)
      // Where Bedrock is depends on the region.
      expect(ref.provider === "bedrock" || URL.canParse(facts.endpoint ?? "")).toBe(true)
      expect(facts.outputTokensMax).toBeLessThan(facts.contextTokensMax)
      if (facts.price === null) continue
      expect(Object.values(facts.price).every((dollars) => dollars >= 0)).toBe(true)
      expect(facts.price.cacheRead).toBeLessThan(facts.price.input)
    }
    expect(catalogModels("openai").length).toBeGreaterThan(5)
  })

  test("[CA1] prices what is written to a cache by how long it lives", () => {
    const opus = find("claude-opus-4-5")
    expect(priceFor(opus, "1h")).toMatchObject({ input: 5, cacheWrite: 10 })
    expect(priceFor(opus, "5m")).toMatchObject({ cacheWrite: 6.25 })
    expect(priceFor(findModel({ provider: "openai", model: "gpt-5" }), "24h")).toMatchObject({
      cacheWrite: 1.25,
    })
    expect(priceFor(find("claude-opus-9"), "1h")).toBeNull()
  })

  test("[LL2 LL5] turns facts into what encoding depends on", () => {
    const traits = (provider: string, model: string, wire?: WireName) =>
      traitsOf(findModel({ provider, model }, wire === undefined ? {} : { wire }))
    expect(traits("anthropic", "claude-opus-4-8")).toEqual({ systemRole: true })
    expect(traits("openai", "gpt-5.6-sol-2026-07-09")).toEqual({
      systemRole: true,
      reasoning: true,
      cacheMarkers: "openai",
    })
    expect(traits("openai", "gpt-4.1")).toEqual({ systemRole: true, reasoning: false })
    expect(traits("openai", "gpt-5", "openai-chat")).toEqual({
      systemRole: true,
      reasoning: true,
      profile: "openai",
    })
    expect(traits("mistral", "x")).toEqual({
      systemRole: false,
      withoutImages: true,
      reasoning: false,
      profile: "mistral",
    })
    expect(traits("mine", "x", "openai-chat")).toEqual({
      systemRole: false,
      withoutImages: true,
      reasoning: false,
      profile: "generic",
    })
  })
})
