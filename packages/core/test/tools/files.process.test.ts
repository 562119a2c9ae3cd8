import { execFileSync } from "node:child_process"
import { chmod, mkdir, readFile, readdir, stat, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Json } from "@holdfast/schema/json"
import { describe, expect, test } from "vitest"
import { boundOutput } from "../../src/tools/bound.ts"
import { readTool } from "../../src/tools/read.ts"
import { writeTool } from "../../src/tools/write.ts"
import { rememberingSession, runTool, temporaryDirectory } from "./workspace.ts"

describe("paths", () => {
  test("[PE2] refuses paths that lead out of the Location, links included", async () => {
    const outside = await temporaryDirectory()
    const directory = await temporaryDirectory()
    await writeFile(join(outside, "secret"), "secret")
    await symlink(outside, join(directory, "link"))
    await symlink(join(outside, "secret"), join(directory, "file"))
    const paths = [
      "..",
      "../x",
      "a/../../x",
      "/etc/passwd",
      `${directory}-other`,
      "link",
      "link/secret",
      "file",
      "link/new/x",
    ]
    for (const path of paths) {
      const read = await runTool(readTool, { path }, directory)
      const written = await runTool(writeTool, { path, content: "x" }, directory)
      expect([path, read.failure?.code, written.failure?.code]).toEqual([
        path,
        "outside_location",
        "outside_location",
      ])
    }
    expect(await readFile(join(outside, "secret"), "utf8")).toBe("secret")
    expect(await readdir(outside)).toEqual(["secret"])
  })

  test("[PE2] refuses to write through a link to nothing", async () => {
    const outside = await temporaryDirectory()
    const directory = await temporaryDirectory()
    await symlink(join(outside, "new"), join(directory, "dangling"))
    for (const path of ["dangling", "dangling/x"]) {
      const { failure } = await runTool(writeTool, { path, content: "x" }, directory)
      expect(failure?.code).toBe("broken_link")
    }
    expect(await readdir(outside)).toEqual([])
  })

  test("accepts absolute paths and links that stay inside", async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, "..a"), "dots")
    await symlink("..a", join(directory, "link"))
    for (const path of ["..a", join(directory, "..a"), "link", "x/../link"]) {
      expect((await runTool(readTool, { path }, directory)).result?.text).toBe("     1\tdots")
    }
  })
})

test("names every wrong field of an input", async () => {
  const inputs: readonly Json[] = [
    {},
    { path: 1 },
    { path: "" },
    { path: "a", offset: 0 },
    { path: "a", more: 1 },
    "a",
  ]
  for (const input of inputs) {
    const { failure } = await runTool(readTool, input, ".")
    expect(failure?.code).toBe("invalid_input")
  }
  const { failure } = await runTool(readTool, { path: 1, offset: "x" }, ".")
  expect(failure?.message).toContain("path")
  expect(failure?.message).toContain("offset")
})

