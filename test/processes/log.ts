/**
 * What any log must keep to, however many processes wrote it and however they ended.
 *
 *   PR4  a prompt is admitted once and promoted once
 *   DR1  a turn is settled before the next one starts: there was no second drain
 *   TU2  a call starts once and settles once, before its turn does
 */
import { Effect } from "effect"
import type { Event } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { dataFile, openReadOnlyStore } from "@holdfast/store"

/** The whole log of a Session, read beside whoever works on it, without settling anything. */
export const readLog = (dataDir: string, sessionID: string): Promise<readonly Event[]> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const opened = openReadOnlyStore(dataFile(dataDir))
        const store = yield* Effect.acquireRelease(opened, (open) => Effect.ignore(open.close()))
        const { events, damage } = yield* store.events(sessionID as SessionId, 0, eventsMax)
        if (damage.length > 0) throw new Error(`Damaged events: ${JSON.stringify(damage)}`)
        return events
      }),
    ),
  )

const eventsMax = 100_000

/** Every breach of the rules above, as a sentence. `settled` asks that nothing is open at the end. */
export function complaintsOf(events: readonly Event[], settled = true): readonly string[] {
  const complaints: string[] = []
  const counts = new Map<string, number>()
  const openCalls = new Set<string>()
  let openTurn: string | null = null
  const complain = (seq: number, text: string) => complaints.push(`at ${seq}: ${text}`)
  const once = (seq: number, what: string) => {
    counts.set(what, (counts.get(what) ?? 0) + 1)
    if ((counts.get(what) ?? 0) > 1) complain(seq, `${what} a second time`)
  }
  const inTurn = (seq: number, turn: string, type: string) => {
    if (turn !== openTurn) complain(seq, `${type} of turn ${turn} while ${openTurn ?? "none"} is open`)
  }
  for (const [at, { seq, fact }] of events.entries()) {
    if (seq !== at + 1) complain(seq, `the sequence should be ${at + 1}`)
    if (fact.type === "prompt.admitted") once(seq, `prompt ${fact.prompt} admitted`)
    if (fact.type === "prompt.promoted") {
      once(seq, `prompt ${fact.prompt} promoted`)
      if (!counts.has(`prompt ${fact.prompt} admitted`)) complain(seq, `${fact.prompt} was never admitted`)
    }
    if (fact.type === "turn.started") {
      if (openTurn !== null) complain(seq, `turn ${fact.turn} started while ${openTurn} is open`)
      openTurn = fact.turn
    }
    if (fact.type === "part.recorded") inTurn(seq, fact.turn, fact.type)
    if (fact.type === "call.started") {
      inTurn(seq, fact.turn, fact.type)
      once(seq, `call ${fact.call} started`)
      openCalls.add(fact.call)
    }
    if (fact.type === "call.settled") {
      inTurn(seq, fact.turn, fact.type)
      once(seq, `call ${fact.call} settled`)
      openCalls.delete(fact.call)
    }
    if (fact.type === "turn.settled") {
      inTurn(seq, fact.turn, fact.type)
      for (const call of openCalls) complain(seq, `turn settled while call ${call} is open`)
      openTurn = null
    }
  }
  if (settled && openTurn !== null) complaints.push(`turn ${openTurn} is still open`)
  return complaints
}

/** Facts of one type, in order. */
export const factsOf = <T extends Event["fact"]["type"]>(
  events: readonly Event[],
  type: T,
): readonly Extract<Event["fact"], { type: T }>[] =>
  events.flatMap(({ fact }) => (fact.type === type ? [fact as Extract<Event["fact"], { type: T }>] : []))
