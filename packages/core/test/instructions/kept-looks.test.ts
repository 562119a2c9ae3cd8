/** What is kept of files and folders is given again only while they stay as they are. */
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { makeNodeInstructionFiles } from "../../src/instructions/files.node.ts"
import type { InstructionFiles } from "../../src/instructions/files.ts"
import { tellsChanges } from "../../src/instructions/stamp.node.ts"
import { aboveMs, findProjectAgain, type FoundProject } from "../../src/instructions/project.ts"

let base = ""
/** A clock that is ahead: every stamp is old enough to be kept. */
let files: InstructionFiles = makeNodeInstructionFiles(() => Date.now() + 60_000)
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-kept-")))
  mkdirSync(path("clock"))
  touched()
  files = makeNodeInstructionFiles(() => Date.now() + 60_000)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const path = (...names: string[]) => join(base, ...names)
const read = (name: string) => Effect.runPromise(files.read(path(name)))
const real = async (name: string) => (await Effect.runPromise(files.realPaths([path(name)])))[0]
const missing = { kind: "missing" }

/**
 * Asked several times, so that what can be kept is: learning ends behind the answer. Then until the
 * time of changes has moved on, so that the next one leaves its trace.
 */
async function settle<A>(look: () => Promise<A>): Promise<A> {
  for (let i = 0; i < 5; i++) await look()
  const began = touched()
  while (touched() === began) await look()
  return look()
}

function touched(): number {
  writeFileSync(path("clock/now"), "x")
  return statSync(path("clock/now")).ctimeMs
}

describe("a name that was absent", () => {
  for (const [how, come] of [
    ["is written", () => writeFileSync(path("AGENTS.md"), "x")],
    ["is moved there with an older date", () => moveThere()],
  ] as const) {
    test(`[IN1] is found at the next look once it ${how}`, async () => {
      writeFileSync(path("other.md"), "x")
      expect(await settle(() => real("AGENTS.md"))).toEqual(missing)
      expect(await settle(() => read("AGENTS.md"))).toEqual(missing)
      come()
      expect(await real("AGENTS.md")).toBe(path("AGENTS.md"))
      expect(await read("AGENTS.md")).toEqual({ kind: "text", text: "x" })
    })
  }

  test("[IN1] is found once its folder comes, and is missed once the folder goes", async () => {
    expect(await settle(() => real("sub/AGENTS.md"))).toEqual(missing)
    mkdirSync(path("sub"))
    expect(await settle(() => real("sub/AGENTS.md"))).toEqual(missing)
    writeFileSync(path("sub/AGENTS.md"), "x")
    expect(await settle(() => real("sub/AGENTS.md"))).toBe(path("sub/AGENTS.md"))
    rmSync(path("sub"), { recursive: true })
    expect(await real("sub/AGENTS.md")).toEqual(missing)
  })

  test("[IN1] is no link to nothing: that leads somewhere once its target comes", async () => {
    mkdirSync(path("sub"))
    symlinkSync(path("sub/target.md"), path("AGENTS.md"))
    expect(await settle(() => real("AGENTS.md"))).toEqual(missing)
    expect(await settle(() => read("AGENTS.md"))).toEqual(missing)
    writeFileSync(path("sub/target.md"), "x")
    expect(await real("AGENTS.md")).toBe(path("sub/target.md"))
    expect(await read("AGENTS.md")).toEqual({ kind: "text", text: "x" })
  })

  test("[IN1] is looked for where a linked folder leads now", async () => {
    for (const name of ["one", "two"]) mkdirSync(path(name))
    symlinkSync(path("one"), path("alias"))
    expect(await settle(() => real("alias/AGENTS.md"))).toEqual(missing)
    writeFileSync(path("two/AGENTS.md"), "x")
    unlinkSync(path("alias"))
    symlinkSync(path("two"), path("alias"))
    expect(await real("alias/AGENTS.md")).toBe(path("two/AGENTS.md"))
  })
})

test("[IN1] a file is read again once it has changed, were it by as many bytes and with its date set back", async () => {
  const date = new Date(1_600_000_000_000)
  writeFileSync(path("AGENTS.md"), "one")
  utimesSync(path("AGENTS.md"), date, date)
  expect(await settle(() => read("AGENTS.md"))).toEqual({ kind: "text", text: "one" })
  writeFileSync(path("AGENTS.md"), "two")
  utimesSync(path("AGENTS.md"), date, date)
  expect(await read("AGENTS.md")).toEqual({ kind: "text", text: "two" })
  unlinkSync(path("AGENTS.md"))
  expect(await read("AGENTS.md")).toEqual(missing)
})

test("[IN1] what changed just now is not kept: a second change may leave no trace", () => {
  const stamp = { dev: 1, ino: 1, size: 1, mtimeMs: 4_000, ctimeMs: 5_000 }
  expect([4_000, 5_000, 7_000, 7_001].map((atMs) => tellsChanges(stamp, atMs))).toEqual([
    false,
    false,
    false,
    true,
  ])
  expect(tellsChanges({ ...stamp, mtimeMs: 6_000 }, 7_001)).toBe(false)
})

describe("the root that was found last", () => {
  const find = (last: FoundProject | null, nowMs = 0) =>
    Effect.runPromise(findProjectAgain(path("a/b"), files, last, nowMs))
  beforeEach(() => mkdirSync(path("a/b"), { recursive: true }))

  test("[IN1 BS2] stays until a nearer one comes or it is none any more", async () => {
    mkdirSync(path(".git"))
    const outer = await find(null)
    expect(outer).toMatchObject({ directory: path("a/b"), root: base, repository: "git" })
    expect(await settle(() => find(outer))).toEqual(outer)
    mkdirSync(path("a/.hg"))
    const inner = await find(outer)
    expect(inner).toMatchObject({ directory: path("a/b"), root: path("a"), repository: "hg" })
    rmSync(path("a/.hg"), { recursive: true })
    expect(await find(inner)).toEqual(outer)
    renameSync(path("a"), path("c"))
    expect((await find(outer)).directory).toBeNull()
  })

  test("[IN1 BS2] without a repository, one that comes is seen at once here, and above after a while", async () => {
    const none = await find(null)
    expect(none).toMatchObject({ root: path("a/b"), repository: "none" })
    mkdirSync(path(".git"))
    expect(await find(none, aboveMs - 1)).toEqual(none)
    expect(await find(none, aboveMs)).toMatchObject({ root: base, repository: "git" })
    mkdirSync(path("a/b/.jj"))
    expect(await find(none, 1)).toMatchObject({ root: path("a/b"), repository: "jj" })
  })
})

function moveThere(): void {
  const date = new Date(1_600_000_000_000)
  utimesSync(path("other.md"), date, date)
  renameSync(path("other.md"), path("AGENTS.md"))
}
