/** MM1 on real repositories: what moved keeps its memory, what was copied or cloned asks, and neither takes the other's. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs"
import { devNull, tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openInlineStore } from "@holdfast/store/inline-store"
import type { MemorySource } from "@holdfast/schema/memory/memory"
import type { Store } from "@holdfast/store/port"
import { makeProjectFinder } from "../../src/memory/project.ts"

let folder = ""
let store: Store
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-moved-")))
  store = await Effect.runPromise(openInlineStore({ file: join(folder, "store.db") }))
})
afterEach(async () => {
  await Effect.runPromise(store.close())
  rmSync(folder, { recursive: true, force: true })
})

const at = (name: string): string => join(folder, name)

function git(name: string, ...words: readonly string[]): void {
  const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
  const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_SYSTEM: devNull }
  execFileSync("git", ["-C", at(name), ...identity, ...words], { stdio: "ignore", env })
}

function repository(name: string, first = name): void {
  mkdirSync(at(name), { recursive: true })
  git(name, "init", "-q")
  git(name, "commit", "-q", "--allow-empty", "-m", `The first commit of ${first}.`)
}

const clone = (from: string, to: string): void => git(".", "clone", "-q", at(from), at(to))

const source: MemorySource = { by: "person", session: null, messages: [] }

/** As a process that begins now finds it. */
const opened = (name: string, purpose?: "write") =>
  makeProjectFinder(store)({ directory: at(name), projectRoot: at(name) }, purpose)

const teach = (name: string, text: string): Promise<unknown> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const project = yield* opened(name, "write")
      const category = "PROJECT_RULES"
      const change = { change: "write", category, text, source, expiresAt: null, supersedes: [] } as const
      yield* store.commit({ kind: "change-memory", project, time: 1, changes: [change] })
    }),
  )

/** What is known there, and of which directories it may be a copy. */
const known = (name: string) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { root } = yield* opened(name)
      const { memories } = yield* store.memories(root, { status: "active", limit: 9 })
      const place = yield* store.place(root)
      const asked = place !== null && place.settledAt === null
      return { texts: memories.map(({ text }) => text), asked }
    }),
  )

const adopt = (name: string, shares: string) =>
  Effect.runPromise(store.commit({ kind: "settle-project", root: at(name), shares: at(shares), time: 2 }))

test("[MM1] a repository that was renamed keeps its memory, and its old place keeps none", async () => {
  repository("app")
  await teach("app", "Use tabs.")
  renameSync(at("app"), at("moved"))
  expect(await known("moved")).toEqual({ texts: ["Use tabs."], asked: false })
  repository("app", "another")
  expect(await known("app")).toEqual({ texts: [], asked: false })
})

test("[MM1] so does one that had no commit yet, and a folder without a repository", async () => {
  mkdirSync(at("empty"))
  git("empty", "init", "-q")
  mkdirSync(at("plain"))
  await teach("empty", "Use tabs.")
  await teach("plain", "Use spaces.")
  for (const name of ["empty", "plain"]) renameSync(at(name), at(`${name}-moved`))
  expect(await known("empty-moved")).toEqual({ texts: ["Use tabs."], asked: false })
  expect(await known("plain-moved")).toEqual({ texts: ["Use spaces."], asked: false })
})

test("[MM1 MM2] a clone whose original is only away takes nothing from it: it asks", async () => {
  repository("disk/app")
  await teach("disk/app", "Use tabs.")
  clone("disk/app", "clone")
  renameSync(at("disk"), at("unplugged"))
  expect(await known("clone")).toEqual({ texts: [], asked: true })
  renameSync(at("unplugged"), at("disk"))
  expect(await known("disk/app")).toEqual({ texts: ["Use tabs."], asked: false })
})

test("[MM1 MM2] a copy beside its original asks, and one that took its place from another disk asks too", async () => {
  repository("app")
  await teach("app", "Use tabs.")
  cpSync(at("app"), at("copy"), { recursive: true })
  expect(await known("copy")).toEqual({ texts: [], asked: true })
  // What `mv` does between two file systems.
  cpSync(at("app"), at("far"), { recursive: true })
  rmSync(at("app"), { recursive: true })
  expect(await known("far")).toEqual({ texts: [], asked: true })
})

test("[MM1] a repository that was cloned anew into its place keeps its memory", async () => {
  repository("app")
  await teach("app", "Use tabs.")
  clone("app", "spare")
  rmSync(at("app"), { recursive: true })
  clone("spare", "app")
  expect(await known("app")).toEqual({ texts: ["Use tabs."], asked: false })
  renameSync(at("app"), at("later"))
  expect(await known("later")).toEqual({ texts: ["Use tabs."], asked: false })
})

test("[MM1 MM2] another repository in its place begins with its own memory, and the first finds its own again", async () => {
  repository("app")
  await teach("app", "Use tabs.")
  renameSync(at("app"), at("aside"))
  mkdirSync(at("app"))
  git("app", "init", "-q")
  // Before its first commit nobody can say that it is another one.
  await known("app")
  git("app", "commit", "-q", "--allow-empty", "-m", "Something else.")
  expect(await known("app")).toEqual({ texts: [], asked: false })
  await teach("app", "Use spaces.")
  expect(await known("app")).toMatchObject({ texts: ["Use spaces."] })
  expect(await known("aside")).toEqual({ texts: ["Use tabs."], asked: false })
  renameSync(at("app"), at("second"))
  renameSync(at("aside"), at("app"))
  expect(await known("app")).toEqual({ texts: ["Use tabs."], asked: false })
  expect(await known("second")).toMatchObject({ texts: ["Use spaces."] })
})

