/** A directory that shared the memory of a project parts from it: what it takes along, and what it leaves (MM1). */
import { expect, test } from "vitest"
import { memoryContent } from "../src/memory/contradiction.ts"
import { foldMemory, isMemoryFact, judgeChange, memoryIdAt, type ProjectEvent } from "../src/memory/fold.ts"
import type { Memory, MemoryChange, MemoryId, MemorySource } from "../src/memory/memory.ts"
import { type Parting, planParting } from "../src/memory/parting.ts"

type Side = "here" | "there" | "dreamer" | "person"
const sharer = 7
const now = 1_000
const by = (side: Side): MemorySource => ({
  by: side === "here" || side === "there" ? "agent" : side,
  session: null,
  messages: [],
})

/** The log of a shared project, as the store would write it, and its memory. */
function makeShared() {
  const log: ProjectEvent[] = []
  const memories = new Map<MemoryId, Memory>()
  const append = (fact: ProjectEvent["fact"]): number => {
    const seq = log.length + 1
    const event = { seq, time: seq, fact }
    log.push(event)
    if (isMemoryFact(fact))
      for (const one of foldMemory({ ...event, fact }, (id) => memories.get(id) ?? null) ?? [])
        memories.set(one.id, one)
    return seq
  }
  const change = (asked: MemoryChange): readonly number[] => {
    const active = () => [...memories.values()].filter(({ status }) => status === "active")
    const judged = judgeChange(
      asked,
      {
        byId: (id) => memories.get(id) ?? null,
        byContent: (content) => active().find(({ text }) => memoryContent(text) === content) ?? null,
        bySubject: () => [],
      },
      now,
    )
    return judged.kind === "facts" ? judged.facts.map(append) : []
  }
  const said = (side: Side, asked: MemoryChange): MemoryId => {
    const seqs = change(asked)
    if (side === "here") append({ type: "sharing.said", sharer, events: seqs.length })
    return memoryIdAt(seqs[0] ?? 0)
  }
  const plan = (bare = false) => planParting({ log, sharer, now, reason: "parted", bare }) as Parting
  const write = (side: Side, text: string, ...supersedes: readonly MemoryId[]) =>
    said(side, { change: "write", category: "NAMING", text, source: by(side), expiresAt: null, supersedes })
  return {
    log,
    append,
    write,
    plan,
    began: () => void append({ type: "sharing.began", sharer }),
    update: (side: Side, memory: MemoryId, text: string) =>
      said(side, { change: "update", memory, text, source: by(side) }),
    expire: (side: Side, memory: MemoryId, expiresAt: number) =>
      said(side, { change: "update", memory, expiresAt, source: by(side) }),
    archive: (side: Side, memory: MemoryId) =>
      said(side, { change: "archive", memory, reason: "old", source: by(side) }),
    restore: (side: Side, memory: MemoryId) => said(side, { change: "restore", memory, source: by(side) }),
    merge: (side: Side, text: string, ...from: readonly MemoryId[]) =>
      said(side, { change: "merge", from, category: null, text, source: by(side) }),
    /** What the directory takes, and what the other one holds behind it. */
    part: (bare = false) => {
      const parting = plan(bare)
      for (const one of parting.left) change(one)
      const left = [...memories.values()].filter(({ status }) => status === "active")
      return {
        taken: parting.taken.map(({ text }) => text),
        left: left.map(({ text }) => text),
        ended: [...parting.ended],
      }
    },
  }
}

test("[MM1] what was said from the directory goes with it, and what held before stays with both", () => {
  const shared = makeShared()
  shared.write("there", "before")
  shared.began()
  shared.write("here", "ours")
  shared.write("there", "theirs")
  expect(shared.part()).toMatchObject({ taken: ["before", "ours"], left: ["before", "theirs"] })
})

test("[MM1] a directory that parts bare takes along what was said from it alone", () => {
  const shared = makeShared()
  shared.write("there", "before")
  shared.began()
  shared.write("here", "ours")
  expect(shared.part(true)).toMatchObject({ taken: ["ours"], left: ["before"] })
})

test("[MM1] what both sides said stays with both, whoever said it first", () => {
  const shared = makeShared()
  shared.began()
  shared.write("here", "one")
  shared.write("there", "One.")
  shared.write("there", "two")
  shared.write("here", "Two.")
  expect(shared.part()).toMatchObject({ taken: ["one", "two"], left: ["one", "two"] })
})

