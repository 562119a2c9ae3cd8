/**
 * Following a Session: its durable events in order without a gap, its live ones as they come.
 *
 * Live events may be missed. Whoever joins in the middle of a part, or was cut off, is told what of
 * it came before.
 */
import {
  type Event,
  everyItem,
  follow,
  type HoldfastClient,
  isDeletion,
  isFailure,
  type LiveEvent,
} from "@holdfast/sdk"

/** What happens in a Session, as opposed to the life of the stream; what is on record is read there. */
export type LiveActivity = Exclude<Heard, { readonly type: "open-part" }>
type Heard = Exclude<Extract<LiveEvent, { readonly session: string }>, { readonly type: "committed" }>

export interface Following {
  /** Sequence of the last event shown. */
  readonly last: () => number
  /** Ends it, and rejects if it had ended in a failure. A repeat is safe. */
  readonly stop: () => Promise<void>
  /** Rejects when the events end in a failure. Never resolves before `stop`. */
  readonly ended: Promise<void>
}

export function followDurable(
  holdfast: HoldfastClient,
  sessionID: string,
  after: number,
  show: (event: Event) => void,
): Following {
  const events = follow(holdfast, { sessionID, after })[Symbol.asyncIterator]()
  let last = after
  const ended = (async () => {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      if (isDeletion(next.value)) continue
      show(next.value)
      last = next.value.seq
    }
  })()
  ended.catch(() => {}) // told by `stop`
  return {
    ended,
    last: () => last,
    stop: async () => {
      await events.return?.()
      await ended
    },
  }
}

export interface FollowingLive {
  readonly stop: () => Promise<void>
  /** Resolves when nothing is missed any more, or the stream has ended. */
  readonly connected: Promise<void>
  /** Resolves when the stream ends: the instance has closed, or cannot be reached any more. */
  readonly ended: Promise<void>
}

export function followLive(
  holdfast: HoldfastClient,
  sessionID: string,
  show: (event: LiveActivity) => void,
): FollowingLive {
  const inFull = makeCatchUp()
  let stopped = false
  let tellConnected = () => {}
  const connected = new Promise<void>((resolve) => (tellConnected = resolve))
  const subscribe = () => holdfast.events.subscribe({ sessionID })[Symbol.asyncIterator]()
  let events = subscribe()
  const ended = (async () => {
    for (;;) {
      let behind = false
      try {
        for (let next = await events.next(); next.done !== true; next = await events.next()) {
          const event = next.value
          if (event.type === "connected") tellConnected()
          if ("session" in event && event.type !== "committed") show(inFull(event))
          behind = event.type === "cut-off"
        }
      } catch (failure) {
        if (stopped || isFailure(failure, "ClientError")) return
        throw failure
      }
      if (!behind) return
      events = subscribe()
    }
  })()
  ended.catch(() => {}) // told by `stop`
  ended.then(tellConnected, tellConnected)
  return {
    connected,
    ended,
    stop: async () => {
      stopped = true
      await events.return?.()
      await ended
    },
  }
}

/** What a part said before its reader came, or while it was cut off, as the next piece of it. */
function makeCatchUp(): (event: Heard) => LiveActivity {
  const heard = new Map<string, number>()
  return (event) => {
    if (event.type === "attempt-failed") heard.clear()
    if (event.type === "text-delta" || event.type === "reasoning-delta")
      heard.set(`${event.turn}:${event.index}`, event.offset + event.text.length)
    if (event.type !== "open-part") return event
    const { session, turn, index, part, text } = event
    const offset = heard.get(`${turn}:${index}`) ?? 0
    return { session, type: `${part}-delta`, turn, index, text: text.slice(offset), offset }
  }
}

/** Events committed between the last one seen and the settlement. */
export async function showRest(
  { sessions }: HoldfastClient,
  sessionID: string,
  last: number,
  show: (event: Event) => void,
): Promise<void> {
  const events = everyItem((page) =>
    sessions.history({ sessionID, ...("cursor" in page ? page : { after: last }) }),
  )
  for await (const event of events) show(event)
}
