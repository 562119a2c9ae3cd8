import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { unavailable } from "../../src/context/system-context.ts"
import { discoverInstructions, findCutInstructions } from "../../src/instructions/discovery.ts"
import { nodeInstructionFiles as files } from "../../src/instructions/files.node.ts"
import { instructionBytesMax } from "../../src/instructions/files.ts"
import { findProjectRoot } from "../../src/instructions/project.ts"

let base = ""
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-instructions-")))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const path = (...names: string[]) => join(base, ...names)
const read = (...names: string[]) => Effect.runPromise(files.read(path(...names)))

function write(names: string, content: string | Uint8Array): void {
  mkdirSync(path(names, ".."), { recursive: true })
  writeFileSync(path(names), content)
}

describe("reading", () => {
  test("[IN1] gives the content as it is, line endings included, without a byte order mark", async () => {
    write("a.md", "\u{FEFF}one\r\ntwo\n\n")
    expect(await read("a.md")).toEqual({ kind: "text", text: "one\r\ntwo\n\n" })
  })

  test("[IN1] replaces invalid bytes", async () => {
    write("a.md", Uint8Array.of(0x61, 0xff, 0x62))
    expect(await read("a.md")).toEqual({ kind: "text", text: "a\u{FFFD}b" })
  })

  test("[IN1] reads a file of the maximal size whole and cuts a longer one between two characters", async () => {
    const whole = "x".repeat(instructionBytesMax)
    write("whole.md", whole)
    expect(await read("whole.md")).toEqual({ kind: "text", text: whole })
    write("long.md", `${whole.slice(1)}é and more`)
    const bytes = instructionBytesMax + 10
    expect(await read("long.md")).toEqual({ kind: "text", text: whole.slice(1), cut: true, bytes })
  })

  test("[IN1] tells a missing file from an unreadable one", async () => {
    write("file.md", "x")
    expect(await read("none.md")).toEqual({ kind: "missing" })
    expect(await read("file.md", "below.md")).toEqual({ kind: "missing" })
    expect(await read("n".repeat(300))).toEqual({ kind: "unreadable", reason: "ENAMETOOLONG" })
  })

  test("[IN1] takes a directory, a symlink loop and a dangling symlink for missing", async () => {
    mkdirSync(path("dir.md"))
    symlinkSync(path("loop.md"), path("loop.md"))
    symlinkSync(path("nowhere"), path("dangling.md"))
    for (const name of ["loop.md", "dangling.md"]) expect(await read(name)).toEqual({ kind: "missing" })
    expect(await read("dir.md")).toEqual({ kind: "missing", irregular: true })
  })

  test.skipIf(process.platform === "win32")("[IN1] does not wait on a named pipe", async () => {
    execFileSync("mkfifo", [path("pipe.md")])
    expect(await read("pipe.md")).toEqual({ kind: "missing", irregular: true })
  })

  test("[IN1] resolves symlinks of the whole path, and nothing where nothing is", async () => {
    write("real/a.md", "x")
    symlinkSync(path("real"), path("alias"))
    const asked = [path("alias", "a.md"), path("alias", "b.md")]
    expect(await Effect.runPromise(files.realPaths(asked))).toEqual([
      path("real", "a.md"),
      { kind: "missing" },
    ])
    expect(await Effect.runPromise(files.realPaths([]))).toEqual([])
  })
})

