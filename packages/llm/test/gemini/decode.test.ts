/** Streams of the Gemini API to events. */
import { describe, expect, test } from "vitest"
import { gemini as wire } from "../../src/gemini/index.ts"
import * as stream from "../fixtures/gemini.ts"
import { decodeText, failureCode } from "../openai/pieces.ts"

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const usage = { input: 176, output: 42, cacheRead: 1_024, cacheWrite: 0 }
const start = { type: "start", nativeId: "resp-1", usage: none }

describe("an answer", () => {
  test("[LL1] in text becomes canonical events, with cached tokens and thoughts counted", () => {
    expect(decodeText(wire, stream.textStream)).toEqual([
      start,
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: "Look: “" },
      { type: "text-delta", index: 0, text: "世界”\n" },
      { type: "text-end", index: 0, text: "Look: “世界”\n" },
      { type: "finish", reason: "stop", nativeReason: "STOP", usage },
    ])
  })

  test("[LL1 LL4] with thoughts and parallel calls keeps ids and signatures at their parts", () => {
    const text = "**Prüfen**\ndas 😀."
    expect(decodeText(wire, stream.richStream)).toEqual([
      start,
      { type: "reasoning-start", index: 0 },
      { type: "reasoning-delta", index: 0, text: "**Prüfen**\n" },
      { type: "reasoning-delta", index: 0, text: "das 😀." },
      { type: "reasoning-end", index: 0, text, opaque: { type: "thought", text } },
      { type: "text-start", index: 1 },
      { type: "text-delta", index: 1, text: "I look." },
      { type: "text-end", index: 1, text: "I look." },
      { type: "call-start", index: 2, nativeId: "fc-1", name: "read" },
      { type: "call-delta", index: 2, bytes: 16 },
      {
        type: "call-end",
        index: 2,
        nativeId: "fc-1",
        name: "read",
        input: { path: "ä.ts" },
        raw: '{"path":"ä.ts"}',
        opaque: { type: "call", id: "fc-1", thoughtSignature: "c2lnbmVk" },
      },
      { type: "call-start", index: 3, nativeId: "fc-2", name: "list" },
      { type: "call-delta", index: 3, bytes: 2 },
      {
        type: "call-end",
        index: 3,
        nativeId: "fc-2",
        name: "list",
        input: {},
        raw: "{}",
        opaque: { type: "call", id: "fc-2" },
      },
      { type: "finish", reason: "calls", nativeReason: "STOP", usage },
    ])
  })

  test("[LL4] does not join a signed part with others, and keeps a signature on nothing", () => {
    expect(decodeText(wire, stream.signedStream).slice(1, -1)).toEqual([
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: "One " },
      { type: "text-end", index: 0, text: "One " },
      { type: "text-start", index: 1 },
      { type: "text-delta", index: 1, text: "two." },
      { type: "text-end", index: 1, text: "two.", opaque: { type: "text", thoughtSignature: "c2ln" } },
      { type: "reasoning-start", index: 2 },
      { type: "reasoning-end", index: 2, text: "", opaque: { type: "signature", thoughtSignature: "ZW5k" } },
    ])
  })

  test("[LL8] tells of the provider's own tools as they were told", () => {
    const hosted = decodeText(wire, stream.codeStream).filter((event) => event.type === "hosted")
    expect(hosted).toEqual([
      {
        type: "hosted",
        index: 1,
        name: "executableCode",
        opaque: { executableCode: { language: "PYTHON", code: "print(1)" } },
      },
      {
        type: "hosted",
        index: 2,
        name: "codeExecutionResult",
        opaque: { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
      },
    ])
  })

  test("[LL1] without ids has calls all the same, told apart by their order", () => {
    const text = stream.finish("STOP", [stream.call("read", { a: 1 }), stream.call("read", { a: 2 })])
    const ends = decodeText(wire, text).flatMap((event) => (event.type === "call-end" ? [event] : []))
    expect(ends.map(({ nativeId, input, opaque }) => [nativeId, input, opaque])).toEqual([
      ["", { a: 1 }, undefined],
      ["", { a: 2 }, undefined],
    ])
  })

  test("[LL6] to a prompt that is blocked is a refusal, with its reason", () => {
    expect(decodeText(wire, stream.blockedStream)).toEqual([
      start,
      {
        type: "finish",
        reason: "refusal",
        nativeReason: "PROHIBITED_CONTENT",
        usage: { ...none, input: 9 },
      },
    ])
  })

  test("[LL6] with unknown fields, parts, candidates and reasons is still an answer", () => {
    expect(decodeText(wire, stream.strangeStream)).toEqual([
      start,
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: "He" },
      { type: "text-delta", index: 0, text: "llo" },
      { type: "text-end", index: 0, text: "Hello" },
      { type: "finish", reason: "unknown", nativeReason: "VACATION", usage: { ...none, input: 1_200 } },
    ])
  })

  test.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "refusal"],
    ["RECITATION", "refusal"],
    ["SPII", "refusal"],
    ["MALFORMED_FUNCTION_CALL", "unknown"],
    ["OTHER", "unknown"],
    ["constructor", "unknown"],
  ])("[LL6] that ends for %s finishes as %s", (native, reason) => {
    const events = decodeText(wire, stream.parts([{ text: "x" }]) + stream.finish(native))
    expect(events.at(-1)).toMatchObject({ type: "finish", reason, nativeReason: native })
    expect(events.find((event) => event.type === "text-end")).toMatchObject({ text: "x" })
  })

  test("[LL6] cut by the output limit keeps a whole call and says that it was cut", () => {
    const events = decodeText(wire, stream.finish("MAX_TOKENS", [stream.call("read", {})]))
    expect(events.at(-1)).toMatchObject({ reason: "length" })
  })

  test("[LL6] with arguments nested beyond reading is a call without input", () => {
    const deep = `${"[".repeat(400)}${"]".repeat(400)}`
    const text = `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"a":${deep}}}}]},"finishReason":"STOP"}]}\n\n`
    expect(decodeText(wire, text).find((event) => event.type === "call-end")).toMatchObject({ input: null })
  })
})

