/**
 * Recorded traffic of the wires that name the model in the address, ours and where it is at hand real
 * one: every answer decodes in any pieces, and every request means the same after it was read and
 * encoded again.
 */
import { describe, expect, test } from "vitest"
import { loadInteractions, realRecordings, recordingFiles } from "../../../test/recordings/recordings.ts"
import { bedrockConverse } from "../src/bedrock-converse/index.ts"
import { gemini } from "../src/gemini/index.ts"
import { readers } from "../src/reading/readers.ts"
import type { Target } from "../src/segments.ts"
import type { Wire } from "../src/wire.ts"
import { decode } from "./answers.ts"
import { bodyText } from "./requests.ts"

const recorded = [gemini, bedrockConverse].flatMap((wire: Wire) =>
  loadInteractions([wire.name]).map((item) => ({ ...item, wire })),
)
const hasReal = recordingFiles(realRecordings).length > 0

const paris = [["get_weather", { city: "Paris" }]]
const lisbon = [["tide_at", { harbour: "Lisbon" }]]
const tokens = (input: number, output: number) => ({ input, output, cacheRead: 0, cacheWrite: 0 })

const own: Readonly<Record<string, unknown>> = {
  "gemini/tool-call-then-text #0": { text: "", calls: lisbon, finish: ["calls", "STOP", tokens(84, 7)] },
  "gemini/tool-call-then-text #1": {
    text: "At 06:40 🌊.",
    calls: [],
    finish: ["stop", "STOP", tokens(146, 4)],
  },
  "bedrock-converse/tool-call-then-text #0": {
    text: "",
    calls: lisbon,
    finish: ["calls", "tool_use", tokens(82, 7)],
  },
  "bedrock-converse/tool-call-then-text #1": {
    text: "At 06:40 🌊.",
    calls: [],
    finish: ["stop", "end_turn", tokens(141, 4)],
  },
}

/** What each answer says; written by hand from the recordings. */
const real: Readonly<Record<string, unknown>> = {
  "gemini/streams-text #0": { text: "Hello!", calls: [], finish: ["stop", "STOP", tokens(11, 18)] },
  "gemini/streams-tool-call #0": { text: "", calls: paris, finish: ["calls", "STOP", tokens(55, 60)] },
  "bedrock-converse/streams-text #0": {
    text: "Hello",
    calls: [],
    finish: ["stop", "end_turn", tokens(12, 2)],
  },
  "bedrock-converse/streams-a-tool-call #0": {
    text: "",
    calls: paris,
    finish: ["calls", "tool_use", tokens(419, 16)],
  },
}

const expected = { ...own, ...real }

const models: Readonly<Record<string, RegExp>> = {
  gemini: /models\/(.*):streamGenerateContent/,
  "bedrock-converse": /model\/(.*)\/converse-stream/,
}

describe("recorded traffic", () => {
  const items = recorded.map((item) => [item.name, item] as const)

  test("[LL1] is all there", () => {
    const names = Object.keys(hasReal ? expected : own)
    expect(recorded.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
  })

  test.each(items)("[LL1 LL6] decodes, cut at every byte: %s", (name, { wire, response }) => {
    const bytes = Buffer.from(response.body, response.bodyEncoding === "base64" ? "base64" : "utf8")
    const read = (...pieces: readonly Uint8Array[]) =>
      decode(wire, pieces, response.headers["content-type"] ?? "")
    const whole = read(bytes)
    const last = whole.at(-1)
    expect({
      text: whole.flatMap((event) => (event.type === "text-end" ? [event.text] : [])).join("|"),
      calls: whole.flatMap((event) => (event.type === "call-end" ? [[event.name, event.input]] : [])),
      finish: last?.type === "finish" ? [last.reason, last.nativeReason, last.usage] : [last],
    }).toEqual(expected[name])
    expect(read(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
    for (let at = 1; at < bytes.length; at++) {
      const events = read(bytes.subarray(0, at), bytes.subarray(at))
      if (JSON.stringify(events) !== JSON.stringify(whole)) expect([at, events]).toEqual([at, whole])
    }
  })

  test.each(items)("[LL1] asks the same, at the same address: %s", (_, { wire, request }) => {
    const { origin, hostname } = new URL(request.url)
    const model = decodeURIComponent(models[wire.name]?.exec(request.url)?.[1] ?? "")
    const provider = hostname.split(".").at(-2) ?? ""
    const read = readers[wire.name]?.(request.body, { provider, endpoint: origin, model })
    expect(read?.unread).toEqual([])
    if (read === null || read === undefined) return
    const target: Target = { provider, endpoint: origin, model, options: read.options }
    const encoded = wire.encode(read.segments, target)
    expect(wire.lint(encoded, target)).toEqual([])
    expect(wire.address(origin, model)).toBe(request.url)
    // The address names the model; cache points stand at places of our own.
    const plain = (body: string) =>
      JSON.parse(body.replaceAll(/,\{"cachePoint":\{[^}]*\}\}/g, "")) as Record<string, unknown>
    const { modelId, ...asked } = plain(request.body)
    if (modelId !== undefined) expect(modelId).toBe(model)
    expect(plain(bodyText(wire.place(encoded, target, 0)))).toEqual(asked)
  })
})