describe("discovery on disk", () => {
  const discover = (directory: string) =>
    Effect.runPromise(
      discoverInstructions({
        project: findProjectRoot(path(directory), files),
        configDirectory: path("config"),
        files,
      }),
    )

  beforeEach(() => {
    mkdirSync(path("project/.git"), { recursive: true })
    mkdirSync(path("project/pkg/deep"), { recursive: true })
    write("config/AGENTS.md", "global")
    write("AGENTS.md", "above the project")
  })

  test("[IN1] goes from the project root down to the Location and never above", async () => {
    write("project/AGENTS.md", "root")
    write("project/pkg/AGENTS.md", "pkg")
    write("project/pkg/deep/AGENTS.md", "deep")
    write("project/pkg/deep/below/AGENTS.md", "below")
    expect(await discover("project/pkg/deep")).toEqual([
      { path: path("config/AGENTS.md"), text: "global" },
      { path: path("project/AGENTS.md"), text: "root" },
      { path: path("project/pkg/AGENTS.md"), text: "pkg" },
      { path: path("project/pkg/deep/AGENTS.md"), text: "deep" },
    ])
  })

  test("[IN1] ignores an AGENTS.md that is a symlink out of the project root", async () => {
    write("secret", "not for the model")
    write("project-other/AGENTS.md", "sibling with the same prefix")
    symlinkSync(path("secret"), path("project/AGENTS.md"))
    symlinkSync("../../project-other/AGENTS.md", path("project/pkg/AGENTS.md"))
    expect(await discover("project/pkg")).toEqual([{ path: path("config/AGENTS.md"), text: "global" }])
  })

  test("[IN1] follows a symlink that stays inside, and takes the same file once", async () => {
    write("project/docs/rules.md", "rules")
    symlinkSync("docs/rules.md", path("project/AGENTS.md"))
    symlinkSync("../AGENTS.md", path("project/pkg/AGENTS.md"))
    expect(await discover("project/pkg")).toEqual([
      { path: path("config/AGENTS.md"), text: "global" },
      { path: path("project/AGENTS.md"), text: "rules" },
    ])
  })

  test("[IN1] a Location that is a symlink out of a project belongs to where it leads", async () => {
    mkdirSync(path("elsewhere"))
    write("elsewhere/AGENTS.md", "elsewhere")
    write("project/AGENTS.md", "root")
    symlinkSync(path("elsewhere"), path("project/link"))
    expect(await discover("project/link")).toEqual([
      { path: path("config/AGENTS.md"), text: "global" },
      { path: path("elsewhere/AGENTS.md"), text: "elsewhere" },
    ])
  })

  test("[IN1] the global file is the user's and may be a symlink to anywhere", async () => {
    write("dotfiles/agents.md", "mine")
    rmSync(path("config/AGENTS.md"))
    symlinkSync(path("dotfiles/agents.md"), path("config/AGENTS.md"))
    expect(await discover("project")).toEqual([{ path: path("config/AGENTS.md"), text: "mine" }])
  })

  test.skipIf(process.platform === "win32")(
    "[IN1] tells of what is no file, and reads none of it",
    async () => {
      rmSync(path("project/AGENTS.md"), { force: true })
      execFileSync("mkfifo", [path("project/AGENTS.md")])
      const told = await Effect.runPromise(
        findCutInstructions({
          project: findProjectRoot(path("project"), files),
          configDirectory: path("config"),
          files,
        }),
      )
      expect(told).toEqual([{ path: path("project/AGENTS.md"), irregular: true }])
      expect(await discover("project")).toEqual([{ path: path("config/AGENTS.md"), text: "global" }])
    },
  )

  test("[IN1] says so when a file is cut", async () => {
    write("project/AGENTS.md", "x".repeat(instructionBytesMax + 1))
    const found = await discover("project")
    if (found === unavailable) throw new Error("unavailable")
    expect(found[1]!.text.slice(instructionBytesMax)).toBe(
      "\n\n[This file is longer than 262144 bytes; the rest is left out.]",
    )
  })

  test.each([
    ["git", ".git"],
    ["hg", ".hg"],
    ["jj", ".jj"],
  ])("[BS2] finds the root of a %s repository by its nearest %s", async (kind, marker) => {
    mkdirSync(path("project/pkg", marker))
    expect(await Effect.runPromise(findProjectRoot(path("project/pkg/deep"), files))).toEqual({
      directory: path("project/pkg/deep"),
      root: path("project/pkg"),
      repository: kind,
    })
  })
})
