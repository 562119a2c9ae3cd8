/**
 * Chains: the ways through a foreign session, each from the beginning to its end (IM1).
 *
 * Records come in file order, and a `branch` record says that what follows continues after an earlier
 * message. The first way is the one that the file begins with; each branch is a way of its own, which
 * shares what went before. A branch from the end of a known way goes on with that one.
 */
import type { ForeignRecord, SkippedRecord } from "../record.ts"

export interface Chain {
  /** "" for the first, else the id of its first own message. */
  readonly key: string
  readonly parent: Chain | null
  /** The message that a branch goes on from; null where it shares nothing. */
  readonly after: string | null
  /** What it shares comes first. */
  readonly records: readonly ForeignRecord[]
}

/** The records of one session. What leads nowhere is told in `skipped`. */
export function chainsOf(records: Iterable<ForeignRecord>): {
  readonly chains: readonly Chain[]
  readonly skipped: readonly SkippedRecord[]
} {
  let current = growing("", null, null, [])
  const chains: Growing[] = [current]
  const skipped: SkippedRecord[] = []
  for (const record of records) {
    if (record.type === "session" || record.type === "setting") continue
    if (record.type === "skipped") {
      skipped.push(record)
      continue
    }
    if (record.type !== "branch") {
      if (current.key === null && "id" in record) current.key = record.id
      current.records.push(record)
      continue
    }
    const found = findPlace(chains, current, record.after)
    if (found === null) {
      const { session, line, after } = record
      const detail = `a branch from ${after}, which is not there`
      skipped.push({ type: "skipped", session, line, why: "wrong-shape", detail })
    } else if (isEnd(found)) {
      current = found.chain
    } else {
      current = growing(null, found.chain, record.after, found.chain.records.slice(0, found.length))
      chains.push(current)
    }
  }
  return { chains: chains.flatMap(settled), skipped }
}

interface Growing {
  key: string | null
  readonly parent: Growing | null
  readonly after: string | null
  readonly records: ForeignRecord[]
  made: Chain | null
}

const growing = (
  key: string | null,
  parent: Growing | null,
  after: string | null,
  records: ForeignRecord[],
): Growing => ({ key, parent, after, records, made: null })

interface Place {
  readonly chain: Growing
  /** How many records a branch from here shares. */
  readonly length: number
}

const isEnd = ({ chain, length }: Place): boolean => length === chain.records.length

/** Where a message stands: on the way that is written just now, or on the newest that has it. */
function findPlace(chains: readonly Growing[], current: Growing, after: string | null): Place | null {
  if (after === null) return { chain: current, length: 0 }
  for (const chain of [current, ...chains.toReversed()]) {
    const at = chain.records.findLastIndex((record) => "id" in record && record.id === after)
    if (at >= 0) return { chain, length: endOf(chain.records, at) }
  }
  return null
}

/** What was counted for a message belongs to it. */
function endOf(records: readonly ForeignRecord[], at: number): number {
  let end = at + 1
  while (records[end]?.type === "usage") end += 1
  return end
}

/** A branch on which nothing was said is none. */
function settled(chain: Growing): readonly Chain[] {
  if (chain.key === null || chain.records.length === 0) return []
  return [chainMade(chain)]
}

function chainMade(chain: Growing): Chain {
  if (chain.made !== null) return chain.made
  const { key, parent, after, records } = chain
  const origin = after === null || parent?.key === null ? null : parent
  chain.made = { key: key ?? "", parent: origin && chainMade(origin), after, records }
  return chain.made
}