describe("read", () => {
  test("[TL1] numbers lines and tells how to go on", async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, "f"), "a\nb\nc\nd\n")
    const { result } = await runTool(readTool, { path: "f", offset: 2, limit: 2 }, directory)
    expect(result?.text).toBe("     2\tb\n     3\tc\n[lines 2 to 3; more follow, go on with offset 4]")
    const rest = await runTool(readTool, { path: "f", offset: 4 }, directory)
    expect(rest.result?.text).toBe("     4\td")
  })

  test("[TO2] pages a file of long lines so that the limit never cuts it", async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, "f"), `${"é".repeat(5_000)}\n`.repeat(3_000))
    const seen: number[] = []
    for (let offset = 1; offset < 40;) {
      const { result } = await runTool(readTool, { path: "f", offset }, directory)
      expect(boundOutput(result?.text ?? "").truncated).toBeNull()
      const last = Number((result?.structured as { last?: number } | undefined)?.last)
      seen.push(last)
      offset = last + 1
    }
    expect(seen.slice(0, 2)).toEqual([12, 24])
  })

  test("shows at most 2,000 lines", async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, "f"), "x\n".repeat(2_001))
    const { result } = await runTool(readTool, { path: "f", limit: 5_000 }, directory)
    expect(result?.structured).toEqual({ kind: "text", first: 1, last: 2_000, more: true })
  })

  test("reads the beginning of a huge one-line file in bounded memory", async () => {
    const directory = await temporaryDirectory()
    const path = join(directory, "f")
    await writeFile(path, "x".repeat(50_000_000))
    const { result } = await runTool(readTool, { path: "f" }, directory)
    expect(result?.text).toBe(`     1\t${"x".repeat(2_000)}[line cut]`)
  })

  test("[TL1] shows every character whole, wherever the file is cut into pieces to be read", async () => {
    const directory = await temporaryDirectory()
    for (const length of [1, 2, 3, 4]) {
      // Behind so many bytes, characters of four bytes lie across every border of a power of two.
      const line = "🌲".repeat(100)
      await writeFile(join(directory, "f"), `${"x".repeat(length)}\n${`${line}\n`.repeat(400)}`)
      for (const offset of [2, 125, 245, 365]) {
        const { result } = await runTool(readTool, { path: "f", offset, limit: 120 }, directory)
        expect(result?.text).toContain(line)
        expect(result?.text).not.toContain("\uFFFD")
      }
    }
  })

  test("lists a directory, directories marked", async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, "sub"))
    await writeFile(join(directory, "b"), "")
    await symlink("b", join(directory, "a"))
    const { result } = await runTool(readTool, { path: "." }, directory)
    expect(result?.text).toBe("a@\nb\nsub/")
  })

  test("refuses binary files, pipes and offsets past the end", async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, "zip"), Buffer.from([80, 75, 0, 1]))
    await writeFile(join(directory, "latin"), Buffer.alloc(100, 0xe9))
    await writeFile(join(directory, "short"), "a\n")
    await writeFile(join(directory, "empty"), "")
    execFileSync("mkfifo", [join(directory, "pipe")])
    const codeOf = async (input: Json) => (await runTool(readTool, input, directory)).failure?.code
    expect(await codeOf({ path: "zip" })).toBe("binary_file")
    expect(await codeOf({ path: "latin" })).toBe("binary_file")
    expect(await codeOf({ path: "pipe" })).toBe("not_a_file")
    expect(await codeOf({ path: "short", offset: 3 })).toBe("offset_past_end")
    expect((await runTool(readTool, { path: "empty" }, directory)).result?.text).toBe("(empty is empty)")
  })

  test("lists near names when a file is missing", async () => {
    const directory = await temporaryDirectory()
    for (const name of ["README.md", "package.json", "zzz"]) await writeFile(join(directory, name), "")
    const { failure } = await runTool(readTool, { path: "Readme.nd" }, directory)
    expect(failure).toMatchObject({
      code: "not_found",
      message: "Readme.nd does not exist. Near names in that directory: README.md.",
    })
  })
})

describe("write", () => {
  test("[TL1] creates parent directories, then replaces and keeps the mode", async () => {
    const directory = await temporaryDirectory()
    const path = join(directory, "a/b/run.sh")
    const session = rememberingSession(directory)
    const created = await session.run(writeTool, { path: "a/b/run.sh", content: "one\ntwo" })
    expect(created.result?.text).toBe("Created a/b/run.sh (2 lines).")
    await chmod(path, 0o751)
    const replaced = await session.run(writeTool, { path: "a/b/run.sh", content: "three\n" })
    expect(replaced.result?.text).toBe("Replaced a/b/run.sh (1 line).")
    expect(await readFile(path, "utf8")).toBe("three\n")
    expect((await stat(path)).mode & 0o777).toBe(0o751)
    expect(await readdir(join(directory, "a/b"))).toEqual(["run.sh"])
  })

  test("writes through a link inside the Location and keeps the link", async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, "real"), "old")
    await truncate(join(directory, "real"), 1)
    await symlink("real", join(directory, "link"))
    const session = rememberingSession(directory)
    await session.run(readTool, { path: "link" })
    expect((await session.run(writeTool, { path: "link", content: "new" })).result?.text).toBe(
      "Replaced real (1 line).",
    )
    expect(await readFile(join(directory, "real"), "utf8")).toBe("new")
  })

  test("refuses a directory and a file in the place of one, leaving nothing behind", async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, "sub"))
    await writeFile(join(directory, "file"), "x")
    const codeOf = async (path: string) =>
      (await runTool(writeTool, { path, content: "x" }, directory)).failure?.code
    expect(await codeOf("sub")).toBe("not_a_file")
    expect(await codeOf("file/x")).toBe("enotdir")
    expect((await readdir(directory)).sort()).toEqual(["file", "sub"])
  })

  test("[TO5] tells the sink what was written before anything can interrupt", async () => {
    const directory = await temporaryDirectory()
    const { output } = await runTool(writeTool, { path: "f", content: "x\n" }, directory)
    expect(output.text).toBe("Created f (1 line).\n")
  })
})
