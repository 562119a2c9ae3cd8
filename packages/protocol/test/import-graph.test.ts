/**
 * Neither schema nor protocol loads a database, provider, watcher, native module or WASM.
 *
 * Every module that the two can reach is read, effect's own included, and each specifier is
 * judged: workspaces other than schema, Node's modules and foreign packages are all too much.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync } from "vite"
import { describe, expect, test } from "vitest"

const packages = join(dirname(fileURLToPath(import.meta.url)), "../..")

interface Reached {
  readonly files: ReadonlySet<string>
  readonly complaints: readonly string[]
}

/** Everything that the files load, directly or not. Types are gone before anything is loaded. */
function reach(entries: readonly string[], read: (file: string) => string): Reached {
  const files = new Set<string>()
  const complaints: string[] = []
  const waiting = [...entries]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const specifier of loadedBy(file, read(file))) {
      const target = resolveAllowed(file, specifier)
      if (target === null) complaints.push(`${relative(packages, file)} loads ${specifier}`)
      else waiting.push(target)
    }
  }
  return { files, complaints }
}

function resolveAllowed(file: string, specifier: string): string | null {
  if (/\.(node|wasm)$/.test(specifier)) return null
  if (/^\.\.?\//.test(specifier)) return join(dirname(file), specifier)
  const isEffect = specifier === "effect" || specifier.startsWith("effect/")
  const isSchema = specifier === "@holdfast/schema" || specifier.startsWith("@holdfast/schema/")
  return isEffect || isSchema ? fileURLToPath(import.meta.resolve(specifier)) : null
}

/** Static and dynamic imports and re-exports; ES modules have no other way to load one. */
function loadedBy(file: string, text: string): readonly string[] {
  const { module } = parseSync(file, text)
  const fixed = [
    ...module.staticImports.filter((each) => !isTypeOnly(each.entries)),
    ...module.staticExports.filter((each) => !isTypeOnly(each.entries)),
  ]
  const named = fixed.flatMap((each) =>
    "moduleRequest" in each
      ? [each.moduleRequest.value]
      : each.entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
  )
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
    text.slice(start, end).replaceAll(/^["'`]|["'`]$/g, ""),
  )
  return [...named, ...dynamic]
}

const isTypeOnly = (entries: readonly { readonly isType: boolean }[]): boolean =>
  entries.length > 0 && entries.every((entry) => entry.isType)

const sourcesOf = (name: string): readonly string[] =>
  readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(packages, name, "src", file))

const readText = (file: string): string => readFileSync(file, "utf8")

describe.each(["schema", "protocol"])("%s", (name) => {
  test("[CO1] loads values and effect, and nothing that does I/O", () => {
    const { files, complaints } = reach(sourcesOf(name), readText)
    expect(complaints).toEqual([])
    expect([...files].some((file) => file.endsWith("schema/src/error.ts"))).toBe(true)
    expect([...files].some((file) => file.endsWith("effect/dist/Schema.js"))).toBe(true)
  })
})

test.each([
  ['import { DatabaseSync } from "node:sqlite"', "node:sqlite"],
  ['import "@holdfast/store"', "@holdfast/store"],
  ['export * from "@holdfast/llm"', "@holdfast/llm"],
  ['export { watch } from "chokidar"', "chokidar"],
  ['const pty = await import("node-pty")', "node-pty"],
  ['import { createRequire } from "node:module"', "node:module"],
  ['import wasm from "./engine.wasm"', "./engine.wasm"],
])("[CO1] would find %s", (text, specifier) => {
  const file = join(packages, "protocol/src/planted.ts")
  expect(reach([file], () => text).complaints).toEqual([`protocol/src/planted.ts loads ${specifier}`])
})

test("[CO1] lets types pass, which load nothing", () => {
  const file = join(packages, "protocol/src/planted.ts")
  const text = 'import type { Store } from "@holdfast/store"\nexport type { Wire } from "@holdfast/llm"'
  expect(reach([file], () => text).complaints).toEqual([])
})
