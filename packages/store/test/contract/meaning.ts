/** Vectors of units, the queue of those that have none, and commits: what search finds by meaning and beside (SE3, SE4). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { MemoryChange, MemoryId } from "@holdfast/schema/memory/memory"
import type { Store } from "../../src/port.ts"
import { append, partRecorded, sessionId, textPart, turnSettled, turnStarted } from "../records.ts"
import { searchContract } from "./search.ts"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const owner = { boot: "b", space: "s", pid: 1, start: "1", instance: "i" }
const all = { of: { projectRoot: null } } as const
/** A question of length 1. */
const asks = Float32Array.of(Math.SQRT1_2, -Math.SQRT1_2)
const choice = { model: "m", chunkCharacters: 100 }

/** By words, and by meaning. */
export function searchingContract(open: OpenStore): void {
  searchContract(open)
  meaningContract(open)
  modelsContract(open)
  othersContract(open)
}

function meaningContract(open: OpenStore): void {
  it.effect("[SE3] finds by its meaning what shares no word, and never by another model", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* said(store, "the engine stalls", "what did you cook", "a stew")
      yield* store.commit({ kind: "ask-embedding", of: { session: sessionId(1) }, ...choice })
      yield* embedAll(store, yield* holdName(store), (text) => (text.includes("stew") ? [1, -1] : [-1, 1]))
      expect(yield* store.embeddingProgress("m")).toEqual({ done: 3, due: 0 })
      const asked = { words: ["dinner", "supper", "meal"], phrases: [], projectRoot: null, limit: 10 }
      const near = (model: string, floor = -1) =>
        store.search({ ...asked, meaning: Effect.succeed({ model, vector: asks, floor }) })
      const [best, ...others] = (yield* near("m")).hits.toSorted((a, b) => b.meaning - a.meaning)
      expect(best).toMatchObject({ meaning: 1, score: 0, author: "assistant" })
      expect(others.every(({ meaning }) => meaning < 1)).toBe(true)
      expect((yield* near("other")).hits).toEqual([])
      expect((yield* near("m", 0.9)).hits).toMatchObject([{ meaning: 1 }, { meaning: 0 }])
      expect((yield* near("m", 1.1)).hits).toEqual([])
    }),
  )

  it.effect(
    "[SE3] beside what is as like as the floor, half as like is enough only for a question that says more",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        // None stands in front of another that is found: that one would come along.
        yield* said(store, "unlike", "unlike too", "half as like", "unlike again", "unlike as well", "alike")
        yield* store.commit({ kind: "ask-embedding", of: { session: sessionId(1) }, ...choice })
        const vectors = { alike: [1, -1], "half as like": [1, 0] } as Readonly<
          Record<string, readonly number[]>
        >
        yield* embedAll(store, yield* holdName(store), (text) => vectors[text] ?? [-1, 1])
        const found = (words: readonly string[]) =>
          Effect.map(
            store.search({
              words,
              phrases: [],
              projectRoot: null,
              limit: 10,
              meaning: Effect.succeed({ model: "m", vector: asks, floor: 0.9 }),
            }),
            ({ hits }) => hits.flatMap(({ seq, meaning }) => (meaning > 0 ? [seq] : [])).length,
          )
        expect(yield* found(["what", "was", "dinner"])).toBe(2)
        expect(yield* found(["dinner"])).toBe(1)
        expect(yield* found([])).toBe(1)
      }),
  )

  stepsContract(open)
  it.effect("[SE3] takes nothing of a worker that lost its lease", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* said(store, "one")
      yield* store.commit({ kind: "ask-embedding", ...all, ...choice })
      const step = yield* store.embeddingStep(["m"])
      if (step === null) return expect.unreachable()
      const { name, token } = yield* holdName(store)
      const late = { kind: "write-vectors", name, token: token + 1, step, vectors: [] } as const
      expect(yield* store.commit(late)).toEqual({ kind: "lost" })
      expect(yield* store.embeddingProgress("m")).toEqual({ done: 0, due: 1 })
    }),
  )

  it.effect("[SE3] another size of pieces asks for compartments again, and for no message", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* said(store, "one", "two")
      const ask = (model: string, chunkCharacters: number) =>
        store.commit({ kind: "ask-embedding", ...all, model, chunkCharacters })
      yield* ask("m", 100)
      const name = yield* holdName(store)
      yield* embedAll(store, name, () => [1, 1])
      expect(yield* store.embeddingStep(["m"])).toBe(null)
      yield* ask("m", 200)
      expect((yield* store.embeddingStep(["m"]))?.kind).toBe("compartments")
      yield* embedAll(store, name, () => [1, 1])
      yield* ask("n", 200)
      expect(yield* store.embeddingStep(["n"])).toMatchObject({
        kind: "messages",
        units: [{ text: "one" }, { text: "two" }],
      })
    }),
  )
}

