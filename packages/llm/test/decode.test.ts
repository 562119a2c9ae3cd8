/** Streams to events, whatever their pieces. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import { frameCharsMax } from "../src/answer/event-stream.ts"
import type { StreamEvent } from "../src/wire.ts"
import * as stream from "./fixtures/streams.ts"

const sse = "text/event-stream; charset=utf-8"

function decode(pieces: readonly Uint8Array[], contentType = sse): readonly StreamEvent[] {
  const decoder = anthropicMessages.decoder(contentType)
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
}

const decodeText = (text: string, contentType = sse) => decode([Buffer.from(text)], contentType)

const failureCode = (events: readonly StreamEvent[]) => {
  const last = events.at(-1)
  return last?.type === "failure" ? last.failure.code : null
}

const usage = { input: 10, output: 42, cacheRead: 7, cacheWrite: 3 }

describe("an answer", () => {
  test("[LL1] becomes canonical events, and each end carries the whole part", () => {
    expect(decodeText(stream.richStream)).toEqual([
      { type: "start", nativeId: "msg_1", usage: { ...usage, output: 1 } },
      { type: "reasoning-start", index: 0 },
      { type: "reasoning-delta", index: 0, text: "Ich prüfe " },
      { type: "reasoning-delta", index: 0, text: "das 😀." },
      {
        type: "reasoning-end",
        index: 0,
        text: "Ich prüfe das 😀.",
        opaque: { type: "thinking", thinking: "Ich prüfe das 😀.", signature: "c2ln" },
      },
      { type: "reasoning-start", index: 1 },
      { type: "reasoning-end", index: 1, text: "", opaque: { type: "redacted_thinking", data: "c2VhbGVk" } },
      { type: "text-start", index: 2 },
      { type: "text-delta", index: 2, text: "Look: “" },
      { type: "text-delta", index: 2, text: "世界”\n" },
      { type: "text-end", index: 2, text: "Look: “世界”\n" },
      { type: "call-start", index: 3, nativeId: "toolu_1", name: "read" },
      { type: "call-delta", index: 3, bytes: 8 },
      { type: "call-delta", index: 3, bytes: 9 },
      {
        type: "call-end",
        index: 3,
        nativeId: "toolu_1",
        name: "read",
        input: { path: "ä.ts" },
        raw: '{"path": "ä.ts"}',
      },
      { type: "call-start", index: 4, nativeId: "toolu_2", name: "list" },
      { type: "call-end", index: 4, nativeId: "toolu_2", name: "list", input: {}, raw: "" },
      { type: "finish", reason: "calls", nativeReason: "tool_use", usage },
    ])
  })

  test("[LL6] with unknown events, blocks, deltas, fields and reasons is still an answer", () => {
    expect(decodeText(stream.strangeStream).slice(1)).toEqual([
      { type: "text-start", index: 1 },
      { type: "text-delta", index: 1, text: "He" },
      { type: "text-delta", index: 1, text: "llo" },
      { type: "text-end", index: 1, text: "Hello" },
      { type: "finish", reason: "unknown", nativeReason: "vacation", usage: { ...usage, output: 6 } },
    ])
  })

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    ["pause_turn", "pause"],
    ["constructor", "unknown"],
  ])("[LL6] that stops for %s finishes as %s", (native, reason) => {
    const events = decodeText(stream.messageStart + stream.messageDelta(native) + stream.messageStop)
    expect(events.at(-1)).toMatchObject({ type: "finish", reason, nativeReason: native })
  })

  test("[LL6] whose arguments are not JSON, or too deep, keeps them as they were sent", () => {
    for (const raw of ['{"path": ', `${"[".repeat(300)}${"]".repeat(300)}`]) {
      const events = decodeText(
        stream.messageStart +
          stream.blockStart(0, { type: "tool_use", id: "t", name: "read", input: {} }) +
          stream.blockDelta(0, { type: "input_json_delta", partial_json: raw }) +
          stream.blockStop(0),
      )
      expect(events.find((event) => event.type === "call-end")).toMatchObject({ input: null, raw })
    }
  })

  test("[LL4] whose thinking is not signed has nothing to repeat", () => {
    const events = decodeText(
      stream.messageStart + stream.blockStart(0, { type: "thinking", thinking: "a" }) + stream.blockStop(0),
    )
    expect(events).toContainEqual({ type: "reasoning-end", index: 0, text: "a", opaque: null })
  })

  test("[LL6] says nothing after its stop", () => {
    const decoder = anthropicMessages.decoder(sse)
    decoder.push(Buffer.from(stream.richStream))
    expect(decoder.push(Buffer.from("event: error\ndata: {\n\n"))).toEqual([])
    expect(decoder.end()).toEqual([])
  })
})

describe("a broken answer", () => {
  const open = stream.messageStart + stream.blockStart(0, { type: "text", text: "" })
  const delta = stream.blockDelta(0, { type: "text_delta", text: "x" })

  test.each<[string, string, string]>([
    ["nothing at all", "", "stream_cut"],
    ["an end in a block", open + delta, "stream_cut"],
    ["an end before the stop", stream.richStream.replace(stream.messageStop, ""), "stream_cut"],
    ["a frame that is not JSON", `${open}data: {"type"\n\n`, "malformed_stream"],
    ["a frame that is no object", `${open}data: 7\n\n`, "malformed_stream"],
    ["a delta without a block", stream.messageStart + delta, "malformed_stream"],
    ["a delta behind its block", open + stream.blockStop(0) + delta, "malformed_stream"],
    [
      "a delta of another kind of block",
      open + stream.blockDelta(0, { type: "thinking_delta" }),
      "malformed_stream",
    ],
    ["a delta without its text", open + stream.blockDelta(0, { type: "text_delta" }), "malformed_stream"],
    ["a block opened twice", open + stream.blockStart(0, { type: "text" }), "malformed_stream"],
    ["a block before the start", stream.blockStart(0, { type: "text" }), "malformed_stream"],
    ["an end of no block", stream.messageStart + stream.blockStop(0), "malformed_stream"],
    ["a second start", stream.messageStart + stream.messageStart, "malformed_stream"],
    ["a stop in a block", open + stream.messageStop, "malformed_stream"],
    ["a stop before the start", stream.messageStop, "malformed_stream"],
    ["a frame without an end", `data: ${"x".repeat(frameCharsMax)}`, "answer_too_large"],
    ["a huge frame", `data: "${"x".repeat(frameCharsMax)}"\n\n`, "answer_too_large"],
  ])("[LL6] with %s fails, typed", (_, text, code) => {
    const events = decodeText(text)
    expect(failureCode(events)).toBe(code)
    expect(events.filter((event) => event.type === "failure")).toHaveLength(1)
  })

  test.each([
    ["overloaded_error", "overloaded", true],
    ["rate_limit_error", "rate_limit", true],
    ["api_error", "server_error", true],
    ["invalid_request_error", "invalid_request", false],
    ["brand_new_error", "unknown", false],
  ])("[LL6] with the error event %s fails as %s", (type, code, retryable) => {
    const events = decodeText(
      `${open}event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message: "m" } })}\n\n${delta}`,
    )
    expect(events.at(-1)).toMatchObject({ type: "failure", failure: { code, retryable } })
  })

  test("[LL6] of another content type is not a stream", () => {
    expect(failureCode(decodeText("<html>", "text/html"))).toBe("not_a_stream")
    expect(failureCode(decodeText("", ""))).toBe("not_a_stream")
    expect(failureCode(decodeText(stream.richStream, "Text/Event-Stream"))).toBeNull()
  })

  test("[LL6] of endless size is cut", () => {
    const decoder = anthropicMessages.decoder(sse)
    decoder.push(Buffer.from(open))
    const filler = Buffer.from(`${`: ${"x".repeat(1_000)}\n`.repeat(1_000)}\n`)
    let events: readonly StreamEvent[] = []
    for (let i = 0; i < 70 && events.length === 0; i++) events = decoder.push(filler)
    expect(failureCode(events)).toBe("answer_too_large")
  })
})

describe("pieces", () => {
  const cut = (bytes: Buffer, places: readonly number[]) => {
    const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
    return [...ends, bytes.length].map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
  }

  test.each([
    ["documented", stream.richStream],
    ["assumed", stream.strangeStream],
    ["documented, with other line ends", stream.richStream.replaceAll("\n", "\r\n")],
    ["documented, and broken", stream.richStream.replace('"toolu_2"', '"toolu_2')],
  ])("[LL6] of any size give the same events: %s", (_, text) => {
    const bytes = Buffer.from(text)
    const whole = decode([bytes])
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (places) => {
        expect(decode(cut(bytes, places))).toEqual(whole)
      }),
    )
    expect(decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
  })
})
