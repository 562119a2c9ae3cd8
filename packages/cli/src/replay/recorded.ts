/** Recorded Sessions as a replay takes them: their events, and what was counted for each request then. */
import {
  importedSessions,
  gatherSessions,
  readSource,
  type ImportedSession,
  type Source,
} from "@holdfast/foreign"
import type { Event } from "@holdfast/schema/event"
import { factVersions } from "@holdfast/schema/fact/version"
import type { TurnId } from "@holdfast/schema/id"
import { fitImage } from "@holdfast/sdk/images"
import type { ReplayQuestion } from "@holdfast/sdk/replay"
import type { Counted } from "./oracle.ts"

export interface RecordedSession {
  readonly name: string
  readonly events: readonly Event[]
  /** Turns that were requests; null where nothing was counted. */
  readonly requests: ReadonlyMap<TurnId, Counted | null>
  /** What is configured of its models; of what others recorded nothing is. */
  readonly configured?: NonNullable<ReplayQuestion["configured"]>
}

/** Every way through every session of a file of another agent, or through one of them. */
export async function recordedIn(source: Source, session?: string): Promise<readonly RecordedSession[]> {
  const sessions: RecordedSession[] = []
  const wants = (root: string) => session === undefined || root === session
  for (const records of (await gatherSessions(readSource(source), wants)).values()) {
    const imported = await importedSessions(records, {
      takeImage: fitImage,
      locate: async (directory) => ({ directory: directory || "/", projectRoot: directory || "/" }),
      stored: async () => null,
    })
    sessions.push(...imported.map(recordedOf))
  }
  return sessions
}

function recordedOf({ session, source, log, usage }: ImportedSession): RecordedSession {
  const events = log.map(({ time, fact }, index): Event => {
    const version = factVersions[fact.type]
    return { session, seq: index + 1, version, time, fact }
  })
  const counted = new Map(
    [...usage].map(([turn, requests]) => [turn, requests.map(countedOf).reduce(sum)] as const),
  )
  return { name: source.session, events, requests: ownRequests(events, counted) }
}

const countedOf = ({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Counted): Counted => ({
  input,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h,
})

const sum = (a: Counted, b: Counted): Counted => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
  cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
})

/** A Session of ours: every turn tells what was counted for it. */
export function recordedLog(name: string, events: readonly Event[]): RecordedSession {
  const lives = new Map<TurnId, string>()
  const counted = new Map<TurnId, Counted>()
  for (const { fact } of events) {
    if (fact.type === "turn.started") lives.set(fact.turn, fact.request.markers.at(-1)?.lifetime ?? "")
    if (fact.type !== "turn.settled") continue
    const { input, cacheRead, cacheWrite } = fact.ledger.usage
    const long = lives.get(fact.turn) === "1h"
    const written = { cacheWrite5m: long ? 0 : cacheWrite, cacheWrite1h: long ? cacheWrite : 0 }
    if (input + cacheRead + cacheWrite > 0) counted.set(fact.turn, { input, cacheRead, ...written })
  }
  return { name, events, requests: ownRequests(events, counted) }
}

/** A fork asked for nothing that it copied. Where nothing at all was counted, every turn was a request. */
function ownRequests(
  events: readonly Event[],
  counted: ReadonlyMap<TurnId, Counted>,
): ReadonlyMap<TurnId, Counted | null> {
  const created = events[0]?.fact
  const origin = created?.type === "session.created" ? created.origin : null
  const copied = origin?.kind === "fork" ? origin.seq : 0
  const own = events.flatMap(({ seq, fact }) =>
    fact.type === "turn.started" && seq > copied ? [fact.turn] : [],
  )
  return new Map(
    own.flatMap((turn) =>
      counted.size === 0
        ? [[turn, null] as const]
        : counted.has(turn)
          ? [[turn, counted.get(turn) ?? null] as const]
          : [],
    ),
  )
}
