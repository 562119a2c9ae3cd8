/** A run taken back (DM1). */
import { expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import type { DreamId } from "@holdfast/schema/memory/dream"
import type { SmartNoteId } from "@holdfast/schema/memory/note"
import type { MemoryChange } from "@holdfast/schema/memory/memory"
import { differencesOf } from "../../src/dreamer/differences.ts"
import { planRevert } from "../../src/dreamer/revert.ts"
import { agent, dreamer, m, makeLog, person } from "./memories.ts"

const write = (text: string): MemoryChange => ({
  change: "write",
  category: "PROJECT_RULES",
  text,
  source: agent,
  expiresAt: null,
  supersedes: [],
})

function dreamed() {
  const project = makeLog()
  for (const text of ["a", "b", "c", "d", "e"]) project.change(write(text))
  project.append({ type: "dream.started", source: dreamer, by: "person" })
  project.change({ change: "merge", from: [m(1), m(2)], category: null, text: "a", source: dreamer })
  project.change({ change: "archive", memory: m(3), reason: "old", source: dreamer })
  project.change({ change: "update", memory: m(4), text: "d, rewritten", source: dreamer })
  project.change({ change: "update", memory: m(4), text: "d, twice", source: dreamer })
  project.change({ ...write("e1"), source: dreamer, supersedes: [m(5)] } as MemoryChange)
  project.append({
    type: "document.written",
    source: dreamer,
    path: "ARCHITECTURE.md",
    before: null,
    after: "# A",
  })
  return project
}
const run = "d6" as DreamId

test("[DM1] a run is taken back whole: what was merged, archived, rewritten and split stands again", () => {
  const project = dreamed()
  expect(project.active()).toEqual(["m4 d, twice", "m7 a", "m11 e1"])
  const plan = planRevert(project.log, run, person)
  for (const change of plan?.changes ?? []) project.change(change)
  expect(project.active()).toEqual(["m1 a", "m2 b", "m3 c", "m4 d", "m5 e"])
  expect(plan?.kept).toEqual([])
  expect(plan?.documents).toEqual([{ path: "ARCHITECTURE.md", before: null, after: "# A" }])
})
test("[DM1] what another memory says by now is not restored beside it, of whatever category that is", () => {
  const project = dreamed()
  project.change({ ...write("C."), category: "NAMING", source: person } as MemoryChange)
  const plan = planRevert(project.log, run, person)
  expect(plan?.kept).toEqual([{ of: "m3", reason: "m13 says the same." }])
  for (const change of plan?.changes ?? []) project.change(change)
  expect(project.active()).toEqual(["m1 a", "m2 b", "m4 d", "m5 e", "m13 C."])
})
test("[DM1] what somebody changed since a run stays theirs, and is named", () => {
  const project = dreamed()
  project.change({ change: "update", memory: m(4), text: "d, by hand", source: person })
  project.change({ change: "restore", memory: m(3), source: person })
  const plan = planRevert(project.log, run, person)
  for (const change of plan?.changes ?? []) project.change(change)
  expect(project.active()).toEqual(["m1 a", "m2 b", "m3 c", "m4 d, by hand", "m5 e"])
  expect(plan?.kept).toEqual([{ of: m(4), reason: "It was changed since." }])
  expect(plan?.already).toEqual([m(3)])
})
test("[DM1] a later run is not taken back with an earlier one, and what is no run is not found", () => {
  const project = dreamed()
  project.append({ type: "dream.started", source: dreamer, by: "timer" })
  project.change({ change: "archive", memory: m(11), reason: "later", source: dreamer })
  const plan = planRevert(project.log, run, person)
  expect(plan?.kept).toEqual([{ of: m(11), reason: "It was changed since." }])
  expect(planRevert(project.log, "d7" as DreamId, person)).toBeNull()
})

test("[DM1] of a run single changes are taken back, with all that hangs together with them, and no other", () => {
  const reverted = (...only: readonly string[]) => {
    const project = dreamed()
    project.change({ change: "merge", from: [m(7), m(11)], category: null, text: "a, e1", source: dreamer })
    project.change({ change: "merge", from: [m(13), m(4)], category: null, text: "all", source: dreamer })
    const plan = planRevert(project.log, run, person, only)
    for (const change of plan?.changes ?? []) project.change(change)
    return { active: project.active(), documents: plan?.documents.length, kept: plan?.kept }
  }
  const apart = ["m1 a", "m2 b", "m4 d", "m5 e"]
  expect(reverted("m14").active).toEqual(apart)
  expect(reverted("m2").active).toEqual(apart)
  expect(reverted("m3")).toEqual({ active: ["m3 c", "m14 all"], documents: 0, kept: [] })
  expect(reverted("ARCHITECTURE.md", "m99")).toEqual({
    active: ["m14 all"],
    documents: 1,
    kept: [{ of: "m99", reason: "The run did not change it." }],
  })
})

test("[DM1] what a revert restored is told as taken back already by the next one, and not as changed by others", () => {
  const project = dreamed()
  for (const change of planRevert(project.log, run, person, ["m3"])?.changes ?? []) project.change(change)
  expect(planRevert(project.log, run, person, ["m3"])).toMatchObject({
    changes: [],
    kept: [],
    already: ["m3"],
  })
  for (const change of planRevert(project.log, run, person)?.changes ?? []) project.change(change)
  const again = planRevert(project.log, run, person)
  expect(again).toMatchObject({ changes: [], kept: [] })
  expect(again?.already.toSorted()).toEqual(["m1", "m2", "m3", "m4", "m5"])
})

test("[DM1] what a run made and then rewrote itself is nothing that others changed, once it is taken back", () => {
  const project = makeLog()
  for (const text of ["a", "b"]) project.change(write(text))
  project.append({ type: "dream.started", source: dreamer, by: "person" })
  project.change({ change: "merge", from: [m(1), m(2)], category: null, text: "a b", source: dreamer })
  project.change({ change: "update", memory: m(4), text: "a and b", source: dreamer })
  for (const change of planRevert(project.log, "d3" as DreamId, person)?.changes ?? []) project.change(change)
  expect(project.active()).toEqual(["m1 a", "m2 b"])
  const again = planRevert(project.log, "d3" as DreamId, person)
  expect(again).toMatchObject({ changes: [], kept: [] })
  expect(again?.already.toSorted()).toEqual(["m1", "m2"])
})

test("[DM1] of a document that a run wrote twice the first text is brought back, where the last one stands", () => {
  const project = dreamed()
  const second = { path: "ARCHITECTURE.md", before: "# A", after: "# B" }
  project.append({ type: "document.written", source: dreamer, ...second })
  const plan = planRevert(project.log, run, person)
  expect(plan?.documents).toEqual([{ ...second, before: null }])
})

const s1 = "s1" as SmartNoteId

/** A run that chose key files, wrote the profile and found a note to be due, after an earlier one that did so too. */
function chosen() {
  const project = makeLog()
  const file = (path: string) => ({ path, text: path, reason: "" })
  project.append({ type: "smart-note.written", text: "Renew it.", condition: "it is out", source: person })
  project.append({ type: "dream.started", source: dreamer, by: "timer" })
  project.append({ type: "keyfiles.chosen", source: dreamer, files: [file("a.ts")] })
  project.append({ type: "profile.written", source: dreamer, lines: ["Short."] })
  project.append({ type: "dream.started", source: dreamer, by: "timer" })
  project.append({ type: "keyfiles.chosen", source: dreamer, files: [file("b.ts")] })
  project.append({ type: "profile.written", source: dreamer, lines: ["Long."] })
  project.append({ type: "smart-note.ready", note: s1, reason: "tagged", source: dreamer })
  return { ...project, file }
}
const second = "d5" as DreamId

test("[DM1] key files and the profile are what they were before the run, and a note waits again", () => {
  const { log, file } = chosen()
  const plan = planRevert(log, second, person)
  expect(plan).toMatchObject({ changes: [], documents: [], kept: [] })
  expect(plan?.facts).toEqual([
    { type: "keyfiles.chosen", source: person, files: [file("a.ts")] },
    { type: "profile.written", source: person, lines: ["Short."] },
  ])
  expect(plan?.notes).toEqual([{ change: "wait", note: s1, source: person }])
  expect(planRevert(log, "d2" as DreamId, person)?.kept.map(({ of }) => of)).toEqual(["key-files", "profile"])
})

test("[DM1 KF1 UP1] a difference tells the key files and the profile that stood there before the run", () => {
  expect(differencesOf(chosen().log, second)).toMatchObject([
    { kind: "key-files", before: ["a.ts"], after: ["b.ts"] },
    { kind: "profile", before: ["Short."], after: ["Long."] },
    { kind: "note" },
  ])
})

test("[DM1 NT1] a difference tells the note that was found to be due, as it was last changed", () => {
  const { log } = chosen()
  const note = (all: typeof log) => differencesOf(all, second)?.find(({ kind }) => kind === "note")
  expect(note(log)).toEqual({ kind: "note", of: [s1], before: [], after: ["Renew it."], reason: "tagged" })
  const changed = log.map((event) =>
    event.seq === 3
      ? {
          ...event,
          fact: { type: "smart-note.updated", note: s1, text: "Renew both.", source: person } as const,
        }
      : event,
  )
  expect(note(changed)?.after).toEqual(["Renew both."])
})

test.each([
  [["key-files"], ["keyfiles.chosen"], 0],
  [["b.ts"], ["keyfiles.chosen"], 0],
  [["profile"], ["profile.written"], 0],
  [["s1"], [], 1],
])("[DM1] %s alone is taken back", (only, facts, notes) => {
  const plan = planRevert(chosen().log, second, person, only)
  expect(plan?.facts.map(({ type }) => type)).toEqual(facts)
  expect(plan?.notes).toHaveLength(notes)
  expect(plan?.kept).toEqual([])
})

test("[DM1 NT1] what was chosen, written or shown since stays, and is named", () => {
  const { log, append, file } = chosen()
  append({ type: "dream.started", source: dreamer, by: "timer" })
  append({ type: "keyfiles.chosen", source: dreamer, files: [file("c.ts")] })
  append({ type: "profile.written", source: person, lines: [] })
  append({ type: "smart-note.surfaced", note: s1, session: "ses_1" as SessionId })
  const plan = planRevert(log, second, person)
  expect(plan).toMatchObject({ facts: [], notes: [] })
  expect(plan?.kept).toEqual([
    { of: "key-files", reason: "It was changed since." },
    { of: "profile", reason: "It was changed since." },
    { of: "s1", reason: "It was shown since." },
  ])
})

test("[DM1] runs that changed the same are taken back one after the other, the newest first", () => {
  const project = dreamed()
  project.append({ type: "dream.started", source: dreamer, by: "timer" })
  const later = `d${project.log.at(-1)?.seq}` as DreamId
  project.change({ change: "update", memory: m(4), text: "d, thrice", source: dreamer })
  project.change({ change: "merge", from: [m(7), m(11)], category: null, text: "a and e1", source: dreamer })
  for (const one of [later, run]) {
    const plan = planRevert(project.log, one, person)
    expect(plan?.kept).toEqual([])
    for (const change of plan?.changes ?? []) project.change(change)
  }
  expect(project.active()).toEqual(["m1 a", "m2 b", "m3 c", "m4 d", "m5 e"])
})
