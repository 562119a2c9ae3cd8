/** Which session is meant, and which numbers of a list: from values alone (IM1, SU1). */
import { expect, test } from "vitest"
import { type Candidate, pickCandidate, readNumbers } from "../../src/import/candidates.ts"

const candidate = (session: string): Candidate => ({
  agent: "codex",
  session,
  title: null,
  directory: null,
  at: null,
  sources: [],
})

test("[IM1 SU1] an id or its beginning names one session, and never one of several", () => {
  const all = ["abcd-1", "abcd-12", "efgh-1"].map(candidate)
  expect(pickCandidate("efgh", all).session).toBe("efgh-1")
  expect(pickCandidate("abcd-1", all).session).toBe("abcd-1")
  expect(() => pickCandidate("abcd", all)).toThrow("Several sessions begin with abcd.")
  for (const wrong of ["efg", "none"]) expect(() => pickCandidate(wrong, all)).toThrow("lists what is there")
})

test("[IM1 SU1] numbers, ranges, all or nothing are a choice, and whatever else is none", () => {
  expect(readNumbers(" 1 3-4,4 ", 5)).toEqual([0, 2, 3])
  expect(readNumbers("ALL", 2)).toEqual([0, 1])
  expect(readNumbers("", 2)).toEqual([])
  for (const wrong of ["0", "6", "4-2", "1-9", "one", "1-"]) expect(readNumbers(wrong, 5)).toBeNull()
})
