/** What the dreamer reads and writes of a real folder (DM1): nothing outside of it, and nothing that it could not give back. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { nodeProjectFiles } from "../../src/dreamer/project-files.ts"

let folder = ""
let root = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-files-"))
  root = join(folder, "app")
  mkdirSync(root)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (path: string, bytesMax = 100) => Effect.runSync(nodeProjectFiles.read(root, path, bytesMax))
const write = (path: string, text: string | null) => Effect.runSync(nodeProjectFiles.write(root, path, text))

test("[DM1] a file is read as it is, or not at all: too long, not UTF-8, with a zero, a folder or gone", () => {
  const text = "\u{FEFF}Grün\r\n"
  writeFileSync(join(root, "a.md"), text)
  expect(read("a.md")).toBe(text)
  expect(read("a.md", 8)).toBe(null)
  writeFileSync(join(root, "latin.md"), Buffer.from("Gr\u{FC}n", "latin1"))
  writeFileSync(join(root, "zero.md"), "a\0b")
  mkdirSync(join(root, "folder"))
  for (const path of ["latin.md", "zero.md", "folder", "gone.md"]) expect(read(path), path).toBe(null)
})

test("[DM1] no path and no link leads out of the project, and a link is not written through", () => {
  writeFileSync(join(folder, "outside.md"), "Outside.")
  symlinkSync(join(folder, "outside.md"), join(root, "link.md"))
  symlinkSync(folder, join(root, "up"))
  for (const path of ["../outside.md", "link.md", "up/outside.md"]) expect(read(path), path).toBe(null)
  expect(write("link.md", "Inside.")).toBe(false)
  expect(readFileSync(join(folder, "outside.md"), "utf8")).toBe("Outside.")
  expect(write("a.md", "Inside.")).toBe(true)
  expect(read("a.md")).toBe("Inside.")
  expect(write("a.md", null)).toBe(true)
  expect(read("a.md")).toBe(null)
})
