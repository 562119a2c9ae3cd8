/** Runs of the real command, each in a process of its own, killed at a moment or left to end. */
import type { ChildProcess } from "node:child_process"
import { createInterface } from "node:readline"
import type { Place } from "../processes/place.ts"
import { commandProgram } from "../processes/program.ts"
import type { Moment } from "./shapes.ts"

export interface Run {
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  /** When the signal was sent; null if it ended before. */
  readonly killedAt: number | null
  /** Prompts whose admission it told. */
  readonly acknowledged: readonly string[]
  /** Objects that it printed, in order. */
  readonly lines: readonly Line[]
  readonly err: string
}

interface Line {
  readonly type: string
  readonly fact?: { readonly type: string; readonly prompt?: string }
  readonly [key: string]: unknown
}

/** The entry in the environment of a run, and of everything it starts. */
export const runEntry = (run: number): string => `KILLED_RUN=${run}`

/** A run that should end by itself is given up after this long. */
const runMsMax = 60_000

export async function runCommand(
  place: Place,
  run: number,
  args: readonly string[],
  moment: Moment | null,
): Promise<Run> {
  const child = place.start(await commandProgram(), args, { env: { KILLED_RUN: String(run) } })
  const lines: Line[] = []
  let err = ""
  let killedAt: number | null = null
  const kill = () => {
    if (child.exitCode !== null || killedAt !== null) return
    killedAt = Date.now()
    child.kill("SIGKILL")
  }
  const aim = aimAt(moment, kill)
  const late = setTimeout(kill, runMsMax)
  child.stdin?.end()
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => (err += piece))
  readLines(child, (line) => {
    lines.push(line)
    aim.see(line.fact?.type)
  })
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once("close", (...end) => resolve(end))
  })
  clearTimeout(late)
  aim.stop()
  const acknowledged = lines.flatMap(({ fact }) =>
    fact?.type === "prompt.admitted" && fact.prompt !== undefined ? [fact.prompt] : [],
  )
  return { signal, code, killedAt: signal === "SIGKILL" ? killedAt : null, acknowledged, lines, err }
}

/** The moment is a time, so a timer waits for it. */
function aimAt(moment: Moment | null, kill: () => void) {
  let timer: NodeJS.Timeout | undefined
  const see = (type: string | undefined) => {
    if (moment === null || timer !== undefined || type !== moment.after) return
    timer = setTimeout(kill, moment.delayMs)
  }
  see("start")
  return { see, stop: () => clearTimeout(timer) }
}

/** A line that the kill has cut is no line: nobody was told. */
function readLines(child: ChildProcess, take: (line: Line) => void): void {
  if (child.stdout === null) throw new Error("The command needs a pipe.")
  createInterface({ input: child.stdout }).on("line", (text) => {
    if (text.startsWith("{") && text.endsWith("}")) take(JSON.parse(text) as Line)
  })
}
