import { expect, test } from "vitest"
import type { Fact } from "@holdfast/schema/event"
import { advanceAll, emptyState, newestInputs, openCalls } from "@holdfast/schema/state/state"
import {
  admitted,
  callId,
  callPart,
  callSettled,
  callStarted,
  fold,
  messageId,
  promoted,
  promptId,
  session,
  settled,
  started,
  textPart,
} from "./records.ts"

test("[PR8] owes from the promotion until a turn settles done", () => {
  const owing = (...rest: Parameters<typeof fold>[0]) =>
    fold([admitted(1), promoted(1, 1), ...rest]).summary.owing
  expect(fold([admitted(1)]).summary.owing).toBe(false)
  expect(owing()).toBe(true)
  for (const status of ["continue", "failed", "interrupted"] as const) {
    expect(owing(started(1), settled(1, status))).toBe(true)
  }
  expect(owing(started(1), settled(1, "done"))).toBe(false)
})

test("[PR7] takes the text of a user message from the admission or edit that it names", () => {
  const edit = { type: "prompt.edited", prompt: promptId(1), text: "better" } as const
  expect(fold([admitted(1), promoted(1, 1)]).messages).toMatchObject([{ kind: "user", text: "text 1" }])
  expect(fold([admitted(1), edit, promoted(1, 2)]).messages).toMatchObject([{ kind: "user", text: "better" }])
})

test("[TU1] what a fact comes to depends on the state that it is folded into, and on nothing that was folded before", () => {
  const fact = promoted(1, 1)
  const [without, within] = [admitted(2), admitted(1)].map((before) => () => fold([before, fact]).messages)
  expect(without?.()).toMatchObject([{ text: "" }])
  expect(within?.()).toMatchObject([{ text: "text 1" }])
  expect(without?.()).toMatchObject([{ text: "" }])
})

test("[EP5] one fact folded twice into the same state gives the same message object, for which requests are encoded once", () => {
  const [before, fact] = [fold([admitted(1)]), promoted(1, 1)]
  const at = { session, firstSeq: 2, time: 1 }
  const [first, second] = [advanceAll(before, [fact], at), advanceAll(before, [fact], at)]
  expect(first.messages[0]).toBe(second.messages[0])
})

test("[PR3] an edit takes the place of the whole body: words, images and calls that it does not bring are gone", () => {
  const call = { name: "read", input: { path: "a" } }
  const image = { hash: "a".repeat(64), mediaType: "image/png", bytes: 1, width: 1, height: 1 } as const
  const rich = { ...admitted(1), images: [image], calls: [call] } as unknown as Fact
  const edit: Fact = { type: "prompt.edited", prompt: promptId(1), text: "better" }
  const [input] = fold([rich, edit]).inbox
  expect(input).toMatchObject({ text: "better", bodySeq: 2 })
  expect(Object.keys(input ?? {})).not.toEqual(expect.arrayContaining(["images"]))
  expect(Object.keys(input ?? {})).not.toEqual(expect.arrayContaining(["calls"]))
})

test("[PS8] an execute is done by a Fold or by what is due then, and not by a pass that only names images", () => {
  const executed = (pass: "fold" | "refresh", reason: string) =>
    fold([
      {
        type: "pass.applied",
        pass,
        reason,
        ops: [],
        slots: null,
        consumes: [],
        tokensBefore: 0,
        tokensAfter: 0,
      },
    ]).items.executedSeq
  expect([executed("fold", "model_changed"), executed("refresh", "execute_threshold")]).toEqual([1, 1])
  expect([executed("refresh", "flush"), executed("refresh", "cut_ceiling")]).toEqual([1, 1])
  expect([executed("refresh", "cut_images"), executed("refresh", "tools_changed")]).toEqual([0, 0])
})

test("[TU2] holds call and result as one record with a state, whatever order concurrent facts come in", () => {
  const state = (...facts: Parameters<typeof fold>[0]) => {
    const message = fold([started(1), ...facts]).messages[0]
    return message?.kind === "assistant"
      ? message.parts.map(({ part }) => (part.type === "call" ? part.state : part.type))
      : []
  }
  expect(state(callPart(1, 0, 1))).toEqual(["pending"])
  expect(state(callPart(1, 0, 1), callStarted(1, 1))).toEqual(["running"])
  const late = [callPart(1, 2, 2), callStarted(1, 2), callPart(1, 1, 1), callStarted(1, 1), callSettled(1, 2)]
  expect(state(...late, textPart(1, 0, "first"))).toEqual(["text", "running", "done"])
  expect(openCalls(fold([started(1), ...late])).map(({ part }) => part.call)).toEqual([callId(1)])
})

test("[EP5 TG6] advances message and snapshot by the one fact, which counted the words", () => {
  const before = fold([
    {
      type: "epoch.started",
      baseline: "b",
      snapshot: { "sim/a": { value: 1 }, "sim/b": { value: 1 } },
      cause: "first",
    },
  ])
  const changes = { "sim/a": { value: 2 }, "sim/b": null }
  const texts = ["sim/a", "sim/b"].map((key) => ({ key, text: `${key} now` }))
  const after = fold(
    [{ type: "context.updated", message: messageId(1), text: "now", texts, changes, tokens: 1 }],
    before,
  )
  expect(after.epoch).toEqual({ startedSeq: 1, baseline: "b", snapshot: { "sim/a": { value: 2 } } })
  expect(after.messages).toEqual([
    { id: "msg_1", seq: 2, kind: "system", text: "now", keys: ["sim/a", "sim/b"], texts, tokens: 1 },
  ])
})

test("[EP9] clears the Epoch when the Session moves", () => {
  const state = fold([
    { type: "epoch.started", baseline: "b", snapshot: {}, cause: "first" },
    { type: "session.moved", location: { directory: "/sim/other", projectRoot: "/sim/other" } },
  ])
  expect(state.epoch).toBeNull()
  expect(state.summary.location.directory).toBe("/sim/other")
})

test("[TU6] finds the inputs that were promoted together last", () => {
  const state = fold([
    admitted(1),
    promoted(1, 1),
    started(1),
    admitted(2),
    admitted(3),
    promoted(2, 4),
    promoted(3, 5),
  ])
  expect(newestInputs(state.messages)).toEqual([6, 7])
  expect(newestInputs(emptyState.messages)).toEqual([])
})
