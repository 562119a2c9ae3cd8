/**
 * The loop of the writer thread.
 *
 * Commands that were posted while the last transaction synced are taken together into the next
 * one. Replies leave after COMMIT (PR1). What takes several transactions queues up again behind them. Housekeeping runs between transactions when it is due,
 * and when nothing has come for a while.
 */
import { receiveMessageOnPort } from "node:worker_threads"
import type { MessagePort } from "node:worker_threads"
import { explain } from "../failure.ts"
import type { FailureFields } from "../failure.ts"
import { batchLength, openDriver } from "../sqlite/driver.ts"
import type { Driver } from "../sqlite/driver.ts"
import type { FromWriter, Numbered, ToWriter, WriterOptions } from "./message.ts"

/** The part of a MessagePort that the loop needs. */
export interface WriterPort {
  readonly post: (message: FromWriter) => void
  /** What has arrived and was not delivered yet, or null. Does not wait. */
  readonly take: () => ToWriter | null
  readonly onMessage: (deliver: (message: ToWriter) => void) => void
  readonly close: () => void
}

export const portOf = (port: MessagePort): WriterPort => ({
  post: (message) => port.postMessage(message),
  take: () => receiveMessageOnPort(port)?.message ?? null,
  onMessage: (deliver) => void port.on("message", deliver),
  close: () => port.close(),
})

export function runWriter(port: WriterPort): void {
  let writing: ((message: ToWriter) => void) | null = null
  port.onMessage((message) => {
    if (message.kind === "open") writing = openWriting(port, message.options)
    else writing?.(message)
  })
}

/** What is done with each message from now on; null where the store cannot be opened. */
function openWriting(port: WriterPort, options: WriterOptions): ((message: ToWriter) => void) | null {
  let driver: Driver
  try {
    driver = openDriver(options)
  } catch (cause) {
    port.post({ kind: "refused", failure: explain(cause) })
    port.close()
    return null
  }
  const idle = makeIdle(driver)
  port.post({ kind: "ready" })
  return (message) => {
    idle.stop()
    if (message.kind === "commands" && !commitAll(port, driver, message.commands)) return idle.start()
    closeAll(port, driver)
  }
}

/** Commits these and all that arrives meanwhile; true if the end was announced in between. */
function commitAll(port: WriterPort, driver: Driver, first: readonly Numbered[]): boolean {
  let queue = [...first]
  let closing = false
  while (queue.length > 0) {
    for (let more = port.take(); more !== null; more = port.take()) {
      if (more.kind === "commands") queue.push(...more.commands)
      else closing = true
    }
    const length = batchLength(queue.map((numbered) => numbered.command))
    const batch = queue.slice(0, length)
    queue = queue.slice(length)
    const result = driver.apply(batch.map((numbered) => numbered.command))
    port.post({
      kind: "committed",
      replies: batch.flatMap(({ id }, index) => {
        const reply = result.replies[index]
        return reply === undefined || reply === "unfinished" ? [] : [[id, reply] as const]
      }),
      advances: result.advances,
    })
    queue.push(...batch.filter((_, index) => result.replies[index] === "unfinished"))
    driver.maintain("between-batches")
  }
  return closing
}

function closeAll(port: WriterPort, driver: Driver): void {
  let failure: FailureFields | null = null
  try {
    driver.close()
  } catch (cause) {
    failure = explain(cause)
  }
  port.post({ kind: "closed", failure })
  port.close()
}

const idleMs = 250

function makeIdle(driver: Driver) {
  let timer: NodeJS.Timeout | null = null
  const stop = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }
  const start = (delayMs = idleMs): void => {
    stop()
    timer = setTimeout(() => {
      if (driver.maintain("idle")) start(0)
    }, delayMs)
    timer.unref()
  }
  return { start, stop }
}