test("[MM1] what the directory ended, rewrote, archived or merged stands as the others left it", () => {
  const shared = makeShared()
  const [replaced, rewritten, archived, a, b, brought] = ["old", "worded", "gone", "a", "b", "brought"].map(
    (text) => shared.write("there", text),
  ) as [MemoryId, MemoryId, MemoryId, MemoryId, MemoryId, MemoryId]
  shared.archive("there", brought)
  shared.began()
  shared.write("here", "new", replaced)
  shared.update("here", rewritten, "reworded")
  shared.archive("here", archived)
  shared.merge("here", "a and b", a, b)
  shared.restore("here", brought)
  expect(shared.part()).toMatchObject({
    taken: ["reworded", "brought", "new", "a and b"],
    left: ["old", "worded", "gone", "a", "b"],
  })
})

test("[MM1] where the others ended what stood in the place of theirs, theirs does not come back", () => {
  const shared = makeShared()
  const first = shared.write("there", "port 1")
  shared.began()
  const second = shared.write("here", "port 2", first)
  shared.write("there", "port 3", second)
  expect(shared.part()).toEqual({ taken: ["port 2"], left: ["port 3"], ended: ["port 1"] })
})

test("[MM1] where the others say too what took the place of theirs, theirs does not come back", () => {
  const shared = makeShared()
  const first = shared.write("there", "port 1")
  shared.began()
  const second = shared.write("here", "port 2", first)
  shared.write("there", "Port 2.")
  expect(shared.part()).toMatchObject({ taken: ["port 2"], left: ["port 2"] })
  const third = shared.write("here", "port 3", second)
  shared.update("there", third, "port 3 of all")
  expect(shared.part()).toMatchObject({ left: ["port 3 of all"] })
})

test("[MM1] what the others alone ended, rewrote or archived goes along as both had it", () => {
  const shared = makeShared()
  const [replaced, rewritten, archived] = ["old", "worded", "gone"].map((text) =>
    shared.write("there", text),
  ) as [MemoryId, MemoryId, MemoryId]
  shared.began()
  const ours = shared.write("here", "ours")
  shared.write("there", "new", replaced)
  shared.update("there", rewritten, "reworded")
  shared.archive("there", archived)
  shared.update("there", ours, "ours and theirs")
  expect(shared.part()).toEqual({
    taken: ["old", "worded", "gone", "ours"],
    left: ["reworded", "ours and theirs", "new"],
    ended: [],
  })
})

test("[MM1] what a side says again while the other has archived it stands with that side", () => {
  const shared = makeShared()
  const [a, b] = [shared.write("there", "a"), shared.write("there", "b")]
  shared.began()
  shared.archive("here", a)
  shared.archive("there", b)
  for (const [side, memory] of [
    ["there", a],
    ["here", b],
  ] as const) {
    shared.append({ type: "memory.seen", memory, source: by(side) })
    if (side === "here") shared.append({ type: "sharing.said", sharer, events: 1 })
  }
  expect(shared.part()).toMatchObject({ taken: ["b"], left: ["a"] })
})

test("[MM1] what the dreamer made of words that one side changed is of that side alone", () => {
  const shared = makeShared()
  const first = shared.write("there", "first")
  shared.began()
  shared.update("here", first, "first of ours")
  shared.update("dreamer", first, "first, of ours")
  expect(shared.part()).toMatchObject({ taken: ["first, of ours"], left: ["first"] })
})

test("[MM1] what the dreamer made of statements belongs to those whose they were", () => {
  const shared = makeShared()
  const [a, b] = [shared.write("there", "a"), shared.write("there", "b")]
  shared.began()
  const [c, d, e] = ["c", "d", "e"].map((text) => shared.write("here", text)) as [
    MemoryId,
    MemoryId,
    MemoryId,
  ]
  const f = shared.write("there", "f")
  shared.merge("dreamer", "c and d", c, d)
  shared.merge("dreamer", "a and b", a, b)
  shared.merge("dreamer", "e and f", e, f)
  expect(shared.part()).toMatchObject({
    taken: ["c and d", "a and b", "e and f"],
    left: ["a and b", "e and f"],
  })
})

