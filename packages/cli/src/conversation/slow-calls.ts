/**
 * Slow calls: what is told of a call that runs for long, where nothing can be drawn over.
 *
 * A call that settles soon is told once, by its result. One that does not is told when it has run for
 * a second; then its output follows line by line, up to a number of lines.
 */
import type { CallRequest } from "@holdfast/sdk"
import { clip, count } from "../figures.ts"
import { printable, type Terminal } from "../terminal.ts"
import { openCallLine } from "./call-line.ts"

export const slowMs = 1_000
const linesMax = 20
const heldCharactersMax = 16_384

interface SlowCall {
  readonly request: CallRequest
  readonly startedAt: number
  told: boolean
  /** Output that is not told yet; its last line may be unfinished. */
  held: string
  lines: number
}

export interface SlowCalls {
  readonly start: (request: CallRequest) => void
  readonly output: (call: string, text: string) => void
  readonly settle: (call: string) => void
  /** Lines that are due by now. */
  readonly take: () => readonly string[]
}

export function makeSlowCalls(canvas: Pick<Terminal, "paint" | "columns">, now: () => number): SlowCalls {
  const running = new Map<string, SlowCall>()
  return {
    start: (request) =>
      void running.set(request.call, { request, startedAt: now(), told: false, held: "", lines: 0 }),
    output: (id, text) => {
      const call = running.get(id)
      if (call === undefined || call.lines > linesMax) return
      call.held = (call.held + text).slice(0, heldCharactersMax)
    },
    settle: (id) => void running.delete(id),
    take: () =>
      [...running.values()].flatMap((call) => {
        if (!call.told && now() - call.startedAt < slowMs) return []
        const first = call.told ? [] : [openCallLine(canvas, call.request, "runs")]
        call.told = true
        return [...first, ...outputLines(canvas, call)]
      }),
  }
}

function outputLines({ paint, columns }: Pick<Terminal, "paint" | "columns">, call: SlowCall): string[] {
  const end = call.held.lastIndexOf("\n") + 1
  const whole = call.held.slice(0, end).split("\n").slice(0, -1)
  call.held = call.held.slice(end)
  const shown = whole.slice(0, Math.max(0, linesMax - call.lines))
  const before = call.lines
  call.lines += whole.length
  const lines = shown.map((line) => paint("dim", `  │ ${clip(printable(line), columns - 5)}`))
  if (call.lines > linesMax && before <= linesMax)
    lines.push(paint("dim", `  │ … more than ${count(linesMax, "line")}; the rest is not shown`))
  return lines
}
