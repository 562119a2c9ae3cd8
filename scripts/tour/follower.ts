/**
 * Follows the Session by sequence, through every death of the server: each connection goes on after
 * the last event that was seen. What is shown on the screen comes from here, and nowhere else.
 */
import {
  type LiveActivity,
  followDurable,
  followLive,
} from "../../packages/cli/src/conversation/following.ts"
import { makeTranscript } from "../../packages/cli/src/conversation/transcript.ts"
import type { Event, Fact, HoldfastClient } from "../../packages/sdk/src/index.ts"
import type { Screen } from "./screen.ts"

type FactType = Fact["type"]
type FactOf<T extends FactType> = Extract<Fact, { readonly type: T }>

export interface Follower {
  /** Every event seen, in the order of arrival. */
  readonly seen: readonly Event[]
  /** Events up to `shownBefore` are taken in without being shown. */
  readonly connect: (holdfast: HoldfastClient, sessionID: string, shownBefore?: number) => void
  readonly disconnect: () => Promise<void>
  /** The first event of this type that arrives from now on. */
  readonly next: <T extends FactType>(type: T, fits?: (fact: FactOf<T>) => boolean) => Promise<FactOf<T>>
  /** Resolves when the model has streamed so many characters from now on. */
  readonly nextText: (characters: number) => Promise<void>
  /** Resolves when the event with this sequence has been shown. */
  readonly reach: (seq: number) => Promise<void>
}

const waitMsMax = 20_000

export function makeFollower(screen: Screen): Follower {
  const transcript = makeTranscript(screen)
  const seen: Event[] = []
  const waiting = new Set<(event: Event | LiveActivity) => void>()
  let connection: { readonly stop: () => Promise<unknown> } | null = null
  const tell = (event: Event | LiveActivity) => {
    for (const look of waiting) look(event)
  }
  const until = (what: string, isIt: (event: Event | LiveActivity) => boolean) => {
    const found = new Promise<Event | LiveActivity>((resolve, reject) => {
      const end = (then: () => void) => {
        waiting.delete(look)
        clearTimeout(late)
        then()
      }
      const late = setTimeout(
        () => end(() => reject(new Error(`Waited ${waitMsMax / 1000} s in vain for ${what}.`))),
        waitMsMax,
      )
      const look = (event: Event | LiveActivity) => {
        if (isIt(event)) end(() => resolve(event))
        else if (hasFailed(event)) end(() => reject(new Error(event.reason?.message ?? `No ${what} came.`)))
      }
      waiting.add(look)
    })
    found.catch(() => {}) // told where it is awaited, which may be later
    return found
  }
  return {
    seen,
    connect: (holdfast, sessionID, shownBefore = 0) => {
      const durable = followDurable(holdfast, sessionID, seen.at(-1)?.seq ?? 0, (event) => {
        if (event.seq > shownBefore) transcript.takeDurable(event)
        seen.push(event)
        tell(event)
      })
      const live = followLive(holdfast, sessionID, (event) => {
        transcript.takeLive(event)
        tell(event)
      })
      // A server that was killed ends both with a failure, and that is no news.
      connection = { stop: () => Promise.allSettled([durable.stop(), live.stop()]) }
    },
    disconnect: async () => {
      await connection?.stop()
      connection = null
    },
    next: async <T extends FactType>(type: T, fits: (fact: FactOf<T>) => boolean = () => true) => {
      const isIt = (event: Event | LiveActivity) =>
        "fact" in event && event.fact.type === type && fits(event.fact as FactOf<T>)
      return ((await until(type, isIt)) as Event).fact as FactOf<T>
    },
    nextText: async (characters) => {
      let left = characters
      await until("text of the model", (event) => {
        if ("type" in event && event.type === "text-delta") left -= event.text.length
        return left <= 0
      })
    },
    reach: async (seq) => {
      if ((seen.at(-1)?.seq ?? 0) >= seq) return
      await until(`event ${seq}`, (event) => "seq" in event && event.seq >= seq)
    },
  }
}

const hasFailed = (event: Event | LiveActivity): event is Extract<LiveActivity, { type: "drain-end" }> =>
  "type" in event && event.type === "drain-end" && (event.status === "failed" || event.status === "blocked")
