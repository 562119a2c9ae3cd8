/**
 * Reads the CPU profiles that Node writes, one for each thread, and names the functions that took most.
 *
 * Shares are of the time that the thread was not idle, in the function itself, without what it
 * called. A thread that waits for a disk inside a function is not idle.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

interface CallFrame {
  readonly functionName: string
  readonly url: string
  /** Counted from 0. */
  readonly lineNumber: number
}

export interface CpuProfile {
  /** Microseconds of the clock that all threads share. */
  readonly startTime: number
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[]
  readonly samples: readonly number[]
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[]
}

export interface ThreadTime {
  readonly thread: string
  readonly busyMs: number
  readonly idleMs: number
  /** Longest first. */
  readonly functions: readonly { readonly name: string; readonly selfMs: number }[]
}

const functionsShown = 12

/** What is read of a profile. */
export interface Look {
  /** Files are named from this folder on. */
  readonly root: string
  /** Nanoseconds; what was sampled outside is left out. */
  readonly startNs?: number
  readonly endNs?: number
}

export function readProfiles(folder: string, look: Look): readonly ThreadTime[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name) => {
      const profile = JSON.parse(readFileSync(join(folder, name), "utf8")) as CpuProfile
      return { ...timeOf(profile, look), thread: threadOf(name) }
    })
    .sort((a, b) => a.thread.localeCompare(b.thread))
}

/** Node names a profile `CPU.day.time.process.thread.number`; thread 0 runs the event loop. */
function threadOf(file: string): string {
  const thread = file.split(".")[4] ?? "?"
  return thread === "0" ? "main thread" : `thread ${thread}, the store's writer`
}

export function timeOf(profile: CpuProfile, { root, startNs = 0, endNs = Infinity }: Look) {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame, root)]))
  const selfMs = new Map<string, number>()
  let nowUs = profile.startTime
  profile.samples.forEach((id, at) => {
    const tookUs = profile.timeDeltas[at] ?? 0
    nowUs += tookUs
    if (nowUs * 1e3 < startNs || nowUs * 1e3 > endNs) return
    const name = names.get(id) ?? "?"
    selfMs.set(name, (selfMs.get(name) ?? 0) + tookUs / 1e3)
  })
  const idleMs = selfMs.get("(idle)") ?? 0
  selfMs.delete("(idle)")
  const functions = [...selfMs].map(([name, ms]) => ({ name, selfMs: ms }))
  const busyMs = functions.reduce((sum, one) => sum + one.selfMs, 0)
  return { busyMs, idleMs, functions: functions.sort((a, b) => b.selfMs - a.selfMs) }
}

export function formatProfiles(threads: readonly ThreadTime[]): string {
  return threads
    .map(({ thread, busyMs, idleMs, functions }) => {
      const busy = Math.round((100 * busyMs) / Math.max(1, busyMs + idleMs))
      const lines = functions
        .slice(0, functionsShown)
        .map(({ name, selfMs }) => `  ${((100 * selfMs) / busyMs).toFixed(1).padStart(5)} %  ${name}`)
      return [`${thread}: not idle ${busy} % of the time; of that, in the function itself:`, ...lines].join(
        "\n",
      )
    })
    .join("\n")
}

function nameOf({ functionName, url, lineNumber }: CallFrame, root: string): string {
  const name = functionName === "" ? "(anonymous)" : functionName
  if (url === "") return name
  const file = url.startsWith("file:") ? relative(root, fileURLToPath(url)) : url
  return `${name} ${file}:${lineNumber + 1}`
}
