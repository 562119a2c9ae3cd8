/** Streams of the Gemini API to events. */
import { describe, expect, test } from "vitest"
import { gemini as wire } from "../../src/gemini/index.ts"
import { callAt, decodeText, failureCode, firstOf, noUsage, reasoningAt, textAt } from "../answers.ts"
import { eventStreamFaults, failsTyped, readsStopReasons } from "../any-wire/answer-rules.ts"
import * as stream from "../fixtures/gemini.ts"

const read = (text: string) => decodeText(wire, text)
const usage = { input: 176, output: 42, cacheRead: 1_024, cacheWrite: 0 }
const start = { type: "start", nativeId: "resp-1", usage: noUsage }

describe("an answer", () => {
  test("[LL1] in text becomes canonical events, with cached tokens and thoughts counted", () => {
    expect(read(stream.textStream)).toEqual([
      start,
      ...textAt(0, ["Look: “", "世界”\n"]),
      { type: "finish", reason: "stop", nativeReason: "STOP", usage },
    ])
  })

  test("[LL1 LL4] with thoughts and parallel calls keeps ids and signatures at their parts", () => {
    expect(read(stream.richStream)).toEqual([
      start,
      ...reasoningAt(0, ["**Prüfen**\n", "das 😀."], { type: "thought", text: "**Prüfen**\ndas 😀." }),
      ...textAt(1, ["I look."]),
      ...callAt(2, [16], {
        nativeId: "fc-1",
        name: "read",
        input: { path: "ä.ts" },
        raw: '{"path":"ä.ts"}',
        opaque: { type: "call", id: "fc-1", thoughtSignature: "c2lnbmVk" },
      }),
      ...callAt(3, [2], {
        nativeId: "fc-2",
        name: "list",
        input: {},
        raw: "{}",
        opaque: { type: "call", id: "fc-2" },
      }),
      { type: "finish", reason: "calls", nativeReason: "STOP", usage },
    ])
  })

  test("[LL4] does not join a signed part with others, and keeps a signature on nothing", () => {
    expect(read(stream.signedStream).slice(1, -1)).toEqual([
      ...textAt(0, ["One "]),
      ...textAt(1, ["two."], { opaque: { type: "text", thoughtSignature: "c2ln" } }),
      ...reasoningAt(2, [], { type: "signature", thoughtSignature: "ZW5k" }),
    ])
  })

  test("[LL8] tells of the provider's own tools as they were told", () => {
    const hosted = read(stream.codeStream).filter((event) => event.type === "hosted")
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
    const ends = read(text).flatMap((event) => (event.type === "call-end" ? [event] : []))
    expect(ends.map(({ nativeId, input, opaque }) => [nativeId, input, opaque])).toEqual([
      ["", { a: 1 }, undefined],
      ["", { a: 2 }, undefined],
    ])
  })

  test("[LL6] to a prompt that is blocked is a refusal, with its reason", () => {
    expect(read(stream.blockedStream)).toEqual([
      start,
      {
        type: "finish",
        reason: "refusal",
        nativeReason: "PROHIBITED_CONTENT",
        usage: { ...noUsage, input: 9 },
      },
    ])
  })

  test("[LL6] with unknown fields, parts, candidates and reasons is still an answer", () => {
    expect(read(stream.strangeStream)).toEqual([
      start,
      ...textAt(0, ["He", "llo"]),
      { type: "finish", reason: "unknown", nativeReason: "VACATION", usage: { ...noUsage, input: 1_200 } },
    ])
  })

  const stopping = (native: string) => read(stream.parts([{ text: "x" }]) + stream.finish(native))
  readsStopReasons(
    stopping,
    [
      ["STOP", "stop"],
      ["MAX_TOKENS", "length"],
      ["SAFETY", "refusal"],
      ["RECITATION", "refusal"],
      ["SPII", "refusal"],
      ["MALFORMED_FUNCTION_CALL", "unknown"],
      ["OTHER", "unknown"],
    ],
    [{ type: "text-end", text: "x" }],
  )

  test("[LL6] cut by the output limit keeps a whole call and says that it was cut", () => {
    const events = read(stream.finish("MAX_TOKENS", [stream.call("read", {})]))
    expect(events.at(-1)).toMatchObject({ reason: "length" })
  })

  test("[LL6] with arguments nested beyond reading is a call without input", () => {
    const deep = `${"[".repeat(400)}${"]".repeat(400)}`
    const text = `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"a":${deep}}}}]},"finishReason":"STOP"}]}\n\n`
    expect(firstOf(read(text), "call-end")).toMatchObject({ input: null })
  })
})

describe("a broken answer", () => {
  const open = stream.parts([{ text: "x" }])

  failsTyped(read, [
    ...eventStreamFaults(open, "[7]"),
    ["a last word of another API before the finish", `${open}data: [DONE]\n\n`, "stream_cut"],
    ["a call without a name", stream.parts([{ functionCall: { args: {} } }]), "malformed_stream"],
  ])

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
    const last = read(open + stream.chunk({ error }) + open).at(-1)
    expect(last).toMatchObject({ type: "failure", failure: { code, retryable } })
  })
})
