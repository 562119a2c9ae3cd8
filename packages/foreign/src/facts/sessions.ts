/**
 * Foreign sessions as Sessions of ours (IM1): each way through one becomes the log of a Session, which
 * the one import path takes. Pure but for images, which are made fit by whoever is asked.
 */
import type { Fact } from "@holdfast/schema/event"
import type { MessageId, SessionId, TurnId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { Agent, ForeignRecord, SkippedRecord, UsageRecord } from "../record.ts"
import { type Chain, chainsOf } from "./chains.ts"
import { cleanText } from "./clean.ts"
import { extendLog } from "./extend.ts"
import { GrowingLog } from "./growing-log.ts"
import {
  answerMessageIdOf,
  type ForeignSession,
  inputMessageIdOf,
  sessionIdOf,
  turnIdOf,
} from "./identity.ts"
import { takeImages, type TakeImage } from "./images.ts"
import { type Item, gatherItems } from "./items.ts"
import { type Entry, itemEntries, type Writing } from "./log.ts"
import { type Blob, pastOf } from "./past.ts"

export interface ImportedSession {
  readonly session: SessionId
  readonly source: ForeignSession
  /** Of a side chain: the Session that the one it belongs to becomes. */
  readonly parent: SessionId | null
  readonly title: string | null
  /** As recorded. */
  readonly directory: string | null
  /** Its events in order, from sequence 1. */
  readonly log: readonly Entry[]
  readonly blobs: readonly Blob[]
  readonly messages: number
  readonly calls: number
  /** What was counted for each turn that was a request. */
  readonly usage: ReadonlyMap<TurnId, readonly UsageRecord[]>
  readonly skipped: readonly SkippedRecord[]
}

export interface ImportChoices {
  readonly takeImage: TakeImage
  /** Where a Session works that was recorded in a directory. */
  readonly locate: (directory: string | null) => Promise<Location>
  /** What is stored of a Session; null where there is none of that id. */
  readonly stored: (session: SessionId) => Promise<readonly Entry[] | null>
}

/** What the file says of a session as a whole. */
interface Header {
  readonly agent: Agent
  readonly session: string
  readonly title: string | null
  readonly directory: string | null
  readonly createdAt: number | null
  /** The session that it is a side chain of. */
  readonly childOf: string | null
}

/** All records of one session; a way of it comes behind the one that it branches off. */
export async function importedSessions(
  records: readonly ForeignRecord[],
  choices: ImportChoices,
): Promise<readonly ImportedSession[]> {
  const header = headerOf(records)
  if (header === null) return []
  const { chains, skipped } = chainsOf(records)
  const images = await takeImages(records, choices.takeImage)
  const location = await choices.locate(header.directory)
  const made = new Map<Chain, ImportedSession>()
  for (const chain of chains) {
    const of: ForeignSession = { agent: header.agent, session: header.session, chain: chain.key }
    const { items, skipped: lost } = gatherItems(chain.records)
    const writing: Writing = { of, aside: header.childOf !== null, images, owners: ownersOf(items, of) }
    const fresh = freshLog(header, chain, items, writing, made.get(chain.parent ?? chain), location)
    const stored = await choices.stored(sessionIdOf(of))
    const log = stored === null ? fresh : extendLog(stored, items, writing)
    const own = chain.key === "" ? [...skipped, ...images.skipped, ...lost] : lost
    made.set(chain, importedOf(header, of, items, log, images.taken, own))
  }
  return [...made.values()]
}

function importedOf(
  { agent, title, directory, childOf }: Header,
  source: ForeignSession,
  items: readonly Item[],
  log: readonly Entry[],
  taken: readonly { readonly media: { readonly hash: string }; readonly bytes: Uint8Array }[],
  skipped: readonly SkippedRecord[],
): ImportedSession {
  const pasts = items.flatMap((item) => (item.kind === "turn" ? [pastOf(item)] : []))
  const blobs = [
    ...pasts.flatMap(({ tools, options }) => [tools, options]),
    ...taken.map(({ media, bytes }) => ({ hash: media.hash, bytes })),
  ]
  return {
    session: sessionIdOf(source),
    source,
    parent: childOf === null ? null : sessionIdOf({ agent, session: childOf, chain: "" }),
    title: title === null ? null : cleanText(title),
    directory,
    log,
    blobs: [...new Map(blobs.map((blob) => [blob.hash, blob])).values()],
    messages: log.filter(({ fact }) => isMessage(fact)).length,
    calls: log.filter(({ fact }) => fact.type === "part.recorded" && fact.part.type === "call").length,
    usage: new Map(
      items.flatMap((item) =>
        item.kind === "turn" && item.usage.length > 0
          ? [[turnIdOf(source, item.record.message), item.usage] as const]
          : [],
      ),
    ),
    skipped,
  }
}

const isMessage = ({ type }: Fact): boolean =>
  type === "prompt.promoted" || type === "notice.promoted" || type === "turn.started"

/** What later lines say of a session adds to what earlier ones said. */
const headerOf = (records: readonly ForeignRecord[]): Header | null =>
  records.reduce<Header | null>((header, record) => {
    if (record.type !== "session") return header
    return {
      agent: record.agent,
      session: record.session,
      title: record.title ?? header?.title ?? null,
      directory: record.directory ?? header?.directory ?? null,
      createdAt: header?.createdAt ?? record.createdAt,
      childOf: header?.childOf ?? (record.parent?.kind === "child" ? record.parent.session : null),
    }
  }, null)

function ownersOf(items: readonly Item[], of: ForeignSession): ReadonlyMap<string, MessageId> {
  const owners = new Map<string, MessageId>()
  for (const item of items) {
    if (item.kind === "prompt") owners.set(item.record.id, inputMessageIdOf(of, item.record.id))
    if (item.kind !== "turn") continue
    const message = answerMessageIdOf(of, item.record.message)
    const results = item.parts.flatMap(({ call }) => call?.result?.id ?? [])
    for (const id of [item.record.message, ...item.ids, ...results]) owners.set(id, message)
  }
  return owners
}

function freshLog(
  header: Header,
  chain: Chain,
  items: readonly Item[],
  writing: Writing,
  source: ImportedSession | undefined,
  location: Location,
): readonly Entry[] {
  const times = items.flatMap(({ record }) => record.at ?? [])
  const time = Math.max(0, Math.floor(header.createdAt ?? times[0] ?? 0))
  const log = new GrowingLog([{ time, fact: createdFact(header, location) }])
  for (const item of items) log.push(itemEntries(item, log.standing, writing))
  log.close(writing.aside)
  if (source === undefined || chain.parent === null) return log.entries
  const seq = sharedLength(source.log, log.entries)
  const [created, ...rest] = log.entries
  if (created?.fact.type !== "session.created" || seq < 2) return log.entries
  const message = writing.owners.get(chain.after ?? "")
  const origin = { kind: "fork", source: source.session, seq, ...(message && { message }) } as const
  const forked: Fact = { ...created.fact, origin }
  return [{ ...created, fact: forked }, ...rest]
}

const createdFact = (header: Header, location: Location): Fact => ({
  type: "session.created",
  kind: "primary",
  parent: null,
  origin: { kind: "import", source: `${header.agent}:${header.session}`, seq: 0 },
  location,
  title: header.title === null ? null : cleanText(header.title),
  titledBy: header.title === null ? "runtime" : "person",
  model: null,
  agent: "build",
  policy: "settle",
  onAsk: "wait",
  harness: `import/${header.agent}`,
})

/** How many events two logs share; prompts have ids of their own in each (PR2). */
function sharedLength(one: readonly Entry[], other: readonly Entry[]): number {
  const most = Math.min(one.length, other.length)
  let length = 1
  while (length < most && sameEntry(one[length] as Entry, other[length] as Entry)) length += 1
  return length
}

const sameEntry = (a: Entry, b: Entry): boolean =>
  a.time === b.time && JSON.stringify(unnamed(a.fact)) === JSON.stringify(unnamed(b.fact))

const unnamed = (fact: Fact): object => ("prompt" in fact ? { ...fact, prompt: "" } : fact)
