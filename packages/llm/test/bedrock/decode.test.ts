/** Streams of the Converse API to events. */
import { describe, expect, test } from "vitest"
import { bedrockConverse as wire } from "../../src/bedrock-converse/index.ts"
import { callAt, decode, failureCode, noUsage, readsFile, reasoningAt, textAt } from "../answers.ts"
import { failsTyped, keepsArgumentsThatWereCut, readsStopReasons } from "../any-wire/answer-rules.ts"
import * as stream from "../fixtures/bedrock.ts"

const type = "application/vnd.amazon.eventstream"
const readAll = (frames: readonly Buffer[]) => decode(wire, frames, type)
const read = (...frames: readonly Buffer[]) => readAll(frames)

const usage = { input: 176, output: 42, cacheRead: 1_024, cacheWrite: 200 }
const start = { type: "start", nativeId: "", usage: noUsage }

describe("an answer", () => {
  test("[LL1] in text becomes canonical events, with the usage that comes behind the stop", () => {
    expect(read(stream.textStream)).toEqual([
      start,
      ...textAt(0, ["Look: “", "世界”\n"]),
      { type: "finish", reason: "stop", nativeReason: "end_turn", usage },
    ])
  })

  test("[LL1 LL4] with signed reasoning and parallel calls keeps each piece where it belongs", () => {
    expect(read(stream.richStream)).toEqual([
      start,
      ...reasoningAt(0, ["Ich prüfe ", "das 😀."], {
        type: "reasoning",
        text: "Ich prüfe das 😀.",
        signature: "c2ln",
      }),
      ...textAt(1, ["I look."]),
      ...callAt(2, [8, 9], { nativeId: "tooluse_a", ...readsFile }),
      ...callAt(3, [], { nativeId: "tooluse_b", name: "list", input: {}, raw: "" }),
      { type: "finish", reason: "calls", nativeReason: "tool_use", usage },
    ])
  })

  test("[LL4] keeps sealed reasoning, and that of models which sign nothing", () => {
    const opaques = read(
      stream.reasoning(0, { redactedContent: "c2Vh" }),
      stream.reasoning(0, { redactedContent: "bGVk" }),
      stream.stop(0),
      stream.reasoning(1, { text: "hm" }),
      stream.stop(1),
      stream.end("end_turn"),
    ).flatMap((event) => (event.type === "reasoning-end" ? [event.opaque] : []))
    expect(opaques).toEqual([
      { type: "redacted", data: "c2VhbGVk" },
      { type: "reasoning", text: "hm" },
    ])
  })

  test("[LL8] tells of the provider's own tools as they were told", () => {
    const hosted = read(stream.searchStream).filter((event) => event.type === "hosted")
    expect(hosted).toEqual([
      {
        type: "hosted",
        index: 0,
        name: "nova_grounding",
        opaque: {
          toolUse: { toolUseId: "srv-1", name: "nova_grounding", type: "server_tool_use", input: { q: "x" } },
        },
      },
      {
        type: "hosted",
        index: 1,
        name: "nova_grounding_result",
        opaque: {
          toolResult: {
            toolUseId: "srv-1",
            type: "nova_grounding_result",
            status: "success",
            content: [{ text: "found" }],
          },
        },
      },
    ])
  })

  keepsArgumentsThatWereCut(() => read(stream.lengthStream), "max_tokens")

  test("[LL6] with unknown messages, events, blocks, deltas and reasons, and without counts, is still an answer", () => {
    expect(read(stream.strangeStream)).toEqual([
      start,
      ...textAt(0, ["He", "llo"]),
      { type: "finish", reason: "unknown", nativeReason: "vacation", usage: noUsage },
    ])
  })

  const stopping = (native: string) => read(stream.end(native))
  readsStopReasons(stopping, [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "refusal"],
    ["content_filtered", "refusal"],
    ["malformed_tool_use", "unknown"],
  ])

  test("[LL1] keeps counts that came before the stop, and says nothing behind its finish", () => {
    const events = read(stream.metadata, stream.text(0, "x"), stream.end("end_turn"))
    expect(events.at(-1)).toMatchObject({ type: "finish", usage })
    expect(read(stream.textStream, stream.metadata, stream.text(0, "y"))).toEqual(read(stream.textStream))
  })
})