function modelsContract(open: OpenStore): void {
  it.effect(
    "[SE3] gives a worker only what asks for a model that it has, and keeps the vectors of two apart",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        yield* said(store, "the engine stalls")
        yield* store.commit({ kind: "ask-embedding", ...all, ...choice, model: "n" })
        expect(yield* store.embeddingStep(["m"])).toBe(null)
        expect(yield* store.embeddingProgress("m")).toEqual({ done: 0, due: 0 })
        expect(yield* store.embeddingProgress("n")).toEqual({ done: 0, due: 1 })
        expect(yield* store.embeddingStep(["m", "n"])).toMatchObject({ choice: { model: "n" } })
        yield* embedAll(store, yield* holdName(store), () => [1, -1], "n")
        const near = (model: string) =>
          Effect.map(
            store.search({
              words: ["dinner"],
              phrases: [],
              projectRoot: null,
              limit: 10,
              meaning: Effect.succeed({ model, vector: asks, floor: 0.9 }),
            }),
            ({ hits }) => hits.length,
          )
        expect([yield* near("n"), yield* near("m"), yield* near("n")]).toEqual([1, 0, 1])
      }),
  )

  it.effect("[SE4] finds commits by their words, and none that left the project", () =>
    Effect.gen(function* () {
      const store = yield* open
      const commit = { hash: "a1", time: 5, text: "parser: mend the lookahead" }
      const write = (gone: readonly string[]) =>
        store.commit({ kind: "write-commits", root: "/p", commits: gone.length > 0 ? [] : [commit], gone })
      yield* write([])
      yield* write([])
      expect(yield* store.searchCommits("/p", ["lookahead"], 5)).toMatchObject([commit])
      expect(yield* store.searchCommits("/q", ["lookahead"], 5)).toEqual([])
      expect(yield* store.searchCommits(null, ["lookahead"], 5)).toEqual([{ root: "/p", ...commit }])
      yield* write(["a1"])
      expect(yield* store.searchCommits("/p", ["lookahead"], 5)).toEqual([])
      const named = { hash: "9fceb02d0ae598e95dc970b74767f19372d61af8", time: 6, text: "Stew" }
      yield* store.commit({ kind: "write-commits", root: "/p", commits: [named], gone: [] })
      for (const id of [named.hash, "9fceb02"])
        expect(yield* store.searchCommits("/p", [id], 5)).toEqual([{ root: "/p", ...named }])
      expect(yield* store.searchCommits("/q", [named.hash], 5)).toEqual([])
      for (const id of ["9fceb0", "9fceb03"]) expect(yield* store.searchCommits(null, [id], 5)).toEqual([])
    }),
  )
}

