/** A diagnosis as a person reads it: a mark for each finding, a remedy below what needs one. */
import { count } from "../figures.ts"
import { printable, type Style, type Terminal } from "../terminal.ts"
import type { Diagnosis } from "./diagnosis.ts"
import type { Level } from "./finding.ts"

const marks: Record<Level, { readonly mark: string; readonly style: Style }> = {
  ok: { mark: "✓", style: "green" },
  warning: { mark: "!", style: "yellow" },
  problem: { mark: "✗", style: "red" },
}

export function formatDiagnosis(terminal: Pick<Terminal, "paint">, diagnosis: Diagnosis): string {
  const { paint } = terminal
  const lines = diagnosis.sections.flatMap(({ name, findings }) => [
    paint("bold", name),
    ...findings.flatMap(({ level, text, remedy }, at) => {
      const { mark, style } = marks[level]
      const line = `  ${paint(style, mark)} ${oneLine(text)}`
      // The same advice for several findings in a row is given once, after the last of them.
      const repeated = findings[at + 1]?.remedy === remedy
      return remedy === null || repeated ? [line] : [line, paint("dim", `    → ${oneLine(remedy)}`)]
    }),
  ])
  return `${[...lines, "", conclusion(terminal, diagnosis)].join("\n")}\n`
}

function conclusion(
  { paint }: Pick<Terminal, "paint">,
  { healthy, problems, warnings, version }: Diagnosis,
): string {
  const noted = warnings === 0 ? "" : `, ${count(warnings, "warning")}`
  if (problems === 0)
    return healthy
      ? `${paint("green", "Holdfast is healthy")} (version ${version}${noted}).`
      : `${paint("yellow", "Holdfast works, but not all of it")} (version ${version}${noted}).`
  return `${paint("red", count(problems, "problem"))}${noted} (version ${version}).`
}

const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, " ")
