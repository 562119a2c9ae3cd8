import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, test } from "vitest"
import { openInlineStore } from "@holdfast/store/inline-store"
import type { MemoryChange } from "@holdfast/schema/memory/memory"
import type { Store } from "@holdfast/store/port"
import { acquire, admit, append, create, promoted, sessionId } from "../../../store/test/records.ts"
import { makeSearch } from "../../src/search/search.ts"
import { makeProjectFinder, rootAnswerMs, rootKeptMs, sharedRoot } from "../../src/memory/project.ts"

let folder = ""
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-project-")))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test("[MM1] worktrees of a repository share a project, and a folder without one is its own", async () => {
  const main = join(folder, "main")
  const tree = join(folder, "tree")
  const inside = join(main, ".git/worktrees/tree")
  mkdirSync(inside, { recursive: true })
  mkdirSync(tree)
  mkdirSync(join(folder, "plain"))
  writeFileSync(join(tree, ".git"), `gitdir: ${inside}\n`)
  writeFileSync(join(inside, "commondir"), "../..\n")
  expect(await sharedRoot(main)).toBe(main)
  expect(await sharedRoot(tree)).toBe(main)
  expect(await sharedRoot(join(folder, "plain"))).toBe(join(folder, "plain"))
})

test("[MM1] worktrees of a bare repository share the project of its directory", async () => {
  const bare = join(folder, "app.git")
  const trees = ["one", "two"].map((name) => {
    const [inside, tree] = [join(bare, "worktrees", name), join(folder, name)]
    mkdirSync(inside, { recursive: true })
    mkdirSync(tree)
    writeFileSync(join(tree, ".git"), `gitdir: ${inside}\n`)
    writeFileSync(join(inside, "commondir"), "../..\n")
    return tree
  })
  expect(await Promise.all(trees.map(sharedRoot))).toEqual([bare, bare])
})

const rule: MemoryChange = {
  change: "write",
  category: "PROJECT_RULES",
  text: "Use tabs.",
  source: { by: "person", session: null, messages: [] },
  expiresAt: null,
  supersedes: [],
}

test("[MM1] Git is asked for nothing where no project is known yet and nothing is written", async () => {
  const asked: string[] = []
  const origin = (root: string) => Effect.sync(() => (asked.push(root), "abc"))
  const found = Effect.gen(function* () {
    const store = yield* openInlineStore({ file: join(folder, "store.db") })
    const finder = makeProjectFinder(store, {
      root: Effect.succeed,
      origin,
      repository: () => true,
      mark: Effect.succeed,
    })
    const location = { directory: "/new", projectRoot: "/new" }
    const places = [yield* finder(location), yield* finder(location, "write"), yield* finder(location)]
    yield* store.close()
    return places.map((place) => place.origin)
  })
  expect(await Effect.runPromise(found)).toEqual([null, "abc", "abc"])
  expect(asked).toEqual(["/new"])
})

/** A machine whose disk says that `/tree` belongs to `/main`, as often as it is asked and while it answers. */
function slowDisk() {
  const disk = { answers: true, asked: 0 }
  const root = () =>
    Effect.suspend(() => (disk.asked++, disk.answers ? Effect.succeed("/main") : Effect.never))
  return {
    disk,
    machine: {
      root,
      origin: () => Effect.succeed(null),
      repository: () => true,
      mark: () => Effect.succeed(null),
    },
  }
}

const openStore = Effect.acquireRelease(
  Effect.suspend(() => openInlineStore({ file: join(folder, "store.db") })),
  (store) => Effect.ignore(store.close()),
)

const inTree = { directory: "/tree", projectRoot: "/tree" }

it.effect("[MM1] boundaries do not ask the disk again and again where a repository is", () =>
  Effect.gen(function* () {
    const { disk, machine } = slowDisk()
    const finder = makeProjectFinder(yield* openStore, machine)
    for (let boundary = 0; boundary < 5; boundary++) expect((yield* finder(inTree)).root).toBe("/main")
    expect(disk.asked).toBe(1)
    yield* TestClock.adjust(rootKeptMs)
    yield* finder(inTree)
    expect(disk.asked).toBe(2)
  }),
)

