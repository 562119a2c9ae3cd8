/**
 * Project memory in the two history slots (HB2): the Baseline holds what fitted its budget when it was made,
 * the Delta what was written or changed since. Of changes only those of ids in the Baseline are told,
 * each once and as it stands now. What a Baseline was made from is stored with it, so that nothing
 * changes a byte between two breaks: neither an expiry nor what another Session wrote (PS1).
 */
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { KeyFile } from "@holdfast/schema/memory/dream"
import type { Memory } from "@holdfast/schema/memory/memory"
import { partnerId } from "@holdfast/schema/memory/partner"
import { tokensOf } from "./historian/words.ts"

/** The memory of a project at a boundary. */
export interface KnownMemory {
  /** Last place of the project's log, and that of the last edit from outside. */
  readonly seq: number
  readonly epoch: number
  /** Whose memory it is: another says that all of it is another. */
  readonly scope?: string
  /** Those that hold now, by id. */
  readonly memories: readonly Shown[]
  /** The other projects of its workspace with what they share; absent where there are none (WS1). */
  readonly partners?: readonly KnownPartner[]
  /** Absent where key files are not enabled (KF1). */
  readonly keyFiles?: readonly Pick<KeyFile, "path" | "text">[]
  /** Lines about the user; absent where the profile is not enabled (UP1). */
  readonly profile?: readonly string[]
}

type Shown = Pick<Memory, "category" | "text" | "changedSeq"> & { readonly id: string }

export interface KnownPartner {
  readonly key: number
  readonly root: string
  readonly seq: number
  readonly epoch: number
  readonly memories: readonly Shown[]
}

export interface MemoryMarker {
  /** Place of the project's log that the Baseline was made at. */
  readonly seq: number
  readonly scope?: string
  /** The same places of the logs of its partners, by their keys. */
  readonly partners?: Readonly<Record<string, number>>
  /** The last edit from outside that a Delta tells where no Baseline held memory before it. */
  readonly epoch?: number
  /** Ids that stand in it. */
  readonly ids: readonly string[]
  /** What the Delta says of memory, and how many changes of the Baseline these are. */
  readonly delta: string
  readonly updates: number
}

const memoryTokensMax = 4_000
/** Of what all of the history may take. */
const memoryShareMax = 0.25
/** HB3: more changes than this are taken into a Baseline. */
export const memoryUpdatesMax = 40

export const memoryBudget = (historyTokens: number): number =>
  Math.max(0, Math.min(memoryTokensMax, Math.floor(historyTokens * memoryShareMax)))

/** What a Baseline says, newest first where not all fits; the order is that of projects, categories and ids. */
export function memoryBaseline(
  known: KnownMemory | null | undefined,
  budgetTokens: number,
): { readonly text: string; readonly marker: MemoryMarker | null } {
  if (known === null || known === undefined || isEmpty(known)) return { text: "", marker: null }
  const groups = groupsOf(known)
  const chosen = chooseFitting(groups, budgetTokens - tokensOf(head))
  const shown = groups.map((group) => ({
    ...group,
    memories: ordered(group.memories.filter(({ id }) => chosen.has(id))),
  }))
  const ids = shown.flatMap(({ memories }) => memories.map(({ id }) => id as string))
  const own = shown[0]?.memories ?? []
  // It says whose workspace it is even where nobody has anything to share: a Fold is done once (WS1).
  const parts = shown
    .slice(1)
    .flatMap(({ root, memories }) =>
      memories.length === 0 ? [] : [fromHead(root as string), ...grouped(memories)],
    )
  const partners = known.partners === undefined ? [] : [partnersHead(known.partners), ...parts]
  const text = ids.length + partners.length === 0 ? "" : [head, ...grouped(own), ...partners].join("\n")
  return { text, marker: { ...placesOf(known), ids, delta: "", updates: 0 } }
}

const isEmpty = ({ seq, partners }: KnownMemory): boolean => seq === 0 && partners === undefined

/** Where the logs of the project and of its partners end. */
const placesOf = ({
  seq,
  scope,
  partners,
}: KnownMemory): Pick<MemoryMarker, "seq" | "scope" | "partners"> => ({
  seq,
  ...(scope !== undefined && { scope }),
  ...(partners !== undefined && {
    partners: Object.fromEntries(partners.map((partner) => [partner.key, partner.seq])),
  }),
})

interface Group {
  /** Null for the project itself. */
  readonly key: number | null
  readonly root: string | null
  readonly memories: readonly Shown[]
}

const groupsOf = ({ memories, partners = [] }: KnownMemory): readonly Group[] => [
  { key: null, root: null, memories },
  ...partners.map(({ key, root, memories: theirs }) => ({
    key,
    root,
    memories: theirs.map((memory) => ({ ...memory, id: partnerId(memory.id, key) })),
  })),
]

