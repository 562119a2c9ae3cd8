/** Contract of project memory: what a change makes, what it never does, and whose it is (MM1, MM2, HI5). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { memoryTextMax } from "@holdfast/schema/memory/categories"
import type { MemoryChange, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"
import type { ProjectPlace, Store } from "../../src/port.ts"
import { append, contribute, epochStarted, messageId, promoted, sessionId } from "../records.ts"
import { turnSettled, turnStarted } from "../records.ts"
import { historyPublished } from "../records.ts"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const place = (root: string, origin: string | null = null): ProjectPlace => ({ root, origin })
const here = place("/work")
const agent: MemorySource = { by: "agent", session: sessionId(1), messages: [messageId(1)] }
const person: MemorySource = { by: "person", session: null, messages: [] }
const m = (seq: number): MemoryId => `m${seq}` as MemoryId

const write = (
  text: string,
  more: Partial<Extract<MemoryChange, { change: "write" }>> = {},
): MemoryChange => ({
  change: "write",
  category: "PROJECT_RULES",
  text,
  source: agent,
  expiresAt: null,
  supersedes: [],
  ...more,
})

const spoken = [epochStarted("x", "x"), promoted(1, 2), turnStarted(1), turnSettled(1)]

const change = (store: Store, project: ProjectPlace, ...changes: readonly MemoryChange[]) =>
  store.commit({ kind: "change-memory", project, time: 5_000, changes })

const changed = (store: Store, ...changes: readonly MemoryChange[]) =>
  Effect.map(change(store, here, ...changes), (outcome) => kindOf("changed", outcome))

const texts = (store: Store, root: string, status: "active" | "archived" | "superseded" = "active") =>
  Effect.map(store.memories(root, { status, limit: 100 }), ({ memories }) =>
    memories.map(({ id, text }) => `${id} ${text}`),
  )

export function memoryContract(opened: OpenStore): void {
  it.effect("[MM1] what was said before in other case and spacing is counted, not written again", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* changed(store, write("Use tabs."))
      const again = yield* changed(store, write("use  TABS"), write("Use spaces"))
      expect(again.results.map(({ made }) => made)).toEqual(["seen", "written"])
      expect(yield* texts(store, "/work")).toEqual(["m1 Use tabs.", "m3 Use spaces"])
      expect((yield* store.memory("/work", m(1)))?.seen).toBe(2)
    }),
  )
  it.effect("[MM1] what was archived is not revived by being said again, but by a person", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* changed(store, write("Use tabs."))
      yield* changed(store, { change: "archive", memory: m(1), reason: "old", source: agent })
      yield* changed(store, write("Use tabs."))
      expect(yield* texts(store, "/work")).toEqual([])
      yield* changed(store, write("Use tabs.", { source: person }))
      expect(yield* texts(store, "/work")).toEqual(["m4 Use tabs."])
    }),
  )
  it.effect("[MM1] a setting's new value takes the place of the old one, with a link", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const value = (text: string) => write(text, { category: "CONFIG_VALUES" })
      yield* changed(store, value("The dev port is 3000."), value("The dev port is 4000."))
      expect(yield* texts(store, "/work")).toEqual(["m2 The dev port is 4000."])
      expect(yield* store.memory("/work", m(1))).toMatchObject({ status: "superseded", supersededBy: "m2" })
      expect(yield* store.memory("/work", m(2))).toMatchObject({ supersedes: ["m1"] })
    }),
  )
  it.effect("[MM1] a merge sums what it is made of, and is refused whole where one part is not there", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* changed(store, write("a"), write("a"), write("b"))
      const merge = (...from: readonly MemoryId[]): MemoryChange => ({
        change: "merge",
        from,
        category: null,
        text: "a and b",
        source: agent,
      })
      expect(yield* change(store, here, write("c"), merge(m(1), m(99)))).toEqual({
        kind: "refused",
        problem: "unknown",
        ids: ["m99"],
      })
      expect(yield* texts(store, "/work")).toEqual(["m1 a", "m3 b"])
      yield* changed(store, merge(m(1), m(3)))
      expect(yield* store.memories("/work", { status: "active", limit: 9 })).toMatchObject({
        memories: [{ id: "m4", seen: 3, supersedes: ["m1", "m3"] }],
      })
      yield* changed(store, { change: "restore", memory: m(1), source: person })
      expect(yield* texts(store, "/work")).toEqual(["m1 a", "m4 a and b"])
    }),
  )
  it.effect("[MM1 HB3] only what a person edits moves the epoch; what anybody adds does not", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const update = (source: MemorySource, text: string): MemoryChange => ({
        change: "update",
        memory: m(1),
        text,
        source,
      })
      expect((yield* changed(store, write("a", { source: person }))).epoch).toBe(0)
      expect((yield* changed(store, update(agent, "b"))).epoch).toBe(0)
      expect((yield* changed(store, update(person, "c"))).epoch).toBe(3)
      expect((yield* changed(store, update(person, "c"))).epoch).toBe(3)
      expect((yield* changed(store, write("d"))).epoch).toBe(3)
    }),
  )
  it.effect("[MM2] every project has its own, whatever names collide", () => isolation(opened))
  it.effect("[HI5 MM1] facts of a published history are memories with their source, in the same commit", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const token = yield* held(store, 1)
      yield* store.commit(append(1, token, spoken))
      yield* changed(store, write("Use tabs."))
      const facts = [
        { category: "PROJECT_RULES", text: "use tabs" },
        { category: "NAMING", text: "Files are kebab-case." },
        { category: "GOSSIP", text: "It rains." },
        { category: "NAMING", text: " \n" },
        { category: "NAMING", text: "x".repeat(memoryTextMax + 1) },
      ]
      const published = { ...historyPublished(1, 6), facts }
      const learned = { ...contribute(1, published), project: here }
      expect(kindOf("contributed", yield* store.commit(learned)).repeated).toBe(false)
      expect(yield* texts(store, "/work")).toEqual(["m1 Use tabs.", "m3 Files are kebab-case."])
      expect((yield* store.memory("/work", m(3)))?.source).toEqual({
        by: "historian",
        session: sessionId(1),
        messages: [messageId("p1")],
        fromSeq: 1,
        toSeq: 6,
      })
      // A second publish of the range is refused, and teaches nothing.
      yield* store.commit(learned)
      expect((yield* store.memory("/work", m(3)))?.seen).toBe(1)
    }),
  )
  it.effect("[MM1] a project that moved keeps its memory, and takes nobody else's place", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* change(store, place("/old", "abc"), write("a"))
      yield* change(store, place("/taken"), write("b"))
      const move = (to: string) => store.commit({ kind: "move-project", from: "/old", to })
      expect(yield* store.projects({ origin: "abc" })).toMatchObject([{ root: "/old", seq: 1 }])
      expect((yield* move("/taken")).kind).toBe("refused")
      expect((yield* move("/new")).kind).toBe("moved")
      expect(yield* texts(store, "/new")).toEqual(["m1 a"])
      expect(yield* texts(store, "/old")).toEqual([])
      expect((yield* store.inspect()).stale).toEqual([])
    }),
  )
  loggedContract(opened)
}

function loggedContract(opened: OpenStore): void {
  it.effect("[MM1 ST3] a rebuild of the log gives the same memory, and says what is damaged", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* changed(store, write("a"), write("b"), write("a"))
      yield* changed(store, { change: "archive", memory: m(1), reason: "why", source: person })
      const before = yield* store.memories("/work", { limit: 9 })
      yield* store.rebuild()
      expect(yield* store.memories("/work", { limit: 9 })).toEqual(before)
      expect((yield* store.inspect()).stale).toEqual([])
      expect((yield* store.memoryLog("/work", 0, 9)).map(({ fact }) => fact.type)).toEqual([
        "memory.written",
        "memory.written",
        "memory.seen",
        "memory.archived",
      ])
    }),
  )
  it.effect("[DM1] a choice is taken back only where nothing was added to the log since it was read", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const { seq } = yield* changed(store, write("a"))
      yield* changed(store, write("b"))
      const fact = { type: "keyfiles.chosen", source: person, files: [] } as const
      const back = (followsSeq: number) =>
        store.commit({
          kind: "change-memory",
          project: here,
          time: 6_000,
          changes: [{ change: "archive", memory: m(1), reason: null, source: person }],
          takenBack: { facts: [fact], followsSeq },
        })
      expect(yield* back(seq)).toEqual({ kind: "refused", problem: "inactive", ids: [] })
      expect(yield* texts(store, "/work")).toEqual(["m1 a", "m2 b"])
      expect((yield* back(seq + 1)).kind).toBe("changed")
      expect(yield* texts(store, "/work")).toEqual(["m2 b"])
      expect(yield* store.projectFacts("/work", { type: "keyfiles.chosen", limit: 9 })).toHaveLength(1)
    }),
  )
}

/** Every operation on ids that exist in both projects: what one sees never holds a word of the other. */
const isolation = Effect.fnUntraced(function* (opened: OpenStore) {
  const store = yield* opened
  const roots = ["/a", "/b"] as const
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  for (let step = 0; step < 200; step++) {
    const root = roots[random(2)] as string
    const ids = [m(1 + random(30)), m(1 + random(30))]
    const text = `${root} says ${random(12)}`
    const changes: readonly MemoryChange[] = [
      write(text),
      { change: "update", memory: ids[0] as MemoryId, text, source: agent },
      { change: "archive", memory: ids[0] as MemoryId, reason: text, source: person },
      { change: "restore", memory: ids[0] as MemoryId, source: agent },
      { change: "merge", from: ids, category: null, text, source: agent },
    ]
    const outcome = yield* change(store, place(root), changes[random(5)] as MemoryChange)
    const said = JSON.stringify([
      outcome,
      yield* store.memories(root, { limit: 100 }),
      yield* store.memoryLog(root, 0, 300),
    ])
    expect(said).not.toContain(`${root === "/a" ? "/b" : "/a"} says`)
  }
  expect((yield* store.memories("/a", { limit: 100 })).memories.length).toBeGreaterThan(4)
})

export function firstCommitContract(opened: OpenStore): void {
  it.effect("[MM1] a project is known by its first commit, also where that came after its first memory", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* change(store, place("/work"), write("Use tabs."))
      expect(yield* store.projects({ origin: "abc" })).toEqual([])
      yield* change(store, place("/work", "abc"), write("Use pnpm."))
      yield* change(store, place("/work"), write("Use Node."))
      expect(yield* store.projects({ origin: "abc" })).toMatchObject([{ root: "/work", origin: "abc" }])
    }),
  )
}
