/**
 * What is known of the project of a story: memory that its agents write, change and archive, that people edit from
 * outside and that expires; a profile, and documents. It is no part of the Session's log.
 */
import type { KnownMemory, ProjectDoc } from "@holdfast/recall"
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { MemoryId } from "@holdfast/schema/memory/memory"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Draw } from "./draw.ts"
import type { Planned } from "./world.ts"

interface Kept {
  readonly memory: KnownMemory["memories"][number]
  readonly expiresAt: number
}

export interface Knowledge {
  readonly seq: number
  readonly epoch: number
  readonly kept: ReadonlyMap<string, Kept>
  readonly profile: readonly string[]
  readonly docs: readonly ProjectDoc[]
}

const nothing: Knowledge = { seq: 0, epoch: 0, kept: new Map(), profile: [], docs: [] }

export const knownAt = ({ seq, epoch, kept, profile }: Knowledge, nowMs: number): KnownMemory => ({
  seq,
  epoch,
  memories: [...kept.values()].flatMap(({ memory, expiresAt }) => (expiresAt > nowMs ? [memory] : [])),
  profile,
})

/** One change, or several of the same moment. */
export function changed(before: Knowledge | null, draw: Draw, nowMs: number): Knowledge {
  let now = before ?? nothing
  for (let count = 1 + draw.below(6); count > 0; count--) now = changedOnce(now, draw, nowMs)
  return now
}

function changedOnce(now: Knowledge, draw: Draw, nowMs: number): Knowledge {
  const ids = [...now.kept.keys()]
  const old = ids.length === 0 ? null : draw.of(ids)
  const act = draw.of(["write", "write", "update", "archive", "edit", "profile", "docs"] as const)
  if (act === "profile") return { ...now, profile: [...now.profile, `Likes ${draw.below(1_000)}.`] }
  if (act === "docs") return withDocs(now, `Version ${draw.below(1_000)}.`)
  const seq = now.seq + 1
  const kept = new Map(now.kept)
  const found = old === null || act === "write" ? undefined : kept.get(old)
  if (found === undefined) return written(now, draw, nowMs + draw.of([30_000, 400_000, 9e9]))
  const { memory } = found
  if (act === "archive") kept.delete(memory.id)
  else
    kept.set(memory.id, {
      ...found,
      memory: { ...memory, text: `Holds ${draw.below(1_000)}.`, changedSeq: seq },
    })
  // Edited from outside: every window that may show it is made anew.
  return { ...now, seq, kept, epoch: act === "edit" ? seq : now.epoch }
}

function written(now: Knowledge, draw: Draw, expiresAt: number): Knowledge {
  const seq = now.seq + 1
  const id = `m${seq}` as MemoryId
  const text = `Known ${draw.below(1_000)}${" and so on".repeat(draw.below(12))}.`
  const memory = { id, category: draw.of(memoryCategories), text, changedSeq: seq }
  return { ...now, seq, kept: new Map(now.kept).set(id, { memory, expiresAt }) }
}

const withDocs = (now: Knowledge, text: string): Knowledge => ({
  ...now,
  docs: [{ name: "ARCHITECTURE.md", text }],
})

/** What changes nothing before the next break: all that was known ends, and more is known. */
export function grown(now: Knowledge, draw: Draw): Knowledge {
  const kept = new Map([...now.kept].map(([id, { memory }]) => [id, { memory, expiresAt: 0 }]))
  const more = { ...now, kept, profile: [...now.profile, "Was told so."] }
  return withDocs(written(more, draw, Infinity), "As of today.")
}

interface Marker {
  readonly seq: number
  readonly scope?: string
  readonly ids: readonly string[]
  readonly delta: string
}

export const markerOf = ({ frozen: { slots } }: SessionState): Marker | null =>
  (slots?.markers as { readonly memory?: Marker | null } | undefined)?.memory ?? null

const idIn = (line: string): string | undefined => shownLine(line)?.id

/** A memory as a slot shows it. */
export function shownLine(line: string): { readonly id: string; readonly text: string } | null {
  const [, id, text] = /^(?:\[\w+\] )?(m\d+) (.*)$/.exec(line) ?? []
  return id === undefined || text === undefined ? null : { id, text }
}

/** What is wrong with what a Delta tells of changes; null where nothing is. */
export function judgeTold(marker: Pick<Marker, "ids" | "delta"> | null): string | null {
  const told = marker?.delta.split("Changes of what is known of this project:\n")[1]?.split("\n") ?? []
  const ids = told.map(idIn)
  if (ids.some((id) => id === undefined || marker?.ids.includes(id) !== true))
    return "a change of what no Baseline shows"
  return new Set(ids).size === ids.length ? null : "a change that is told twice"
}

/** What is wrong with what a request says of memory; null where nothing is. */
export function judgeKnowledge({ plan, before, asked, memory }: Planned): string | null {
  if (memory === null || plan.kind === "refused") return null
  const { pass, break: found } = plan.opened.started
  const edited = memory.epoch > (markerOf(before)?.seq ?? 0)
  if (found?.reason === "memory_changed" && !edited) return "memory that was only added to breaks the prefix"
  const marker = markerOf(asked)
  const wrong = judgeTold(marker)
  if (wrong !== null) return wrong
  if (pass !== "fold" || asked.frozen.slots === null) return null
  const holding = new Map(memory.memories.map(({ id, text }) => [id as string, text]))
  const lines = asked.frozen.slots.baseline.split("\n")
  for (const id of marker?.ids ?? [])
    if (lines.filter((line) => idIn(line) === id && line.endsWith(` ${holding.get(id)}`)).length !== 1)
      return "a Fold that does not show a memory once, as it is"
  return marker === null || marker.delta === "" ? null : "a Fold that leaves memory in the Delta"
}
