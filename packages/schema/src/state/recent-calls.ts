/**
 * Recent calls: the newest calls since somebody's words, and whether they go round in a circle (DR8).
 *
 * Kept with the Session's summary, so that a restart, a fork and another process know them. Of a call
 * only a fingerprint of what was asked and what came of it is kept; the order is that of the answers,
 * whichever call ended first. A look at a job that still runs begins anew: to wait is no loop.
 * Nothing here needs effect or Node: the writer of the store runs it.
 */
import type { Fact } from "../event.ts"
import type { CallId } from "../id.ts"
import type { Json } from "../json.ts"
import type { CallOutcome } from "../message.ts"

export interface RecentCall {
  readonly call: CallId
  readonly name: string
  /** Of the call; once it has settled, of the call with its result. */
  readonly mark: string
  readonly settled: boolean
}

/** Names of the calls that were repeated: one, or two that took turns. */
export type Loop = readonly [string] | readonly [string, string]

export const sameCallsMax = 5
export const roundsMax = 4

/** What either kind of loop needs to be seen. */
const callsMax = Math.max(sameCallsMax, 2 * roundsMax)

/** Facts that concern no call leave the very list. */
export function advanceCalls(calls: readonly RecentCall[], fact: Fact): readonly RecentCall[] {
  switch (fact.type) {
    case "prompt.promoted":
    case "revert.applied":
      return calls.length === 0 ? calls : []
    case "part.recorded": {
      if (fact.part.type !== "call") return calls
      const { call, name, input } = fact.part
      const asked: RecentCall = {
        call,
        name,
        mark: fingerprint([name, sortedJson(input)]),
        settled: false,
      }
      return [...calls, asked].slice(-callsMax)
    }
    case "call.settled":
      return fact.outcome.stillRunning === true
        ? []
        : calls.map((recent) => (recent.call === fact.call ? settledCall(recent, fact.outcome) : recent))
    default:
      return calls
  }
}

/** The calls that go round in a circle just now, if they do. */
export function findLoop(calls: readonly RecentCall[]): Loop | null {
  const last = calls.at(-1)
  const other = calls.at(-2)
  if (last === undefined || other === undefined) return null
  const newest = calls.toReversed()
  const repeats = (count: number, every: 1 | 2): boolean =>
    newest.length >= count &&
    newest.slice(0, count).every(({ mark, settled }, at) => settled && mark === newest[at % every]?.mark)
  if (repeats(sameCallsMax, 1)) return [last.name]
  return last.mark !== other.mark && repeats(2 * roundsMax, 2) ? [other.name, last.name] : null
}

const settledCall = (
  call: RecentCall,
  { state, errorCode, output, images = [] }: CallOutcome,
): RecentCall => ({
  ...call,
  settled: true,
  mark: fingerprint([call.mark, state, errorCode ?? "", ...images.map(({ hash }) => hash), output]),
})

/** The order of members says nothing about what is asked for. */
function sortedJson(value: Json): string {
  return JSON.stringify(value, (_key, item: Json) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

/** 64 bits of some lines of text, by two runs of the multiplication and mixing of MurmurHash3. */
function fingerprint(lines: readonly string[]): string {
  let one = 0xdead_beef
  let two = 0x41c6_ce57
  let at = 0
  for (const line of lines) {
    for (; at < line.length; at++) {
      const unit = at < 0 ? lineEnd : line.charCodeAt(at)
      one = Math.imul(one ^ unit, 0x9e37_79b1)
      two = Math.imul(two ^ unit, 0x5f35_6495)
    }
    at = -1 // the others have a line end before them
  }
  const mixed = (half: number, other: number) =>
    (Math.imul(half ^ (half >>> 16), 0x85eb_ca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2_ae35)) >>> 0
  return [mixed(one, two), mixed(two, one)].map((half) => half.toString(16).padStart(8, "0")).join("")
}

const lineEnd = 10
