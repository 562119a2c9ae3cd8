/** Tools that a provider runs itself: how a request declares them, and what of it is refused. */
import { describe, expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import { extendsRequest } from "./any-wire/prefix.ts"
import { plainOptions, type RequestOptions } from "../src/options.ts"
import { readBack } from "../src/recording/replay.ts"
import { replayRequest } from "../src/recording/replay.ts"
import type { Segments, Target } from "../src/segments.ts"
import type { Encoded, Wire } from "../src/wire.ts"
import { knownWires } from "../src/known-wires.ts"
import { wires } from "../src/wires.ts"
import { answer, bodyText, call, segmentsOf, text, user } from "./requests.ts"

const declared: Readonly<Record<string, readonly JsonObject[]>> = {
  "anthropic-messages": [
    { type: "web_search_20250305", name: "web_search", max_uses: 5 },
    { name: "code_execution", type: "code_execution_20250825" },
  ],
  "openai-responses": [{ type: "web_search" }, { type: "code_interpreter", container: { type: "auto" } }],
  gemini: [{ googleSearch: {} }, { codeExecution: {} }],
}
const rows = Object.entries(declared).map(([name, hosted]) => [name, wires[name] as Wire, hosted] as const)

const targetOf = (hostedTools?: readonly JsonObject[], more: Partial<RequestOptions> = {}): Target => ({
  provider: "somebody",
  model: "large",
  endpoint: "https://api.example",
  options: plainOptions(4_096, { model: hostedTools === undefined ? {} : { hostedTools }, ...more }),
})
const bodyOf = (wire: Wire, segments: Segments, target: Target) =>
  JSON.parse(bodyText(wire.place(wire.encode(segments, target), target, 0))) as Record<string, unknown>
const faultsOf = (wire: Wire, segments: Segments, target: Target) =>
  wire.lint(wire.encode(segments, target), target).map(({ rule, block }) => ({ rule, block }))
const toolsOf = ({ blocks }: Encoded) => blocks.filter(({ segment }) => segment === "tools")

const asked = segmentsOf([user("a")])
const alone = segmentsOf([user("a")], { tools: [] })
const read = { name: "read", description: "Reads a file." }
const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
const functions: Readonly<Record<string, unknown>> = {
  "anthropic-messages": { ...read, input_schema: schema },
  "openai-responses": { type: "function", ...read, parameters: schema, strict: false },
  gemini: { functionDeclarations: [{ ...read, parameters: schema }] },
}

describe.each(rows)("%s", (name, wire, hosted) => {
  test("[CA2 LL8] writes declarations as they are, in their order, behind the functions", () => {
    const target = targetOf(hosted)
    expect(bodyOf(wire, asked, target)["tools"]).toEqual([functions[name], ...hosted])
    expect(bodyOf(wire, alone, target)["tools"]).toEqual(hosted)
    const written = toolsOf(wire.encode(asked, target)).map(({ json }) => json)
    expect(written.slice(1)).toEqual(hosted.map((tool) => JSON.stringify(tool)))
    expect([faultsOf(wire, asked, target), faultsOf(wire, alone, target)]).toEqual([[], []])
  })

  test("[TU1 CA2] writes the same bytes where none is declared", () => {
    const plain = wire.place(wire.encode(asked, targetOf()), targetOf(), 0)
    const empty = wire.place(wire.encode(asked, targetOf([])), targetOf([]), 0)
    expect([empty.record.hash, bodyText(empty)]).toEqual([plain.record.hash, bodyText(plain)])
  })

  test("[TU1 TU7] makes them part of the prefix, block by block the same in the next request", () => {
    const target = targetOf(hosted)
    const first = wire.encode(asked, target)
    const later = wire.encode(segmentsOf([user("a"), answer(text("b")), user("c")]), target)
    expect(
      extendsRequest(
        first.blocks.map(({ hash }) => hash),
        later.blocks,
      ),
    ).toBe(true)
    expect(toolsOf(later)).toEqual(toolsOf(first))
    const other = wire.encode(asked, targetOf(hosted.toReversed()))
    expect(other.blocks[0]?.hash).toBe(first.blocks[0]?.hash)
    expect(other.prefixHash).not.toBe(first.prefixHash)
  })

  test("[LL3] refuses one that stands twice, and one that is a function", () => {
    const [first] = hosted as readonly [JsonObject]
    const twice = [...hosted, first]
    expect(faultsOf(wire, asked, targetOf(twice))).toEqual([{ rule: "tool-unique", block: 3 }])
    const ours = name === "gemini" ? { functionDeclarations: [] } : (functions[name] as JsonObject)
    expect(knownWires[name]?.hostedToolFault?.(ours)).toContain("needs")
    expect(faultsOf(wire, asked, targetOf([ours]))).not.toEqual([])
  })

  test("[LL1] a recording with them is read back, and is the same in any order", () => {
    const target = targetOf(hosted)
    const url = wire.address(target.endpoint, target.model)
    const body = bodyOf(wire, asked, target)
    const tools = body["tools"] as readonly unknown[]
    // Others write them before the functions.
    for (const order of [tools, tools.toReversed()]) {
      const request = { method: "POST", url, headers: {}, body: JSON.stringify({ ...body, tools: order }) }
      const response = { status: 200, headers: {}, body: "" }
      expect(replayRequest(wire, { request, response })).toEqual({ kind: "same" })
      const found = readBack(wire, url, request.body)?.request
      expect(found?.options.model.hostedTools).toEqual(order === tools ? hosted : hosted.toReversed())
      expect(found?.segments.tools).toEqual(asked.tools)
    }
  })
})

test.each<readonly [wire: string, declared: JsonObject]>([
  ["anthropic-messages", { name: "web_search" }],
  ["anthropic-messages", { type: 5, name: "web_search" }],
  ["anthropic-messages", { type: "web_search_20250305" }],
  ["anthropic-messages", { type: "web_search_20250305", name: "web search" }],
  ["anthropic-messages", { type: "x", name: "x", cache_control: { type: "ephemeral" } }],
  ["openai-responses", {}],
  ["openai-responses", { type: "" }],
  ["openai-responses", { type: 5 }],
  ["gemini", {}],
  ["gemini", { googleSearch: true }],
  ["gemini", { googleSearch: {}, codeExecution: {} }],
  ["gemini", { type: "googleSearch" }],
])("[LL3] %s: %j is no declaration", (name, wrong) => {
  const wire = wires[name] as Wire
  expect(knownWires[name]?.hostedToolFault?.(wrong)).toEqual(expect.any(String))
  expect(faultsOf(wire, asked, targetOf([wrong]))).not.toEqual([])
})

test("[LL3] a function and a hosted tool of one name are a fault", () => {
  const wire = wires["anthropic-messages"] as Wire
  const target = targetOf([{ type: "web_search_20250305", name: "read" }])
  expect(faultsOf(wire, asked, target)).toEqual([{ rule: "tool-unique", block: 1 }])
})

test.each(["openai-chat", "ai-sdk"])(
  "[LL3 LL8] %s has no such tools, and a request that wants one is not sent",
  (name) => {
    const wire = wires[name] as Wire
    expect(knownWires[name]?.hostedToolFault).toBe(undefined)
    expect(faultsOf(wire, asked, targetOf([]))).toEqual([])
    expect(faultsOf(wire, asked, targetOf([{ type: "web_search" }]))).toEqual([
      { rule: "tool-hosted", block: 0 },
    ])
  },
)

test("[LL5] anthropic-messages marks the last of the tools where nothing else ends the prompts", () => {
  const wire = wires["anthropic-messages"] as Wire
  const [search] = declared["anthropic-messages"] ?? []
  const segments = segmentsOf([user("a")], { system: "", agent: "" })
  const { tools } = bodyOf(wire, segments, targetOf([search as JsonObject])) as { tools: readonly unknown[] }
  expect(tools.at(-1)).toEqual({ ...search, cache_control: { type: "ephemeral" } })
})

test("[LL3] anthropic-messages needs no other tool beside them for the calls of history", () => {
  const wire = wires["anthropic-messages"] as Wire
  const segments = segmentsOf([user("a"), answer(call(1)), user("b")], { tools: [] })
  const target = targetOf(declared["anthropic-messages"])
  expect(bodyOf(wire, segments, target)["tools"]).toEqual(declared["anthropic-messages"])
  expect(faultsOf(wire, segments, target)).toEqual([])
})

test("[CA2] openai-responses says how they are chosen, also where there is no function", () => {
  const generation = { outputTokensMax: 9, toolChoice: "required" } as const
  const target = targetOf([{ type: "web_search" }], { generation })
  expect(bodyOf(wires["openai-responses"] as Wire, alone, target)["tool_choice"]).toBe("required")
})

describe("[CA2] gemini asks to be told what its tools did, where functions stand beside them", () => {
  const wire = wires["gemini"] as Wire
  const told = { includeServerSideToolInvocations: true }
  const choosing = (toolChoice: "auto" | "required") => ({ generation: { outputTokensMax: 9, toolChoice } })
  const hosted = declared["gemini"]
  test.each<readonly [string, Segments, Target, unknown]>([
    ["both", asked, targetOf(hosted), told],
    ["no function", alone, targetOf(hosted), undefined],
    ["no hosted tool", asked, targetOf([]), undefined],
    ["Vertex", asked, { ...targetOf(hosted), endpoint: "https://aiplatform.googleapis.com" }, undefined],
    [
      "a choice",
      asked,
      targetOf(hosted, { ...choosing("required"), model: { hostedTools: hosted ?? [] } }),
      { functionCallingConfig: { mode: "ANY" }, ...told },
    ],
    [
      "the usual choice",
      asked,
      targetOf(hosted, choosing("auto")),
      { functionCallingConfig: { mode: "VALIDATED" }, ...told },
    ],
  ])("%s", (_, segments, target, config) =>
    expect(bodyOf(wire, segments, target)["toolConfig"]).toEqual(config),
  )
})
