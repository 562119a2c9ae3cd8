/**
 * The runtime's end of its worker (SE2, FA1). Nothing waits for it but a question, and that only for a moment: wedged,
 * killed or crashing in a loop, it costs search its meaning, and turns nothing.
 *
 *   first need ──▶ started ──▶ ready ──▶ (ends) ──▶ started anew, after a pause that grows: by itself where the queue is not
 *                                                   empty, else with the next need
 *
 * A beat is asked for all the while, whether anybody needs it or not: one that is silent, or stays at one step, is ended. Beats are
 * counted and not timed, so that a machine that slept ends nobody. It has the lowest priority: one that is silent because others
 * have the processor still uses some of it, and is given longer.
 */
import { readFileSync } from "node:fs"
import type { ChildProcess } from "node:child_process"
import { fileURLToPath } from "node:url"
import { forkBeside } from "../host/fork-beside.ts"
import type { EmbedderChoice } from "./embedder.ts"
import type { FromWorker, ToWorker } from "./messages.ts"

export interface WorkerOptions {
  readonly file: string
  /** What it may be asked for; each is opened with its first use. */
  readonly choices: readonly EmbedderChoice[]
  /** Told of trouble, and with null that it works. */
  readonly onTrouble: (cause: string | null) => void
  /** The program; its own unless given. */
  readonly entry?: string
  readonly timer?: WorkerTimer
  /** What a process has used of a processor, in whatever unit; null where that is not known. */
  readonly usedBy?: (pid: number) => number | null
}

/** Monotonic. `later` returns what calls it off; it keeps no process alive. */
export interface WorkerTimer {
  readonly now: () => number
  readonly later: (delayMs: number, run: () => void) => () => void
}

export interface EmbeddingWorker {
  /** There is something in the queue. */
  readonly due: () => void
  /** Null where there is no answer in time. */
  readonly question: (model: string, text: string, timeoutMs: number) => Promise<Float32Array | null>
  /** Resolves when the queue is empty or in other hands, or the worker is gone. */
  readonly rests: () => Promise<void>
  readonly stop: () => void
}

/** A bundle puts the program at the same place beside it. */
const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js"
const ownEntry = (): string =>
  fileURLToPath(new URL(extension === ".ts" ? "./worker.ts" : "./embedding-worker.js", import.meta.url))

const pauseMsMin = 5_000
const pauseMsMax = 600_000
/** Questions without an answer in a row after which it counts as wedged. */
const unansweredMax = 5
const detailLengthMax = 300
const beatMs = 4_000
/** Beats without a word from it after which it counts as wedged, the more where it uses the processor, and beats at one step of the queue. */
const silentBeatsMax = 3
const busyBeatsMax = 15
const stuckBeatsMax = 75

const ownTimer: WorkerTimer = {
  now: () => performance.now(),
  later: (delayMs, run) => {
    const timer = setTimeout(run, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

/** Off Linux nobody knows. */
function usedByProcess(pid: number): number | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "latin1")
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ")
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return null // there is no such file, or the process has ended
  }
}

