/** Ignore files: which paths a search passes over, by the rules of `.gitignore`. */
import { fitsPath, type PathPattern, readPathPattern } from "./wildcards.ts"

/** The rules of one ignore file, for the paths below its directory. */
export interface IgnoreRules {
  /** Of the directory it stands in, from the root of the search; empty for the root itself. */
  readonly base: string
  readonly rules: readonly IgnoreRule[]
}

interface IgnoreRule {
  readonly pattern: PathPattern
  readonly again: boolean
  readonly directoriesOnly: boolean
}

const rulesMax = 1_000
const ruleLengthMax = 1_000

export function readIgnoreRules(base: string, text: string): IgnoreRules {
  const lines = text.split(/\r?\n/).slice(0, rulesMax)
  return { base, rules: lines.flatMap((line) => ruleOf(line) ?? []) }
}

/** Of all rules that fit a path the last one decides, those of inner directories after those of outer ones. */
export function isIgnored(files: readonly IgnoreRules[], path: string, isDirectory: boolean): boolean {
  let ignored = false
  for (const { base, rules } of files) {
    if (base !== "" && !path.startsWith(`${base}/`)) continue
    const parts = path.slice(base === "" ? 0 : base.length + 1).split("/")
    for (const { pattern, again, directoriesOnly } of rules) {
      if (ignored === !again || (directoriesOnly && !isDirectory)) continue
      if (fitsPath(pattern, parts)) ignored = !again
    }
  }
  return ignored
}

function ruleOf(line: string): IgnoreRule | null {
  const text = line.replace(/(?<!\\)[ \t]+$/, "")
  if (text === "" || text.startsWith("#") || text.length > ruleLengthMax) return null
  const again = text.startsWith("!")
  const pattern = again ? text.slice(1) : text
  return { pattern: readPathPattern(pattern), again, directoriesOnly: pattern.endsWith("/") }
}
