/**
 * Following a Session: its durable events in order without a gap, its live ones as they come.
 *
 * Live events may be missed. Whoever joins in the middle of a part cannot know what of it came
 * before, so the deltas of that part are left out and its durable event brings it whole.
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

/** What happens in a Session, as opposed to the life of the stream. */
export type LiveActivity = Extract<LiveEvent, { readonly session: string }>

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

/** `joined` is the turn that was open when this began, or null. */
export function followLive(
  holdfast: HoldfastClient,
  sessionID: string,
  joined: string | null,
  show: (event: LiveActivity) => void,
): FollowingLive {
  const gate = makeGate(joined)
  let stopped = false
  let tellConnected = () => {}
  const connected = new Promise<void>((resolve) => (tellConnected = resolve))
  let events = holdfast.events.subscribe()[Symbol.asyncIterator]()
  const ended = (async () => {
    for (;;) {
      let behind = false
      try {
        for (let next = await events.next(); next.done !== true; next = await events.next()) {
          const event = next.value
          if (event.type === "connected") tellConnected()
          if ("session" in event && event.session === sessionID && gate.isWhole(event)) show(event)
          behind = event.type === "cut-off"
        }
      } catch (failure) {
        if (stopped || isFailure(failure, "ClientError")) return
        throw failure
      }
      if (!behind) return
      gate.missed()
      events = holdfast.events.subscribe()[Symbol.asyncIterator]()
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

/** Lets no delta pass of a part whose beginning was not seen. */
function makeGate(joined: string | null) {
  let suspect: (turn: string) => boolean = (turn) => turn === joined
  let halfSeen: string | null = null
  return {
    isWhole: (event: LiveActivity): boolean => {
      if (event.type !== "text-delta") return true
      const part = `${event.turn}:${event.index}`
      if (halfSeen === null && suspect(event.turn)) halfSeen = part
      return part !== halfSeen
    },
    /** Events were missed, so the next part that is heard of may be half seen. */
    missed: (): void => {
      suspect = () => true
      halfSeen = null
    },
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
