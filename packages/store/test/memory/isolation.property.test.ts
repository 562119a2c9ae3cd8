/**
 * MM2: whatever is done in one project, nothing of it is seen in another, nor by another owner, however their names collide.
 *
 * An owner is whoever has a store: no row of it names one, so two owners on a machine are two files, and what one writes is not in the
 * other's. What is shared by a person's word (`adopt`) is shared until it is taken back (`separate`), and crosses no owner either.
 */
import { Effect } from "effect"
import { array, asyncProperty, assert, constantFrom, integer, oneof, record, constant } from "fast-check"
import { describe, expect, test } from "vitest"
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { MemoryCategory, MemoryChange, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"
import type { SmartNoteChange, SmartNoteId } from "@holdfast/schema/memory/note"
import { openInlineStore } from "../../src/inline-store.ts"
import type { Store } from "../../src/port.ts"
import { makePlace } from "../place.ts"
import {
  acquire,
  append,
  create,
  owner as ownerOf,
  partRecorded,
  sessionId,
  textPart,
  turnSettled,
  turnStarted,
} from "../records.ts"

const runs = Number(process.env["HOLDFAST_MEMORY_RUNS"] ?? 10)
const seed = Number(process.env["HOLDFAST_MEMORY_SEED"] ?? 1)

/** Two roots with the same name and the same first commit. */
const roots = ["/a/app", "/b/app"] as const
const owners = [0, 1] as const

const number = integer({ min: 1, max: 12 })
const word = constantFrom("tabs", "Tabs.", "port is 1", "port is 2", "naming")
const category = constantFrom(...memoryCategories)

const operations = oneof(
  record({ do: constant("write" as const), word, category, replaces: array(number, { maxLength: 2 }) }),
  record({ do: constant("update" as const), id: number, word }),
  record({ do: constant("archive" as const), id: number }),
  record({ do: constant("restore" as const), id: number }),
  record({
    do: constant("merge" as const),
    ids: array(number, { minLength: 2, maxLength: 3 }),
    word,
    category,
  }),
  record({ do: constant("use" as const), id: number }),
  record({ do: constant("note" as const), word }),
  record({ do: constant("ready" as const), id: number }),
  record({ do: constant("dismiss" as const), id: number }),
  record({ do: constant("surface" as const) }),
  record({ do: constant("rebuild" as const) }),
  record({ do: constant("join" as const) }),
  record({ do: constant("leave" as const) }),
  record({ do: constant("share" as const), category }),
  record({ do: constant("steal" as const), id: number, category }),
  record({ do: constant("say" as const), word }),
  record({ do: constant("commits" as const), id: number, word }),
  record({ do: constant("embed" as const) }),
  record({ do: constant("dream" as const), id: number, word, category }),
  record({ do: constant("revert" as const), word }),
  record({ do: constant("choose" as const), word }),
  record({ do: constant("wait" as const), id: number, word }),
  record({ do: constant("ask" as const) }),
  record({ do: constant("separate" as const) }),
  record({ do: constant("mark" as const) }),
  record({ do: constant("take-place" as const) }),
  record({ do: constant("go-and-return" as const) }),
)
type Operation = typeof operations extends { generate: (...given: never) => { value: infer O } } ? O : never

const step = record({ owner: constantFrom(...owners), root: constantFrom(...roots), operation: operations })
type Step = { readonly owner: 0 | 1; readonly root: (typeof roots)[number]; readonly operation: Operation }

const source: MemorySource = { by: "person", session: null, messages: [] }
const stampOf = (owner: number, root: string): string => `<${owner}${root}>`
const m = (id: number): MemoryId => `m${id}` as MemoryId
const s = (id: number): SmartNoteId => `s${id}` as SmartNoteId

function memoryChange(operation: Operation, stamp: string): MemoryChange | null {
  switch (operation.do) {
    case "write": {
      const text = `${stamp} ${operation.word}`
      return {
        change: "write",
        category: operation.category,
        text,
        source,
        expiresAt: null,
        supersedes: operation.replaces.map(m),
      }
    }
    case "update":
      return { change: "update", memory: m(operation.id), text: `${stamp} ${operation.word}`, source }
    case "archive":
      return { change: "archive", memory: m(operation.id), reason: stamp, source }
    case "restore":
      return { change: "restore", memory: m(operation.id), source }
    case "merge": {
      const { ids, word: said, category: kind } = operation
      return { change: "merge", from: ids.map(m), category: kind, text: `${stamp} ${said}`, source }
    }
    default:
      return null
  }
}

function noteChange(operation: Operation, stamp: string): SmartNoteChange | null {
  switch (operation.do) {
    case "note":
      return { change: "write", text: `${stamp} ${operation.word}`, condition: stamp, source }
    case "ready":
      return { change: "ready", note: s(operation.id), reason: stamp, source }
    case "dismiss":
      return { change: "dismiss", note: s(operation.id), source }
    case "wait":
      return { change: "update", note: s(operation.id), condition: `${stamp} ${operation.word}`, source }
    default:
      return null
  }
}

const sessionOf = (root: string): number => roots.indexOf(root as (typeof roots)[number]) + 1

const perform = Effect.fnUntraced(function* (store: Store, stamp: string, { root, operation }: Step) {
  const project = { root, origin: "abc" }
  const memory = memoryChange(operation, stamp)
  if (memory !== null)
    return yield* store.commit({ kind: "change-memory", project, time: 1, changes: [memory] })
  const note = noteChange(operation, stamp)
  if (note !== null) return yield* store.commit({ kind: "change-notes", project, time: 1, changes: [note] })
  if (operation.do === "say") return yield* say(store, root, `${stamp} ${operation.word}`)
  if (operation.do === "embed") return yield* embed(store, root, stamp)
  if (operation.do === "dream") return yield* dream(store, root, stamp, operation)
  if (operation.do === "choose" || operation.do === "revert")
    return yield* choose(store, root, `${stamp} ${operation.word}`, operation.do)
  if (isOfPlace(operation.do)) return yield* changePlace(store, root, operation.do)
  if (operation.do === "commits") {
    const commits = [{ hash: `c${operation.id}`, time: 1, text: `${stamp} ${operation.word}` }]
    return yield* store.commit({ kind: "write-commits", root, commits, gone: [`c${operation.id + 1}`] })
  }
  if (operation.do === "use")
    return yield* store.commit({ kind: "use-memory", root, memories: [m(operation.id)], time: 1 })
  if (operation.do === "rebuild") return yield* store.rebuild()
  const workspace = { kind: "change-workspace", name: "both", time: 1 } as const
  if (operation.do === "join") return yield* store.commit({ ...workspace, change: { to: "add", project } })
  if (operation.do === "leave")
    return yield* store.commit({ ...workspace, change: { to: "remove", project } })
  if (operation.do === "share")
    return yield* store.commit({ ...workspace, change: { to: "share", categories: [operation.category] } })
  if (operation.do === "steal") return yield* steal(store, root, operation.id, operation.category)
  return yield* store.commit({
    kind: "surface-notes",
    root,
    session: sessionId(sessionOf(root)),
    time: 1,
  })
})

/** What is said last in the Session of the project. */
const say = Effect.fnUntraced(function* (store: Store, root: string, text: string) {
  const n = sessionOf(root)
  const granted = yield* store.commit(acquire(n))
  if (granted.kind !== "granted") throw new Error(granted.kind)
  const { events } = yield* store.events(sessionId(n), 0, 1_000)
  const turn = events.length
  const facts = [turnStarted(turn), partRecorded(turn, 0, textPart(text)), turnSettled(turn)]
  yield* store.commit(append(n, granted.lease.token, facts, { release: "always" }))
})

/** The name of a service, which is let go behind what is done under it. */
const under = Effect.fnUntraced(function* <A, E>(
  store: Store,
  name: string,
  work: (held: { readonly name: string; readonly token: number }) => Effect.Effect<A, E>,
) {
  const granted = yield* store.commit({ kind: "acquire-named", name, owner: ownerOf(1), dead: null })
  if (granted.kind !== "granted") throw new Error(granted.kind)
  const held = { name, token: granted.lease.token }
  const answer = yield* work(held)
  yield* store.commit({ kind: "release-named", ...held })
  return answer
})

/** Each project asks for a model of its own: the worker reads nothing else under that name. */
const embed = (store: Store, root: string, stamp: string) =>
  under(
    store,
    "embed",
    Effect.fnUntraced(function* (held) {
      const model = `model of ${root}`
      yield* store.commit({ kind: "ask-embedding", of: { projectRoot: root }, model, chunkCharacters: 100 })
      const next = store.embeddingStep([model])
      for (let due = yield* next; due !== null; due = yield* next) {
        for (const { text } of due.units) expect(text).toContain(stamp)
        const vectors = due.units.map(({ unit }) => ({ unit, chunk: 0, vector: meant }))
        yield* store.commit({ kind: "write-vectors", ...held, step: due, vectors })
      }
    }),
  )

const meant = Float32Array.of(1, -1)

const dream = (store: Store, root: string, stamp: string, operation: Extract<Operation, { do: "dream" }>) =>
  under(store, "dreamer", (held) => {
    const by = { by: "dreamer", session: null, messages: [] } as const
    const text = `${stamp} dreams of ${operation.word}`
    const { category: kind, id } = operation
    return store.commit({
      kind: "dream",
      project: { root, origin: "abc" },
      time: 1,
      under: held,
      fact: { type: "profile.observed", text, source: by },
      changes: [
        { change: "write", category: kind, text, source: by, expiresAt: null, supersedes: [] },
        ...(id % 2 === 0 ? [{ change: "archive", memory: m(id), reason: stamp, source: by } as const] : []),
      ],
      seen: [],
    })
  })

/** Key files and the profile, chosen by the dreamer, or taken back by a person. */
const choose = Effect.fnUntraced(function* (
  store: Store,
  root: string,
  text: string,
  by: "choose" | "revert",
) {
  const project = { root, origin: "abc" }
  const facts = [
    { type: "keyfiles.chosen", files: [{ path: "a.ts", text, reason: text }], source: dreamt },
    { type: "profile.written", lines: [text], source: dreamt },
  ] as const
  if (by === "revert") {
    const [here] = yield* store.projects({ root })
    const takenBack = { facts, followsSeq: here?.seq ?? 0 }
    return yield* store.commit({ kind: "change-memory", project, time: 1, changes: [], takenBack })
  }
  for (const fact of facts)
    yield* under(store, "dreamer", (held) =>
      store.commit({ kind: "dream", project, time: 1, under: held, fact, changes: [], seen: [] }),
    )
})

const dreamt = { by: "dreamer", session: null, messages: [] } as const

const placeChanges = ["ask", "separate", "mark", "take-place", "go-and-return"] as const
type PlaceChange = (typeof placeChanges)[number]
const isOfPlace = (name: string): name is PlaceChange => placeChanges.some((one) => one === name)

/** Whatever is said of directories, short of a person who shares one: a place that is taken is not given away. */
const changePlace = Effect.fnUntraced(function* (store: Store, root: string, change: PlaceChange) {
  const move = (from: string, to: string) => store.commit({ kind: "move-project", from, to })
  switch (change) {
    case "ask":
      return yield* store.commit({ kind: "ask-project", root, origin: "abc", time: 1 })
    case "separate":
      return yield* store.commit({ kind: "settle-project", root, shares: null, time: 1 })
    case "mark":
      return yield* store.commit({ kind: "mark-project", root, mark: "7:1" })
    case "take-place":
      return expect(yield* move(root, otherRoot(root))).toEqual({ kind: "refused" })
    case "go-and-return":
      yield* move(root, `${root}/elsewhere`)
      return yield* move(`${root}/elsewhere`, root)
  }
})

/** Words of all that is ever said here; any of them may match. */
const saidWords = ["tabs", "port", "naming", "dreams"]

/** What a search of the project reads, by words and by meaning, of Sessions and of commits. */
const searched = Effect.fnUntraced(function* (store: Store, root: string) {
  const question = { words: saidWords, phrases: [], projectRoot: root, limit: 200 }
  const read: unknown[] = [yield* store.searchCommits(root, saidWords, 200)]
  for (const model of roots.map((each) => `model of ${each}`)) {
    const { hits } = yield* store.search({
      ...question,
      meaning: Effect.succeed({ model, vector: meant, floor: -1 }),
    })
    const byMeaning = yield* store.search({
      ...question,
      words: [],
      meaning: Effect.succeed({ model, vector: meant, floor: -1 }),
    })
    read.push(yield* store.units([...hits, ...byMeaning.hits]))
    read.push(yield* store.nearOthers({ model, vector: meant, floor: -1 }, { projects: [], roots: [root] }))
  }
  return read
})

const otherRoot = (root: string): string => (root === roots[0] ? roots[1] : roots[0])

/** WS1, MM3: by way of a partner nothing but a memory of a shared category is seen or changed. */
const steal = Effect.fnUntraced(function* (store: Store, root: string, id: number, into: MemoryCategory) {
  const theirs = otherRoot(root)
  const [partner] = yield* store.projects({ root: theirs })
  if (partner === undefined) return
  const [both] = yield* store.workspaces()
  const isShared = (said: MemoryCategory | undefined): boolean =>
    both?.members.length === 2 && said !== undefined && both.categories.includes(said)
  const { shared } = yield* store.memories(root, { limit: 100, shared: true })
  for (const memory of shared?.partners.flatMap(({ memories }) => memories) ?? [])
    expect(isShared(memory.category)).toBe(true)
  const before = yield* store.memory(theirs, m(id))
  const outcome = yield* store.commit({
    kind: "change-memory",
    project: { root, origin: "abc" },
    time: 1,
    changes: [{ change: "update", memory: m(id), category: into, source }],
    partner: partner.key,
  })
  if (isShared(before?.category) && isShared(into)) return
  expect(outcome).toMatchObject({ kind: "refused", ids: [m(id)] })
  expect(yield* store.memory(theirs, m(id))).toEqual(before)
})

/** All that can be read of a project, and all that its Session was told. */
const everything = Effect.fnUntraced(function* (store: Store, root: string) {
  const { memories } = yield* store.memories(root, { limit: 100 })
  const notes = yield* store.notes(root, { limit: 100 })
  const log = yield* store.memoryLog(root, 0, 1_000)
  const { events } = yield* store.events(sessionId(sessionOf(root)), 0, 1_000)
  const one = yield* store.memory(root, m(1))
  return JSON.stringify([
    yield* searched(store, root),
    yield* store.projectFacts(root, { type: "profile.observed", limit: 100 }),
    yield* store.projectFacts(root, { type: "profile.written", limit: 100 }),
    yield* store.projectFacts(root, { type: "keyfiles.chosen", limit: 100 }),
    yield* store.place(root),
    yield* store.projectRoots(root),
    memories,
    notes,
    log,
    one,
    events.filter(({ fact }) => fact.type === "notice.admitted"),
  ])
})

const play = (steps: readonly Step[]) =>
  Effect.gen(function* () {
    const places = owners.map(() => makePlace())
    const stores: Store[] = []
    for (const { file } of places) stores.push(yield* openInlineStore({ file }))
    for (const store of stores)
      for (const projectRoot of roots) {
        const made = create(sessionOf(projectRoot))
        const location = { directory: projectRoot, projectRoot }
        yield* store.commit({ ...made, fact: { ...made.fact, location } })
      }
    for (const store of stores)
      yield* store.commit({
        kind: "change-workspace",
        name: "both",
        time: 1,
        change: { to: "create", categories: ["CONSTRAINTS"] },
      })
    for (const store of stores)
      for (const root of roots)
        yield* store.commit({
          kind: "change-workspace",
          name: "both",
          time: 1,
          change: { to: "add", project: { root, origin: "abc" } },
        })
    for (const one of steps) yield* perform(stores[one.owner] as Store, stampOf(one.owner, one.root), one)
    const crossed: string[] = []
    for (const owner of owners)
      for (const root of roots) {
        const seen = yield* everything(stores[owner] as Store, root)
        for (const [found] of seen.matchAll(/<[01]\/[ab]\/app>/g))
          if (found !== stampOf(owner, root)) crossed.push(`${found} in ${stampOf(owner, root)}`)
      }
    for (const store of stores) yield* store.close()
    for (const { dispose } of places) dispose()
    return crossed
  })

describe("projects and owners", () => {
  test("[MM2 WS1] nothing crosses from one project or owner to another, whatever is done, but what a workspace shares", () =>
    assert(
      asyncProperty(array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        expect(await Effect.runPromise(play(steps as readonly Step[]))).toEqual([])
      }),
      { numRuns: runs, seed },
    ))
})