describe("a broken answer", () => {
  const open = stream.text(0, "x")

  failsTyped(readAll, [
    ["nothing at all", [], "stream_cut"],
    ["an end before the stop", [open, stream.stop(0)], "stream_cut"],
    ["half of a frame", [open, stream.end("end_turn").subarray(0, 40)], "stream_cut"],
    ["a frame of another kind of stream", [Buffer.from('data: {"text":"x"}\n\n')], "malformed_stream"],
    ["an event that is not JSON", [stream.frame(eventHeaders("messageStop"), "{")], "malformed_stream"],
    ["an event that is no object", [stream.frame(eventHeaders("messageStop"), "7")], "malformed_stream"],
    [
      "a delta without a place",
      [stream.event("contentBlockDelta", { delta: { text: "x" } })],
      "malformed_stream",
    ],
    ["a delta of another kind", [open, stream.reasoning(0, { text: "x" })], "malformed_stream"],
    ["more for a block that has ended", [open, stream.stop(0), open], "malformed_stream"],
    ["a piece of a call that was not begun", [stream.input(0, "{")], "malformed_stream"],
    ["a block that begins twice", [stream.start(0, {}), stream.start(0, {})], "malformed_stream"],
    ["a block that ends twice", [open, stream.stop(0), stream.stop(0)], "malformed_stream"],
    ["a second stop", [stream.end("end_turn"), stream.end("end_turn")], "malformed_stream"],
    ["more behind the stop", [stream.end("end_turn"), open], "malformed_stream"],
  ])

  test("[LL6] with one byte changed gives the words before it, and a failure", () => {
    const broken = Buffer.concat([stream.begin, open, stream.text(0, "secret")])
    broken[broken.length - 30] = 0x7a
    const events = read(broken, stream.end("end_turn"))
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []))).toEqual(["x"])
    expect(failureCode(events)).toBe("malformed_stream")
  })

  test.each(["application/json", "", "text/event-stream"])(
    "[LL6] of the type %j is refused",
    (contentType) => {
      expect(failureCode(decode(wire, [stream.textStream], contentType))).toBe("not_a_stream")
    },
  )

  test.each<[string, Buffer, string, boolean]>([
    [
      "throttling",
      stream.exception("throttlingException", { message: "Too many tokens, please wait" }),
      "rate_limit",
      true,
    ],
    [
      "too much input",
      stream.exception("validationException", { message: "Input is too long for requested model." }),
      "context_overflow",
      false,
    ],
    [
      "an error of the model",
      stream.exception("modelStreamErrorException", {
        message: "x",
        originalStatusCode: 500,
        originalMessage: "y",
      }),
      "server_error",
      true,
    ],
    [
      "an internal error",
      stream.exception("internalServerException", { message: "x" }),
      "server_error",
      true,
    ],
    ["no service", stream.exception("serviceUnavailableException", { message: "x" }), "overloaded", true],
    ["an error that is not described", stream.unmodeled("InternalFailure", "boom"), "server_error", true],
    [
      "an exception in place of an event",
      stream.event("throttlingException", { message: "x" }),
      "rate_limit",
      true,
    ],
    ["an exception nobody knows", stream.exception("weatherException", { message: "x" }), "unknown", false],
  ])("[TU4 TU5] with %s in its middle is typed", (_, frame, code, retryable) => {
    const last = read(open, frame, open).at(-1)
    expect(last).toMatchObject({ type: "failure", failure: { code, retryable } })
  })
})

function eventHeaders(name: string): Buffer {
  return Buffer.concat([stream.textHeader(":event-type", name), stream.textHeader(":message-type", "event")])
}
