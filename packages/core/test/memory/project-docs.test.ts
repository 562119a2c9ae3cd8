/** Documents of a project, read from its root: plain files only, of one form, and as they are now. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { makeProjectDocs } from "@holdfast/core/memory/project-docs"
import type { Location } from "@holdfast/schema/location"

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-docs-"))
})
afterEach(() => rmSync(root, { recursive: true }))

const read = (docs = makeProjectDocs(), names?: readonly string[]) =>
  Effect.runPromise(docs({ directory: root, projectRoot: root } as Location, names))
const write = (name: string, text: string) => writeFileSync(join(root, name), text)

test("[HB2] the two documents of a project, in order, with line ends of one kind", async () => {
  write("STRUCTURE.md", "src\n")
  write("ARCHITECTURE.md", "\uFEFFOne  \r\n\r\nTwo\t\r\n\r\n")
  expect(await read()).toEqual([
    { name: "ARCHITECTURE.md", text: "One\n\nTwo" },
    { name: "STRUCTURE.md", text: "src" },
  ])
})

test("[HB2] what is a link, lies behind one, is a directory or is too long is absent", async () => {
  const outside = mkdtempSync(join(tmpdir(), "holdfast-outside-"))
  writeFileSync(join(outside, "secret.md"), "hidden")
  symlinkSync(join(outside, "secret.md"), join(root, "ARCHITECTURE.md"))
  symlinkSync(outside, join(root, "docs"))
  mkdirSync(join(root, "STRUCTURE.md"))
  write("LONG.md", "x".repeat(256 * 1_024 + 1))
  write("FULL.md", "x".repeat(256 * 1_024))
  const names = ["ARCHITECTURE.md", "STRUCTURE.md", "docs/secret.md", "LONG.md", "FULL.md", "NONE.md"]
  expect((await read(makeProjectDocs(), names)).map(({ name }) => name)).toEqual(["FULL.md"])
  rmSync(outside, { recursive: true })
})

test("[HB2] an edit is read, and a list that is empty asks for nothing", async () => {
  const docs = makeProjectDocs()
  write("ARCHITECTURE.md", "One.")
  expect(await read(docs)).toMatchObject([{ text: "One." }])
  write("ARCHITECTURE.md", "Other.")
  expect(await read(docs)).toMatchObject([{ text: "Other." }])
  expect(await read(docs, [])).toEqual([])
})
