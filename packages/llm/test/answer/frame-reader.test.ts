/** Deltas that repeat one another, on every wire: taken by their words, and told as if each was parsed. */
import * as fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { FrameReader } from "../../src/answer/frame-reader.ts"
import { answerWith, say } from "../../src/answer/parts.ts"
import { anthropicMessages } from "../../src/anthropic-messages/index.ts"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import { gemini } from "../../src/gemini/index.ts"
import { openaiChat } from "../../src/openai-chat/index.ts"
import { openaiResponses } from "../../src/openai-responses/index.ts"
import type { Wire } from "../../src/wire.ts"
import { decode } from "../answers.ts"
import * as bedrock from "../fixtures/bedrock.ts"
import * as chat from "../fixtures/chat.ts"
import * as google from "../fixtures/gemini.ts"
import * as responses from "../fixtures/responses.ts"
import * as streams from "../fixtures/streams.ts"
import { awkwardText } from "../requests.ts"

interface Said {
  readonly kind: "text" | "reasoning"
  readonly words: string
}

interface Subject {
  readonly wire: Wire
  readonly contentType: string
  readonly begin: string | Buffer
  /** A delta of the part at 0 or 1; `at` counts deltas, for fields that vary. */
  readonly delta: (said: Said, at: number) => string | Buffer
  readonly end: string | Buffer
  /** The same frame in other bytes, which fits no mould of the first. */
  readonly respace: (frame: string | Buffer) => string | Buffer
}

const sse = "text/event-stream"
const indexOf = ({ kind }: Said): number => (kind === "text" ? 1 : 0)
const spaced = (frame: string | Buffer): string => String(frame).replace("data: {", "data:  { ")

const subjects: Readonly<Record<string, Subject>> = {
  anthropic: {
    wire: anthropicMessages,
    contentType: sse,
    begin:
      streams.messageStart +
      streams.blockStart(0, { type: "thinking", thinking: "", signature: "" }) +
      streams.blockStart(1, { type: "text", text: "" }),
    delta: (said) =>
      streams.blockDelta(
        indexOf(said),
        said.kind === "text"
          ? { type: "text_delta", text: said.words }
          : { type: "thinking_delta", thinking: said.words },
      ),
    end: streams.blockStop(0) + streams.blockStop(1) + streams.messageDelta("end_turn") + streams.messageStop,
    respace: spaced,
  },
  responses: {
    wire: openaiResponses,
    contentType: sse,
    begin:
      responses.created +
      responses.added(0, { type: "reasoning", id: "i_0", summary: [] }) +
      responses.added(1, { type: "message", id: "i_1", content: [] }),
    delta: (said, at) =>
      responses.delta(said.kind === "text" ? "output_text" : "reasoning_text", indexOf(said), said.words, {
        obfuscation: "x".repeat(at % 7),
        sequence_number: at,
      }),
    end:
      responses.done(0, { type: "reasoning" }) +
      responses.done(1, { type: "message" }) +
      responses.completed(),
    respace: spaced,
  },
  chat: {
    wire: openaiChat,
    contentType: sse,
    begin: chat.delta({ role: "assistant", content: "" }),
    delta: ({ kind, words }, at) =>
      chat.chunk({
        created: 1_778_031_210 + at,
        choices: [{ index: 0, delta: { [kind === "text" ? "content" : "reasoning"]: words } }],
        obfuscation: "x".repeat(at % 7),
      }),
    end: chat.finish("stop") + chat.done,
    respace: spaced,
  },
  gemini: {
    wire: gemini,
    contentType: sse,
    begin: "",
    delta: ({ kind, words }, at) =>
      google.chunk({
        candidates: [{ content: { parts: [{ thought: kind === "reasoning", text: words }] }, index: 0 }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: at, totalTokenCount: 7 + at },
      }),
    end: google.chunk({ candidates: [{ finishReason: "STOP" }] }),
    respace: spaced,
  },
  bedrock: {
    wire: bedrockConverse,
    contentType: "application/vnd.amazon.eventstream",
    begin: bedrock.begin,
    delta: (said, at) =>
      bedrock.event("contentBlockDelta", {
        contentBlockIndex: indexOf(said),
        delta: said.kind === "text" ? { text: said.words } : { reasoningContent: { text: said.words } },
        p: "x".repeat(at % 7),
      }),
    end: Buffer.concat([bedrock.end("end_turn"), bedrock.metadata]),
    respace: (frame) => {
      const bytes = frame as Buffer
      const from = 12 + bytes.readUInt32BE(4)
      return bedrock.frame(bytes.subarray(12, from), ` ${bytes.toString("utf8", from, bytes.length - 4)}`)
    },
  },
}

