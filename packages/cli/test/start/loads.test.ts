/** What every start loads: commands and their help, and nothing that only a command needs. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"

const packages = join(import.meta.dirname, "../../..")

/** Files and packages that a module loads at once, with all that they load. Types load nothing. */
function loadedBy(file: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(file)) return known
  known.add(file)
  const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)"$/gm)
  for (const [, name = ""] of imports) {
    if (name.startsWith(".")) loadedBy(join(dirname(file), name), known)
    else if (name.startsWith("@holdfast/")) {
      const [, of = "", ...path] = name.split("/")
      loadedBy(join(packages, of, "src", `${path.join("/") || "index"}.ts`), known)
    } else known.add(name)
  }
  return known
}

test("[SU1] what begins before a command is loaded stands on Node alone", () => {
  const loaded = [...loadedBy(join(packages, "cli/src/ahead.ts"))]
  expect(loaded.filter((name) => !name.startsWith("/") && !name.startsWith("node:"))).toEqual([])
})

test("[SU1] help and version are told without loading a schema or the runtime", () => {
  const loaded = [...loadedBy(join(packages, "cli/src/main.ts"))]
  expect(loaded.filter((name) => !name.startsWith("/") && !name.startsWith("node:"))).toEqual(["commander"])
  expect(loaded.filter((name) => /packages\/(?:core|llm|sdk|server|store)\//.test(name))).toEqual([])
})
