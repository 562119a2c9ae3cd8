/** A tool call in one line: what was asked, and what came of it. */
import type { CallRequest, FactOf } from "@holdfast/sdk"
import { clip, count } from "../figures.ts"
import { printable, type Terminal } from "../terminal.ts"

type Outcome = FactOf<"call.settled">["outcome"]
type Canvas = Pick<Terminal, "paint" | "columns">
type Call = Pick<CallRequest, "name" | "input">

const targetCharactersMax = 80
const nameCharactersMax = 32

export function callLine({ paint, columns }: Canvas, call: Call, outcome: Outcome): string {
  const mark = hasFailed(outcome) ? paint("red", "✗") : paint("green", "✓")
  const { name, target } = namesOf(call, columns)
  const room = Math.max(20, columns - name.length - [...target].length - 8)
  const result = clip(printable(resultOf(outcome)), room)
  return `${mark} ${paint("bold", name)} ${target}${paint("dim", ` · ${result}`)}`
}

/** A call that has no outcome yet. */
export function openCallLine({ paint, columns }: Canvas, call: Call, state: string): string {
  const { name, target } = namesOf(call, columns)
  return `… ${paint("bold", name)} ${target}${paint("dim", ` · ${state}`)}`
}

/** The tool, and what the call is about, cut to the width of the terminal. */
export function namesOf(call: Call, columns: number): { readonly name: string; readonly target: string } {
  const name = clip(printable(call.name), nameCharactersMax)
  const room = Math.max(20, Math.min(targetCharactersMax, columns - name.length - 24))
  return { name, target: clip(printable(targetOf(call.input)), room) }
}

/** What a call is about: its path, its command, or whatever text comes first. */
function targetOf(input: CallRequest["input"]): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input)
  const texts = Object.entries(input).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  )
  const known = texts.find(([key]) => key === "path" || key === "command") ?? texts[0]
  return known?.[1] ?? ""
}

/** A command that ended badly did not succeed, though its call was done. */
const hasFailed = (outcome: Outcome): boolean => outcome.state !== "done" || badEnd(outcome) !== null

function resultOf(outcome: Outcome): string {
  if (outcome.state !== "done") {
    const said = firstLine(outcome.output)
    // That a call ended before it said anything is told once.
    return said === `[${outcome.state}]` ? outcome.state : `${outcome.state}: ${said}`
  }
  const end = badEnd(outcome)
  const lines = outcome.output.trimEnd().split("\n")
  if (end === null) return linesText(lines, outcome)
  // The tool says in a last line of its own how the command ended.
  const said = lines.filter((line) => !/^\[(exit code|timed out|ended by) .*\]$/.test(line))
  return said.join("").trim() === "" ? end : `${end}, ${linesText(said, outcome)}`
}

function linesText(lines: readonly string[], { truncated }: Outcome): string {
  if (lines.join("").trim() === "") return "no output"
  const total = truncated?.linesTotal ?? lines.length
  return total === 1 ? firstLine(lines.join("\n")) : count(total, "line")
}

/** How a command ended that did not end well, or null. */
function badEnd({ structured }: Outcome): string | null {
  if (typeof structured !== "object" || structured === null || !("exitCode" in structured)) return null
  const { exitCode, signal, timedOut } = structured as Readonly<Record<string, unknown>>
  if (timedOut === true) return "timed out"
  if (typeof exitCode === "number") return exitCode === 0 ? null : `exit code ${exitCode}`
  return `ended by ${typeof signal === "string" ? signal : "a signal"}`
}

/** Without the number that a tool may have put before it. */
const firstLine = (text: string): string =>
  (text.split("\n").find((line) => line.trim() !== "") ?? "no output").replace(/^\s*\d+\t/, "")
