import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Entry } from "@holdfast/llm/segments"
import type { MessageId, NoticeId, PromptId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { PassOp, Slots } from "@holdfast/schema/fact/recall"
import { frozenOf, inWindow } from "@holdfast/schema/state/frozen"
import { promotedMessage } from "@holdfast/schema/state/state"
import { cutNotice, type HistoryView, outputCutText, render, unfinishedNotice } from "@holdfast/recall"
import { assistant, call, cutBelow, reasoning, skeleton, system, text, user } from "./history.ts"

const viewOf = (messages: readonly Message[], ops: readonly PassOp[], slots: Slots | null): HistoryView => {
  const frozen = frozenOf(ops, slots)
  return { messages: messages.filter((message) => inWindow(message, frozen, 0)), frozen }
}
const shown = (
  messages: readonly Message[],
  ops: readonly PassOp[] = [],
  slots: Slots | null = null,
): readonly Entry[] => {
  const { historyBaseline, historyDelta, tail } = render(viewOf(messages, ops, slots))
  return [...historyBaseline, ...historyDelta, ...tail]
}
const said: Slots = { baseline: "", delta: "Some is not shown.", boundary: 6, markers: {} }

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

test("[PR7] shows what the runtime put beside a notice, as it does beside a prompt", () => {
  const added = [{ kind: "hint", text: "Said before: no." }] as const
  const shared = { message: "msg_1" as MessageId, bodySeq: 1, tokens: 9, added: [...added] } as const
  const source = { kind: "command", id: "c1" } as const
  const facts = [
    { type: "notice.promoted", notice: "n1" as NoticeId, wakes: true, ...shared },
    { type: "prompt.promoted", prompt: "p1" as PromptId, ...shared },
  ] as const
  const messages = facts.map((fact) => promotedMessage(fact, 2, { text: "It ended.", source }))
  expect(messages.map((message) => lines([message]))).toEqual([
    ["notice: It ended.", "notice: Said before: no."],
    ["user: It ended.", "notice: Said before: no."],
  ])
})

test("[EP7] leaves system messages from before the Epoch out of the window", () => {
  const messages = [user(1), system(2), assistant(3, text("yes")), user(4), system(6), user(8)]
  const left = (epochSeq: number) =>
    messages.filter((message) => !inWindow(message, frozenOf([], null), epochSeq)).map(({ seq }) => seq)
  expect([left(1), left(5), left(6)]).toEqual([[], [2], [2, 6]])
})

test("[HB1] puts the history slots before the tail, each nobody's words, and none that is empty", () => {
  const slots = { ...said, baseline: "What happened.", delta: "What is new." }
  const frozen = frozenOf([], slots)
  expect(render({ messages: [user(1)], frozen })).toEqual({
    historyBaseline: [{ kind: "notice", text: "What happened." }],
    historyDelta: [{ kind: "notice", text: "What is new." }],
    tail: [{ kind: "user", text: "ask 1" }],
  })
  expect(render(viewOf([user(1)], [], said)).historyBaseline).toEqual([])
  expect(render(viewOf([user(1)], [], null))).toMatchObject({ historyBaseline: [], historyDelta: [] })
  expect(render({ messages: [user(1), user(2)], frozen }).historyDelta[0]).toBe(
    render({ messages: [user(1)], frozen }).historyDelta[0],
  )
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
  const entries = shown(view, [], said)
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

test("[TU6] replays a cut: what it says, kept input, then the rest", () => {
  const messages = [user(1), assistant(2, text("a")), system(3), user(4), assistant(5, text("b")), user(6)]
  expect(lines(messages, [cutBelow(6, { kept: [4] })], said)).toEqual([
    "notice: Some is not shown.",
    "user: ask 4",
    "user: ask 6",
  ])
})

test("[TU6] begins with an answer where a slot says what went, and else names the damage", () => {
  const messages = [assistant(2, text("a")), user(3)]
  expect(lines(messages, [], said)).toEqual(["notice: Some is not shown.", "a", "user: ask 3"])
  expect(lines(messages)[0]).toMatch(/^notice: .*could not be read from storage/)
})

test("[TU6] shows the fixed line in place of an output that was cut, by whichever pass", () => {
  const messages = [
    user(1),
    assistant(2, call(1, "long"), call(2, "short")),
    assistant(3, call(3, "long")),
    user(4),
  ]
  expect(lines(messages, [skeleton(2, 1), cutBelow(1), skeleton(3, 3)])).toEqual([
    "user: ask 1",
    `work -> ${outputCutText} | work -> short`,
    `work -> ${outputCutText}`,
    "user: ask 4",
  ])
})

test("[PS3] leaves out a call of which nothing is left", () => {
  const messages = [user(1), assistant(2, call(1, "long"), call(2, "short")), user(3)]
  expect(lines(messages, [{ ...skeleton(2, 1), leaves: "nothing" } as PassOp])).toEqual([
    "user: ask 1",
    "work -> short",
    "user: ask 3",
  ])
})

test("[TU1] gives the same message the same entry objects, so that encoded blocks are reused", () => {
  const messages = [user(1), assistant(2, text("a")), user(3)]
  const frozen = frozenOf([], null)
  const first = render({ messages, frozen }).tail
  const second = render({ messages: [...messages, assistant(4, text("b")), user(5)], frozen }).tail
  expect(second.slice(0, 3).every((entry, at) => entry === first[at])).toBe(true)
  const cloned = render({ messages: structuredClone(messages), frozen }).tail
  expect(cloned[0]).not.toBe(first[0])
  expect(cloned).toEqual(first)
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
    skeleton: fc.nat(4),
    cut: fc.nat(9),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      let view = viewOf([], [], null)
      let seq = 0
      for (const { drop, kinds, skeleton: bare, cut } of steps) {
        const messages = [
          ...view.messages.slice(0, Math.max(0, view.messages.length - drop)),
          ...kinds.map((kind) => message((seq += 1), kind)),
        ]
        const { ops, slots } = view.frozen
        if (cut === 0) view = viewOf(messages, [...ops, cutBelow(seq)], said)
        else if (bare === 0) view = viewOf(messages, [...ops, skeleton(seq, seq)], slots)
        else view = { messages, frozen: view.frozen }
        expect(render(view)).toEqual(render(structuredClone(view)))
      }
    }),
  )
})
