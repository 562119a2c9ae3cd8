/** Foreign sessions as logs of ours: every message, call and result in order, and nobody's words in anybody's mouth (IM1). */
import { describe, expect, test } from "vitest"
import { isReadable } from "@holdfast/schema/event"
import { advance, emptyState, historyOf, type SessionState } from "@holdfast/schema/state/state"
import type { Entry } from "../../src/facts/log.ts"
import { importedSessions } from "../../src/facts/sessions.ts"
import {
  answer,
  branch,
  call,
  compaction,
  factsOf,
  header,
  importAll,
  importOne,
  invented,
  prompt,
  result,
  text,
  usage,
} from "./records.ts"

const stateOf = (log: readonly Entry[]): SessionState =>
  log.reduce(
    (state, { time, fact }, index) =>
      advance(state, { session: "ses_1" as never, seq: index + 1, time, fact }),
    emptyState,
  )

const outputsOf = (log: readonly Entry[]) =>
  factsOf(log, "call.settled").map(({ outcome: { state, output } }) => [state, output.split(":")[0]])

test("[IM1 PR7] prompts are a person's words, and what the agent put in is a notice", async () => {
  const { log, messages, calls, skipped } = await importOne(invented)
  expect(log.filter(({ fact }) => !isReadable(fact))).toEqual([])
  expect(factsOf(log, "prompt.admitted").map((fact) => fact.text)).toEqual([
    "What is here?",
    "And hurry.",
    "Go on.",
  ])
  expect(factsOf(log, "notice.admitted").map((fact) => fact.text)).toEqual([
    "<system-reminder>Be brief.</system-reminder>",
    "The talk so far: all is well.",
  ])
  expect([messages, calls, skipped]).toEqual([9, 4, []])
  expect(
    factsOf(log, "part.recorded").flatMap(({ part }) => (part.type === "call" ? [part.name] : [])),
  ).toEqual(["Bash", "Bash", "mcp.server/odd name", "Bash"])
})

test("[TG7 IM1] a result belongs to the oldest call of its id without one, and a call without any is interrupted", async () => {
  const { log } = await importOne(invented)
  expect(outputsOf(log)).toEqual([
    ["done", "first"],
    ["done", "second"],
    ["done", "once more"],
    ["interrupted", "No result of this call was recorded"],
  ])
  const twice = await importOne([
    header,
    prompt(1, "Twice."),
    answer(2, "m1", call("x")),
    answer(3, "m2", call("x")),
    result(4, "x", "for the first"),
    result(5, "x", "for the second"),
    result(6, "x", "for nobody"),
    result(7, "y", "of nothing"),
  ])
  expect(outputsOf(twice.log)).toEqual([
    ["done", "for the first"],
    ["done", "for the second"],
  ])
  expect(twice.skipped.map(({ line, detail }) => [line, detail])).toEqual([
    [6, "a second result of a call"],
    [7, "a result without its call"],
  ])
})

test("[IM1 TU1] a turn keeps its model, time and counts, and names an encoder that no wire has", async () => {
  const { log } = await importOne(invented)
  const [first] = factsOf(log, "turn.started")
  expect(first?.model).toEqual({ provider: "anthropic", model: "claude-opus-4-5" })
  expect(first?.request.encoder).toBe("import/1")
  expect(log.find(({ fact }) => fact === first)?.time).toBe(3_603_000)
  const [counted, uncounted] = factsOf(log, "turn.settled").map(({ ledger }) => ledger)
  // The last count of a request holds; an hour of life costs double.
  expect(counted?.usage).toEqual({ input: 10, output: 30, cacheRead: 1_000, cacheWrite: 150 })
  expect(counted?.cost).toBeCloseTo((10 * 5 + 30 * 25 + 1_000 * 0.5 + 100 * 6.25 + 50 * 10) / 1e6, 9)
  expect(uncounted).toMatchObject({ accuracy: "incomplete", cost: null })
})

test("[IM1] a call settles when its result came, and one that nests without end is cut to what a record holds", async () => {
  const deep = JSON.parse(`${"[".repeat(300)}1${"]".repeat(300)}`) as never
  const { log } = await importOne([
    header,
    prompt(1, "One"),
    answer(2, "m1", { type: "call", call: "c", name: "Bash", input: deep }),
    result(9, "c", "late"),
  ])
  expect(log.flatMap(({ time, fact }) => (fact.type === "call.settled" ? [time] : []))).toEqual([3_609_000])
  const [part] = factsOf(log, "part.recorded")
  expect(JSON.stringify(part?.part.type === "call" && part.part.input)).toBe(
    `${"[".repeat(100)}null${"]".repeat(100)}`,
  )
})

