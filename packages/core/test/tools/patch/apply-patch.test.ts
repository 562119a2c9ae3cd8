import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { hashOf } from "../../../src/tools/file/record.ts"
import { applyPatchTool } from "../../../src/tools/patch/apply-patch.ts"
import { rememberingSession, runTool, temporaryDirectory } from "../workspace.ts"

async function withFiles(files: Readonly<Record<string, string>>) {
  const directory = await temporaryDirectory()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), content)
  }
  const session = rememberingSession(directory)
  return {
    directory,
    session,
    apply: (...lines: readonly string[]) => session.run(applyPatchTool, input(...lines)),
  }
}

const input = (...lines: readonly string[]) => ({
  patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
})

async function contents(directory: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(
      files.sort().map(async (path) => [path.slice(directory.length + 1), await readFile(path, "utf8")]),
    ),
  )
}

test("[TL1 TL5] adds, changes, moves and deletes, and records each", async () => {
  const { directory, apply, session } = await withFiles({
    "a.txt": "one\ntwo\n",
    "b.txt": "b\n",
    "c.txt": "c\n",
  })
  await chmod(join(directory, "b.txt"), 0o755)
  const { result, files } = await apply(
    "*** Add File: sub/new.txt",
    "+hello",
    "*** Update File: a.txt",
    "-two",
    "+2",
    "*** Update File: b.txt",
    "*** Move to: sub/moved.txt",
    "-b",
    "+B",
    "*** Delete File: c.txt",
  )
  expect(result?.text).toBe(
    "Applied the patch:\ncreated sub/new.txt (1 line)\nchanged a.txt\nmoved b.txt to sub/moved.txt\ndeleted c.txt",
  )
  expect(await contents(directory)).toEqual({
    "a.txt": "one\n2\n",
    "sub/moved.txt": "B\n",
    "sub/new.txt": "hello\n",
  })
  expect((await stat(join(directory, "sub/moved.txt"))).mode & 0o777).toBe(0o755)
  const sha = (text: string) => hashOf(Buffer.from(text))
  const at = (name: string) => join(directory, name)
  expect(files.effects).toEqual([
    { path: at("sub/new.txt"), kind: "created", mode: null, before: null, after: sha("hello\n") },
    { path: at("a.txt"), kind: "modified", mode: 0o644, before: sha("one\ntwo\n"), after: sha("one\n2\n") },
    {
      path: at("sub/moved.txt"),
      kind: "moved",
      from: at("b.txt"),
      mode: 0o755,
      before: sha("b\n"),
      after: sha("B\n"),
    },
    { path: at("c.txt"), kind: "deleted", mode: 0o644, before: sha("c\n"), after: null },
  ])
  expect(session.plans).toEqual([files.effects.map(({ path }) => path)])
})

describe("[TL1] changes nothing at all", () => {
  const before = { "a.txt": "a\n", "b.txt": "b\n" }
  const good = ["*** Update File: a.txt", "-a", "+A"]
  const cases: Readonly<Record<string, readonly [lines: readonly string[], code: string, message: RegExp]>> =
    {
      "where a hunk does not fit": [
        [...good, "*** Update File: b.txt", "-other b", "+B"],
        "hunk_misfit",
        /^The hunk at line 6 of the patch does not fit b\.txt: these lines are not in the file/,
      ],
      "where a file to add exists": [
        [...good, "*** Add File: b.txt", "+x"],
        "exists",
        /^Line 5 of the patch: b\.txt exists already/,
      ],
      "where a file to change is missing": [
        [...good, "*** Delete File: c.txt"],
        "not_found",
        /^c\.txt does not exist/,
      ],
      "where a file would move onto another": [
        ["*** Update File: a.txt", "*** Move to: b.txt"],
        "exists",
        /^Line 2 of the patch: b\.txt exists already/,
      ],
      "where a file is named twice": [
        [...good, "*** Delete File: ./a.txt"],
        "twice_named",
        /^Line 5 of the patch: a\.txt is named twice/,
      ],
      "where the patch is malformed": [[...good, "oops"], "malformed_patch", /^Line 5 of the patch: /],
      "where a path leads out": [[...good, "*** Add File: ../x", "+x"], "outside_location", /outside/],
      "where a file would stay as it is": [
        [...good, "*** Update File: b.txt", "-b", "+b"],
        "no_change",
        /^Line 5 of the patch: b\.txt is already/,
      ],
    }
  for (const [name, [lines, code, message]] of Object.entries(cases))
    test(name, async () => {
      const { directory, apply, session } = await withFiles(before)
      const { failure, files } = await apply(...lines)
      expect(failure?.code).toBe(code)
      expect(failure?.message).toMatch(message)
      expect(await contents(directory)).toEqual(before)
      expect([files.effects, session.plans]).toEqual([[], []])
    })

  test("where one of the files was changed by somebody else", async () => {
    const { directory, apply } = await withFiles(before)
    await apply(...good)
    await writeFile(join(directory, "a.txt"), "theirs\n")
    const { failure } = await apply("*** Update File: b.txt", "-b", "+B", "*** Delete File: a.txt")
    expect(failure?.code).toBe("changed_since_read")
    expect(await contents(directory)).toEqual({ "a.txt": "theirs\n", "b.txt": "b\n" })
  })

  test("where one of the new files cannot be written", async () => {
    const { directory, apply } = await withFiles({ ...before, file: "" })
    const { failure } = await apply(...good, "*** Add File: file/x", "+x")
    expect(failure?.code).toBe("enotdir")
    expect(await contents(directory)).toEqual({ ...before, file: "" })
  })
})

test("[TL5] a file that changes while the patch is applied is left, and what was changed before it is recorded", async () => {
  const { directory, session } = await withFiles({ "a.txt": "a\n", "b.txt": "b\n" })
  const racing = {
    known: session.known,
    plan: () => Effect.promise(() => writeFile(join(directory, "b.txt"), "theirs\n")),
  }
  const lines = ["*** Update File: a.txt", "-a", "+A", "*** Update File: b.txt", "-b", "+B"]
  const { failure, files } = await runTool(applyPatchTool, input(...lines), directory, { files: racing })
  expect(failure?.message).toBe(
    "b.txt: somebody else changed it at this very moment, and it is left as it is. Read it again. These files were changed before it: a.txt.",
  )
  expect(files.effects.map(({ path }) => path)).toEqual([join(directory, "a.txt")])
  expect(await contents(directory)).toEqual({ "a.txt": "A\n", "b.txt": "theirs\n" })
})

test("[PE2] refuses links that lead out, for every kind of change", async () => {
  const outside = await temporaryDirectory()
  await writeFile(join(outside, "f"), "f\n")
  const { directory, apply } = await withFiles({ "a.txt": "a\n" })
  await symlink(outside, join(directory, "link"))
  const patches = [
    ["*** Add File: link/new", "+x"],
    ["*** Update File: link/f", "-f", "+x"],
    ["*** Delete File: link/f"],
    ["*** Update File: a.txt", "*** Move to: link/a.txt"],
  ]
  for (const lines of patches) expect((await apply(...lines)).failure?.code).toBe("outside_location")
  expect(await contents(outside)).toEqual({ f: "f\n" })
  expect((await readdir(directory)).sort()).toEqual(["a.txt", "link"])
})
