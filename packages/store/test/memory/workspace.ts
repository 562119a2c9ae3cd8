/** Contract of workspaces: who is in one, what its members see and change of each other (WS1, MM2, MM3). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { MemoryCategory, MemoryChange, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"
import { workspaceMembersMax } from "@holdfast/schema/memory/partner"
import type { Store } from "../../src/port.ts"
import type { ChangeWorkspace } from "../../src/workspace.ts"
import { sessionId } from "../records.ts"
import { kindOf, type OpenStore } from "../contract/subject.ts"

const agent: MemorySource = { by: "agent", session: sessionId(1), messages: [] }
const m = (seq: number): MemoryId => `m${seq}` as MemoryId
const place = (root: string) => ({ root, origin: null })

const write = (text: string, category: MemoryCategory): MemoryChange => ({
  change: "write",
  category,
  text,
  source: agent,
  expiresAt: null,
  supersedes: [],
})

const learn = (store: Store, root: string, ...changes: readonly MemoryChange[]) =>
  store.commit({ kind: "change-memory", project: place(root), time: 1, changes })

const workspace = (store: Store, name: string, change: ChangeWorkspace["change"]) =>
  store.commit({ kind: "change-workspace", name, time: 2, change })

const seen = (store: Store, root: string) =>
  Effect.map(store.memories(root, { status: "active", limit: 100, shared: true }), ({ shared }) =>
    shared?.partners.flatMap((partner) => partner.memories.map(({ text }) => `${partner.root}: ${text}`)),
  )

/** /a and /b share constraints; /c is in no workspace. Each knows one constraint as m1 and one name as m2. */
const shop = Effect.fnUntraced(function* (opened: OpenStore) {
  const store = yield* opened
  for (const root of ["/a", "/b", "/c"])
    yield* learn(store, root, write(`${root} must`, "CONSTRAINTS"), write(`${root} is called`, "NAMING"))
  yield* workspace(store, "shop", { to: "create", categories: ["CONSTRAINTS"] })
  for (const root of ["/a", "/b"]) yield* workspace(store, "shop", { to: "add", project: place(root) })
  const keys = new Map<string, number>()
  for (const root of ["/a", "/b", "/c"]) keys.set(root, (yield* store.projects({ root }))[0]?.key ?? 0)
  return { store, key: (root: string): number => keys.get(root) as number }
})

const refusals: Readonly<Record<string, readonly [string, ChangeWorkspace["change"], string]>> = {
  "a name that is taken": ["shop", { to: "create", categories: [] }, "taken"],
  "a workspace that is not there": ["shed", { to: "add", project: place("/c") }, "unknown"],
  "a project of another workspace": ["other", { to: "add", project: place("/a") }, "elsewhere"],
  "a project that is not in it": ["shop", { to: "remove", project: place("/c") }, "no-member"],
  "a project that nobody knows": ["shop", { to: "remove", project: place("/d") }, "no-member"],
}

/** What an agent of /a asks for, of which project, and what becomes of it. */
const changes: Readonly<Record<string, readonly [string, MemoryChange, string]>> = {
  "what is not shared": ["/b", { change: "update", memory: m(2), text: "new", source: agent }, "unknown m2"],
  "a category that is not shared": [
    "/b",
    { change: "update", memory: m(1), category: "NAMING", source: agent },
    "unshared m1",
  ],
  "a merge with what is not shared": [
    "/b",
    { change: "merge", from: [m(1), m(2)], category: "CONSTRAINTS", text: "both", source: agent },
    "unknown m2",
  ],
  "a statement written for another": ["/b", write("planted", "CONSTRAINTS"), "unshared "],
  "a project of no workspace": [
    "/c",
    { change: "update", memory: m(1), text: "new", source: agent },
    "unknown m1",
  ],
  "an update of what is shared": [
    "/b",
    { change: "update", memory: m(1), text: "new", source: agent },
    "changed",
  ],
  "an archive of what is shared": [
    "/b",
    { change: "archive", memory: m(1), reason: null, source: agent },
    "changed",
  ],
}

export function workspaceContract(opened: OpenStore): void {
  it.effect("[WS1] members see each other's memories of the shared categories, and nobody else does", () =>
    Effect.gen(function* () {
      const { store } = yield* shop(opened)
      expect(yield* seen(store, "/a")).toEqual(["/b: /b must"])
      expect(yield* seen(store, "/b")).toEqual(["/a: /a must"])
      expect(yield* seen(store, "/c")).toBeUndefined()
      yield* workspace(store, "shop", { to: "share", categories: ["NAMING", "CONSTRAINTS"] })
      expect(yield* seen(store, "/a")).toEqual(["/b: /b must", "/b: /b is called"])
      yield* learn(store, "/b", { change: "archive", memory: m(1), reason: null, source: agent })
      expect(yield* seen(store, "/a")).toEqual(["/b: /b is called"])
      yield* workspace(store, "shop", { to: "remove", project: place("/b") })
      expect([yield* seen(store, "/a"), yield* seen(store, "/b")]).toEqual([[], undefined])
      const [own] = (yield* store.memories("/a", { limit: 1 })).memories
      expect(own?.text).toBe("/a must")
    }),
  )

  it.effect("[WS1] a project is in one workspace at most, and a deleted one has no members", () =>
    Effect.gen(function* () {
      const { store } = yield* shop(opened)
      yield* workspace(store, "other", { to: "create", categories: ["NAMING"] })
      for (const [name, change, problem] of Object.values(refusals))
        expect(yield* workspace(store, name, change)).toMatchObject({ kind: "refused", problem })
      yield* workspace(store, "shop", { to: "add", project: place("/a") })
      expect(yield* store.workspaces()).toEqual([
        { name: "other", categories: ["NAMING"], members: [] },
        { name: "shop", categories: ["CONSTRAINTS"], members: ["/a", "/b"] },
      ])
      yield* workspace(store, "shop", { to: "delete" })
      expect(
        kindOf("changed", yield* workspace(store, "other", { to: "add", project: place("/a") })),
      ).toEqual({
        kind: "changed",
        workspace: { name: "other", categories: ["NAMING"], members: ["/a"] },
      })
      expect(yield* seen(store, "/b")).toBeUndefined()
    }),
  )

  it.effect("[WS1] a workspace has room for so many projects, and for one of its own again and again", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* workspace(store, "full", { to: "create", categories: [] })
      const add = (at: number) => workspace(store, "full", { to: "add", project: place(`/p${at}`) })
      for (let at = 0; at < workspaceMembersMax; at++) expect((yield* add(at)).kind).toBe("changed")
      expect(yield* add(workspaceMembersMax)).toMatchObject({ kind: "refused", problem: "too-many" })
      expect((yield* add(0)).kind).toBe("changed")
    }),
  )

  recordContract(opened)
  partnerContract(opened)
}