test("[MM1] both parts of a statement that the dreamer split go where it would have gone", () => {
  const shared = makeShared()
  shared.began()
  const whole = shared.write("here", "x and y")
  shared.write("dreamer", "x", whole)
  shared.write("dreamer", "y")
  expect(shared.part()).toMatchObject({ taken: ["x", "y"], left: [] })
})

test("[MM1] the dreamer speaks for nobody, also where it works in the directory", () => {
  const shared = makeShared()
  shared.began()
  const [a, b] = [shared.write("there", "a"), shared.write("there", "b")]
  shared.merge("dreamer", "a and b", a, b)
  shared.append({ type: "sharing.said", sharer, events: 1 })
  expect(shared.part()).toMatchObject({ taken: [], left: ["a and b"] })
})

test("[MM1] until when a statement holds goes back too, and what is over is not taken along", () => {
  const shared = makeShared()
  const [later, over] = [shared.write("there", "later"), shared.write("there", "over")]
  shared.began()
  shared.expire("here", later, now + 1)
  shared.expire("here", over, now)
  expect(shared.plan().left).toMatchObject([
    { change: "update", memory: later, expiresAt: null },
    { change: "update", memory: over, expiresAt: null },
  ])
  expect(shared.part().taken).toEqual(["later"])
})

test("[MM1] what a person turned round in the directory alone says in the original again what an agent said", () => {
  const shared = makeShared()
  const rule = shared.write("there", "Use tabs.")
  shared.began()
  shared.update("person", rule, "Never use tabs.")
  shared.append({ type: "sharing.said", sharer, events: 1 })
  expect(shared.part()).toMatchObject({ taken: ["Never use tabs."], left: ["Use tabs."] })
})

test("[MM1] what only the directory brought back is archived again for the reason that it had", () => {
  const shared = makeShared()
  const gone = shared.write("there", "gone")
  shared.archive("there", gone)
  shared.began()
  shared.restore("here", gone)
  expect(shared.plan().left).toMatchObject([{ change: "archive", memory: gone, reason: "old" }])
})

test("[MM1] what ended before it shared, or was said again since, ends nothing that the directory had", () => {
  const shared = makeShared()
  const [before, again, ended] = ["before", "again", "ended"].map((text) => shared.write("there", text)) as [
    MemoryId,
    MemoryId,
    MemoryId,
  ]
  shared.archive("there", before)
  shared.began()
  shared.archive("here", again)
  shared.write("here", "Again.")
  shared.archive("here", ended)
  expect(shared.part()).toMatchObject({ taken: ["Again."], ended: ["ended"] })
})

test("[MM1] who parts bare from a second sharing takes nothing of the first", () => {
  const shared = makeShared()
  shared.began()
  shared.write("here", "first")
  shared.part()
  shared.append({ type: "sharing.ended", sharer })
  shared.began()
  shared.write("here", "second")
  expect(shared.part(true).taken).toEqual(["second"])
})

test("[MM1] a second sharing begins anew, and one that nobody recorded takes nothing away", () => {
  const shared = makeShared()
  shared.began()
  shared.write("here", "first")
  shared.part()
  shared.append({ type: "sharing.ended", sharer })
  shared.write("there", "between")
  shared.began()
  shared.write("here", "second")
  expect(shared.part()).toMatchObject({ taken: ["between", "second"], left: ["between"] })
  expect(planParting({ log: shared.log, sharer: 8, now, reason: "", bare: false })).toBeNull()
})

test("[MM1 NT1] notes that were written from the directory and wait go with it", () => {
  const shared = makeShared()
  shared.began()
  const note = (text: string, condition: string | null = "later") => ({
    type: "smart-note.written" as const,
    text,
    condition,
    source: by("here"),
  })
  shared.append(note("theirs"))
  const told = shared.append(note("told"))
  shared.append({ type: "sharing.said", sharer, events: 1 })
  const ours = shared.append(note("ours"))
  const ready = shared.append(note("ready", null))
  shared.append({ type: "sharing.said", sharer, events: 2 })
  shared.append({ type: "smart-note.dismissed", note: `s${told}` as never, source: by("there") })
  const parting = planParting({ log: shared.log, sharer, now, reason: "", bare: false })
  expect(parting?.takenNotes.map(({ text }) => text)).toEqual(["ours", "ready"])
  expect(parting?.leftNotes).toMatchObject([
    { change: "dismiss", note: `s${ours}` },
    { change: "dismiss", note: `s${ready}` },
  ])
})
