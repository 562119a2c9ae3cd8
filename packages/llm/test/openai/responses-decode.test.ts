/** Streams of the Responses API to events. */
import { describe, expect, test } from "vitest"
import { openaiResponses as wire } from "../../src/openai-responses/index.ts"
import * as stream from "../fixtures/responses.ts"
import { decodeText, failureCode } from "./pieces.ts"

const usage = { input: 76, output: 42, cacheRead: 1_024, cacheWrite: 100 }
const start = {
  type: "start",
  nativeId: "resp_1",
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
}

describe("an answer", () => {
  test("[LL1 LL4] in text carries what the provider wants back with it, and counts the cache apart", () => {
    expect(decodeText(wire, stream.textStream)).toEqual([
      start,
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: "Look: “" },
      { type: "text-delta", index: 0, text: "世界”\n" },
      {
        type: "text-end",
        index: 0,
        text: "Look: “世界”\n",
        opaque: { type: "message", id: "msg_1", phase: "final_answer" },
      },
      { type: "finish", reason: "stop", nativeReason: "completed", usage },
    ])
  })

  test("[LL1 LL8] with reasoning, a search of the provider's own and parallel calls keeps them in order", () => {
    expect(decodeText(wire, stream.richStream)).toEqual([
      start,
      { type: "reasoning-start", index: 0 },
      { type: "reasoning-delta", index: 0, text: "Ich prüfe " },
      { type: "reasoning-delta", index: 0, text: "das 😀." },
      { type: "reasoning-end", index: 0, text: "Ich prüfe das 😀.", opaque: stream.sealedItem },
      { type: "hosted", index: 1, name: "web_search_call", opaque: stream.searchItem },
      { type: "text-start", index: 2 },
      { type: "text-delta", index: 2, text: "I look." },
      {
        type: "text-end",
        index: 2,
        text: "I look.",
        opaque: { type: "message", id: "msg_1", phase: "commentary" },
      },
      { type: "call-start", index: 3, nativeId: "call_a", name: "read" },
      { type: "call-delta", index: 3, bytes: 8 },
      { type: "call-delta", index: 3, bytes: 9 },
      {
        type: "call-end",
        index: 3,
        nativeId: "call_a",
        name: "read",
        input: { path: "ä.ts" },
        raw: '{"path": "ä.ts"}',
        opaque: { type: "function_call", id: "fc_1" },
      },
      { type: "call-start", index: 4, nativeId: "call_b", name: "read" },
      {
        type: "call-end",
        index: 4,
        nativeId: "call_b",
        name: "read",
        input: {},
        raw: "{}",
        opaque: { type: "function_call", id: "fc_2" },
      },
      { type: "finish", reason: "calls", nativeReason: "completed", usage },
    ])
  })

  test("[LL6] that is a refusal says so, in its words", () => {
    const events = decodeText(wire, stream.refusalStream)
    expect(events.find((event) => event.type === "text-end")).toMatchObject({
      text: "I can't help with that.",
    })
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "refusal" })
  })

  test("[LL6] cut by the output limit keeps its text, and no call whose arguments were cut", () => {
    const events = decodeText(wire, stream.lengthStream)
    expect(events.find((event) => event.type === "call-end")).toMatchObject({ input: null, raw: "{}" })
    expect(events.at(-1)).toMatchObject({
      type: "finish",
      reason: "length",
      nativeReason: "max_output_tokens",
      usage,
    })
  })

  test("[LL6] with unknown events, items and states, and without announcements, is still an answer", () => {
    expect(decodeText(wire, stream.strangeStream)).toEqual([
      { ...start, nativeId: "" },
      { type: "text-start", index: 1 },
      { type: "text-delta", index: 1, text: "He" },
      { type: "text-delta", index: 1, text: "llo" },
      { type: "text-end", index: 1, text: "Hello", opaque: { type: "message", id: "i_1" } },
      {
        type: "finish",
        reason: "stop",
        nativeReason: "vacation",
        usage: { input: 5, output: 1, cacheRead: 0, cacheWrite: 0 },
      },
    ])
  })

  test.each([
    ["content_filter", "refusal"],
    ["max_output_tokens", "length"],
    ["constructor", "unknown"],
  ])("[LL6] that is incomplete for %s finishes as %s", (native, reason) => {
    expect(decodeText(wire, stream.created + stream.incomplete(native)).at(-1)).toMatchObject({ reason })
  })

  test("[LL6] whose arguments are not JSON, or too deep, keeps them as they were sent", () => {
    for (const raw of ['{"path": ', `${"[".repeat(300)}${"]".repeat(300)}`]) {
      const events = decodeText(wire, stream.created + stream.done(0, stream.callItem("fc_1", "c", raw)))
      expect(events.find((event) => event.type === "call-end")).toMatchObject({ input: null, raw })
    }
  })

  test.each([
    ["without its sealed content", { ...stream.sealedItem, encrypted_content: null }],
    ["cut", { ...stream.sealedItem, status: "incomplete" }],
  ])("[LL4] whose reasoning comes %s has nothing to repeat, nor ids that are bound to it", (_, item) => {
    const message = { type: "message", id: "msg_1", phase: "commentary", content: [{ text: "b" }] }
    const events = decodeText(
      wire,
      stream.created +
        stream.done(0, item) +
        stream.done(1, message) +
        stream.done(2, stream.callItem("fc_1", "c", "{}")),
    )
    expect(events.find((event) => event.type === "reasoning-end")).toMatchObject({ opaque: null })
    expect(events.find((event) => event.type === "text-end")).toMatchObject({
      opaque: { type: "message", phase: "commentary" },
    })
    expect(events.find((event) => event.type === "text-end")).not.toMatchObject({ opaque: { id: "msg_1" } })
    expect(events.find((event) => event.type === "call-end")).not.toHaveProperty("opaque")
  })

  test("[LL6] keeps the provider's order, whatever the order of arrival", () => {
    const late =
      stream.created +
      stream.done(1, { type: "message", content: [{ text: "b" }] }) +
      stream.done(0, stream.sealedItem) +
      stream.completed()
    const ends = decodeText(wire, late).filter((event) => event.type.endsWith("-end"))
    expect(ends.map((event) => ("index" in event ? event.index : -1))).toEqual([1, 0])
  })
})

