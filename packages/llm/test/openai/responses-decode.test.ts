/** Streams of the Responses API to events. */
import { describe, expect, test } from "vitest"
import { openaiResponses as wire } from "../../src/openai-responses/index.ts"
import {
  callAt,
  decodeText,
  failureCode,
  firstOf,
  noUsage,
  readsFile,
  reasoningAt,
  textAt,
} from "../answers.ts"
import {
  eventStreamFaults,
  failsTyped,
  keepsArgumentsAsSent,
  readsStopReasons,
  saysThatItDeclines,
} from "../any-wire/answer-rules.ts"
import * as stream from "../fixtures/responses.ts"
import { cited } from "./requests.ts"

const read = (text: string) => decodeText(wire, text)
const usage = { input: 76, output: 42, cacheRead: 1_024, cacheWrite: 100 }
const start = { type: "start", nativeId: "resp_1", usage: noUsage }

describe("an answer", () => {
  test("[LL1 LL4] in text carries what the provider wants back with it, and counts the cache apart", () => {
    expect(read(stream.textStream)).toEqual([
      start,
      ...textAt(0, ["Look: “", "世界”\n"], {
        opaque: { type: "message", id: "msg_1", phase: "final_answer" },
      }),
      { type: "finish", reason: "stop", nativeReason: "completed", usage },
    ])
  })

  test("[LL1 LL8] with reasoning, a search of the provider's own and parallel calls keeps them in order", () => {
    expect(read(stream.richStream)).toEqual([
      start,
      ...reasoningAt(0, ["Ich prüfe ", "das 😀."], stream.sealedItem),
      { type: "hosted", index: 1, name: "web_search_call", opaque: stream.searchItem },
      ...textAt(2, ["I look."], { opaque: { type: "message", id: "msg_1", phase: "commentary" } }),
      ...callAt(3, [8, 9], {
        nativeId: "call_a",
        ...readsFile,
        opaque: { type: "function_call", id: "fc_1" },
      }),
      ...callAt(4, [], {
        nativeId: "call_b",
        name: "read",
        input: {},
        raw: "{}",
        opaque: { type: "function_call", id: "fc_2" },
      }),
      { type: "finish", reason: "calls", nativeReason: "completed", usage },
    ])
  })

  test("[LL4] that declined goes back as words that declined", () =>
    expect(firstOf(read(stream.refusalStream), "text-end")).toMatchObject({ opaque: { refusal: true } }))

  test("[LL4 LL8] that cites keeps what it cites, from the end of its item or from events of its own", () => {
    const opaque = { type: "message", id: "msg_1", annotations: [cited] }
    const item = { type: "message", id: "msg_1", role: "assistant" }
    const told = stream.event("response.output_text.annotation.added", {
      output_index: 0,
      content_index: 0,
      annotation: cited,
    })
    const part = (text: string, annotations: readonly object[]) => ({
      type: "output_text",
      text,
      annotations,
    })
    const ends = [
      stream.done(0, { ...item, content: [part("See A", [cited])] }),
      told + stream.done(0, { ...item, content: [part("See A", [])] }),
      told + stream.done(0, item),
      // Places in a part's text move by what stands before it.
      stream.done(0, {
        ...item,
        content: [part("See ", []), part("A", [{ ...cited, start_index: -4, end_index: 0 }])],
      }),
    ]
    for (const end of ends) {
      const events = read(
        stream.created +
          stream.added(0, item) +
          stream.delta("output_text", 0, "See A") +
          end +
          stream.completed(),
      )
      expect(firstOf(events, "text-end")).toEqual({ type: "text-end", index: 0, text: "See A", opaque })
    }
  })

  test("[LL1] that only its completion tells is told from there, in order and once", () => {
    const message = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "I look.", annotations: [] }],
    }
    const output = [stream.sealedItem, message, stream.searchItem, stream.callItem("fc_1", "call_a", "{}")]
    const told = [
      ...reasoningAt(0, ["Ich prüfe das 😀."], stream.sealedItem),
      ...textAt(1, ["I look."], { opaque: { type: "message", id: "msg_1" } }),
      { type: "hosted", index: 2, name: "web_search_call", opaque: stream.searchItem },
      ...callAt(3, [], {
        nativeId: "call_a",
        name: "read",
        input: {},
        raw: "{}",
        opaque: { type: "function_call", id: "fc_1" },
      }),
    ]
    const finish = { type: "finish", reason: "calls", nativeReason: "completed", usage }
    const all = stream.completed({ output })
    expect(read(all)).toEqual([start, ...told, finish])
    const some = stream.done(0, stream.sealedItem) + stream.added(1, message)
    expect(read(stream.created + some + all)).toEqual([start, ...told, finish])
    const every = output.map((item, at) => stream.done(at, item)).join("")
    expect(read(stream.created + every + all)).toEqual([start, ...told, finish])
  })

  test("[LL1] whose items are numbered in another way is told once", () => {
    const message = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "A" }],
    }
    const events = read(
      stream.created + stream.done(7, message) + stream.completed({ output: [stream.searchItem, message] }),
    )
    expect(events.filter(({ type }) => type === "text-end")).toHaveLength(1)
    expect(events.filter(({ type }) => type === "hosted")).toHaveLength(1)
  })

  test("[LL6] that was cut and is told by its end keeps what was whole of it", () => {
    const output = [stream.sealedItem, { ...stream.callItem("fc_1", "call_a", "{}"), status: undefined }]
    const cut = stream.event("response.incomplete", {
      response: {
        id: "resp_1",
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output,
      },
    })
    expect(firstOf(read(cut), "reasoning-end")).toMatchObject({ opaque: stream.sealedItem })
    expect(firstOf(read(cut), "call-end")).toMatchObject({ input: null, raw: "{}" })
  })

  saysThatItDeclines(() => read(stream.refusalStream))

  test("[LL6] cut by the output limit keeps its text, and no call whose arguments were cut", () => {
    const events = read(stream.lengthStream)
    expect(firstOf(events, "call-end")).toMatchObject({ input: null, raw: "{}" })
    expect(events.at(-1)).toMatchObject({
      type: "finish",
      reason: "length",
      nativeReason: "max_output_tokens",
      usage,
    })
  })

  test("[LL6] with unknown events, items and states, and without announcements, is still an answer", () => {
    expect(read(stream.strangeStream)).toEqual([
      { ...start, nativeId: "" },
      ...textAt(1, ["He", "llo"], { opaque: { type: "message", id: "i_1" } }),
      {
        type: "finish",
        reason: "stop",
        nativeReason: "vacation",
        usage: { ...noUsage, input: 5, output: 1 },
      },
    ])
  })

  const stopping = (native: string) => read(stream.created + stream.incomplete(native))
  readsStopReasons(stopping, [
    ["content_filter", "refusal"],
    ["max_output_tokens", "length"],
  ])

  keepsArgumentsAsSent((raw) => read(stream.created + stream.done(0, stream.callItem("fc_1", "c", raw))))

  test.each([
    ["without its sealed content", { ...stream.sealedItem, encrypted_content: null }],
    ["cut", { ...stream.sealedItem, status: "incomplete" }],
  ])("[LL4] whose reasoning comes %s has nothing to repeat, nor ids that are bound to it", (_, item) => {
    const message = { type: "message", id: "msg_1", phase: "commentary", content: [{ text: "b" }] }
    const events = read(
      stream.created +
        stream.done(0, item) +
        stream.done(1, message) +
        stream.done(2, stream.callItem("fc_1", "c", "{}")),
    )
    expect(firstOf(events, "reasoning-end")).toMatchObject({ opaque: null })
    expect(firstOf(events, "text-end")).toMatchObject({
      opaque: { type: "message", phase: "commentary" },
    })
    expect(firstOf(events, "text-end")).not.toMatchObject({ opaque: { id: "msg_1" } })
    expect(firstOf(events, "call-end")).not.toHaveProperty("opaque")
  })

  test("[LL6] keeps the provider's order, whatever the order of arrival", () => {
    const late =
      stream.created +
      stream.done(1, { type: "message", content: [{ text: "b" }] }) +
      stream.done(0, stream.sealedItem) +
      stream.completed()
    const ends = read(late).filter((event) => event.type.endsWith("-end"))
    expect(ends.map((event) => ("index" in event ? event.index : -1))).toEqual([1, 0])
  })
})

describe("a broken answer", () => {
  const open = stream.created + stream.added(0, { type: "message", id: "m" })
  const more = stream.delta("output_text", 0, "x")

  failsTyped(read, [
    ...eventStreamFaults(open + more),
    ["an end before the finish", stream.textStream.replace(stream.completed(), ""), "stream_cut"],
    ["only the end of the older API", `${open}data: [DONE]\n\n`, "stream_cut"],
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
  ])

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
        const last = read(open + end + stream.completed()).at(-1)
        expect(last).toMatchObject({ type: "failure", failure: { code: expected, retryable } })
      }
    },
  )

  test("[TU4] tells how long to wait where only the words do", () => {
    const error = { code: "rate_limit_exceeded", message: "Please try again in 1.5s." }
    const last = read(open + stream.event("error", error)).at(-1)
    expect(last).toMatchObject({ failure: { retryAfterMs: 1_500 } })
  })

  test("[LL6] of another content type is not a stream", () => {
    expect(failureCode(decodeText(wire, "{}", "application/json"))).toBe("not_a_stream")
  })
})
