/** Waiting for a fact of the outside world that tells nobody when it comes true. */
import { setTimeout as pause } from "node:timers/promises"

const pollMs = 20

/** The first value that is neither undefined nor false; fails at the deadline, saying what was awaited. */
export async function eventually<A>(
  what: string,
  timeoutMs: number,
  look: () => A | undefined | false | Promise<A | undefined | false>,
): Promise<A> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() >= deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}.`)
    await pause(pollMs)
  }
}
