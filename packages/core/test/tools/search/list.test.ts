/** A directory as a tree: what is shown, and what is counted instead. */
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { boundOutput } from "../../../src/tools/bound.ts"
import { listTool } from "../../../src/tools/search/list.ts"
import { runTool, temporaryDirectory } from "../workspace.ts"

async function makeTree(paths: readonly string[]): Promise<string> {
  const directory = await temporaryDirectory()
  for (const path of paths) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), path.endsWith(".gitignore") ? "dist\n*.log\n!keep.log\n" : "")
  }
  return directory
}

const listed = async (directory: string, input: object = {}) => {
  const { result, failure } = await runTool(listTool, input as never, directory)
  return result?.text.split("\n") ?? failure?.code
}

test("[TL1] shows a directory as a tree and counts what it leaves out", async () => {
  const directory = await makeTree([
    ".gitignore",
    ".git/config",
    "a.log",
    "keep.log",
    "b/c/d/e.ts",
    "b/x.ts",
    "dist/out.js",
    "z.ts",
  ])
  await symlink("/", join(directory, "link"))
  await mkdir(join(directory, "empty"))
  expect(await listed(directory)).toEqual([
    "./",
    "  b/",
    "    c/",
    "    x.ts",
    "  empty/",
    "  keep.log",
    "  link@",
    "  z.ts",
    "[1 folder not opened; the depth is 2]",
    "[left out: 2 ignored, 2 hidden]",
  ])
  expect(await listed(directory, { path: "b", depth: 3 })).toEqual([
    "b/",
    "  c/",
    "    d/",
    "      e.ts",
    "  x.ts",
  ])
  expect(await listed(directory, { depth: 1, ignored: true, hidden: true })).toEqual([
    "./",
    "  .gitignore",
    "  a.log",
    "  b/",
    "  dist/",
    "  empty/",
    "  keep.log",
    "  link@",
    "  z.ts",
    "[3 folders not opened; the depth is 1]",
    "[left out: 0 ignored, 1 hidden]",
  ])
  expect(await listed(directory, { path: "empty" })).toEqual(["empty/", "[nothing to show]"])
})

test("[TL1] heeds the ignore files of the repository above", async () => {
  const directory = await makeTree([".gitignore", ".git/config", "sub/a.log", "sub/b.ts"])
  expect(await listed(join(directory, "sub"))).toEqual(["./", "  b.ts", "[left out: 1 ignored, 0 hidden]"])
})

test("[PE2 TL1] refuses what is outside, no directory, or not there", async () => {
  const directory = await makeTree(["src/a.ts"])
  await symlink("/", join(directory, "link"))
  const codes = ["..", "/etc", "link", "link/etc", "src/a.ts", "scr"].map((path) =>
    listed(directory, { path }),
  )
  expect(await Promise.all(codes)).toEqual([
    "outside_location",
    "outside_location",
    "outside_location",
    "outside_location",
    "not_a_directory",
    "not_found",
  ])
  const { failure } = await runTool(listTool, { path: "scr" }, directory)
  expect(failure?.message).toBe("scr does not exist. Near names in that directory: src.")
})

test("[TO1 TL1] stays within the limit, what is near before what is deep", async () => {
  const flat = Array.from({ length: 1_500 }, (_, n) => `many/${String(n).padStart(4, "0")}-${"x".repeat(60)}`)
  const directory = await makeTree([...flat, "other/deep/a.ts"])
  const lines = await listed(directory, { depth: 3 })
  expect(lines).toEqual([
    "./",
    "  many/",
    ...flat.slice(0, 100).map((path) => `    ${path.slice(5)}`),
    "    [1400 more entries]",
    "  other/",
    "    deep/",
    "      a.ts",
  ])
  const { result } = await runTool(listTool, { path: "many" }, directory)
  const text = result?.text ?? ""
  expect(boundOutput(text).truncated).toBeNull()
  expect(text.split("\n").at(-1)).toMatch(/^\[\d+ more lines left out; list a smaller directory\]$/)
  expect(result?.omitted?.lines).toBeGreaterThan(700)
  expect(result?.structured).toMatchObject({ more: result?.omitted?.lines })
})
