import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Entry } from "@holdfast/llm/segments"
import type { CallId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { Reduction } from "@holdfast/schema/reduction"
import { cutNotice, type HistoryView, outputCutText, render, unfinishedNotice } from "@holdfast/recall"
import { assistant, call, reasoning, reduction, system, text, user } from "./history.ts"

const shown = (messages: readonly Message[], reductions: readonly Reduction[] = [], epochSeq = 0) =>
  render({ messages, reductions, epochSeq })

const line = (entry: Entry): string =>
  entry.kind === "assistant"
    ? entry.parts
        .map((part) =>
          part.type === "call" ? `${part.name} -> ${part.result}` : "text" in part ? part.text : part.name,
        )
        .join(" | ")
    : `${entry.kind}: ${entry.text}`
const lines = (...view: Parameters<typeof shown>) => shown(...view).map(line)

test("[EP4] keeps the order of the log: input, then what the context says, then the answer", () =>
  expect(lines([user(1), system(2), assistant(3, text("yes")), user(4)])).toEqual([
    "user: ask 1",
    "system: fact 2",
    "yes",
    "user: ask 4",
  ]))

test("[EP7] leaves system messages from before the Epoch out of model history", () => {
  const messages = [
    user(1),
    system(2),
    assistant(3, text("yes")),
    user(4),
    system(6),
    assistant(7, text("ok")),
    user(8),
  ]
  expect(lines(messages, [], 5).filter((item) => item.startsWith("system"))).toEqual(["system: fact 6"])
  expect(lines(messages, [], 6).filter((item) => item.startsWith("system"))).toEqual([])
})

test("[TU4] follows text that was cut with a notice, and says nothing of whole text", () => {
  expect(lines([user(1), assistant(2, text("hal", true)), user(3)])).toEqual([
    "user: ask 1",
    "hal",
    `notice: ${cutNotice}`,
    "user: ask 3",
  ])
  expect(lines([user(1), assistant(2, text("whole")), user(3)])).toEqual([
    "user: ask 1",
    "whole",
    "user: ask 3",
  ])
})

test("[TU4] leaves out reasoning without its signature and reasoning that leads to nothing", () => {
  const unsigned = assistant(2, reasoning("why", false))
  expect(lines([user(1), unsigned, user(3)])).toEqual(["user: ask 1", "user: ask 3"])
  const trailing = assistant(2, reasoning("a"), text("b"), reasoning("c"), reasoning("d"))
  expect(lines([user(1), trailing, user(3)])[1]).toBe("a | b")
})

test("[TU4] never ends with the assistant's own words, and does end with a result", () => {
  expect(lines([user(1), assistant(2, text("well"))]).at(-1)).toBe(`notice: ${unfinishedNotice}`)
  expect(lines([user(1), assistant(2, call(1, "done"))]).at(-1)).toBe("work -> done")
})

test("[TU7] keeps the notice where a turn began behind the assistant's own words, so that history only grows", () => {
  const before = [user(1), assistant(2, text("well"))]
  const sent = lines(before)
  for (const next of [assistant(3, text("more")), assistant(3)]) {
    expect(lines([...before, next, user(4)]).slice(0, sent.length)).toEqual(sent)
  }
  expect(lines([...before, assistant(3)])).toEqual(sent)
})

test("[PR7] gives only admitted input a user entry", () => {
  const view = [
    user(1),
    assistant(2, text("cu", true)),
    system(3),
    assistant(4, text("x")),
    assistant(5, text("y")),
  ]
  const entries = shown(view, [reduction(1)])
  expect(entries.filter(({ kind }) => kind === "user")).toEqual([{ kind: "user", text: "ask 1" }])
  expect(entries.filter(({ kind }) => kind === "notice")).toHaveLength(4)
})

test("[TU2] gives every rendered call a result, and marks what did not succeed", () => {
  const calls = [call(1, "fine"), call(2, "bad", "failed"), call(3, "stopped", "interrupted"), call(4, null)]
  const entry = shown([user(1), assistant(2, ...calls)])[1]
  const results =
    entry?.kind === "assistant"
      ? entry.parts.map((part) => part.type === "call" && [part.result, part.failed])
      : []
  expect(results).toEqual([
    ["fine", false],
    ["bad", true],
    ["stopped", true],
    ["Outcome unknown: the call was not settled.", true],
  ])
})

test("[TU6] replays a reduction: notice first, kept input, the Epoch's system messages, then the rest", () => {
  const messages = [user(1), assistant(2, text("a")), system(3), user(4), assistant(5, text("b")), user(6)]
  expect(lines(messages, [reduction(6, { kept: [4] })])).toEqual([
    expect.stringMatching(/^notice: 2 earlier messages/),
    "system: fact 3",
    "user: ask 4",
    "user: ask 6",
  ])
})

test("[TU6] shows the fixed line in place of an output that was cut, and the sum of all cuts", () => {
  const messages = [user(1), assistant(2, call(1, "long"), call(2, "short")), user(3)]
  const cut = reduction(1, { outputsCut: ["call_1" as CallId], messagesCut: 3 })
  expect(lines(messages, [reduction(1), cut])).toEqual([
    expect.stringMatching(/^notice: 5 earlier messages/),
    "user: ask 1",
    `work -> ${outputCutText} | work -> short`,
    "user: ask 3",
  ])
})

test("[TU1] gives the same message the same entry objects, so that encoded blocks are reused", () => {
  const messages = [user(1), assistant(2, text("a")), user(3)]
  const first = shown(messages)
  const second = shown([...messages, assistant(4, text("b")), user(5)])
  expect(second.slice(0, 3).every((entry, at) => entry === first[at])).toBe(true)
})

test("[TU1] gives a history that grows, changes at its end or is cut what a fresh one gives", () => {
  const message = (seq: number, kind: number): Message =>
    kind === 0
      ? user(seq)
      : kind === 1
        ? system(seq)
        : kind === 2
          ? assistant(seq)
          : assistant(seq, ...(kind === 3 ? [text("words")] : [call(seq, "out"), text("cut", kind === 5)]))
  const step = fc.record({
    drop: fc.nat(2),
    kinds: fc.array(fc.nat(5), { maxLength: 4 }),
    epoch: fc.nat(9),
    cut: fc.nat(9),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      let view: HistoryView = { messages: [], epochSeq: 0, reductions: [] }
      let seq = 0
      for (const { drop, kinds, epoch, cut } of steps) {
        const messages = [
          ...view.messages.slice(0, Math.max(0, view.messages.length - drop)),
          ...kinds.map((kind) => message((seq += 1), kind)),
        ]
        const epochSeq = epoch === 0 ? seq : view.epochSeq
        const reductions = cut === 0 ? [...view.reductions, reduction(seq)] : view.reductions
        view = { messages, epochSeq, reductions }
        expect(render(view)).toEqual(render(structuredClone(view)))
      }
    }),
  )
})