describe("a broken answer", () => {
  const open = stream.created + stream.added(0, { type: "message", id: "m" })
  const more = stream.delta("output_text", 0, "x")

  test.each<[string, string, string]>([
    ["nothing at all", "", "stream_cut"],
    ["an end in an item", open + more, "stream_cut"],
    ["an end before the finish", stream.textStream.replace(stream.completed(), ""), "stream_cut"],
    ["only the end of the older API", `${open}data: [DONE]\n\n`, "stream_cut"],
    ["a frame that is not JSON", `${open}data: {"type"\n\n`, "malformed_stream"],
    ["a frame that is no object", `${open}data: 7\n\n`, "malformed_stream"],
    ["an item twice", open + stream.added(0, { type: "message" }), "malformed_stream"],
    ["an item's end twice", open + stream.done(0, {}) + stream.done(0, {}), "malformed_stream"],
    ["more for an item that has ended", open + stream.done(0, {}) + more, "malformed_stream"],
    ["more of another kind", open + stream.delta("function_call_arguments", 0, "{"), "malformed_stream"],
    [
      "more without its text",
      open + stream.event("response.output_text.delta", { output_index: 0 }),
      "malformed_stream",
    ],
    ["more without a place", stream.event("response.output_text.delta", { delta: "x" }), "malformed_stream"],
  ])("[LL6] with %s fails, typed", (_, text, code) => {
    const events = decodeText(wire, text)
    expect(failureCode(events)).toBe(code)
    expect(events.filter((event) => event.type === "failure")).toHaveLength(1)
  })

  test.each<[string, object, string, boolean]>([
    [
      "context_length_exceeded",
      { message: "Your input exceeds the context window" },
      "context_overflow",
      false,
    ],
    ["rate_limit_exceeded", { message: "Rate limit reached. Please try again in 1.5s." }, "rate_limit", true],
    ["server_error", { message: "The server had an error" }, "server_error", true],
    ["insufficient_quota", { message: "You exceeded your current quota" }, "quota", false],
    ["invalid_encrypted_content", { message: "could not be verified" }, "signature_rejected", false],
    ["brand_new_error", { message: "?" }, "unknown", false],
  ])(
    "[TU4 TU5] that fails with %s is typed, as an event or as its own failure",
    (code, words, expected, retryable) => {
      const failed = stream.event("response.failed", {
        response: { status: "failed", error: { code, ...words } },
      })
      const nested = stream.event("error", { error: { code, ...words } })
      const flat = stream.event("error", { code, ...words })
      for (const end of [failed, nested, flat]) {
        const last = decodeText(wire, open + end + stream.completed()).at(-1)
        expect(last).toMatchObject({ type: "failure", failure: { code: expected, retryable } })
      }
    },
  )

  test("[TU4] tells how long to wait where only the words do", () => {
    const error = { code: "rate_limit_exceeded", message: "Please try again in 1.5s." }
    const last = decodeText(wire, open + stream.event("error", error)).at(-1)
    expect(last).toMatchObject({ failure: { retryAfterMs: 1_500 } })
  })

  test("[LL6] of another content type is not a stream", () => {
    expect(failureCode(decodeText(wire, "{}", "application/json"))).toBe("not_a_stream")
  })
})
