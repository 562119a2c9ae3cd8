import { chmod, mkdir, readFile, readdir, rename, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { editTool } from "../../../src/tools/edit/edit.ts"
import { hashOf } from "../../../src/tools/file/record.ts"
import { readTool } from "../../../src/tools/read.ts"
import { ToolFailure } from "../../../src/tools/tool.ts"
import { writeTool } from "../../../src/tools/write.ts"
import { rememberingSession, runTool, temporaryDirectory } from "../workspace.ts"

async function withFile(content: string | Uint8Array, name = "f.ts") {
  const directory = await temporaryDirectory()
  const path = join(directory, name)
  await writeFile(path, content)
  return { directory, path, session: rememberingSession(directory), text: () => readFile(path, "utf8") }
}

const edit = (oldText: string, newText: string, more: object = {}) => ({
  path: "f.ts",
  oldText,
  newText,
  ...more,
})

describe("edit", () => {
  test("[TL1] replaces one place, and tells where", async () => {
    const { session, text } = await withFile("one\ntwo\nthree\n")
    const { result } = await session.run(editTool, edit("two", "$& 2\nand"))
    expect(result).toEqual({
      text: "Edited f.ts at line 2 (4 lines now).",
      structured: { path: "f.ts", lines: [2], forgiven: [] },
    })
    expect(await text()).toBe("one\n$& 2\nand\nthree\n")
  })

  test("[TL1] replaces every place when asked to", async () => {
    const { session, text } = await withFile("a b\nb\n")
    const { result } = await session.run(editTool, edit("b", "c", { replaceAll: true }))
    expect(result?.text).toBe("Edited f.ts in 2 places (2 lines now).")
    expect(await text()).toBe("a c\nc\n")
  })

  test("[TL1] tells what it forgave, and shows what it changed", async () => {
    const { session, text } = await withFile("{\n    a()\n    b()\n}\n")
    const { result } = await session.run(editTool, edit("a()\nb()\n", "c()\n"))
    expect(result?.text).toBe(
      "Edited f.ts at line 2 (3 lines now).\n" +
        "oldText did not match exactly; it differed in: indentation. What was changed:\n" +
        "@@ -1,4 +1,3 @@\n {\n-    a()\n-    b()\n+    c()\n }",
    )
    expect(await text()).toBe("{\n    c()\n}\n")
  })

  test("[TL1] keeps the byte order mark, the line ends and the mode", async () => {
    const { session, path, text } = await withFile("\uFEFFone\r\ntwo\r\nthree\r\n")
    await chmod(path, 0o751)
    await session.run(editTool, edit("two\nthree", "2\n3\n4"))
    expect(await text()).toBe("\uFEFFone\r\n2\r\n3\r\n4\r\n")
    expect((await stat(path)).mode & 0o777).toBe(0o751)
  })

  const refusals: Readonly<
    Record<string, readonly [content: string, input: object, code: string, message: string | RegExp]>
  > = {
    "what does not occur, with the lines that look alike": [
      "function total(list) {\n  return sum(list)\n}\n",
      edit("function total(list) {\n  return add(list)\n}", "x"),
      "not_found",
      "oldText does not occur in f.ts. These lines look alike:\n     1\tfunction total(list) {\n     2\t  return sum(list)\n     3\t}",
    ],
    "what does not occur, where nothing looks alike": [
      "abc\n",
      edit("xyz", "x"),
      "not_found",
      "oldText does not occur in f.ts. Nothing in it looks alike; read the file again.",
    ],
    "line numbers that stand only in what read shows": [
      "one\ntwo\n",
      edit("     2\ttwo", "x"),
      "not_found",
      /^oldText does not occur in f\.ts\. Leave out the line numbers that read shows\. /,
    ],
    "what occurs more than once, with the lines": [
      "a\nb\na\n",
      edit("a", "x"),
      "several_places",
      "oldText occurs 2 times in f.ts: at lines 1, 3. Give more of the lines around the one you mean, or set replaceAll.",
    ],
    "what occurs more than once in looser forms, even for all": [
      "a \nb\na\t\nb\n",
      edit("a\nb", "x", { replaceAll: true }),
      "several_places",
      /^oldText occurs 2 times in f\.ts, not counting trailing blanks: .* the one you mean\.$/,
    ],
    "a change that changes nothing": [
      "a\n",
      edit("a", "a"),
      "no_change",
      "newText is what f.ts holds already. Nothing was changed.",
    ],
    "an empty old text": ["a\n", edit("", "a"), "invalid_input", /oldText/],
    "a file that is no text": ["a\0b", edit("a", "b"), "binary_file", /not a text file in UTF-8/],
    "a file that is not there": [
      "a",
      { ...edit("a", "b"), path: "g.ts" },
      "not_found",
      "g.ts does not exist. Near names in that directory: f.ts.",
    ],
  }
  for (const [name, [content, input, code, message]] of Object.entries(refusals))
    test(`[TL1] refuses ${name}, and leaves the file as it is`, async () => {
      const { session, text } = await withFile(content)
      const { failure, files } = await session.run(editTool, input as never)
      expect(failure?.code).toBe(code)
      if (typeof message === "string") expect(failure?.message).toBe(message)
      else expect(failure?.message).toMatch(message)
      expect(await text()).toBe(content)
      expect(files.effects).toEqual([])
    })

  test("[TL1] refuses bytes that are not UTF-8", async () => {
    const { session } = await withFile(Buffer.from([0x61, 0xe9, 0x62]))
    expect((await session.run(editTool, edit("a", "b"))).failure?.code).toBe("binary_file")
  })

  test("[PE2] refuses paths that lead out of the Location, links included", async () => {
    const outside = await temporaryDirectory()
    await writeFile(join(outside, "secret"), "secret")
    const { directory, session } = await withFile("a")
    await symlink(outside, join(directory, "link"))
    await symlink(join(outside, "secret"), join(directory, "file"))
    for (const path of ["../x", "/etc/passwd", "link/secret", "file"]) {
      const { failure } = await session.run(editTool, { ...edit("secret", "x"), path })
      expect([path, failure?.code]).toEqual([path, "outside_location"])
    }
    expect(await readFile(join(outside, "secret"), "utf8")).toBe("secret")
  })
})

describe("versions", () => {
  const changing = [
    ["edit", editTool, edit("two", "2")],
    ["write", writeTool, { path: "f.ts", content: "mine\n" }],
  ] as const

  for (const [name, tool, input] of changing) {
    test(`[TL5] ${name} is refused where somebody else changed the file, and shows the difference`, async () => {
      const { session, path, text } = await withFile("one\ntwo\nthree\n")
      await session.run(editTool, edit("three", "3"))
      await writeFile(path, "one\ntwo\n3\nfour\n")
      const { failure } = await session.run(tool, input)
      expect(failure).toMatchObject({
        code: "changed_since_read",
        message:
          "f.ts was changed by somebody else since this Session read or wrote it last, so it was left as it is. Read it again before you change it.\nWhat changed:\n@@ -2,2 +2,3 @@\n two\n 3\n+four",
      })
      expect(await text()).toBe("one\ntwo\n3\nfour\n")
      await session.run(readTool, { path: "f.ts" })
      expect((await session.run(tool, input)).failure).toBeNull()
    })

    test(`[TL5] ${name} is refused where somebody else made a file anew that the Session removed`, async () => {
      const { session, path, directory } = await withFile("two\n")
      const removed = { known: () => ({ hash: null, text: Effect.succeed(null) }), plan: session.plan }
      const { failure } = await runTool(tool, input, directory, { files: removed })
      expect(failure?.code).toBe("changed_since_read")
      expect(await readFile(path, "utf8")).toBe("two\n")
    })
  }

  test("[TL1] write does not replace a file that the Session has not read", async () => {
    const { session, text } = await withFile("theirs\n")
    const { failure } = await session.run(writeTool, { path: "f.ts", content: "mine\n" })
    expect(failure).toMatchObject({
      code: "not_read",
      message:
        "f.ts exists and this Session has not read it. Read it first, then write it, or change a part of it with edit.",
    })
    expect(await text()).toBe("theirs\n")
    await session.run(readTool, { path: "f.ts", limit: 1 })
    expect((await session.run(writeTool, { path: "f.ts", content: "mine\n" })).failure).toBeNull()
    expect((await session.run(writeTool, { path: "f.ts", content: "again\n" })).failure).toBeNull()
  })

  test("[TL1] write keeps the byte order mark and the line ends of the file", async () => {
    const { session, text } = await withFile("\uFEFFone\r\ntwo\r\n")
    await session.run(readTool, { path: "f.ts" })
    await session.run(writeTool, { path: "f.ts", content: "1\n2\n" })
    expect(await text()).toBe("\uFEFF1\r\n2\r\n")
  })

  test("[TL1] read records the hash of the whole file, whatever part it shows", async () => {
    const { session, path } = await withFile("a\nb\nc\n")
    const { files, result } = await session.run(readTool, { path: "f.ts", offset: 2, limit: 1 })
    expect(result?.text).toBe("     2\tb\n[lines 2 to 2; more follow, go on with offset 3]")
    expect(files.seen).toEqual([{ path, hash: hashOf(Buffer.from("a\nb\nc\n")) }])
    expect((await session.run(readTool, { path: "f.ts", offset: 9 })).files.seen).toEqual([])
  })

  test("[TO2] read tells what it cut off from long lines", async () => {
    const { session } = await withFile(`${"é".repeat(2_010)}\n${"x".repeat(9_000)}\nshort\r\n`)
    const { result } = await session.run(readTool, { path: "f.ts" })
    expect(result?.omitted).toEqual({ lines: 0, bytes: 20 + 7_000 })
    expect(result?.text.split("\n").map((line) => line.slice(-10))).toEqual([
      "[line cut]",
      "[line cut]",
      "   3\tshort",
    ])
  })
})

describe("effects", () => {
  test("[TL5] records what was changed: path, kind, mode, bytes before and hash after", async () => {
    const { session, path, directory } = await withFile("one\n")
    await chmod(path, 0o640)
    const [before, after] = [Buffer.from("one\n"), Buffer.from("two\n")]
    const { files } = await session.run(editTool, edit("one", "two"))
    expect(files.effects).toEqual([
      { path, kind: "modified", mode: 0o640, before: hashOf(before), after: hashOf(after) },
    ])
    const blobs = [...session.planned, ...files.blobs]
    expect(blobs.map(({ hash, bytes }) => [hash, Buffer.from(bytes).toString()])).toEqual([
      [hashOf(before), "one\n"],
      [hashOf(after), "two\n"],
    ])
    const made = await session.run(writeTool, { path: "g", content: "g" })
    expect(made.files.effects).toEqual([
      {
        path: join(directory, "g"),
        kind: "created",
        mode: null,
        before: null,
        after: hashOf(Buffer.from("g")),
      },
    ])
  })

  test("[DR4] nothing changes before the plan is on record", async () => {
    const { session, directory, path } = await withFile("one\n")
    await session.run(readTool, { path: "f.ts" })
    await session.run(editTool, edit("one", "two"))
    expect(session.plans).toEqual([[path]])
    const refusing = {
      known: session.known,
      plan: () => Effect.fail(new ToolFailure({ code: "no", message: "" })),
    }
    const { failure, files } = await runTool(editTool, edit("two", "three"), directory, { files: refusing })
    expect(failure?.code).toBe("no")
    expect(files.effects).toEqual([])
    expect(await readdir(directory)).toEqual(["f.ts"])
    expect(await readFile(path, "utf8")).toBe("two\n")
  })

  test("[TL5] a file that changes at the very moment is left as it is", async () => {
    const { session, directory, path } = await withFile("one\n")
    const racing = { known: session.known, plan: () => Effect.promise(() => writeFile(path, "theirs\n")) }
    const { failure, files } = await runTool(editTool, edit("one", "two"), directory, { files: racing })
    expect(failure?.code).toBe("changed_meanwhile")
    expect(files.effects).toEqual([])
    expect(await readFile(path, "utf8")).toBe("theirs\n")
    expect(await readdir(directory)).toEqual(["f.ts"])
  })

  test("[PE2] a directory that becomes a link while it is used is not followed", async () => {
    const outside = await temporaryDirectory()
    await writeFile(join(outside, "f.ts"), "one\n")
    const { session, directory } = await withFile("", "other")
    await mkdir(join(directory, "sub"))
    await writeFile(join(directory, "sub/f.ts"), "one\n")
    const swap = async () => {
      await rename(join(directory, "sub"), join(directory, "gone"))
      await symlink(outside, join(directory, "sub"))
    }
    const racing = { known: session.known, plan: () => Effect.promise(swap) }
    const input = { ...edit("one", "two"), path: "sub/f.ts" }
    const { failure } = await runTool(editTool, input, directory, { files: racing })
    expect(failure).not.toBeNull()
    expect(await readFile(join(outside, "f.ts"), "utf8")).toBe("one\n")
    expect(await readdir(outside)).toEqual(["f.ts"])
  })
})

test("[TL1] every occurrence of a text in a large file is replaced in little time, and the first lines are told", async () => {
  const directory = await temporaryDirectory()
  const text = "a word in a line\n".repeat(60_000)
  await writeFile(join(directory, "large.txt"), text)
  const started = performance.now()
  const { result } = await runTool(
    editTool,
    { path: "large.txt", oldText: "word", newText: "term", replaceAll: true },
    directory,
  )
  expect(performance.now() - started).toBeLessThan(3_000)
  expect(result?.text).toBe("Edited large.txt in 60000 places (60000 lines now).")
  const lines = Array.from({ length: 1_000 }, (_, index) => index + 1)
  expect(result?.structured).toMatchObject({ lines })
  expect(await readFile(join(directory, "large.txt"), "utf8")).toBe(text.replaceAll("word", "term"))
})