it.effect(
  "[MM1] a disk that does not answer holds a boundary up for a limited time, and is asked again",
  () =>
    Effect.gen(function* () {
      const { disk, machine } = slowDisk()
      const finder = makeProjectFinder(yield* openStore, machine)
      const silent = Effect.gen(function* () {
        disk.answers = false
        const fiber = yield* Effect.forkChild(finder(inTree))
        yield* TestClock.adjust(rootAnswerMs)
        disk.answers = true
        return (yield* Fiber.join(fiber)).root
      })
      expect(yield* silent).toBe("/tree")
      expect((yield* finder(inTree)).root).toBe("/main")
      yield* TestClock.adjust(rootKeptMs)
      expect(yield* silent).toBe("/main")
      expect(disk.asked).toBe(3)
    }),
)

/** What `/new` has, after projects with its mark and its first commit were taught at `olds`. */
const remembered = (olds: readonly string[], there: readonly string[]) =>
  Effect.gen(function* () {
    const store = yield* openInlineStore({ file: join(folder, "store.db") })
    const origin = () => Effect.succeed("abc")
    const machine = {
      root: Effect.succeed,
      origin,
      repository: () => true,
      mark: (path: string) => Effect.succeed(there.includes(path) ? "7:1" : null),
    }
    for (const root of olds) {
      yield* store.commit({ kind: "mark-project", root, mark: "7:1" })
      yield* store.commit({
        kind: "change-memory",
        project: { root, origin: "abc" },
        time: 1,
        changes: [rule],
      })
    }
    const place = yield* makeProjectFinder(store, machine)({ directory: "/new", projectRoot: "/new" })
    expect(place).toEqual({ root: "/new", origin: "abc" })
    const { memories } = yield* store.memories("/new", { limit: 9 })
    const asked = yield* store.place("/new")
    yield* store.close()
    return { memories: memories.length, asked: asked !== null && asked.settledAt === null }
  })

test("[MM1] a directory that stands elsewhere no more has moved", async () =>
  expect(await Effect.runPromise(remembered(["/old"], ["/new"]))).toEqual({ memories: 1, asked: false }))

test("[MM1 MM2] one that two paths lead to has not moved from either: a person is asked", async () =>
  expect(await Effect.runPromise(remembered(["/old"], ["/new", "/old"]))).toEqual({
    memories: 0,
    asked: true,
  }))

test("[MM1 MM2] where two projects like it are gone, nobody guesses which of them moved: a person is asked", async () =>
  expect(await Effect.runPromise(remembered(["/old", "/older"], ["/new"]))).toEqual({
    memories: 0,
    asked: true,
  }))

test("[MM1 MM2] a directory that was made anew is judged once Git knows what it is: until then it keeps what stood there", async () => {
  const location = { directory: "/app", projectRoot: "/app" }
  const found = Effect.gen(function* () {
    const store = yield* openInlineStore({ file: join(folder, "store.db") })
    const places = (mark: string, origin: string | null) =>
      makeProjectFinder(store, {
        root: Effect.succeed,
        origin: () => Effect.succeed(origin),
        repository: () => true,
        mark: () => Effect.succeed(mark),
      })(location, "write")
    const project = yield* places("7:1", "abc")
    yield* store.commit({ kind: "change-memory", project, time: 1, changes: [rule] })
    const known = Effect.map(store.memories("/app", { limit: 9 }), ({ memories }) => memories.length)
    const counts: number[] = []
    for (const origin of [null, "other"]) {
      yield* places("8:2", origin)
      counts.push(yield* known)
    }
    yield* store.close()
    return counts
  })
  expect(await Effect.runPromise(found)).toEqual([1, 0])
})

/** How much `/app` knows in each process that finds it with a mark, after a folder without a repository was taught there. */
const knownWith = (marks: readonly string[]) =>
  Effect.gen(function* () {
    const store = yield* openInlineStore({ file: join(folder, "store.db") })
    const counts: number[] = []
    for (const mark of marks) {
      const finder = makeProjectFinder(store, {
        root: Effect.succeed,
        origin: () => Effect.succeed(null),
        repository: () => false,
        mark: (path) => Effect.succeed(path === "/app" ? mark : null),
      })
      const project = yield* finder({ directory: "/app", projectRoot: "/app" }, "write")
      if (counts.length === 0)
        yield* store.commit({ kind: "change-memory", project, time: 1, changes: [rule] })
      counts.push((yield* store.memories("/app", { limit: 9 })).memories.length)
    }
    yield* store.close()
    return counts
  })