export function makeEmbeddingWorker(options: WorkerOptions): EmbeddingWorker {
  const { file, choices, onTrouble, entry = ownEntry(), timer: clock = ownTimer } = options
  const { usedBy = usedByProcess } = options
  const waiting = new Map<number, (vector: Float32Array | null) => void>()
  let child: ChildProcess | null = null
  let resting: (() => void)[] = []
  let questions = 0
  let unanswered = 0
  let ends = 0
  let notBefore = 0
  let stopped = false
  let isDue = false
  /** Why it was ended by us. */
  let ended: string | null = null
  let silent = 0
  let used: number | null = null
  let idle = 0
  let stuck = 0
  let steps = 0
  let callOff: () => void = () => {}

  const send = (message: ToWorker): void => {
    if (child?.connected === true) child.send(message, () => {})
  }
  const settleAll = (): void => {
    for (const settle of waiting.values()) settle(null)
    waiting.clear()
    for (const rest of resting.splice(0)) rest()
  }
  const end = (cause: string): void => {
    ended = cause
    onTrouble(cause)
    child?.kill("SIGKILL")
  }
  const beat = (): void => {
    silent += 1
    const now = child?.pid === undefined ? null : usedBy(child.pid)
    idle = now === used ? idle + 1 : 0
    used = now
    if (silent > (idle >= silentBeatsMax ? silentBeatsMax : busyBeatsMax))
      return end("The process that embeds does not answer; it was ended.")
    if (stuck > stuckBeatsMax) return end("The process that embeds comes no further; it was ended.")
    send({ kind: "beat" })
    callOff = clock.later(beatMs, beat)
  }
  const gone = (of: ChildProcess, complaint: string): void => {
    if (child !== of) return
    child = null
    callOff()
    if (!stopped) {
      ends += 1
      const pauseMs = Math.min(pauseMsMax, pauseMsMin * 2 ** (ends - 1))
      notBefore = clock.now() + pauseMs
      const cause = ended ?? (complaint.slice(-detailLengthMax) || "The process that embeds ended.")
      const again = ` It ended ${ends} times in a row; the next is started in ${pauseMs / 1_000} s at the earliest.`
      onTrouble(ends === 1 ? cause : `${cause}${again}`)
      // Nobody else may ask for what waits in the queue.
      if (isDue) due()
    }
    settleAll()
  }
  const receive = (message: FromWorker): void => {
    silent = 0
    if (message.kind === "answer") {
      unanswered = 0
      waiting.get(message.id)?.(message.vector)
      if (message.vector === null) onTrouble(message.cause ?? "The embedding model gave no vector.")
    } else if (message.kind === "trouble") {
      if (message.cause === null) ends = 0
      onTrouble(message.cause)
    } else if (message.kind === "beat") {
      stuck = message.embeds && message.steps === steps ? stuck + 1 : 0
      steps = message.steps
    } else if (message.kind === "rests") {
      isDue = false
      for (const rest of resting.splice(0)) rest()
    }
  }
  /** Whether there is one now. */
  const started = (): boolean => {
    if (child !== null) return true
    if (stopped || clock.now() < notBefore) return false
    callOff()
    silent = idle = stuck = steps = unanswered = 0
    used = null
    ended = null
    const made = startWorker(entry, receive, (complaint) => gone(made, complaint))
    child = made
    send({ kind: "open", file, choices })
    callOff = clock.later(beatMs, beat)
    return true
  }
  const due = (): void => {
    isDue = true
    if (started()) return send({ kind: "due" })
    callOff()
    if (!stopped) callOff = clock.later(notBefore - clock.now(), due)
  }
  return {
    due,
    question: (model, text, timeoutMs) =>
      new Promise((resolve) => {
        if (!started()) return resolve(null)
        const id = ++questions
        const settle = (vector: Float32Array | null): void => {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(vector)
        }
        const timer = setTimeout(() => {
          unanswered += 1
          if (unanswered === unansweredMax) end("The process that embeds does not answer; it was ended.")
          settle(null)
        }, timeoutMs)
        waiting.set(id, settle)
        send({ kind: "question", id, model, text })
      }),
    rests: () =>
      new Promise((resolve) => {
        if (!started()) return resolve()
        resting.push(resolve)
      }),
    stop: () => {
      stopped = true
      callOff()
      const last = child
      child = null
      settleAll()
      // The lifeline is cut; a worker that is wedged does not notice.
      last?.kill("SIGKILL")
    },
  }
}

/** It never keeps the runtime's process alive. */
function startWorker(
  entry: string,
  receive: (message: FromWorker) => void,
  gone: (complaint: string) => void,
): ChildProcess {
  const { child, complaint } = forkBeside(entry)
  child.on("message", receive)
  child.once("error", ({ message }) => gone(message))
  child.once("exit", () => gone(complaint()))
  child.unref()
  child.channel?.unref()
  ;(child.stderr as unknown as { unref?: () => void } | null)?.unref?.()
  return child
}
