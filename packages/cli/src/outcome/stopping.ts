/**
 * Stopping: commands that work for long are told to stop, by Ctrl-C or by whoever ends processes (SU4).
 *
 * The first time they say what is done, and give everything back in good order: a job that is at work is settled, with
 * what is known of its cost. A server does to its end what it was asked for (PR5). The second time they end at once, and
 * the next start of Holdfast settles what is left.
 */
import type { Opened } from "../opened.ts"
import { exitCode } from "./exit-code.ts"
import { stoppedRecord } from "./outcome.ts"
import type { Terminal } from "../terminal.ts"

export interface LongWork<A> {
  readonly opened: Pick<Opened, "close" | "server">
  readonly json?: boolean | undefined
  readonly work: () => Promise<A>
  /** A sentence or two for somebody who has stopped it; asked while everything is open. */
  readonly soFar: () => Promise<string>
}

/** Null where it was stopped: all is said, and the command ends with `exitCode.interrupted`. */
export async function untilStopped<A>(terminal: Terminal, long: LongWork<A>): Promise<A | null> {
  const { promise: stopped, resolve } = Promise.withResolvers<null>()
  let asked = false
  const release = terminal.onStop(() => {
    if (asked) terminal.exit(exitCode.interrupted)
    asked = true
    void stop(terminal, long).finally(() => resolve(null))
  })
  try {
    // What the work says once everything is closed under it is nobody's concern.
    return await Promise.race([long.work().catch((failure: unknown) => endOf(failure, asked)), stopped])
  } finally {
    release()
  }
}

const endOf = (failure: unknown, asked: boolean): Promise<never> =>
  asked ? new Promise(() => {}) : Promise.reject(failure as Error)

async function stop(terminal: Terminal, { opened, json, soFar }: LongWork<unknown>): Promise<void> {
  const message =
    opened.server === null
      ? `Stopped. ${await soFar().catch(() => unreadable)}`
      : `Waiting no longer: the server at ${opened.server.url} goes on with it to its end.`
  terminal.complain(message)
  if (json === true)
    terminal.write(`${JSON.stringify(stoppedRecord("interrupted", { code: "interrupted", message }))}\n`)
  await opened.close().catch(() => null) // the process ends; the next start settles what is left
}

const unreadable = "What was done so far stays. Repeat the command to go on."