describe("a broken answer", () => {
  const open = stream.parts([{ text: "x" }])

  test.each<[string, string, string]>([
    ["nothing at all", "", "stream_cut"],
    ["an end before the finish", open, "stream_cut"],
    ["a last word of another API before the finish", `${open}data: [DONE]\n\n`, "stream_cut"],
    ["a chunk that is not JSON", `${open}data: {"candidates"\n\n`, "malformed_stream"],
    ["a chunk that is no object", `${open}data: [7]\n\n`, "malformed_stream"],
    ["a call without a name", stream.parts([{ functionCall: { args: {} } }]), "malformed_stream"],
  ])("[LL6] with %s fails, typed", (_, text, code) => {
    const events = decodeText(wire, text)
    expect(failureCode(events)).toBe(code)
    expect(events.filter((event) => event.type === "failure")).toHaveLength(1)
  })

  test("[LL6] that is no event stream is refused", () => {
    expect(failureCode(decodeText(wire, "[{}]", "application/json"))).toBe("not_a_stream")
  })

  test.each<[object, string, boolean]>([
    [{ code: 503, status: "UNAVAILABLE", message: "The model is overloaded." }, "overloaded", true],
    [{ code: 500, status: "INTERNAL", message: "An internal error has occurred." }, "server_error", true],
    [
      { code: 400, status: "INVALID_ARGUMENT", message: "The input token count exceeds the maximum number" },
      "context_overflow",
      false,
    ],
  ])("[TU4 TU5] with the error %j in its middle is typed", (error, code, retryable) => {
    const last = decodeText(wire, open + stream.chunk({ error }) + open).at(-1)
    expect(last).toMatchObject({ type: "failure", failure: { code, retryable } })
  })
})
