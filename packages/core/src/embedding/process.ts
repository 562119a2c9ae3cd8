/**
 * The runtime's end of its worker (SE2, FA1). Nothing waits for it but a question, and that only for a moment: wedged,
 * killed or crashing in a loop, it costs search its meaning, and turns nothing.
 *
 *   first need ──▶ started ──▶ ready ──▶ (ends) ──▶ started anew with the next need, after a pause that grows
 */
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
  readonly now?: () => number
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

export function makeEmbeddingWorker(options: WorkerOptions): EmbeddingWorker {
  const { file, choices, onTrouble, entry = ownEntry(), now = () => performance.now() } = options
  const waiting = new Map<number, (vector: Float32Array | null) => void>()
  let child: ChildProcess | null = null
  let resting: (() => void)[] = []
  let questions = 0
  let unanswered = 0
  let ends = 0
  let notBefore = 0
  let stopped = false

  const send = (message: ToWorker): void => {
    if (child?.connected === true) child.send(message, () => {})
  }
  const settleAll = (): void => {
    for (const settle of waiting.values()) settle(null)
    waiting.clear()
    for (const rest of resting.splice(0)) rest()
  }
  const gone = (of: ChildProcess, complaint: string): void => {
    if (child !== of) return
    child = null
    if (!stopped) {
      ends += 1
      notBefore = now() + Math.min(pauseMsMax, pauseMsMin * 2 ** (ends - 1))
      onTrouble(complaint.slice(-detailLengthMax) || "The process that embeds ended.")
    }
    settleAll()
  }
  const receive = (message: FromWorker): void => {
    if (message.kind === "answer") {
      unanswered = 0
      waiting.get(message.id)?.(message.vector)
      if (message.vector === null) onTrouble(message.cause ?? "The embedding model gave no vector.")
    } else if (message.kind === "trouble") {
      if (message.cause === null) ends = 0
      onTrouble(message.cause)
    } else if (message.kind === "rests") for (const rest of resting.splice(0)) rest()
  }
  /** Whether there is one now. */
  const started = (): boolean => {
    if (child !== null) return true
    if (stopped || now() < notBefore) return false
    const made = startWorker(entry, receive, (complaint) => gone(made, complaint))
    child = made
    send({ kind: "open", file, choices })
    return true
  }
  return {
    due: () => {
      if (started()) send({ kind: "due" })
    },
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
          if (unanswered >= unansweredMax && child !== null) {
            onTrouble("The process that embeds does not answer; it is started anew.")
            child.kill("SIGKILL")
            unanswered = 0
          }
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
