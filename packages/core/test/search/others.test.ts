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

test("[SE1] memories and commits are found by their words, but for those that the window shows", () => {
  const memory = (id: string, text: string) => ({ id, text, expiresAt: null, updatedAt: 1 })
  const store = {
    memories: () =>
      Effect.succeed({
        project: null,
        memories: [memory("m1", "Use the walrus port"), memory("m2", "Port walrus")],
      }),
    searchCommits: () => Effect.succeed([{ hash: "c1", time: 1, text: "port of the walrus", score: 1 }]),
  } as never
  const asked = { words: ["walrus", "port"], phrases: [["walrus", "port"]] }
  const found = (shown: readonly string[]) =>
    Effect.runSync(findOthers(store, "/p", asked, new Set(shown))).map(({ other }) => [other.id, other.exact])
  expect(found(["m2"])).toEqual([
    ["m1", true],
    ["c1", false],
  ])
})
