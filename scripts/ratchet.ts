/**
 * Moves test/tidy/ratchets.json in the good direction: raises the counts of rules, lowers and
 * removes exceptions. It never adds one; that takes a hand and a reason.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { citationsOf, citingSources, countRules } from "../test/tidy/citations.ts"
import type { Exception } from "../test/tidy/ratchets.ts"
import { ratchetsPath, readRatchets } from "../test/tidy/ratchets.ts"
import {
  fileLinesMax,
  fileSizes,
  functionLinesMax,
  functionSizes,
  limitedSources,
} from "../test/tidy/sizes.ts"
import type { Size } from "../test/tidy/sizes.ts"
import { specPath } from "./glossary.ts"

const old = readRatchets()
const counts = countRules(readFileSync(specPath, "utf8"), citationsOf(citingSources()))
const sources = limitedSources()
const tightened = {
  rules: {
    cited: Math.max(old.rules.cited, counts.cited),
    proven: Math.max(old.rules.proven, counts.proven),
  },
  files: tighten(old.files, fileSizes(sources), fileLinesMax),
  functions: tighten(old.functions, functionSizes(sources), functionLinesMax),
}
writeFileSync(ratchetsPath, `${JSON.stringify(tightened, null, 2)}\n`)
console.log(`rules cited ${counts.cited} of ${counts.rules}; rules proven ${counts.proven}`)

function tighten(
  exceptions: Readonly<Record<string, Exception>>,
  sizes: readonly Size[],
  linesMax: number,
): Record<string, Exception> {
  const known = new Map(sizes.map((size) => [size.place, size.lines]))
  return Object.fromEntries(
    Object.entries(exceptions)
      .map(([place, exception]) => {
        const lines = Math.min(exception.lines, known.get(place) ?? 0)
        return [place, { ...exception, lines }] as const
      })
      .filter(([, exception]) => exception.lines > linesMax),
  )
}
