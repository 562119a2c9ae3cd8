/** What of a model's answer to a task is taken (DM1): all of it as described, or nothing. */
import { expect, test } from "vitest"
import { judgeTask, type ModelTask, type TaskView } from "../../src/dreamer/tasks.ts"
import { m, memory } from "./memories.ts"

const view: TaskView = {
  memories: [memory(1, "One."), memory(2, "Two.", { category: "NAMING" }), memory(3, "Three.")],
  flags: [],
  now: 0,
  notes: [],
  documents: new Map(),
  reads: [],
  observations: [],
  profile: [],
}
const judged = (task: ModelTask, answer: object) => judgeTask(task, view, JSON.stringify(answer))
const faulty: readonly (readonly [string, ModelTask, object])[] = [
  ["a split with a text that is none", "improve", { split: [{ id: "m1", texts: ["A.", "B.", 3] }] }],
  ["a split with a blank text", "improve", { split: [{ id: "m1", texts: ["A.", "B.", " "] }] }],
  ["a split into one", "improve", { split: [{ id: "m1", texts: ["A."] }] }],
  ["a split into too many", "improve", { split: [{ id: "m1", texts: ["1", "2", "3", "4", "5", "6"] }] }],
  ["a merge of one, named twice", "consolidate", { merge: [{ ids: ["m1", "m1"], text: "A." }] }],
  ["a merge over categories", "consolidate", { merge: [{ ids: ["m1", "m2"], text: "A." }] }],
  ["an update without a text", "verify", { update: [{ id: "m1", reason: "x" }] }],
  ["an update with an endless text", "verify", { update: [{ id: "m1", text: "x".repeat(2_001) }] }],
  ["what another task does", "archive-stale", { update: [{ id: "m1", text: "A." }] }],
  ["what is no list", "archive-stale", { archive: { id: "m1" } }],
  [
    "more than a task may ask for",
    "archive-stale",
    { archive: Array.from({ length: 101 }, () => ({ id: "m1" })) },
  ],
]
test.each(faulty)("[DM1] refuses %s, and says so", (_, task, answer) => {
  const { kind, ...rest } = judged(task, answer)
  expect(kind).toBe("faulty")
  expect(rest).toMatchObject({ repair: expect.stringContaining("That cannot be used: ") })
})

test("[DM1] takes what is as described, with its reason in one line", () => {
  const merge = { ids: ["m1", "m3"], text: " Both. ", reason: "the\nsame" }
  expect(judged("consolidate", { merge: [merge] })).toMatchObject({
    kind: "taken",
    value: { changes: [{ kind: "merge", ids: [m(1), m(3)], text: "Both.", reason: "the same" }] },
  })
  expect(judged("improve", { split: [{ id: "m2", texts: ["A.", "B."] }] })).toMatchObject({
    kind: "taken",
    value: { changes: [{ kind: "split", id: m(2), texts: ["A.", "B."], category: "NAMING" }] },
  })
})
