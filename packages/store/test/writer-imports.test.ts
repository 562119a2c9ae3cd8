/** The writer thread starts with every process that opens a store, so it loads next to nothing. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"

const worker = join(import.meta.dirname, "../src/thread/worker.ts")

/** What a module loads when it runs; types are gone by then. */
const loads = (file: string): readonly string[] =>
  [...readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type\b)[^"]*?from "([^"]+)"/gms)].map(
    ([, specifier]) => specifier ?? "",
  )

test("the writer thread loads neither Effect nor the schema", () => {
  const seen = new Set([worker])
  const outside = new Set<string>()
  for (const file of seen) {
    for (const specifier of loads(file)) {
      if (specifier.startsWith(".")) seen.add(join(dirname(file), specifier))
      else outside.add(specifier)
    }
  }
  expect(seen.size).toBeGreaterThan(5)
  expect([...outside].filter((specifier) => !specifier.startsWith("node:"))).toEqual([])
})
