/**
 * A writer thread that is begun before it is known what it opens: a thread takes its time to start, and
 * whoever opens a store has settings to read meanwhile, and a command most of its code to load. So this
 * stands on nothing.
 */
import { getCompileCacheDir } from "node:module"
import { dirname } from "node:path"
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads"

export interface BegunWriter {
  /** Gives it away; null if somebody has it. */
  readonly take: () => WriterThread | null
  /** Ends it where nobody took it. */
  readonly end: () => void
}

/** Begun ahead of the next caller of `beginWriter`. */
let ahead: BegunWriter | null = null

/** The one that was begun ahead, if there is one. */
export function beginWriter(entry?: URL): BegunWriter {
  const begun = ahead ?? begin(entry)
  ahead = null
  return begun
}

/** For a program that is about to load what opens a store. A repeat is safe. */
export function beginWriterAhead(): void {
  ahead ??= begin()
}

function begin(entry?: URL): BegunWriter {
  let thread: WriterThread | null = beginThread(entry)
  const take = () => {
    const given = thread
    thread = null
    return given
  }
  return { take, end: () => void take()?.worker.terminate() }
}

/** A thread that has been started and opens nothing until it is told to. The process does not wait for it. */
export interface WriterThread {
  readonly port: MessagePort
  readonly worker: Worker
  /** Resolves to why it ended. */
  readonly ended: Promise<unknown>
}

export function beginThread(entry = workerEntry()): WriterThread {
  const channel = new MessageChannel()
  const worker = new Worker(entry, {
    name: "holdfast-writer",
    workerData: { port: channel.port2, compileCache: compileCacheFolder() },
    transferList: [channel.port2],
  })
  worker.unref()
  const ended = new Promise((resolve) => {
    let death: unknown = null
    worker.on("error", (error) => (death = error))
    worker.on("exit", (code) => resolve(death ?? new Error(`the writer thread ended with code ${code}`)))
  })
  return { port: channel.port1, worker, ended }
}

/** A bundle puts the worker into a folder beside it. */
const workerEntry = (): URL =>
  new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./thread/worker.js", import.meta.url)

/** As whoever started the process has named it, or null where it keeps none; Node adds a folder for its version. */
function compileCacheFolder(): string | null {
  const versioned = getCompileCacheDir()
  return versioned === undefined ? null : dirname(versioned)
}
