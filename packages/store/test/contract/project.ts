/** Contract of what else belongs to a project: smart notes, directories that share one, and counts of uses (NT1, MM1). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { MemoryId, MemorySource } from "@holdfast/schema/memory/memory"
import type { SmartNoteChange, SmartNoteId } from "@holdfast/schema/memory/note"
import type { ProjectPlace, Store } from "../../src/port.ts"
import { create, sessionId } from "../records.ts"
import { dreamContract } from "../memory/dreams.ts"
import { firstCommitContract } from "./memory.ts"
import { kindOf, type OpenStore } from "./subject.ts"
import { workspaceContract } from "../memory/workspace.ts"

const here: ProjectPlace = { root: "/work", origin: "abc" }
const source: MemorySource = { by: "agent", session: null, messages: [] }
const person: MemorySource = { by: "person", session: null, messages: [] }
const s = (seq: number): SmartNoteId => `s${seq}` as SmartNoteId

const note = (text: string, condition: string | null = "when it ships"): SmartNoteChange => ({
  change: "write",
  text,
  condition,
  source,
})
const ready = (id: SmartNoteId): SmartNoteChange => ({
  change: "ready",
  note: id,
  reason: "it shipped",
  source,
})

const change = (store: Store, ...changes: readonly SmartNoteChange[]) =>
  store.commit({ kind: "change-notes", project: here, time: 5_000, changes })

const surface = (store: Store, session: number, root = "/work") =>
  Effect.map(
    store.commit({ kind: "surface-notes", root, session: sessionId(session), time: 6_000 }),
    ({ notes }) => notes,
  )

const remember = (store: Store, root: string, ...texts: readonly string[]) =>
  store.commit({
    kind: "change-memory",
    project: { root, origin: "abc" },
    time: 5_000,
    changes: texts.map((text) => ({
      change: "write",
      category: "PROJECT_RULES",
      text,
      source: person,
      expiresAt: null,
      supersedes: [],
    })),
  })

const known = (store: Store, root: string) =>
  Effect.map(store.memories(root, { status: "active", limit: 100 }), ({ memories }) =>
    memories.map(({ text }) => text),
  )

export function projectContract(opened: OpenStore): void {
  workspaceContract(opened)
  notesContract(opened)
  movedPlacesContract(opened)
  sharedPlacesContract(opened)
  dreamContract(opened)
  partingContract(opened)
  firstCommitContract(opened)
  contradictionContract(opened)
}

function notesContract(opened: OpenStore): void {
  it.effect("[NT1] a smart note waits for its condition, and surfaces in one Session, once", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* store.commit(create(1))
      yield* store.commit(create(2))
      yield* change(store, note("Remove the flag."), note("Tell Ann."))
      expect(yield* store.hasReadyNotes()).toBe(false)
      expect(yield* surface(store, 1)).toEqual([])
      expect(kindOf("changed", yield* change(store, ready(s(2)))).notes).toMatchObject([{ status: "ready" }])
      expect(yield* surface(store, 1, "/other")).toEqual([])
      expect(yield* surface(store, 1)).toEqual(["s2"])
      expect(yield* surface(store, 2)).toEqual([])
      expect(yield* surface(store, 1)).toEqual([])
      yield* change(store, ready(s(2)))
      expect(yield* surface(store, 2)).toEqual([])
      expect(yield* store.notes("/work", { limit: 9 })).toMatchObject([
        { id: "s1", status: "waiting" },
        { id: "s2", status: "surfaced", surfacedIn: sessionId(1), reason: "it shipped" },
      ])
      const { events } = yield* store.events(sessionId(1), 0, 9)
      expect(events.flatMap(({ fact }) => (fact.type === "notice.admitted" ? [fact] : []))).toMatchObject([
        { source: { kind: "note", id: "s2" }, wakes: false },
      ])
    }),
  )
  it.effect("[NT1] of many that are ready five surface at one time, the oldest, and the others follow", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* store.commit(create(1))
      yield* change(store, ...Array.from({ length: 7 }, (_, at) => note(`Note ${at}`, null)))
      expect(yield* surface(store, 1)).toEqual(["s1", "s2", "s3", "s4", "s5"])
      expect(yield* surface(store, 1)).toEqual(["s6", "s7"])
    }),
  )
  it.effect("[NT1] what is noted already is not noted twice, unless that was dismissed", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* change(store, note("a"), note("a", "another condition"))
      const ids = Effect.fnUntraced(function* () {
        return kindOf("changed", yield* change(store, note("a"))).notes.map(({ id }) => id)
      })
      expect(yield* ids()).toEqual(["s1"])
      yield* change(store, { change: "dismiss", note: s(1), source })
      expect(yield* ids()).toEqual(["s4"])
    }),
  )
  it.effect("[NT1] a note without a condition is ready at once; another condition makes it wait again", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const made = kindOf("changed", yield* change(store, note("a", null), note("b")))
      expect(made.notes.map(({ status }) => status)).toEqual(["ready", "waiting"])
      yield* change(store, { change: "update", note: s(1), condition: "later", source })
      yield* change(store, { change: "dismiss", note: s(2), source })
      yield* store.rebuild()
      expect(yield* store.notes("/work", { limit: 9 })).toMatchObject([
        { status: "waiting", condition: "later" },
        { status: "dismissed" },
      ])
      expect(yield* change(store, note("c"), ready(s(2)))).toEqual({
        kind: "refused",
        problem: "dismissed",
        ids: ["s2"],
      })
      expect(yield* store.notes("/work", { limit: 9 })).toHaveLength(2)
    }),
  )
}

function partingContract(opened: OpenStore): void {
  it.effect(
    "[MM1 MM2] a directory shares another's memory only where a person says so, and takes it back",
    () =>
      Effect.gen(function* () {
        const store = yield* opened
        yield* remember(store, "/work", "one")
        yield* remember(store, "/copy", "two")
        yield* store.commit({ kind: "ask-project", root: "/copy", origin: "abc", time: 7 })
        expect(yield* store.place("/copy")).toMatchObject({ settledAt: null, shares: null })
        expect(yield* known(store, "/copy")).toEqual(["two"])
        const settle = (shares: string | null) =>
          store.commit({ kind: "settle-project", root: "/copy", shares, time: 8 })
        expect(yield* settle("/nowhere")).toEqual({ kind: "refused" })
        yield* settle("/work")
        expect(yield* known(store, "/copy")).toEqual(["one", "two"])
        yield* remember(store, "/copy", "three")
        expect(yield* known(store, "/work")).toEqual(["one", "two", "three"])
        yield* store.commit({ kind: "move-project", from: "/work", to: "/moved" })
        expect(yield* known(store, "/copy")).toEqual(["one", "two", "three"])
        yield* remember(store, "/moved", "four")
        const parted = { from: "/moved", taken: 3, archived: 2 }
        expect(yield* settle(null)).toEqual({ kind: "settled", parted })
        expect(yield* known(store, "/copy")).toEqual(["two", "one", "three"])
        expect(yield* known(store, "/moved")).toEqual(["one", "four"])
        expect(yield* settle(null)).toEqual({ kind: "settled", parted: null })
        yield* store.rebuild()
        expect(yield* known(store, "/copy")).toEqual(["two", "one", "three"])
        expect(yield* known(store, "/moved")).toEqual(["one", "four"])
      }),
  )
  it.effect("[MM1 NT1] a directory that parts is known by what it said, wherever it is by then", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* remember(store, "/work", "one")
      yield* remember(store, "/copy", "two")
      const settle = (shares: string | null, root = "/copy") =>
        store.commit({ kind: "settle-project", root, shares, time: 8, bare: true })
      yield* settle("/work")
      const ended = { change: "archive", memory: "m3" as MemoryId, reason: null, source } as const
      const project = { root: "/copy", origin: null }
      yield* store.commit({ kind: "change-memory", project, time: 8, changes: [ended] })
      expect(yield* known(store, "/work")).toEqual(["one"])
      yield* remember(store, "/copy", "three")
      yield* store.commit({ kind: "change-notes", project, time: 8, changes: [note("Ask.", "later")] })
      yield* store.commit({ kind: "move-project", from: "/copy", to: "/moved" })
      yield* settle("/work", "/moved")
      expect(yield* settle(null, "/moved")).toMatchObject({ parted: { taken: 1, archived: 1 } })
      expect(yield* known(store, "/moved")).toEqual(["three"])
      expect(yield* known(store, "/work")).toEqual(["one"])
      expect(yield* store.notes("/moved", { limit: 9 })).toMatchObject([{ text: "Ask.", status: "waiting" }])
      expect(yield* store.notes("/work", { limit: 9 })).toMatchObject([{ status: "dismissed" }])
    }),
  )
  it.effect("[MM1] who shares another memory than before parts from that one first", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* remember(store, "/work", "one")
      yield* remember(store, "/other", "two")
      const settle = (shares: string) =>
        store.commit({ kind: "settle-project", root: "/copy", shares, time: 8 })
      yield* settle("/work")
      yield* remember(store, "/copy", "three")
      expect(yield* settle("/other")).toMatchObject({ parted: { from: "/work", taken: 2, archived: 1 } })
      expect(yield* known(store, "/work")).toEqual(["one"])
      expect(yield* known(store, "/copy")).toEqual(["two", "one", "three"])
    }),
  )
}

function contradictionContract(opened: OpenStore): void {
  it.effect("[MM1] what both said takes the place of what the original had said, also when they part", () =>
    Effect.gen(function* () {
      const store = yield* opened
      for (const [first, second] of [
        ["The dev port is 3000.", "The dev port is 4000."],
        ["Use tabs.", "Never use tabs."],
      ] as const) {
        const copy = `/copy of ${first}`
        yield* remember(store, "/work", first)
        yield* store.commit({ kind: "settle-project", root: copy, shares: "/work", time: 8 })
        yield* remember(store, copy, second)
        yield* remember(store, "/work", second)
        yield* store.commit({ kind: "settle-project", root: copy, shares: null, time: 9 })
      }
      expect(yield* known(store, "/work")).toEqual(["The dev port is 4000.", "Never use tabs."])
    }),
  )
  it.effect(
    "[MM1 DM1] what is brought back ends what contradicts it, and not where a run is taken back",
    () =>
      Effect.gen(function* () {
        const store = yield* opened
        yield* remember(store, "/work", "Use tabs.", "Do not use tabs.")
        const restore = (memory: string, takenBack?: { readonly followsSeq: number }) =>
          store.commit({
            kind: "change-memory",
            project: here,
            time: 5_000,
            changes: [{ change: "restore", memory: memory as MemoryId, source: person }],
            ...(takenBack !== undefined && { takenBack: { facts: [], ...takenBack } }),
          })
        yield* restore("m1")
        expect(yield* known(store, "/work")).toEqual(["Use tabs."])
        yield* restore("m2", { followsSeq: 4 })
        expect(yield* known(store, "/work")).toEqual(["Use tabs.", "Do not use tabs."])
      }),
  )
}

function movedPlacesContract(opened: OpenStore): void {
  it.effect("[MM1] which directory stood at a root goes with it, and so do its Sessions", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const location = { directory: "/app/src", projectRoot: "/app" }
      yield* store.commit({ kind: "open-location", location })
      yield* store.commit({ kind: "mark-project", root: "/app", mark: "7:1" })
      yield* store.commit({ kind: "move-project", from: "/app", to: "/moved" })
      expect(yield* store.location("/app/src")).toEqual({ ...location, projectRoot: "/moved" })
      expect(yield* store.marks({ mark: "7:1" })).toEqual([{ root: "/moved", mark: "7:1" }])
      expect(yield* store.marks({ root: "/app" })).toEqual([])
      // Another process came first: what was said of the place since stays.
      yield* store.commit({ kind: "mark-project", root: "/moved", mark: "7:1" })
      expect(yield* store.commit({ kind: "move-project", from: "/app", to: "/moved" })).toEqual({
        kind: "refused",
      })
      expect(yield* store.marks({ root: "/moved" })).toHaveLength(1)
    }),
  )
  it.effect("[MM1 MM2] of what is replaced all goes aside at once, and only what was looked at", () =>
    Effect.gen(function* () {
      const store = yield* opened
      for (const [root, mark] of [
        ["/a", "7:1"],
        ["/b", "8:1"],
      ] as const) {
        yield* store.commit({ kind: "mark-project", root, mark })
        yield* store.commit({ kind: "open-location", location: { directory: root, projectRoot: root } })
        yield* remember(store, root, `Said in ${root}.`)
      }
      yield* store.commit({ kind: "ask-project", root: "/a", origin: "abc", time: 7 })
      const move = (mark: string | null) =>
        store.commit({ kind: "move-project", from: "/b", to: "/a", replaces: { mark } })
      for (const mark of ["9:9", null]) expect(yield* move(mark)).toEqual({ kind: "refused" })
      expect(yield* known(store, "/a")).toEqual(["Said in /a."])
      expect(yield* move("7:1")).toEqual({ kind: "moved" })
      expect([yield* known(store, "/a"), yield* known(store, "/b")]).toEqual([["Said in /b."], []])
      expect(yield* store.place("/a")).toBeNull()
      const [aside] = yield* store.marks({ mark: "7:1" })
      const root = aside?.root ?? ""
      expect(root).toMatch(/^\/a#\d+$/)
      expect(yield* known(store, root)).toEqual(["Said in /a."])
      expect((yield* store.location("/a"))?.projectRoot).toBe(root)
      const mark = (was: string) =>
        store.commit({ kind: "mark-project", root: "/a", mark: "9:1", replaces: { mark: was } })
      expect([yield* mark("7:1"), yield* mark("8:1")]).toEqual([{ kind: "refused" }, { kind: "marked" }])
      expect(yield* known(store, "/a")).toEqual([])
    }),
  )
}

function sharedPlacesContract(opened: OpenStore): void {
  it.effect("[MM1 MM2] a directory whose project is shared takes nothing along when it moves", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* remember(store, "/work", "one")
      yield* remember(store, "/copy", "two")
      yield* store.commit({ kind: "settle-project", root: "/copy", shares: "/work", time: 8 })
      yield* store.commit({ kind: "move-project", from: "/copy", to: "/moved" })
      expect(yield* known(store, "/work")).toEqual(["one", "two"])
      expect(yield* known(store, "/moved")).toEqual(["one", "two"])
      yield* remember(store, "/taken", "three")
      expect(yield* store.commit({ kind: "move-project", from: "/work", to: "/taken" })).toEqual({
        kind: "refused",
      })
    }),
  )
  it.effect("[MM1] uses are counted for what is there, and a rebuild keeps them", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* remember(store, "/work", "one")
      const memories = ["m1", "m9"] as MemoryId[]
      yield* store.commit({ kind: "use-memory", root: "/work", memories, time: 1 })
      yield* store.commit({ kind: "use-memory", root: "/work", memories, time: 2 })
      yield* store.rebuild()
      expect(yield* store.memory("/work", memories[0] as MemoryId)).toMatchObject({ uses: 2, usedAt: 2 })
    }),
  )
}
