/** A tool call in one line: what was asked, and what came of it. */
import type { FactOf } from "@holdfast/schema/event"
import type { CallRequest } from "@holdfast/schema/message"
import { clip, count } from "../figures.ts"
import { printable, type Terminal } from "../terminal.ts"

type Outcome = FactOf<"call.settled">["outcome"]

const targetCharactersMax = 80

export function callLine(
  terminal: Pick<Terminal, "paint" | "columns">,
  call: Pick<CallRequest, "name" | "input">,
  outcome: Outcome,
): string {
  const { paint, columns } = terminal
  const mark = outcome.state === "done" ? paint("green", "✓") : paint("red", "✗")
  const name = clip(printable(call.name), 32)
  const room = Math.max(20, Math.min(targetCharactersMax, columns - name.length - 24))
  const target = clip(printable(targetOf(call.input)), room)
  const result = clip(
    printable(resultOf(outcome)),
    Math.max(20, columns - name.length - [...target].length - 8),
  )
  return `${mark} ${paint("bold", name)} ${target}${paint("dim", ` · ${result}`)}`
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

function resultOf(outcome: Outcome): string {
  if (outcome.state !== "done") return `${outcome.state}: ${firstLine(outcome.output)}`
  if (outcome.output.trim() === "") return "no output"
  const lines = outcome.truncated?.linesTotal ?? outcome.output.trimEnd().split("\n").length
  return lines === 1 ? firstLine(outcome.output) : count(lines, "line")
}

/** Without the number that a tool may have put before it. */
const firstLine = (text: string): string =>
  (text.split("\n").find((line) => line.trim() !== "") ?? "no output").replace(/^\s*\d+\t/, "")
