/** What a process remembers of a Session, and when it may fold in what it admitted itself. */
import { expect, test } from "vitest"
import { foldAdmitted, type Loaded } from "@holdfast/core/session/lead"
import { admitted, fold, session } from "./records.ts"

const remembered = (ahead: ReadonlySet<number> = new Set()): Loaded => {
  const state = fold([admitted(1)])
  return { state, foldedSeq: state.summary.seq, ahead, previousBlocks: null }
}

test("[PR1 PR8] an own admission is folded in at once where nothing of others lies between", () => {
  const known = remembered()
  const at = { session, firstSeq: known.foldedSeq + 1, time: 1 }
  const after = foldAdmitted(known, admitted(2), at)
  expect(after.state.inbox).toHaveLength(2)
  expect(after.foldedSeq).toBe(known.foldedSeq + 1)
})

test("[DR11] where somebody else wrote in between, all is read in its order: a stop behind a wake is no stop before it", () => {
  const known = remembered()
  expect(foldAdmitted(known, admitted(2), { session, firstSeq: known.foldedSeq + 2, time: 1 })).toBe(known)
  const ahead = remembered(new Set([5]))
  expect(foldAdmitted(ahead, admitted(2), { session, firstSeq: ahead.foldedSeq + 1, time: 1 })).toBe(ahead)
})