function recordContract(opened: OpenStore): void {
  it.effect("[WS1 ST1] the log of each member tells of it, and a rebuild finds all of it there again", () =>
    Effect.gen(function* () {
      const { store } = yield* shop(opened)
      yield* workspace(store, "shop", { to: "add", project: place("/c") })
      yield* workspace(store, "shop", { to: "remove", project: place("/c") })
      yield* workspace(store, "shop", { to: "share", categories: ["NAMING", "CONSTRAINTS"] })
      yield* workspace(store, "old", { to: "create", categories: ["NAMING"] })
      yield* workspace(store, "old", { to: "add", project: place("/c") })
      yield* workspace(store, "old", { to: "delete" })
      const told = Effect.fnUntraced(function* (root: string) {
        const events = yield* store.memoryLog(root, 2, 9)
        return events.map(({ seq, fact }) => ({ seq, ...fact }))
      })
      const by = { source: { by: "person", session: null, messages: [] }, workspace: "shop" }
      const both = ["CONSTRAINTS", "NAMING"]
      expect(yield* told("/a")).toEqual([
        { seq: 3, type: "workspace.joined", categories: ["CONSTRAINTS"], ...by },
        { seq: 4, type: "workspace.shared", categories: both, ...by },
      ])
      expect((yield* told("/c")).map(({ type }) => type)).toEqual(
        ["joined", "left", "joined", "left"].map((past) => `workspace.${past}`),
      )
      const before = yield* store.workspaces()
      expect(before).toEqual([{ name: "shop", categories: both, members: ["/a", "/b"] }])
      yield* store.rebuild()
      expect(yield* store.workspaces()).toEqual(before)
    }),
  )
}

function partnerContract(opened: OpenStore): void {
  it.effect(
    "[MM3] an agent changes a partner's memories of shared categories, and is refused by id else",
    () =>
      Effect.gen(function* () {
        const { store, key } = yield* shop(opened)
        const lengths = Effect.fnUntraced(function* (root: string) {
          const [own, theirs] = [yield* store.memoryLog("/a", 0, 100), yield* store.memoryLog(root, 0, 100)]
          return [own.length, theirs.length] as const
        })
        for (const [name, [root, change, expected]] of Object.entries(changes)) {
          const [own, theirs] = yield* lengths(root)
          const outcome = yield* store.commit({
            kind: "change-memory",
            project: place("/a"),
            time: 2,
            changes: [change],
            partner: key(root),
          })
          const told = outcome.kind === "refused" ? `${outcome.problem} ${outcome.ids.join()}` : outcome.kind
          expect([name, told]).toEqual([name, expected])
          expect(yield* lengths(root)).toEqual([own, theirs + (expected === "changed" ? 1 : 0)])
        }
      }),
  )
  it.effect("[MM3] what is not shared neither ends nor stops by what an agent changes beside it", () =>
    Effect.gen(function* () {
      const { store, key } = yield* shop(opened)
      yield* learn(store, "/b", write("The port is 1", "CONFIG_VALUES"), write("/b waits", "NAMING"))
      const asked = (text: string) =>
        store.commit({
          kind: "change-memory",
          project: place("/a"),
          time: 2,
          changes: [{ change: "update", memory: m(1), text, source: agent }],
          partner: key("/b"),
        })
      for (const text of ["The port is 2", "/b waits"]) expect((yield* asked(text)).kind).toBe("changed")
      const { memories } = yield* store.memories("/b", { status: "active", limit: 100 })
      expect(memories.map(({ text }) => text)).toEqual([
        "/b waits",
        "/b is called",
        "The port is 1",
        "/b waits",
      ])
    }),
  )
  it.effect(
    "[WS1 MM1] a use of a partner's memory is counted where the memory is, and of nobody else's",
    () =>
      Effect.gen(function* () {
        const { store, key } = yield* shop(opened)
        const memories = ["m1", `m1@${key("/b")}`, `m1@${key("/c")}`]
        yield* store.commit({ kind: "use-memory", root: "/a", memories, time: 3 })
        const uses = (root: string) => Effect.map(store.memory(root, m(1)), (memory) => memory?.uses)
        expect([yield* uses("/a"), yield* uses("/b"), yield* uses("/c")]).toEqual([1, 1, 0])
        yield* store.rebuild()
        expect(yield* seen(store, "/a")).toEqual(["/b: /b must"])
      }),
  )
}
