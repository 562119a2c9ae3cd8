/** Streams to events, whatever their pieces. */
import { describe, expect, test } from "vitest"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import { frameCharsMax } from "../src/answer/byte-stream.ts"
import type { StreamEvent } from "../src/wire.ts"
import { callAt, decode, decodeText, failureCode, readsFile, reasoningAt, sse, textAt } from "./answers.ts"
import {
  eventStreamFaults,
  failsTyped,
  keepsArgumentsAsSent,
  readsStopReasons,
} from "./any-wire/answer-rules.ts"
import { expectSameInPieces } from "./any-wire/decode-properties.ts"
import * as stream from "./fixtures/streams.ts"

const read = (text: string, contentType = sse) => decodeText(anthropicMessages, text, contentType)

const usage = { input: 10, output: 42, cacheRead: 7, cacheWrite: 3 }

describe("an answer", () => {
  test("[LL1] becomes canonical events, and each end carries the whole part", () => {
    expect(read(stream.richStream)).toEqual([
      { type: "start", nativeId: "msg_1", usage: { ...usage, output: 1 } },
      ...reasoningAt(0, ["Ich prüfe ", "das 😀."], {
        type: "thinking",
        thinking: "Ich prüfe das 😀.",
        signature: "c2ln",
      }),
      ...reasoningAt(1, [], { type: "redacted_thinking", data: "c2VhbGVk" }),
      ...textAt(2, ["Look: “", "世界”\n"]),
      ...callAt(3, [8, 9], { nativeId: "toolu_1", ...readsFile }),
      ...callAt(4, [], { nativeId: "toolu_2", name: "list", input: {}, raw: "" }),
      { type: "finish", reason: "calls", nativeReason: "tool_use", usage },
    ])
  })

  test("[LL6] with unknown events, blocks, deltas, fields and reasons is still an answer", () => {
    expect(read(stream.strangeStream).slice(1)).toEqual([
      ...textAt(1, ["He", "llo"]),
      { type: "finish", reason: "unknown", nativeReason: "vacation", usage: { ...usage, output: 6 } },
    ])
  })

  const stopping = (native: string) =>
    read(stream.messageStart + stream.messageDelta(native) + stream.messageStop)
  readsStopReasons(stopping, [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    ["pause_turn", "pause"],
  ])

  keepsArgumentsAsSent((raw) =>
    read(
      stream.messageStart +
        stream.blockStart(0, { type: "tool_use", id: "t", name: "read", input: {} }) +
        stream.blockDelta(0, { type: "input_json_delta", partial_json: raw }) +
        stream.blockStop(0),
    ),
  )

  test("[LL4] whose thinking is not signed has nothing to repeat", () => {
    const events = read(
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

  failsTyped(read, [
    ...eventStreamFaults(open + delta),
    ["an end before the stop", stream.richStream.replace(stream.messageStop, ""), "stream_cut"],
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
  ])

  test.each([
    ["overloaded_error", "overloaded", true],
    ["rate_limit_error", "rate_limit", true],
    ["api_error", "server_error", true],
    ["invalid_request_error", "invalid_request", false],
    ["brand_new_error", "unknown", false],
  ])("[LL6] with the error event %s fails as %s", (type, code, retryable) => {
    const events = read(
      `${open}event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message: "m" } })}\n\n${delta}`,
    )
    expect(events.at(-1)).toMatchObject({ type: "failure", failure: { code, retryable } })
  })

  test("[LL6] of another content type is not a stream", () => {
    expect(failureCode(read("<html>", "text/html"))).toBe("not_a_stream")
    expect(failureCode(read("", ""))).toBe("not_a_stream")
    expect(failureCode(read(stream.richStream, "Text/Event-Stream"))).toBeNull()
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
  test.each([
    ["documented", stream.richStream],
    ["assumed", stream.strangeStream],
    ["documented, with other line ends", stream.richStream.replaceAll("\n", "\r\n")],
    ["documented, and broken", stream.richStream.replace('"toolu_2"', '"toolu_2')],
  ])("[LL6] of any size give the same events: %s", (_, text) => {
    expectSameInPieces((pieces) => decode(anthropicMessages, pieces), Buffer.from(text))
  })
})
