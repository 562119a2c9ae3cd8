/** The import graph of `context/`, read from the sources: everything it can reach, types included. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { expect, test } from "vitest"

const packages = resolve(import.meta.dirname, "../../..")
const contextFolder = join(packages, "core/src/context")

/** Every module specifier of a source text: import, export from, side effect and dynamic import. */
function specifiers(source: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'`])([^"'`\n]+)\1/g
  return [...source.matchAll(pattern)].map((match) => match[2]!)
}

/** The file that a specifier leads to inside this repository; undefined for a package from outside. */
function fileOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith(".")) return resolve(dirname(importer), specifier)
  const own = /^@holdfast\/([^/]+)(?:\/(.+))?$/.exec(specifier)
  return own === null ? undefined : join(packages, own[1]!, "src", `${own[2] ?? "index"}.ts`)
}

function reach(start: readonly string[]): { readonly files: string[]; readonly outside: string[] } {
  const files = new Set<string>()
  const outside = new Set<string>()
  const queue = [...start]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const specifier of specifiers(readFileSync(file, "utf8"))) {
      const target = fileOf(specifier, file)
      if (target === undefined) outside.add(specifier)
      else queue.push(target)
    }
  }
  return { files: [...files].sort(), outside: [...outside].sort() }
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))

const folderOf = (file: string) => relative(packages, file).split(sep).slice(0, 3).join("/")

test("[IN6] context/ reaches no file, store or instruction code", () => {
  const { files, outside } = reach(filesIn(contextFolder))
  const folders = files.map(folderOf).filter((folder) => folder !== "core/src/context")
  expect([...new Set(folders)]).toEqual([
    "core/src/registrations.ts",
    "schema/src/context.ts",
    "schema/src/json.ts",
  ])
  expect(outside).toEqual(["effect"])
})

test("[IN6] the graph sees every form of import", () => {
  const source = `
    import a from "one"
    import { type B } from 'two'
    import type { C,
      D } from "three"
    export * from "four"
    import "five"
    const six = await import("six")
    const seven = require("seven")
    type Eight = import("eight").Eight
  `
  expect(specifiers(source)).toEqual(["one", "two", "three", "four", "five", "six", "seven", "eight"])
})

test("[IN6] the graph follows imports out of the folder: instructions/ reaches files and context/", () => {
  const { files, outside } = reach(filesIn(join(packages, "core/src/instructions")))
  expect(files.map(folderOf)).toContain("core/src/context")
  expect(outside).toContain("node:fs")
})
