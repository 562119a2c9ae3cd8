/** Commits of a project, as Git tells them, in the index and among the results. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Command } from "@holdfast/store/port"
import type { GitCommit } from "@holdfast/store/search/embedding"
import { makeCommitIndex, parseLog } from "../../src/search/commits.ts"
import { findOthers } from "../../src/search/others.ts"

test("[SE4] reads the log of Git, with bodies of several lines", () =>
  expect(parseLog("a1\u0000100\u0000one\n\nbody\n\u0001\nb2\u000099\u0000two\n\u0001\n")).toEqual([
    { hash: "a1", time: 100_000, text: "one\n\nbody" },
    { hash: "b2", time: 99_000, text: "two" },
  ]))

test("[AU1 SE4] writes what is new without its secrets, takes away what left HEAD, and asks for no log while HEAD stays", () => {
  const written: Command[] = []
  let [head, logs] = ["a", 0]
  const log: GitCommit[] = [{ hash: "new", time: 1, text: "new: hunter2" }]
  const store = {
    commit: (command: Command) => Effect.sync(() => void written.push(command)) as never,
    commitHashes: () => Effect.succeed(["old"]),
  }
  const masks = { text: (text: string) => text.replace("hunter2", "[hidden]") }
  const index = makeCommitIndex(store, masks, {
    head: () => Effect.succeed(head),
    log: () => Effect.sync(() => (logs++, log)),
  })
  Effect.runSync(index("/p"))
  Effect.runSync(index("/p"))
  const commits = [{ hash: "new", time: 1, text: "new: [hidden]" }]
  expect(written).toEqual([{ kind: "write-commits", root: "/p", commits, gone: ["old"] }])
  expect(logs).toBe(1)
  head = "b"
  Effect.runSync(index("/p"))
  expect(logs).toBe(2)
})

test("[SE4] takes away what left HEAD where nothing is new, too", () => {
  const written: Command[] = []
  const store = {
    commit: (command: Command) => Effect.sync(() => void written.push(command)) as never,
    commitHashes: () => Effect.succeed(["kept", "gone"]),
  }
  const git = {
    head: () => Effect.succeed("kept"),
    log: () => Effect.succeed([{ hash: "kept", time: 1, text: "kept" }]),
  }
  Effect.runSync(makeCommitIndex(store, { text: (text) => text }, git)("/p"))
  expect(written).toEqual([{ kind: "write-commits", root: "/p", commits: [], gone: ["gone"] }])
})

const memory = (id: string, text: string) => ({ id, text, expiresAt: null, updatedAt: 1 })
const project = (key: number, root: string) => ({ key, root, origin: null, seq: 1, epoch: 0 })
const byWords = { meaning: null, weight: 0.4, shownMemories: new Set<string>() }

test("[SE1] a commit is found exactly by its id, whole or abbreviated", () => {
  const commit = { root: "/p", hash: "9fceb02d0ae598e95dc970b74767f19372d61af8", time: 1, text: "Stew" }
  const store = {
    memories: () => Effect.succeed({ project: null, memories: [] }),
    searchCommits: () => Effect.succeed([commit]),
  } as never
  for (const [id, exact] of [
    [commit.hash, true],
    ["9fceb02", true],
    ["9fceb0", false],
  ] as const) {
    const found = Effect.runSync(findOthers(store, "/p", { ...byWords, words: [id], phrases: [] }))
    expect(found.map(({ other }) => other.exact)).toEqual(exact ? [true] : [])
  }
})

test("[SE1] memories and commits are found by their words, but for those that the window shows", () => {
  const store = {
    memories: () =>
      Effect.succeed({
        project: null,
        memories: [memory("m1", "Use the walrus port"), memory("m2", "Port walrus")],
      }),
    searchCommits: () => Effect.succeed([{ root: "/p", hash: "c1", time: 1, text: "port of the walrus" }]),
  } as never
  const asked = { ...byWords, words: ["walrus", "port"], phrases: [{ words: ["walrus", "port"] }] }
  const found = (shown: readonly string[]) =>
    Effect.runSync(findOthers(store, "/p", { ...asked, shownMemories: new Set(shown) })).map(({ other }) => [
      other.id,
      other.exact,
    ])
  expect(found(["m2"])).toEqual([
    ["m1", true],
    ["c1", false],
  ])
})

test("[SE1] memories and commits are found by their meaning too, above a floor, and none that the window shows", () => {
  const commit = (hash: string) => ({ root: "/p", hash, time: 1, text: `about ${hash}` })
  const near = (id: string, likeness: number) => ({ kind: "memory", project: 7, id, likeness })
  const store = {
    memories: () =>
      Effect.succeed({
        project: project(7, "/p"),
        memories: [memory("m1", "Supper is stew"), memory("m2", "Far"), memory("m3", "Shown")],
      }),
    searchCommits: () => Effect.succeed([]),
    nearOthers: (_meaning: unknown, places: unknown) => {
      expect(places).toEqual({ projects: [7], roots: ["/p"] })
      return Effect.succeed([
        near("m1", 0.7),
        near("m2", 0.4),
        near("m3", 0.9),
        { kind: "commit", commit: commit("c1"), likeness: 0.5 },
        { kind: "commit", commit: commit("c2"), likeness: 0.44 },
      ])
    },
  } as never
  const meaning = { model: "m", vector: Float32Array.of(1), floor: 0.45 }
  const asked = { ...byWords, words: ["dinner"], phrases: [{ words: ["dinner"] }], meaning }
  const found = Effect.runSync(findOthers(store, "/p", { ...asked, shownMemories: new Set(["m3"]) }))
  expect(found.map(({ other }) => other.id)).toEqual(["m1", "c1"])
  expect(found[0]?.worth).toBeGreaterThan(found[1]?.worth ?? 0)
})

test("[SE1] a search of all projects names the project of each memory and commit", () => {
  const store = {
    projects: () => Effect.succeed([project(1, "/a"), project(2, "/b")]),
    memories: (root: string) =>
      Effect.succeed({ project: null, memories: [memory("m1", `walrus of ${root}`)] }),
    searchCommits: (root: string | null) =>
      Effect.succeed(root === null ? [{ root: "/c", hash: "c1", time: 1, text: "walrus" }] : []),
  } as never
  // Its ids are those of the project that asks.
  const shownMemories = new Set(["m1"])
  const found = Effect.runSync(
    findOthers(store, null, { ...byWords, words: ["walrus"], phrases: [], shownMemories }),
  )
  expect(found.map(({ other }) => [other.id, other.project])).toEqual([
    ["m1", "/a"],
    ["m1", "/b"],
    ["c1", "/c"],
  ])
})
