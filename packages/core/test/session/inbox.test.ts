import { expect, test } from "vitest"
import { planPromotion } from "../../src/session/inbox.ts"
import { prompt } from "./records.ts"

const queued = (seq: number) => prompt(seq, "queue")

test("[PR3] promotes every steer, in admission order, whether or not the drain continues", () => {
  for (const continuing of [true, false]) {
    const plan = planPromotion({ continuing, pending: [queued(1), prompt(4), prompt(2), queued(3)] })
    expect(plan).toEqual({ kind: "steers", inputs: [prompt(2), prompt(4)] })
  }
})

test("[PR3] leaves queued prompts alone while the drain continues", () =>
  expect(planPromotion({ continuing: true, pending: [queued(1)] })).toEqual({ kind: "none" }))

test("[PR3] promotes the oldest queued prompt alone when nothing else is due", () =>
  expect(planPromotion({ continuing: false, pending: [queued(5), queued(3), queued(4)] })).toEqual({
    kind: "queued",
    inputs: [queued(3)],
  }))

test("[PR3] promotes nothing from an empty inbox", () =>
  expect(planPromotion({ continuing: false, pending: [] })).toEqual({ kind: "none" }))

test("[PR6] orders by admission, whatever order the store lists and whatever an edit did", () => {
  const edited = { ...prompt(2), bodySeq: 9 }
  const plan = planPromotion({ continuing: false, pending: [prompt(7), edited, prompt(3)] })
  expect(plan).toEqual({ kind: "steers", inputs: [edited, prompt(3), prompt(7)] })
})