const read = ({ wire, contentType }: Subject, frames: readonly (string | Buffer)[]) =>
  decode(wire, frames, contentType)

describe.each(Object.entries(subjects))("%s", (_, subject) => {
  const { begin, delta, end, respace } = subject

  test("[LL6] tells of repeated deltas what it tells when each is parsed", () => {
    const said = fc.record({
      kind: fc.constantFrom("text" as const, "reasoning" as const),
      words: awkwardText,
    })
    const runs = fc.array(
      fc
        .tuple(said, fc.array(awkwardText, { maxLength: 6 }))
        .map(([head, more]) => [head, ...more.map((words) => ({ ...head, words }))]),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(runs, (list) => {
        const frames = list.flat().map((item, at) => delta(item, at))
        const parsed = frames.map((frame, at) => (at % 2 === 0 ? frame : respace(frame)))
        expect(read(subject, [begin, ...frames, end])).toEqual(read(subject, [begin, ...parsed, end]))
      }),
    )
  })

  test("[LL6] parses the first of a hundred deltas, and not the others", () => {
    const frames = Array.from({ length: 100 }, (_ignored, at) =>
      delta({ kind: "text", words: `word ${at}` }, at),
    )
    const parse = vi.spyOn(JSON, "parse")
    const events = read(subject, [begin, ...frames, end])
    const parsed = parse.mock.calls.length
    parse.mockRestore()
    expect(events.filter(({ type }) => type === "text-delta")).toHaveLength(100)
    expect(events.at(-1)?.type).toBe("finish")
    expect(parsed).toBeLessThan(15)
  })
})

test("[LL6] a delta for a block that has ended is impossible, however often it was said before", () => {
  const again = streams.blockDelta(0, { type: "text_delta", text: "again" })
  const frames = [
    streams.messageStart,
    streams.blockStart(0, { type: "text", text: "" }),
    ...Array.from({ length: 5 }, () => again),
    streams.blockStop(0),
    again,
  ]
  const events = read(subjects["anthropic"] as Subject, frames)
  expect(events.at(-1)).toMatchObject({ type: "failure", failure: { code: "malformed_stream" } })
})

test("[LL4 LL6] seals and details that come with words are gathered each time", () => {
  const sealed = bedrock.reasoning(0, { text: "hm", signature: "s" })
  const seals = read(subjects["bedrock"] as Subject, [
    bedrock.begin,
    sealed,
    sealed,
    sealed,
    bedrock.end("end_turn"),
  ])
  expect(seals.find(({ type }) => type === "reasoning-end")).toMatchObject({
    opaque: { text: "hmhmhm", signature: "sss" },
  })
  const detail = chat.delta({ reasoning: "hm", reasoning_details: [{ type: "t", index: 0, text: "h" }] })
  const details = read(subjects["chat"] as Subject, [detail, detail, detail, chat.finish("stop"), chat.done])
  expect(details.find(({ type }) => type === "reasoning-end")).toMatchObject({
    opaque: { details: [{ text: "hhh" }] },
  })
})

test("[LL6] counts of a chunk that repeats another are the latest until others come", () => {
  const { delta, end } = subjects["gemini"] as Subject
  const frames = Array.from({ length: 9 }, (_, at) => delta({ kind: "text", words: `${at}x` }, at))
  expect(read(subjects["gemini"] as Subject, [...frames, end]).at(-1)).toMatchObject({
    type: "finish",
    usage: { input: 7, output: 8 },
  })
})

test.each([
  [1_000, "text-delta"],
  [1_001, "failure"],
])("[LL6] a frame of %i levels is a %s", (levels, type) => {
  const said = { type: "text-delta", index: 0, text: "x" } as const
  const reader = new FrameReader({
    start: answerWith(null),
    step: (answer) => say(answer, said),
    end: (answer) => answer,
  })
  const brackets = `"[[[\\"[[["`
  reader.read({ name: "", data: `${"[".repeat(levels)}${brackets}${"]".repeat(levels)}` })
  expect(reader.take()).toMatchObject([{ type }])
  expect(reader.closed).toBe(type === "failure")
})
