/** Streams of Chat servers to events. */
import { describe, expect, test } from "vitest"
import { openaiChat as wire } from "../../src/openai-chat/index.ts"
import { decodeText, firstOf, noUsage, readsFile, reasoningAt, textAt } from "../answers.ts"
import {
  eventStreamFaults,
  failsTyped,
  keepsArgumentsThatWereCut,
  readsStopReasons,
  saysThatItDeclines,
} from "../any-wire/answer-rules.ts"
import * as stream from "../fixtures/chat.ts"

const read = (text: string) => decodeText(wire, text)
const usage = { input: 176, output: 42, cacheRead: 1_024, cacheWrite: 0 }
const start = { type: "start", nativeId: "chatcmpl-1", usage: noUsage }

describe("an answer", () => {
  test("[LL1] in text becomes canonical events, with the usage that comes behind the finish", () => {
    expect(read(stream.textStream)).toEqual([
      start,
      ...textAt(0, ["Look: “", "世界”\n"]),
      { type: "finish", reason: "stop", nativeReason: "stop", usage },
    ])
  })

  test("[LL1 LL4] with reasoning and parallel calls keeps each piece where it belongs", () => {
    expect(read(stream.richStream)).toEqual([
      start,
      ...reasoningAt(0, ["Ich prüfe ", "das 😀."], {
        type: "reasoning",
        field: "reasoning_content",
        text: "Ich prüfe das 😀.",
        details: [],
      }),
      ...textAt(1, ["I look."]),
      { type: "call-start", index: 2, nativeId: "call_a", name: "read" },
      { type: "call-delta", index: 2, bytes: 8 },
      { type: "call-start", index: 3, nativeId: "call_b", name: "list" },
      { type: "call-delta", index: 2, bytes: 9 },
      { type: "call-end", index: 2, nativeId: "call_a", ...readsFile },
      { type: "call-end", index: 3, nativeId: "call_b", name: "list", input: {}, raw: "" },
      { type: "finish", reason: "calls", nativeReason: "tool_calls", usage },
    ])
  })

  test("[LL4] gathers the details of reasoning as they must come back", () => {
    expect(firstOf(read(stream.detailsStream), "reasoning-end")).toMatchObject({
      opaque: {
        field: "reasoning",
        text: "hm",
        details: [
          { type: "reasoning.text", index: 0, text: "hm", signature: "sig" },
          { type: "reasoning.encrypted", index: 1, data: "c2Vh" },
        ],
      },
    })
  })

  test("[LL6] in parts of content is read too", () => {
    expect(read(stream.partsStream).slice(1)).toMatchObject([
      { type: "reasoning-start" },
      { type: "reasoning-delta", text: "hm" },
      { type: "reasoning-end", text: "hm" },
      { type: "text-start" },
      { type: "text-delta", text: "Yes." },
      { type: "text-end", text: "Yes." },
      { type: "finish", reason: "stop", usage: { ...noUsage, input: 9, output: 3 } },
    ])
  })

  saysThatItDeclines(() => read(stream.refusalStream))

  keepsArgumentsThatWereCut(() => read(stream.lengthStream), "length")

  test("[LL6] with unknown fields, choices and reasons, and without its last word, is still an answer", () => {
    expect(read(stream.strangeStream)).toEqual([
      start,
      ...textAt(0, ["He", "llo"]),
      { type: "finish", reason: "unknown", nativeReason: "vacation", usage: noUsage },
    ])
  })

  const stopping = (native: string) => read(stream.finish(native) + stream.done)
  readsStopReasons(stopping, [
    ["stop", "stop"],
    ["tool_calls", "calls"],
    ["length", "length"],
    ["content_filter", "refusal"],
  ])

  test.each<[string, object[]]>([
    [
      "give every call the same place",
      [stream.call(0, "a", "read", "{}"), stream.call(0, "b", "list", "{}")],
    ],
    [
      "leave places out",
      [
        { id: "a", function: { name: "read", arguments: "{}" } },
        { id: "b", function: { name: "list", arguments: {} } },
      ],
    ],
  ])("[LL6] of servers that %s has all its calls", (_, calls) => {
    const events = read(stream.delta({ tool_calls: calls }) + stream.finish("tool_calls") + stream.done)
    const ends = events.flatMap((event) =>
      event.type === "call-end" ? [[event.nativeId, event.name, event.input]] : [],
    )
    expect(ends).toEqual([
      ["a", "read", {}],
      ["b", "list", {}],
    ])
  })

  test("[LL4] keeps what a server put on its call", () => {
    const marked = {
      ...stream.call(0, "a", "read", "{}"),
      extra_content: { google: { thought_signature: "s" } },
    }
    const events = read(stream.delta({ tool_calls: [marked] }) + stream.finish("tool_calls") + stream.done)
    expect(firstOf(events, "call-end")).toMatchObject({
      opaque: { type: "call", extra: { extra_content: { google: { thought_signature: "s" } } } },
    })
  })

  test.each<[string, object, object]>([
    [
      "DeepSeek",
      { prompt_tokens: 14, completion_tokens: 2, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 10 },
      { input: 10, output: 2, cacheRead: 4, cacheWrite: 0 },
    ],
    [
      "OpenRouter",
      {
        prompt_tokens: 20,
        completion_tokens: 3,
        prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 6 },
      },
      { input: 9, output: 3, cacheRead: 5, cacheWrite: 6 },
    ],
    [
      "Moonshot",
      { prompt_tokens: 20, completion_tokens: 3, cached_tokens: 5 },
      { input: 15, output: 3, cacheRead: 5, cacheWrite: 0 },
    ],
    [
      "xAI",
      {
        prompt_tokens: 20,
        completion_tokens: 3,
        total_tokens: 30,
        completion_tokens_details: { reasoning_tokens: 7 },
      },
      { input: 20, output: 10, cacheRead: 0, cacheWrite: 0 },
    ],
    ["nobody", { prompt_tokens: -3, completion_tokens: "many" }, noUsage],
  ])("[LL1] counts tokens in the dialect of %s", (_, counts, expected) => {
    const text = stream.finish("stop") + stream.chunk({ choices: [], usage: counts }) + stream.done
    expect(read(text).at(-1)).toMatchObject({ usage: expected })
  })
})

describe("a broken answer", () => {
  const open = stream.delta({ content: "x" })

  failsTyped(read, [
    ...eventStreamFaults(open),
    ["a last word before the finish", open + stream.done, "stream_cut"],
    [
      "a piece of a call that was not begun",
      stream.delta({ tool_calls: [stream.call(0, undefined, undefined, "{")] }),
      "malformed_stream",
    ],
    ["an error as its finish", open + stream.finish("error"), "server_error"],
  ])

  test.each<[unknown, string, boolean]>([
    [
      { message: "This model's maximum context length is 8192 tokens", code: "context_length_exceeded" },
      "context_overflow",
      false,
    ],
    [{ message: "Provider returned error", code: 429 }, "rate_limit", true],
    [{ message: "Insufficient credits", code: 402 }, "quota", false],
    [
      { message: "upstream", code: 502, metadata: { raw: "the request exceeds the available context size" } },
      "context_overflow",
      false,
    ],
    ["plain words", "unknown", false],
  ])("[TU4 TU5] with the error %j in its middle is typed", (error, code, retryable) => {
    const last = read(open + stream.chunk({ error }) + open).at(-1)
    expect(last).toMatchObject({ type: "failure", failure: { code, retryable } })
  })
})
