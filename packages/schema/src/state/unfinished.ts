/**
 * What a log has begun and not ended: it belongs to the Session that waits for it, so a copy of the
 * log leaves it out (PE6). Nothing here needs effect: the writer of the store runs it.
 *
 *   prompt, notice   admitted ──▶ promoted | cancelled
 *   ask              raised ──▶ answered | withdrawn
 *   signal           raised ──▶ consumed by a pass
 *   command          started ──▶ ended
 *   revert           staged ──▶ applied | undone
 */
import type { Event, Fact } from "../event.ts"

/** Takes a log fact by fact, so that a long one can be read in steps. */
export class Unfinished {
  readonly #open = new Map<string, readonly number[]>()

  see({ seq, fact }: Pick<Event, "seq" | "fact">): void {
    const { begins, ends } = threadsOf(fact)
    if (begins !== null) this.#open.set(begins, [...(this.#open.get(begins) ?? []), seq])
    for (const thread of ends) this.#open.delete(thread)
  }

  /** Sequences of the facts that began, or went on with, something that no later fact has ended. */
  sequences(): ReadonlySet<number> {
    return new Set([...this.#open.values()].flat())
  }
}

interface Threads {
  readonly begins: string | null
  readonly ends: readonly string[]
}

const begins = (thread: string): Threads => ({ begins: thread, ends: [] })
const ends = (...threads: readonly string[]): Threads => ({ begins: null, ends: threads })

function threadsOf(fact: Fact): Threads {
  switch (fact.type) {
    case "prompt.admitted":
    case "prompt.edited":
      return begins(`prompt ${fact.prompt}`)
    case "prompt.promoted":
    case "prompt.cancelled":
      return ends(`prompt ${fact.prompt}`)
    case "notice.admitted":
      return begins(`notice ${fact.notice}`)
    case "notice.promoted":
      return ends(`notice ${fact.notice}`)
    case "ask.raised":
      return begins(`ask ${fact.ask}`)
    case "ask.answered":
    case "ask.withdrawn":
      return ends(`ask ${fact.ask}`)
    case "signal.raised":
      return begins(`signal ${fact.signal}`)
    case "pass.applied":
      return ends(...fact.consumes.map((signal) => `signal ${signal}`))
    case "command.started":
      return begins(`command ${fact.command}`)
    case "command.ended":
      return ends(`command ${fact.command}`)
    case "revert.staged":
      return begins(`revert ${fact.revert}`)
    case "revert.applied":
    case "revert.undone":
      return ends(`revert ${fact.revert}`)
    default:
      return ends()
  }
}
