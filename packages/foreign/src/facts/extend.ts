/**
 * More of a session that was imported before (IM1): what is stored stays as it is, and what the file
 * tells beyond it goes behind. An earlier import may have ended within an answer, so that calls were
 * settled as interrupted: a result that came since then is a notice, since a call settles once (TU2).
 */
import type { CallId, TurnId } from "@holdfast/schema/id"
import { GrowingLog } from "./growing-log.ts"
import { callIdOf, importedMark, inputMessageIdOf, noticeIdOf, promptIdOf, turnIdOf } from "./identity.ts"
import type { Item, TurnItem } from "./items.ts"
import { itemEntries, type Entry, importEncoder, noResult, noticeOf, type Writing } from "./log.ts"
import { cleanText } from "./clean.ts"

/** The whole log: that part of the stored one which imports wrote, then what it lacks. */
export function extendLog(
  stored: readonly Entry[],
  items: readonly Item[],
  writing: Writing,
): readonly Entry[] {
  const begun = importedPart(stored)
  const log = new GrowingLog(begun)
  const known = knownOf(begun)
  const lastKnown = items.findLastIndex((item) => isKnown(item, known, writing))
  for (const [at, item] of items.entries()) {
    if (isKnown(item, known, writing)) {
      if (item.kind === "turn") addLate(log, item, known, writing)
    } else if (item.kind !== "compaction" || at > lastKnown) {
      log.push(itemEntries(item, log.standing, writing))
    }
  }
  if (log.entries.length > begun.length) log.close(writing.aside)
  return log.entries
}

/** Up to where somebody went on with it here. */
function importedPart(stored: readonly Entry[]): readonly Entry[] {
  const own = stored.findIndex(
    ({ fact }) =>
      (fact.type === "prompt.admitted" && !fact.prompt.startsWith(importedMark)) ||
      (fact.type === "turn.started" && fact.request.encoder !== importEncoder),
  )
  return own < 0 ? stored : stored.slice(0, own)
}

interface Known {
  /** Ids of prompts and notices. */
  readonly inputs: ReadonlySet<string>
  /** Parts of each turn. */
  readonly parts: ReadonlyMap<TurnId, number>
  /** Calls that were settled because there was no result. */
  readonly unsettled: ReadonlySet<CallId>
  /** Turns of which no count was known. */
  readonly uncounted: ReadonlySet<TurnId>
}

function knownOf(entries: readonly Entry[]): Known {
  const inputs = new Set<string>()
  const parts = new Map<TurnId, number>()
  const unsettled = new Set<CallId>()
  const uncounted = new Set<TurnId>()
  for (const { fact } of entries) {
    if (fact.type === "prompt.admitted") inputs.add(fact.prompt)
    if (fact.type === "notice.admitted") inputs.add(fact.notice)
    if (fact.type === "turn.started") parts.set(fact.turn, 0)
    if (fact.type === "part.recorded") parts.set(fact.turn, (parts.get(fact.turn) ?? 0) + 1)
    if (fact.type === "call.settled" && fact.outcome.output === noResult) unsettled.add(fact.call)
    if (fact.type === "turn.settled" && fact.ledger.accuracy === "incomplete") uncounted.add(fact.turn)
  }
  return { inputs, parts, unsettled, uncounted }
}

function isKnown(item: Item, { inputs, parts }: Known, { of }: Writing): boolean {
  switch (item.kind) {
    case "prompt":
      return inputs.has(promptIdOf(of, item.record.id)) || inputs.has(noticeIdOf(of, item.record.id))
    case "turn":
      return parts.has(turnIdOf(of, item.record.message))
    case "compaction":
      return false
  }
}

/** What an answer said, and what came of its calls, since it was imported. */
function addLate(log: GrowingLog, item: TurnItem, known: Known, writing: Writing): void {
  const { of } = writing
  for (const { part, call } of item.parts) {
    if (part.type !== "call" || call === null || call.result === null) continue
    const own = callIdOf(of, part.call, call.nth)
    const native = `result ${part.call} ${call.nth}`
    const id = noticeIdOf(of, native)
    if (!known.unsettled.has(own) || known.inputs.has(id)) continue
    const { seq, time } = log.standing
    const text = `The result of the call of ${cleanText(part.name)} that was not known above:\n\n${cleanText(call.result.text)}`
    const source = `import:${native}`.slice(0, 100)
    log.push(noticeOf({ id, source, message: inputMessageIdOf(of, native), text, time, seq }))
  }
  const from = partsKnown(item, known, writing)
  if (from >= item.parts.length) return
  const usage = known.uncounted.has(turnIdOf(of, item.record.message)) ? item.usage : []
  const record = {
    ...item.record,
    message: `${item.record.message}+${from}`,
    at: item.parts[from]?.at ?? null,
  }
  const late: TurnItem = { ...item, record, parts: item.parts.slice(from), usage }
  log.push(itemEntries(late, log.standing, writing))
}

/** How many of its parts are on record, in the turn itself and in those that went on with it. */
function partsKnown({ record }: TurnItem, { parts }: Known, { of }: Writing): number {
  let count = parts.get(turnIdOf(of, record.message)) ?? 0
  for (;;) {
    const more = parts.get(turnIdOf(of, `${record.message}+${count}`)) ?? 0
    if (more === 0) return count
    count += more
  }
}