/** Each project has an equal part of the room first, and what others leave of it then. */
function chooseFitting(groups: readonly Group[], budgetTokens: number): ReadonlySet<string> {
  const chosen = new Set<string>()
  const choose = ({ memories }: Group, roomTokens: number): number => {
    let left = roomTokens
    for (const memory of memories.toReversed()) {
      const tokens = tokensOf(line(memory)) + 1
      if (tokens > left || chosen.has(memory.id)) continue
      left -= tokens
      chosen.add(memory.id)
    }
    return left
  }
  const part = Math.floor(budgetTokens / groups.length)
  let left = groups.reduce((rest, group) => rest - (part - choose(group, part)), budgetTokens)
  for (const group of groups) left = choose(group, left)
  return chosen
}

/** What a historian reads of it: the newest that fit, a line each (HI10). */
export function knownLines(memories: KnownMemory["memories"]): readonly string[] {
  const lines = memories.map(({ category, text }) => `[${category}] ${text.replaceAll(/\s+/g, " ")}`)
  return fitting(lines.toReversed()).toReversed()
}

/** What has come since; the marker as it was where nothing has. */
export function memoryDelta(
  known: KnownMemory | null | undefined,
  before: MemoryMarker | null,
): MemoryMarker | null {
  if (known === null || known === undefined || isEmpty(known)) return before
  const { seq, ids, partners } = before ?? { seq: 0, ids: [] }
  const held = new Set(ids)
  const groups = groupsOf(known)
  const since = ({ key }: Group): number => (key === null ? seq : (partners?.[key] ?? 0))
  const now = new Map(
    groups.flatMap((group) =>
      group.memories.map((memory) => [
        memory.id as string,
        { memory, changed: memory.changedSeq > since(group) },
      ]),
    ),
  )
  const fresh = groups.flatMap((group) => {
    const lines = grouped(
      ordered(group.memories.filter(({ id, changedSeq }) => !held.has(id) && changedSeq > since(group))),
    )
    return group.root === null || lines.length === 0 ? lines : [fromHead(group.root), ...lines]
  })
  const changed = ids.flatMap((id) => {
    const found = now.get(id)
    if (found === undefined) return [`${id} holds no more.`]
    return found.changed ? [`${line(found.memory)} (changed)`] : []
  })
  const kept = fitting(fresh)
  const delta = [
    ...(kept.length === 0 ? [] : [`${sinceHead}\n${kept.join("\n")}`]),
    ...(changed.length === 0 ? [] : [`${changesHead}\n${changed.join("\n")}`]),
  ].join("\n")
  if (delta === "" && before === null) return null
  const scope = before?.scope ?? known.scope
  const epoch = before === null ? known.epoch : before.epoch
  return {
    seq,
    ...(scope !== undefined && { scope }),
    ...(partners !== undefined && { partners }),
    ...(epoch !== undefined && { epoch }),
    ids,
    delta,
    updates: changed.length,
  }
}

/** Ids that a window shows: those of its Baseline, and those that its Delta tells of (SE1). */
export const memoryIds = (marker: MemoryMarker | null | undefined): readonly string[] => [
  ...(marker?.ids ?? []),
  ...[...(marker?.delta ?? "").matchAll(lineId)].map(([, id]) => id as string),
]

const lineId = /^(?:\[\w+\] )?(m\d+(?:@\d+)?) /gm

/** HB3: whether somebody edited from outside what a slot may show, since its Baseline was made, or said that the memory is another's. */
export function isMemoryOutdated(
  known: KnownMemory | null | undefined,
  marker: MemoryMarker | null,
): boolean {
  if (known === null || known === undefined) return false
  // Slots that show nothing do not say whose it is: a workspace is told of by a Fold all the same (WS1).
  if (marker === null) return known.partners !== undefined
  const moved = marker.scope !== undefined && marker.scope !== (known.scope ?? marker.scope)
  const edited = known.partners?.some(({ key, epoch }) => epoch > (marker.partners?.[key] ?? 0)) === true
  return moved || edited || known.epoch > (marker.epoch ?? marker.seq)
}

const head =
  "What is known of this project, kept by the runtime from earlier sessions and by its people; m… are ids."
const partnersHead = (partners: readonly KnownPartner[]): string =>
  `Its workspace shares memories with ${partners.map(({ root }) => root).join(", ")}.`
const fromHead = (root: string): string => `From ${root}:`
const sinceHead = "Known of this project since:"
const changesHead = "Changes of what is known of this project:"

const line = ({ id, text }: Pick<Shown, "id" | "text">): string => `${id} ${text.replaceAll(/\s+/g, " ")}`

const place = (category: Memory["category"]): number => memoryCategories.indexOf(category)

const ordered = (memories: readonly Shown[]): readonly Shown[] =>
  memories.toSorted((a, b) => place(a.category) - place(b.category))

/** The name of a category stands once, before the first of its lines. */
const grouped = (memories: readonly Shown[]): readonly string[] =>
  memories.map((memory, at) =>
    memories[at - 1]?.category === memory.category ? line(memory) : `[${memory.category}] ${line(memory)}`,
  )

function fitting(lines: readonly string[]): readonly string[] {
  let left = memoryTokensMax
  return lines.filter((text) => {
    const tokens = tokensOf(text) + 1
    if (tokens > left) return false
    left -= tokens
    return true
  })
}