const swap = (a: string, b: string): void => {
  renameSync(at(a), at("between"))
  renameSync(at(b), at(a))
  renameSync(at("between"), at(b))
}

/** Both kinds: folders without a repository, and two clones of one repository. */
const makePair = {
  folders: (a: string, b: string): void => {
    for (const name of [a, b]) mkdirSync(at(name))
  },
  clones: (a: string, b: string): void => {
    repository("first")
    for (const name of [a, b]) clone("first", name)
  },
}

for (const kind of ["folders", "clones"] as const) {
  const pair = async () => {
    makePair[kind]("a", "b")
    for (const name of ["a", "b"]) await teach(name, `Said in ${name}.`)
  }
  test(`[MM1 MM2] two ${kind} that change places take their memories along, whichever is looked at first`, async () => {
    await pair()
    for (const [first, other, wasSwapped] of [
      ["a", "b", true],
      ["b", "a", false],
    ] as const) {
      swap("a", "b")
      const saidIn = wasSwapped ? { a: "b", b: "a" } : { a: "a", b: "b" }
      for (const name of [first, other])
        expect(await known(name)).toMatchObject({ texts: [`Said in ${saidIn[name]}.`] })
    }
  })
  test(`[MM1 MM2] of two ${kind} one that takes the place of the other, which is deleted, has its own memory`, async () => {
    await pair()
    rmSync(at("a"), { recursive: true })
    renameSync(at("b"), at("a"))
    expect(await known("a")).toMatchObject({ texts: ["Said in b."] })
  })
}

test("[MM1 MM2] a new folder at the place of one that was renamed knows nothing, and the renamed one all", async () => {
  mkdirSync(at("a"))
  await teach("a", "Use tabs.")
  renameSync(at("a"), at("b"))
  mkdirSync(at("a"))
  expect(await known("a")).toEqual({ texts: [], asked: false })
  expect(await known("b")).toEqual({ texts: ["Use tabs."], asked: false })
})

test("[MM1 MM2] a folder at the place of a repository or of a worktree is neither", async () => {
  repository("app")
  git("app", "worktree", "add", "-q", at("tree"))
  await teach("tree", "Use tabs.")
  for (const name of ["app", "tree"]) {
    await known(name)
    renameSync(at(name), at(`${name}-moved`))
    mkdirSync(at(name))
    expect(await known(name)).toEqual({ texts: [], asked: false })
  }
  expect(await known("app-moved")).toEqual({ texts: ["Use tabs."], asked: false })
})

test("[MM1] clones that share one memory share it still when they change places", async () => {
  makePair.clones("a", "b")
  await teach("a", "Use tabs.")
  await known("b")
  await adopt("b", "a")
  await teach("b", "Use npm.")
  swap("a", "b")
  for (const name of ["a", "b"])
    expect(await known(name)).toEqual({ texts: ["Use tabs.", "Use npm."], asked: false })
})

test("[MM1] a repository at the place of a clone that was asked is asked nothing where it began otherwise", async () => {
  repository("app")
  await teach("app", "Use tabs.")
  clone("app", "copy")
  expect(await known("copy")).toEqual({ texts: [], asked: true })
  rmSync(at("copy"), { recursive: true })
  repository("copy", "another")
  expect(await known("copy")).toEqual({ texts: [], asked: false })
})

test("[MM1 MM2] a clone that shares a memory shares it still when it is renamed, and takes it from nobody", async () => {
  repository("app")
  await teach("app", "Use tabs.")
  for (const name of ["learned", "silent"]) clone("app", name)
  await teach("learned", "Use npm.")
  for (const name of ["learned", "silent"]) {
    await known(name)
    await adopt(name, "app")
    renameSync(at(name), at(`${name}-moved`))
    expect(await known(`${name}-moved`)).toEqual({ texts: ["Use tabs.", "Use npm."], asked: false })
  }
  expect(await known("app")).toEqual({ texts: ["Use tabs.", "Use npm."], asked: false })
})

test("[MM1] a folder shares the memory of one that has none yet, and knows what is said there then", async () => {
  for (const name of ["a", "b"]) mkdirSync(at(name))
  await known("a")
  await Effect.runPromise(opened("b", "write"))
  expect(await adopt("a", "b")).toMatchObject({ kind: "settled" })
  expect(await adopt("a", "nowhere")).toEqual({ kind: "refused" })
  await teach("b", "Use tabs.")
  expect(await known("a")).toEqual({ texts: ["Use tabs."], asked: false })
})

test("[MM1] worktrees go with their repository", async () => {
  repository("app")
  git("app", "worktree", "add", "-q", at("tree"))
  await teach("tree", "Use tabs.")
  expect(await known("app")).toEqual({ texts: ["Use tabs."], asked: false })
  renameSync(at("app"), at("moved"))
  git("moved", "worktree", "repair", at("tree"))
  for (const name of ["tree", "moved"])
    expect(await known(name)).toEqual({ texts: ["Use tabs."], asked: false })
})
