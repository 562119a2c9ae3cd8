/** What a provider can answer instead of an answer, and what becomes of the turn. */
import { describe, expect, test } from "vitest"
import {
  type Fault,
  faulty,
  type Reply,
  type SimFrame,
  type SimResponse,
  textReply,
} from "@holdfast/provider-sim"
import { Effect } from "effect"
import { type Behaviour, behavesWell, goodAnswer, withBench } from "./bench.ts"

const encoder = new TextEncoder()
const bytes = (text: string, afterMs = 0): SimFrame => ({
  kind: "bytes",
  afterMs,
  bytes: encoder.encode(text),
})

const answers = (status: number, type: string | null, ...pieces: readonly string[]): Behaviour =>
  plays(
    status,
    type,
    pieces.map((piece) => bytes(piece)),
  )

const plays = (status: number, type: string | null, frames: Iterable<SimFrame>): Behaviour => {
  const headers: Record<string, string> = type === null ? {} : { "content-type": type }
  return { kind: "bytes", response: { status, headers, headersAfterMs: 0, frames } satisfies SimResponse }
}

const stream = "text/event-stream"
const replies = (reply: Reply): Behaviour => ({ kind: "reply", reply })
const fault = (kind: Fault): Behaviour => replies(faulty(kind))

const frame = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const start = frame("message_start", {
  message: { id: "msg_1", usage: { input_tokens: 1, output_tokens: 1 } },
})
const open = frame("content_block_start", { index: 0, content_block: { type: "text", text: "" } })
const delta = frame("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hello" } })
const close = frame("content_block_stop", { index: 0 })
const finish =
  frame("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }) +
  frame("message_stop", {})

/** Unknown events without end: nothing in them is wrong, and nothing is said. */
function* endlessEvents(): Generator<SimFrame> {
  yield bytes(start)
  const one = bytes(frame("novelty", { filler: "x".repeat(1_000_000) }))
  for (;;) yield one
}

function* endlessComments(): Generator<SimFrame> {
  const one = bytes(": still here\n".repeat(100_000))
  for (;;) yield one
}

interface Trouble {
  readonly name: string
  readonly behaviour: Behaviour
  readonly code: string
  /** Requests until the runtime gives up: one if a repeat cannot help. */
  readonly requests: number
}

const tries = 5

const troubles: readonly Trouble[] = [
  {
    name: "a page instead of a stream",
    behaviour: fault({ kind: "html" }),
    code: "not_a_stream",
    requests: 1,
  },
  {
    name: "JSON instead of a stream",
    behaviour: answers(200, "application/json", "{}"),
    code: "not_a_stream",
    requests: 1,
  },
  { name: "no content type", behaviour: answers(200, null, start, open), code: "not_a_stream", requests: 1 },
  { name: "nothing and no content type", behaviour: answers(200, null), code: "not_a_stream", requests: 1 },
  { name: "an empty stream", behaviour: answers(200, stream), code: "stream_cut", requests: tries },
  {
    name: "a refusal that is no JSON",
    behaviour: fault({ kind: "error-not-json" }),
    code: "server_error",
    requests: tries,
  },
  { name: "a refusal without a body", behaviour: answers(400, null), code: "invalid_request", requests: 1 },
  {
    name: "a refusal that is JSON of another shape",
    behaviour: answers(403, "application/json", "[null]"),
    code: "permission",
    requests: 1,
  },
  { name: "a redirect", behaviour: answers(302, "text/html", "moved"), code: "redirected", requests: 1 },
  {
    name: "an unauthorized key",
    behaviour: fault({ kind: "unauthorized" }),
    code: "authentication",
    requests: 1,
  },
  {
    name: "a connection cut before the first word",
    behaviour: fault({ kind: "cut" }),
    code: "stream_cut",
    requests: tries,
  },
  {
    name: "an end without a stop",
    behaviour: fault({ kind: "no-stop", afterDeltas: 0 }),
    code: "stream_cut",
    requests: tries,
  },
  {
    name: "silence after the headers",
    behaviour: fault({ kind: "stall" }),
    code: "idle_timeout",
    requests: tries,
  },
  {
    name: "silence before the headers",
    behaviour: replies({ ...textReply("late"), firstByteMs: 10_000_000 }),
    code: "first_byte_timeout",
    requests: tries,
  },
  {
    name: "a frame that is no JSON",
    behaviour: fault({ kind: "malformed-json" }),
    code: "malformed_stream",
    requests: tries,
  },
  {
    name: "a frame that is no object",
    behaviour: answers(200, stream, "data: 7\n\n"),
    code: "malformed_stream",
    requests: tries,
  },
  {
    name: "a delta before its block",
    behaviour: fault({ kind: "wrong-order" }),
    code: "malformed_stream",
    requests: tries,
  },
  {
    name: "a block before the message",
    behaviour: answers(200, stream, open, start),
    code: "malformed_stream",
    requests: tries,
  },
  {
    name: "two beginnings",
    behaviour: answers(200, stream, start, start),
    code: "malformed_stream",
    requests: tries,
  },
  {
    name: "a stop with an open block",
    behaviour: answers(200, stream, start, open, delta, finish),
    code: "malformed_stream",
    requests: tries,
  },
  {
    name: "text in a block of calls",
    behaviour: answers(
      200,
      stream,
      start,
      frame("content_block_start", {
        index: 0,
        content_block: { type: "tool_use", id: "a", name: "b", input: {} },
      }),
      delta,
    ),
    code: "malformed_stream",
    requests: tries,
  },
  {
    name: "bytes that are no text",
    behaviour: plays(200, stream, [
      { kind: "bytes", afterMs: 0, bytes: Uint8Array.from({ length: 4_096 }, (_, i) => i % 256) },
    ]),
    code: "stream_cut",
    requests: tries,
  },
  {
    name: "a line without an end",
    // Fast enough to be too large before it is too late.
    behaviour: replies({ ...faulty({ kind: "endless-garbage" }), delayMs: 1 }),
    code: "answer_too_large",
    requests: 1,
  },
  {
    name: "unknown events without an end",
    behaviour: plays(200, stream, { [Symbol.iterator]: endlessEvents }),
    code: "answer_too_large",
    requests: 1,
  },
  {
    name: "comments without an end",
    behaviour: plays(200, stream, { [Symbol.iterator]: endlessComments }),
    code: "answer_too_large",
    requests: 1,
  },
  { name: "an error event", behaviour: fault({ kind: "error-event" }), code: "overloaded", requests: tries },
  {
    name: "an answer without a word",
    behaviour: answers(200, stream, start, finish),
    code: "empty_answer",
    requests: 1,
  },
  { name: "an answer of blanks", behaviour: replies(textReply(" \n ")), code: "empty_answer", requests: 1 },
  {
    name: "a refusal of the model",
    behaviour: replies({ ...textReply("No."), stopReason: "refusal" }),
    code: "refusal",
    requests: 1,
  },
  {
    name: "an answer that is cut at the limit",
    behaviour: replies({ ...textReply("And then"), stopReason: "max_tokens" }),
    code: "output_limit",
    requests: 1,
  },
]

describe("a provider that answers", () => {
  for (const { name, behaviour, code, requests } of troubles) {
    test(`[LL6] ${name}: the turn settles as failed with ${code}, and the Session goes on`, () =>
      withBench((bench) => {
        const session = bench.newSession()
        bench.behaviour = behaviour
        expect(bench.say(session, "Try this.")).toMatchObject({ kind: "failed", reason: { code } })
        expect(bench.requests).toBe(requests)
        const settled = bench.settlements(session)
        expect(settled).toMatchObject([{ status: "failed", reason: { code } }])
        expect(settled[0]?.reason?.message).toMatch(/\w/)
        expect(settled[0]?.ledger.attempts).toHaveLength(requests)
        expect(bench.ok(bench.runtime.get(session)).status).toMatchObject({ state: "failed", owing: true })
        bench.behaviour = behavesWell
        expect(bench.say(session, "And this.")).toEqual({ kind: "done" })
        expect(bench.transcript(session).at(-1)).toBe(goodAnswer)
        expect(bench.ok(bench.runtime.get(session)).status).toMatchObject({
          state: "idle",
          owing: false,
          pending: 0,
        })
        expect(bench.ok(bench.runtime.verify(session)).map(({ verdict }) => verdict.kind)).toEqual([
          "same",
          "same",
        ])
      }))
  }

  test("[LL6] unknown events, fields and reasons: the turn settles as done", () =>
    withBench((bench) => {
      const session = bench.newSession()
      bench.behaviour = replies({ ...textReply(goodAnswer), unknownEvents: true, bytesPerWrite: 7 })
      expect(bench.say(session, "Try this.")).toEqual({ kind: "done" })
      expect(bench.transcript(session)).toEqual(["Try this.", goodAnswer])
    }))

  const slowPing = bytes("event: ping\ndata: {}\n\n", 5_000)

  test("[LL6 TU4] half a text and then nothing: it is kept, three turns carry on, then the drain fails", () =>
    withBench((bench) => {
      const session = bench.newSession()
      bench.behaviour = plays(200, stream, [bytes(start + open + delta), slowPing, { kind: "cut" }])
      expect(bench.say(session, "Try this.")).toMatchObject({
        kind: "failed",
        reason: { code: "stream_cut" },
      })
      expect(bench.settlements(session).map(({ status, reason }) => [status, reason?.code])).toEqual(
        Array.from({ length: 4 }, () => ["interrupted", "stream_cut"]),
      )
      expect(bench.transcript(session)).toEqual(["Try this.", "Hello", "Hello", "Hello", "Hello"])
      bench.behaviour = behavesWell
      bench.ok(bench.runtime.resume(session))
      expect(bench.settled(session)).toEqual({ kind: "done" })
      expect(bench.transcript(session).at(-1)).toBe(goodAnswer)
    }))

  test("[LL6 DR7] a whole text and then nothing, again and again: the turn allowance ends it", () =>
    withBench((bench) => {
      const session = bench.newSession()
      bench.behaviour = plays(200, stream, [bytes(start + open + delta + close), { kind: "cut" }])
      expect(bench.say(session, "Try this.")).toMatchObject({
        kind: "failed",
        reason: { code: "stream_cut" },
      })
      expect(bench.settlements(session)).toHaveLength(200)
      bench.behaviour = behavesWell
      bench.ok(bench.runtime.resume(session))
      expect(bench.settled(session)).toEqual({ kind: "done" })
    }))

  const call = (input: string) =>
    start +
    frame("content_block_start", {
      index: 0,
      content_block: { type: "tool_use", id: "a", name: "read", input: {} },
    }) +
    frame("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: input } }) +
    close +
    frame("message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } }) +
    frame("message_stop", {})

  for (const [name, input, errorCode] of [
    ["arguments that are no JSON", '{"path": ', "invalid_input"],
    ["arguments that are nested too deep", "[".repeat(300), "invalid_input"],
    ["a call of a tool that does not exist", "{}", "unknown_tool"],
  ] as const) {
    test(`[LL6 TU2] ${name}: the call settles as failed with ${errorCode}, and the model is asked again`, () =>
      withBench((bench) => {
        const session = bench.newSession()
        bench.behaviour = answers(200, stream, call(input))
        bench.onRequest = () => {
          if (bench.requests > 1) bench.behaviour = behavesWell
        }
        expect(bench.say(session, "Try this.")).toEqual({ kind: "done" })
        expect(bench.settlements(session).map(({ status }) => status)).toEqual(["continue", "done"])
        const outcomes = bench
          .ok(bench.runtime.events(session, 0, 100, false))
          .flatMap(({ fact }) => (fact.type === "call.settled" ? [fact.outcome] : []))
        expect(outcomes).toMatchObject([{ state: "failed", errorCode }])
      }))
  }

  test("[TU4 LL6] a wait that is too long: the turn fails, the wait is visible and ends with the next input", () =>
    withBench((bench) => {
      const session = bench.newSession()
      bench.behaviour = fault({ kind: "rate-limited", retryAfter: 86_400 })
      expect(bench.say(session, "Try this.")).toMatchObject({
        kind: "failed",
        reason: { code: "rate_limit" },
      })
      expect(bench.requests).toBe(1)
      const { status } = bench.ok(bench.runtime.get(session))
      expect(status).toMatchObject({ state: "waiting", reason: { code: "rate_limit" } })
      expect(status.waitingUntil).toBeGreaterThanOrEqual(86_400_000)
      bench.behaviour = behavesWell
      expect(bench.say(session, "And this.")).toEqual({ kind: "done" })
      expect(bench.ok(bench.runtime.get(session)).status).toMatchObject({ state: "idle", waitingUntil: null })
    }))

  test("[TU5 LL6] too long a request, whatever is sent: one reduction, one more attempt, then a typed failure", () =>
    withBench((bench) => {
      const session = bench.newSession()
      for (const text of ["one", "two", "three"]) bench.say(session, text)
      const before = bench.requests
      bench.behaviour = fault({ kind: "overflow" })
      const end = bench.say(session, "Try this.")
      expect(end?.kind).toBe("failed")
      expect(["context_overflow", "window_exceeded"]).toContain(end?.kind === "failed" && end.reason.code)
      expect(bench.requests - before).toBeLessThanOrEqual(2)
      bench.behaviour = behavesWell
      expect(bench.say(session, "And this.")).toEqual({ kind: "done" })
    }))

  test("[DR3 LL6] text without an end: an interrupt ends it and keeps what came", () =>
    withBench((bench) => {
      const session = bench.newSession()
      bench.behaviour = fault({ kind: "endless-deltas" })
      const receipt = bench.ok(bench.runtime.prompt({ sessionID: session, text: "Try this." }))
      const started = bench.runtime.events(session, receipt.admittedSeq, 100, true)
      bench.ok(Effect.andThen(started, Effect.sleep("1 minute")))
      bench.ok(bench.runtime.interrupt(session))
      expect(bench.settled(session)).toMatchObject({ kind: "interrupted", reason: { code: "interrupted" } })
      expect(bench.settlements(session)).toMatchObject([
        { status: "interrupted", reason: { code: "interrupted" } },
      ])
      expect(bench.transcript(session)[1]).toMatch(/^(and so on, ){1000,}/)
      bench.behaviour = behavesWell
      expect(bench.say(session, "And this.")).toEqual({ kind: "done" })
    }))
})