test("[MM1] a folder is the same one where its file system numbers its directories anew", async () =>
  expect(await Effect.runPromise(knownWith(["7:100", "8:100", "9:100"]))).toEqual([1, 1, 1]))

test("[MM1] a folder is the same one where the moment at which it was made goes back", async () =>
  expect(await Effect.runPromise(knownWith(["7:100", "7:90"]))).toEqual([1, 1]))

test("[MM1 MM2] a folder that was made later is another one, also with the number of the former", async () => {
  expect(await Effect.runPromise(knownWith(["7:100", "7:101", "7:100"]))).toEqual([1, 0, 1])
})

it.effect("[MM1 MM2] a process that runs on sees that another folder stands at the place", () =>
  Effect.gen(function* () {
    let mark = "7:100"
    const store = yield* openStore
    const finder = makeProjectFinder(store, {
      root: Effect.succeed,
      origin: () => Effect.succeed(null),
      repository: () => false,
      mark: () => Effect.sync(() => mark),
    })
    const location = { directory: "/app", projectRoot: "/app" }
    const project = yield* finder(location, "write")
    yield* store.commit({ kind: "change-memory", project, time: 1, changes: [rule] })
    mark = "8:200"
    yield* finder(location)
    expect((yield* store.memories("/app", { limit: 9 })).memories).toEqual([])
  }),
)

it.effect("[MM1] a worktree is the same one where its file system numbers its directories anew", () =>
  Effect.gen(function* () {
    const store = yield* openStore
    const lookWith = (mark: string) =>
      makeProjectFinder(store, {
        root: () => Effect.succeed("/main"),
        origin: () => Effect.succeed(null),
        repository: () => true,
        mark: (path) => Effect.succeed(path === "/tree" ? mark : null),
      })(inTree)
    yield* store.commit({ kind: "open-location", location: inTree })
    const placed = []
    for (const mark of ["7:100", "8:100", "9:200"]) {
      yield* lookWith(mark)
      placed.push((yield* store.location("/tree"))?.projectRoot)
    }
    expect(placed).toEqual(["/tree", "/tree", expect.stringMatching(/^\/tree#/)])
  }),
)

test("[SE1 MM1] what was said in a worktree is found in its repository, also when both have moved or it is gone", async () => {
  const found = Effect.gen(function* () {
    const main = join(folder, "main")
    const tree = join(folder, "tree")
    const inside = join(main, ".git/worktrees/tree")
    mkdirSync(inside, { recursive: true })
    mkdirSync(tree)
    writeFileSync(join(tree, ".git"), `gitdir: ${inside}\n`)
    writeFileSync(join(inside, "commondir"), "../..\n")
    const store = yield* openInlineStore({ file: join(folder, "store.db") })
    let there = main
    const machine = {
      root: (path: string) => Effect.promise(() => sharedRoot(path)),
      origin: () => Effect.succeed("abc"),
      repository: () => true,
      mark: (path: string) => Effect.succeed(path === there ? "7:1" : null),
    }
    for (const [n, root] of [main, tree, "/other"].entries()) yield* say(store, n + 1, root)
    yield* store.commit({
      kind: "change-memory",
      project: { root: main, origin: "abc" },
      time: 1,
      changes: [rule],
    })
    const from = (root: string) =>
      Effect.map(
        makeSearch(store, null, makeProjectFinder(store, machine))({ text: "narwhal", projectRoot: root }),
        (result) => result.found.map((one) => one.session).toSorted(),
      )
    const before = [yield* from(tree), yield* from(main), yield* from("/other")]
    rmSync(tree, { recursive: true })
    there = join(folder, "moved")
    const after = [yield* from(there), yield* from("/other")]
    yield* store.close()
    return { before, after }
  })
  const both = [sessionId(1), sessionId(2)].toSorted()
  expect(await Effect.runPromise(found)).toEqual({
    before: [both, both, [sessionId(3)]],
    after: [both, [sessionId(3)]],
  })
})

const say = Effect.fnUntraced(function* (store: Store, n: number, root: string) {
  const created = create(n)
  const location = { directory: root, projectRoot: root }
  yield* store.commit({ ...created, fact: { ...created.fact, location } })
  yield* store.commit(admit(n, n, { text: `The narwhal plan ${n}.` }))
  const granted = yield* store.commit(acquire(n))
  if (granted.kind !== "granted") throw new Error("The lease was not granted.")
  yield* store.commit(append(n, granted.lease.token, [promoted(n, 2)]))
})