function othersContract(open: OpenStore): void {
  const near = (store: Store, places: Parameters<Store["nearOthers"]>[1], model = "m") =>
    Effect.map(store.nearOthers({ model, vector: asks, floor: 0 }, places), (found) =>
      found.map((one) => [one.kind === "memory" ? one.id : one.commit.hash, Math.round(one.likeness)]),
    )
  const commits = [{ hash: "a1", time: 5, text: "stew" }]

  it.effect(
    "[SE1 SE3] gives commits their vectors by the model that their project asks for, and forgets those that left",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        yield* store.commit({ kind: "write-commits", root: "/p", commits, gone: [] })
        expect(yield* store.embeddingStep(["m"])).toBe(null)
        const ask = (model: string) =>
          store.commit({ kind: "ask-embedding", of: { projectRoot: "/p" }, model, chunkCharacters: 100 })
        yield* ask("m")
        const name = yield* holdName(store)
        const step = yield* store.embeddingStep(["m"])
        expect(step).toMatchObject({ kind: "others", units: [{ text: "stew" }] })
        expect(yield* store.embeddingProgress("m")).toEqual({ done: 0, due: 1 })
        yield* embedAll(store, name, () => [1, -1])
        expect(yield* store.embeddingProgress("m")).toEqual({ done: 1, due: 0 })
        expect(yield* near(store, null)).toEqual([["a1", 1]])
        expect(yield* near(store, { projects: [], roots: ["/p"] })).toEqual([["a1", 1]])
        expect(yield* near(store, { projects: [], roots: ["/q"] })).toEqual([])
        expect(yield* near(store, null, "n")).toEqual([])
        yield* ask("n")
        expect(yield* near(store, null)).toEqual([])
        yield* embedAll(store, name, () => [1, -1], "n")
        expect(yield* near(store, null, "n")).toEqual([["a1", 1]])
        yield* store.commit({ kind: "write-commits", root: "/p", commits: [], gone: ["a1"] })
        expect(yield* near(store, null, "n")).toEqual([])
      }),
  )

  it.effect("[SE1 SE3] gives memories theirs, and takes no vector of what one said before it changed", () =>
    Effect.gen(function* () {
      const store = yield* open
      const change = (changes: readonly MemoryChange[]) =>
        store.commit({ kind: "change-memory", project: { root: "/p", origin: null }, time: 1, changes })
      yield* change([learned])
      yield* store.commit({ kind: "ask-embedding", of: { projectRoot: "/p" }, ...choice })
      const name = yield* holdName(store)
      const step = yield* store.embeddingStep(["m"])
      if (step === null) return expect.unreachable()
      yield* change([learned])
      const vectors = step.units.map(({ unit }) => ({ unit, chunk: 0, vector: Float32Array.of(-1, 1) }))
      yield* store.commit({ kind: "write-vectors", ...name, step, vectors })
      expect(yield* near(store, null)).toEqual([])
      yield* embedAll(store, name, () => [1, -1])
      expect(yield* near(store, null)).toEqual([["m1", 1]])
      const key = (yield* store.projects({ root: "/p" }))[0]?.key ?? 0
      expect(yield* near(store, { projects: [key], roots: [] })).toEqual([["m1", 1]])
      expect(yield* near(store, { projects: [key + 1], roots: ["/p"] })).toEqual([])
      yield* change([{ change: "archive", memory: "m1" as MemoryId, reason: "old", source: person }])
      expect(yield* near(store, null)).toEqual([])
      expect(yield* store.embeddingProgress("m")).toEqual({ done: 0, due: 0 })
    }),
  )
}

const person = { by: "person", session: null, messages: [] } as const
const learned = {
  change: "write",
  category: "PROJECT_RULES",
  text: "Supper is stew.",
  source: person,
  expiresAt: null,
  supersedes: [],
} as const

const holdName = Effect.fnUntraced(function* (store: Store) {
  const acquire = { kind: "acquire-named", name: "embed", owner, dead: null } as const
  const { lease } = kindOf("granted", yield* store.commit(acquire))
  return { name: lease.name, token: lease.token }
})

const embedAll = Effect.fnUntraced(function* (
  store: Store,
  name: { readonly name: string; readonly token: number },
  vectorOf: (text: string) => readonly number[],
  model = "m",
) {
  const next = store.embeddingStep([model])
  for (let step = yield* next; step !== null; step = yield* next) {
    const vectors = step.units.map(({ unit, text }) => ({
      unit,
      chunk: 0,
      vector: Float32Array.from(vectorOf(text)),
    }))
    yield* store.commit({ kind: "write-vectors", ...name, step, vectors })
  }
})

/** One Session in which the assistant says these. */
const said = Effect.fnUntraced(function* (store: Store, ...texts: readonly string[]) {
  const token = yield* held(store)
  const facts = texts.flatMap((text, at) => [
    turnStarted(at + 1),
    partRecorded(at + 1, 0, textPart(text)),
    turnSettled(at + 1),
  ])
  yield* store.commit(append(1, token, facts, { release: "always" }))
})

function stepsContract(open: OpenStore): void {
  it.effect("[SE2] what does not fit into one step follows with the next, and none is passed over", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* said(store, ...Array.from({ length: 40 }, (_, at) => `text ${at}`))
      yield* store.commit({ kind: "ask-embedding", of: { session: sessionId(1) }, ...choice })
      yield* embedAll(store, yield* holdName(store), () => [1, 1])
      expect(yield* store.embeddingProgress("m")).toEqual({ done: 40, due: 0 })
    }),
  )
}