describe("a compaction", () => {
  test("[IM1 TU6] hides what went before, keeps it stored, and its summary is nobody's words", async () => {
    const { log } = await importOne(invented)
    const state = stateOf(log)
    expect(historyOf(state).map(({ kind }) => kind)).toEqual(["notice", "user", "assistant"])
    expect(state.frozen.slots?.markers).toMatchObject({ inputs: 2, notices: 1, answers: 3, calls: 3 })
    expect(factsOf(log, "part.recorded")).toHaveLength(7)
  })

  test("[IM1] keeps what its record says is kept", async () => {
    const { log } = await importOne([
      header,
      prompt(1, "One"),
      answer(2, "m1", text("1")),
      prompt(3, "Two"),
      answer(4, "m2", call("c")),
      result(5, "c", "out"),
      compaction(6, "r5"),
      prompt(7, "Summed up.", "summary"),
    ])
    // A result is a part of the answer that called for it.
    expect(historyOf(stateOf(log)).map(({ kind }) => kind)).toEqual(["assistant", "notice"])
  })
})

test("[IM1 SS1] a branch is a Session forked at its message, which begins with the very same events", async () => {
  const [main, other, ...more] = await importAll([
    header,
    prompt(1, "One"),
    answer(2, "m1", text("1")),
    usage(2, "q1", 1),
    prompt(3, "Two"),
    answer(4, "m2", text("2")),
    branch(5, "a2"),
    prompt(6, "Other"),
    answer(7, "m3", text("3")),
    branch(8, "a4"),
    prompt(9, "Three"),
    branch(10, "a7"),
    prompt(11, "Fourth"),
    branch(12, "nowhere"),
  ])
  expect(more).toEqual([])
  const words = (log: readonly Entry[]) => factsOf(log, "prompt.admitted").map((fact) => fact.text)
  expect(words(main?.log ?? [])).toEqual(["One", "Two", "Three"])
  expect(words(other?.log ?? [])).toEqual(["One", "Other", "Fourth"])
  const [created] = factsOf(other?.log ?? [], "session.created")
  expect(created?.origin).toMatchObject({ kind: "fork", source: main?.session, seq: 6 })
  const shared = (log: readonly Entry[] = []) =>
    log.slice(1, 6).map(({ time, fact }) => ({ time, fact: { ...fact, prompt: "" } }))
  expect(shared(other?.log)).toEqual(shared(main?.log))
  const ids = [main, other].map((one) => factsOf(one?.log ?? [], "prompt.admitted")[0]?.prompt)
  expect(ids[0]).not.toBe(ids[1])
  expect(main?.skipped.map(({ detail }) => detail)).toEqual(["a branch from nowhere, which is not there"])
})

test("[IM1 TU6] an image counts as it does where it is recorded here", async () => {
  const image = { mediaType: "image/png", base64: "AAAA" }
  const media = {
    hash: "f".repeat(64),
    mediaType: "image/png",
    bytes: 3,
    width: 750,
    height: 100,
    name: null,
  }
  const shown = [
    header,
    { ...prompt(1, "Look."), images: [image] },
    answer(2, "m1", call("c")),
    { ...result(3, "c", ""), images: [image] },
  ]
  const [session] = await importedSessions(shown, {
    takeImage: async () => ({ media: media as never, bytes: new Uint8Array(3) }),
    locate: async (directory) => ({ directory: directory ?? "/", projectRoot: "/" }),
    stored: async () => null,
  })
  const tokens = (type: "prompt.promoted" | "call.settled") =>
    factsOf(session?.log ?? [], type).map((fact) => fact.tokens)
  expect([tokens("prompt.promoted"), tokens("call.settled")]).toEqual([[102], [100]])
})

test("[IM1] what a store or a provider cannot take is made fit, or told", async () => {
  const { log, skipped } = await importOne([
    header,
    prompt(1, " \u0000 "),
    prompt(2, "half \ud83d of a pair\u0000"),
    { ...prompt(3, "seen"), images: [{ mediaType: "image/png", base64: "AAAA" }] },
    { ...prompt(4, ""), images: [{ mediaType: null, name: "gone.png" }] },
    prompt(5, "x".repeat(1_048_577)),
    prompt(2, "half again"),
  ])
  const texts = factsOf(log, "prompt.admitted").map((fact) => fact.text)
  expect(texts.slice(0, 2)).toEqual(["half \ufffd of a pair", "seen"])
  expect(texts.slice(2).map((words) => words.length)).toEqual([1_048_573])
  expect(skipped.map(({ line, why }) => `${line} ${why}`).sort()).toEqual([
    "1 not-kept",
    "2 not-kept",
    "3 not-kept",
    "4 not-kept",
    "5 too-long",
  ])
})
