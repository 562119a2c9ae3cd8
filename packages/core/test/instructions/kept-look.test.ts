/** A look that is kept tells what a look from the beginning would tell, whatever has changed. */
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { builtInSources } from "../../src/host/locations.ts"
import { observe } from "../../src/context/index.ts"
import { discoverInstructions } from "../../src/instructions/discovery.ts"
import { makeNodeInstructionFiles } from "../../src/instructions/files.node.ts"
import type { InstructionFiles, KnownFiles } from "../../src/instructions/files.ts"
import { keepLook } from "../../src/instructions/kept-look.ts"
import { findProjectAgain, type FoundProject } from "../../src/instructions/project.ts"

let base = ""
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-kept-look-")))
  for (const folder of ["project/.git", "project/web", "config", "elsewhere"])
    mkdirSync(path(folder), { recursive: true })
  writeFileSync(path("project/AGENTS.md"), "root")
  writeFileSync(path("project/web/CLAUDE.md"), "web")
  writeFileSync(path("elsewhere/AGENTS.md"), "elsewhere")
  symlinkSync(path("elsewhere/AGENTS.md"), path("config/AGENTS.md"))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const path = (name: string) => join(base, name)

/** What is asked of the disk, by the name of the question. */
function counted(files: KnownFiles) {
  const asked: string[] = []
  const counting: KnownFiles = {
    read: (file) => (asked.push("read"), files.read(file)),
    realPaths: (paths) => (asked.push("realPaths"), files.realPaths(paths)),
    names: (directories) => (asked.push("names"), files.names(directories)),
    answerSame: (answers) => (asked.push("answerSame"), files.answerSame(answers)),
  }
  return { files: counting, asked }
}

function look(files: KnownFiles) {
  let last: FoundProject | null = null
  const project = (through: InstructionFiles) =>
    Effect.map(findProjectAgain(path("project/web"), through, last, 0), (found) => (last = found))
  const find = (through: InstructionFiles) =>
    discoverInstructions({ project: project(through), configDirectory: path("config"), files: through })
  const kept = keepLook(files, find)
  return {
    now: () => Effect.runPromise(kept.now),
    fresh: () => Effect.runPromise(find(makeNodeInstructionFiles(Date.now))),
  }
}

test("[IN1] what nothing has changed of is found with one question to the disk", async () => {
  const { files, asked } = counted(makeNodeInstructionFiles(Date.now))
  const { now } = look(files)
  const found = await now()
  expect(found).toMatchObject([{ text: "elsewhere" }, { text: "root" }, { text: "web" }])
  await now()
  asked.length = 0
  expect(await now()).toEqual(found)
  expect(asked).toEqual(["answerSame"])
})

const changes: readonly (readonly [what: string, change: () => void])[] = [
  ["a file is written again", () => writeFileSync(path("project/AGENTS.md"), "more")],
  ["a file goes", () => unlinkSync(path("project/AGENTS.md"))],
  ["a file comes", () => writeFileSync(path("project/web/AGENTS.md"), "nearer")],
  [
    "a file becomes a folder",
    () => (unlinkSync(path("project/AGENTS.md")), mkdirSync(path("project/AGENTS.md"))),
  ],
  ["a file becomes a link out of the project", () => linkOut()],
  [
    "a file moves out of the project and leaves a link",
    () => leaveLink("project/AGENTS.md", "elsewhere/moved.md"),
  ],
  ["a folder becomes a link to where it went", () => leaveLink("project/web", "project/site")],
  ["what a link leads to is written again", () => writeFileSync(path("elsewhere/AGENTS.md"), "there")],
  ["a link leads elsewhere", () => linkElsewhere()],
  ["a nearer repository comes", () => mkdirSync(path("project/web/.hg"))],
  ["the repository goes", () => rmSync(path("project/.git"), { recursive: true })],
  ["the folder goes", () => renameSync(path("project"), path("gone"))],
]
for (const [what, change] of changes)
  test(`[IN1 IN2] the next look sees that ${what}`, async () => {
    const { now, fresh } = look(makeNodeInstructionFiles(Date.now))
    for (let looks = 0; looks < 3; looks++) await now()
    const before = await now()
    change()
    const after = await now()
    expect(after).not.toEqual(before)
    expect(after).toEqual(await fresh())
  })

test("[IN4] files that a pattern finds are looked for each time", async () => {
  const settings = {
    configDirectory: path("config"),
    timeZone: null,
    disableProject: false,
    instructions: [path("elsewhere/*.txt")],
  }
  const sources = builtInSources(path("project/web"), settings)
  const context = sources.find(([key]) => key === "core/instructions")?.[1]
  if (context === undefined) throw new Error("There are no instructions.")
  const told = async () => JSON.stringify((await Effect.runPromise(observe(context))).entries[0]?.loaded)
  for (let looks = 0; looks < 3; looks++) expect(await told()).not.toContain("by a pattern")
  writeFileSync(path("elsewhere/new.txt"), "by a pattern")
  expect(await told()).toContain("by a pattern")
})

function linkOut(): void {
  unlinkSync(path("project/AGENTS.md"))
  symlinkSync(path("elsewhere/AGENTS.md"), path("project/AGENTS.md"))
}

function leaveLink(from: string, to: string): void {
  renameSync(path(from), path(to))
  symlinkSync(path(to), path(from))
}

function linkElsewhere(): void {
  unlinkSync(path("config/AGENTS.md"))
  symlinkSync(path("project/AGENTS.md"), path("config/AGENTS.md"))
}
