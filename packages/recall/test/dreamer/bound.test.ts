/** What of a proposal is done (DM1). */
import { expect, test } from "vitest"
import { bound, type DreamChange } from "../../src/dreamer/plan.ts"
import { m, memory, person } from "./memories.ts"

const archive = (number: number): DreamChange => ({ kind: "archive", id: m(number), reason: "old" })

test("[DM1] a run changes no memory twice, none of a person and none that is gone, and no more than it may", () => {
  const memories = [1, 2, 3, 4].map((n) => memory(n, `Rule ${n}.`, n === 3 ? { source: person } : {}))
  const twice: DreamChange = { kind: "merge", ids: [m(1), m(2)], text: "Both.", reason: "alike" }
  const wanted = [archive(1), twice, archive(3), archive(9), archive(2), archive(4)]
  expect(bound(wanted, memories, 3)).toEqual({
    taken: [archive(1), archive(2), archive(4)],
    refused: 3,
    persons: 1,
    used: 3,
  })
  expect(bound(wanted, memories, 1)).toMatchObject({ taken: [archive(1)], refused: 5 })
})

test("[DM1] a merge counts as the statements that it ends: one remains, so that a small memory is consolidated", () => {
  const memories = [1, 2, 3, 4, 5].map((n) => memory(n, `Rule ${n}.`))
  const merge = (...ids: readonly number[]): DreamChange => ({
    kind: "merge",
    ids: ids.map(m),
    text: `All of ${ids.join()}.`,
    reason: "alike",
  })
  expect(bound([merge(1, 2)], memories, 1)).toMatchObject({ taken: [merge(1, 2)], refused: 0, used: 1 })
  expect(bound([merge(1, 2, 3)], memories, 1)).toEqual({ taken: [], refused: 1, persons: 0, used: 0 })
  expect(bound([merge(1, 2, 3), merge(3, 4), archive(5)], memories, 2)).toMatchObject({ refused: 2, used: 2 })
  expect(bound([merge(1, 2), merge(1, 3), archive(1)], memories, 3)).toMatchObject({ refused: 2, used: 1 })
})
