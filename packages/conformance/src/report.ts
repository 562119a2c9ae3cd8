/** What a run found, for a person and for a machine. */
import type { CaseResult, Conformance, Outcome } from "./conform.ts"

export interface Summary extends Readonly<Record<Outcome, number>> {
  readonly rules: readonly RuleSummary[]
}

export interface RuleSummary extends Readonly<Record<Outcome, number>> {
  readonly rule: string
}

export function summarizeCases({ results }: Conformance): Summary {
  const byRule = [...Map.groupBy(results, ({ rule }) => rule)].sort(([one], [other]) =>
    one.localeCompare(other, "en", { numeric: true }),
  )
  return {
    ...countsOf(results),
    rules: byRule.map(([rule, some]) => ({ rule, ...countsOf(some) })),
  }
}

const countsOf = (results: readonly CaseResult[]): Readonly<Record<Outcome, number>> => ({
  passed: results.filter(({ outcome }) => outcome === "passed").length,
  failed: results.filter(({ outcome }) => outcome === "failed").length,
  skipped: results.filter(({ outcome }) => outcome === "skipped").length,
})

/** Failures of one rule that are told in full; the others are counted. */
const failuresShownMax = 10

/** A table by rule, then each failure with what was expected and what came, then why cases were skipped. */
export function reportText(conformance: Conformance): string {
  const summary = summarizeCases(conformance)
  const parts = [
    `Conformance of ${conformance.target}\n`,
    tableOf(summary),
    ...failuresOf(conformance),
    ...skipsOf(conformance),
    verdictOf(summary),
  ]
  return `${parts.join("\n")}\n`
}

/** The same for a machine: one JSON object. */
export const reportJson = (conformance: Conformance): string =>
  `${JSON.stringify({ target: conformance.target, ...summarizeCases(conformance), results: conformance.results }, null, 2)}\n`

function tableOf({ rules }: Summary): string {
  const row = (rule: string, ...cells: readonly string[]) =>
    `  ${rule.padEnd(6)}${cells.map((cell) => cell.padStart(9)).join("")}`
  const lines = rules.map(({ rule, passed, failed, skipped }) =>
    row(rule, String(passed), failed === 0 ? "-" : String(failed), skipped === 0 ? "-" : String(skipped)),
  )
  return [row("rule", "passed", "failed", "skipped"), ...lines, ""].join("\n")
}

function failuresOf({ results }: Conformance): readonly string[] {
  const failed = Map.groupBy(
    results.filter(({ outcome }) => outcome === "failed"),
    ({ rule }) => rule,
  )
  return [...failed.values()].flatMap((some) => {
    const shown = some
      .slice(0, failuresShownMax)
      .map(({ rule, title, detail }) => `FAILED [${rule}] ${title}\n       ${detail}\n`)
    const left = some.length - shown.length
    return left === 0
      ? shown
      : [...shown, `       and ${left} more of [${some[0]?.rule}]; --json lists them all.\n`]
  })
}

function skipsOf({ results }: Conformance): readonly string[] {
  const skipped = Map.groupBy(
    results.filter(({ outcome }) => outcome === "skipped"),
    ({ detail }) => detail ?? "",
  )
  const lines = [...skipped].map(([reason, some]) => `skipped ${some.length}: ${reason}`)
  return lines.length === 0 ? [] : [...lines, ""]
}

/** Where most was skipped, what was tried says little of the rest. */
const conforms = ({ passed, skipped }: Summary): string =>
  skipped > passed ? "It conforms in what was tried" : "It conforms"

const verdictOf = (summary: Summary): string =>
  `${summary.failed === 0 ? conforms(summary) : "It does not conform"}: ${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped.`
