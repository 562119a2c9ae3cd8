/**
 * The runtime's end of the process that holds its terminals.
 *
 * The channel between the two is the lifeline: letting go of it, by stopping or by dying, makes the
 * other end take every terminal down. The process leads a session of its own, so that Ctrl-C in the
 * terminal of a server reaches the server alone, which then closes in its order.
 */
import { fileURLToPath } from "node:url"
import { forkBeside } from "../host/fork-beside.ts"
import type { FromHost, ToHost } from "./messages.ts"

export interface HostLink {
  readonly send: (message: ToHost) => void
  /** Ends the process, and all that is left of its terminals. */
  readonly stop: () => Promise<void>
}

export interface HostEvents {
  readonly onMessage: (message: FromHost) => void
  /** The process is gone, whether it was stopped or crashed. */
  readonly onGone: () => void
}

const readyMaxMs = 20_000
const stopMaxMs = 8_000
const detailLengthMax = 500

/** A bundle puts the program at the same place beside it. */
const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js"

/** Rejects with an Error that says why there can be no terminals. */
export function startHost({ onMessage, onGone }: HostEvents): Promise<HostLink> {
  const { child, complaint } = forkBeside(
    fileURLToPath(new URL(`./terminal-host${extension}`, import.meta.url)),
  )
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const stop = async () => {
    if (child.connected) child.disconnect()
    const cut = setTimeout(() => child.kill("SIGKILL"), stopMaxMs)
    await gone
    clearTimeout(cut)
  }
  const link: HostLink = {
    send: (message) => {
      // A message to one that just ended is answered by its end.
      if (child.connected) child.send(message, () => {})
    },
    stop,
  }
  return new Promise((resolve, reject) => {
    const fail = (detail: string) => {
      clearTimeout(timer)
      if (child.pid !== undefined) void stop()
      reject(new Error(detail.slice(-detailLengthMax)))
    }
    const timer = setTimeout(() => fail("The process for terminals did not start in time."), readyMaxMs)
    child.once("error", (error) => fail(error.message))
    child.once("exit", () => {
      fail(complaint() || "The process for terminals ended.")
      onGone()
    })
    child.on("message", (message: FromHost) => {
      if (message.kind === "unusable") return fail(message.detail)
      if (message.kind !== "ready") return onMessage(message)
      clearTimeout(timer)
      resolve(link)
    })
  })
}
