/** An ask as a person reads it: the whole input, what would be touched, and the rule that said so (PE5). */
import type { Ask } from "@holdfast/sdk"
import { columnsOf } from "../text-width.ts"
import type { Terminal } from "../terminal.ts"
import { nameHidden, nameHiddenInLine } from "./hidden-characters.ts"

type Canvas = Pick<Terminal, "paint" | "columns">

export function askLines(canvas: Canvas, ask: Ask): readonly string[] {
  const { paint } = canvas
  const { id, call, question, kind } = ask
  const head = `${paint("yellow", "?")} ${paint("bold", headline(ask))} ${paint("dim", `· ${id}`)}`
  if (kind === "question") return [head, ...quotedLines(canvas, question)]
  if (kind === "other" && call === null) return [head, ...quotedLines(canvas, question), `  ${ruleText(ask)}`]
  const about = call === null ? quotedLines(canvas, question) : inputLines(canvas, call.input)
  return [head, ...about, `  It would touch ${touched(ask)}.`, `  ${ruleText(ask)}`]
}

const headline = ({ kind, call, agent }: Ask): string => {
  if (kind === "question") return "The model asks"
  if (kind === "other" && call === null) return "Before anything is sent"
  const what = call === null ? "something" : nameHiddenInLine(call.name)
  return `The model wants to use ${what}${agent === "build" ? "" : ` (agent ${nameHiddenInLine(agent)})`}`
}

/** `write(/project/notes.md), bash(npm test)`. */
export const touched = ({ resources }: Pick<Ask, "resources">): string =>
  resources.length === 0
    ? "nothing that can be named"
    : resources
        .map(({ action, resource }) => nameHiddenInLine(resource === "" ? action : `${action}(${resource})`))
        .join(", ")

export const ruleText = ({ rule }: Pick<Ask, "rule">): string =>
  rule === null ? "No rule allows it." : `The rule "${nameHiddenInLine(rule)}" asks for it.`

function inputLines(canvas: Canvas, input: NonNullable<Ask["call"]>["input"]): readonly string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return quotedLines(canvas, JSON.stringify(input))
  return Object.entries(input).flatMap(([name, value]) => [
    `  ${nameHiddenInLine(name)}:`,
    ...quotedLines(canvas, typeof value === "string" ? value : JSON.stringify(value, null, 2)),
  ])
}

/** Behind a mark on every line, so that nothing in it can pass for a line of ours. */
const quotedLines = ({ paint, columns }: Canvas, text: string): readonly string[] =>
  nameHidden(text)
    .split("\n")
    .flatMap((line) => brokenAt(line, Math.max(20, columns - 4)))
    .map((line) => `  ${paint("dim", "│")} ${line}`)

/** Wherever the line is full: a terminal would break it too, but without the mark. */
function brokenAt(line: string, columnsMax: number): readonly string[] {
  const broken = [""]
  let used = 0
  for (const character of line.replaceAll("\t", "    ")) {
    const columns = columnsOf(character)
    if (used + columns > columnsMax) {
      broken.push("")
      used = 0
    }
    broken[broken.length - 1] += character
    used += columns
  }
  return broken
}
