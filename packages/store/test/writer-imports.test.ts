/** The writer thread starts with every process that opens a store, so it loads next to nothing. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"

/** The entry imports it when it has found the compile cache, and nothing but Node before. */
const writer = join(import.meta.dirname, "../src/thread/writer.ts")
const entry = join(import.meta.dirname, "../src/thread/worker.ts")
const schema = "@holdfast/schema/"

/** What a module loads when it runs; types are gone by then. */
const loads = (file: string): readonly string[] =>
  [...readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type\b)[^"]*?from "([^"]+)"/gms)].map(
    ([, specifier]) => specifier ?? "",
  )

test("the writer thread loads the fold of the schema, and no Effect", () => {
  const seen = new Set([entry, writer])
  const outside = new Set<string>()
  for (const file of seen) {
    for (const specifier of loads(file)) {
      if (specifier.startsWith(".")) seen.add(join(dirname(file), specifier))
      else if (specifier.startsWith(schema))
        seen.add(join(import.meta.dirname, "../../schema/src", `${specifier.slice(schema.length)}.ts`))
      else outside.add(specifier)
    }
  }
  expect([...seen].filter((file) => file.endsWith("state/summary.ts"))).toHaveLength(1)
  expect([...outside].filter((specifier) => !specifier.startsWith("node:"))).toEqual([])
})
