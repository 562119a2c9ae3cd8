/** Changes of the dreamer committed, each for itself: what others changed meanwhile is passed over, and nothing else waits for it (DM2). */
import { Clock, Effect } from "effect"
import type { DreamChange } from "@holdfast/recall"
import { touchedBy } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { DreamedChange } from "@holdfast/schema/instance/dream"
import type { DreamTask } from "@holdfast/schema/memory/dream"
import type { DreamFact } from "@holdfast/schema/memory/dream"
import type { Memory, MemoryChange, MemorySource } from "@holdfast/schema/memory/memory"
import type { HeldName, ProjectPlace } from "@holdfast/store/port"
import { keptText } from "../memory/masked.ts"
import type { Masks } from "../secrets/masks.ts"
import type { RuntimePorts } from "../session/ports.ts"

/** Where a run works, and that it may. */
export interface DreamPlace {
  readonly ports: RuntimePorts
  readonly project: ProjectPlace
  readonly held: HeldName
}

export const dreamerSource: MemorySource = { by: "dreamer", session: null, messages: [] }

/** What was done of them. */
export const applyDreamChanges = Effect.fnUntraced(function* (
  place: DreamPlace,
  task: DreamTask,
  changes: readonly DreamChange[],
  memories: readonly Memory[],
): Effect.fn.Return<readonly DreamedChange[], StoreFailure> {
  const done: DreamedChange[] = []
  for (const one of changes) {
    const change = maskedDream(place.ports.masks, one)
    const asked = memoryChanges(task, change)
    const touched = new Set(touchedBy(change))
    const seen = memories.filter(({ id }) => touched.has(id))
    if ((yield* commitDream(place, null, asked, seen)) !== null) done.push(toldChange(task, change, memories))
  }
  return done
})

/** The place of the fact, else of the last change; null where it was refused. Nothing more is done for one who lost the name. */
export const commitDream = Effect.fnUntraced(function* (
  { ports, project, held }: DreamPlace,
  fact: DreamFact | null,
  changes: readonly MemoryChange[] = [],
  looked: readonly Memory[] = [],
): Effect.fn.Return<number | null, StoreFailure> {
  const time = yield* Clock.currentTimeMillis
  const seen = looked.map(({ id, changedSeq }) => ({ id, changedSeq }))
  const outcome = yield* ports.store.commit({
    kind: "dream",
    project,
    time,
    under: held,
    fact,
    changes,
    seen,
  })
  // The race with the renewal ends the run; until then it only waits.
  if (outcome.kind === "lost") return yield* Effect.never
  return outcome.kind === "changed" ? (outcome.factSeq ?? outcome.seq) : null
})

/** Before anything is stored or told of it: what a model wrote may hold a secret, and so may its reasons (AU1). */
export function maskedDream(masks: Masks, change: DreamChange): DreamChange {
  const reason = keptText(masks, change.reason)
  if (change.kind === "archive") return { ...change, reason }
  if (change.kind === "split")
    return { ...change, texts: change.texts.map((text) => keptText(masks, text)), reason }
  return { ...change, text: keptText(masks, change.text), reason }
}

function memoryChanges(task: DreamTask, change: DreamChange): readonly MemoryChange[] {
  const { reason } = change
  const why = change.kind === "archive" || reason === "" ? {} : { reason }
  const source: MemorySource = { ...dreamerSource, task, ...why }
  switch (change.kind) {
    case "archive":
      return [{ change: "archive", memory: change.id, reason: change.reason, source }]
    case "update":
      return [{ change: "update", memory: change.id, text: change.text, source }]
    case "merge":
      return [{ change: "merge", from: change.ids, category: null, text: change.text, source }]
    case "split":
      return change.texts.map((text, at) => ({
        change: "write",
        category: change.category,
        text,
        source,
        expiresAt: null,
        supersedes: at === 0 ? [change.id] : [],
      }))
  }
}

export function toldChange(task: DreamTask, change: DreamChange, memories: readonly Memory[]): DreamedChange {
  const of = touchedBy(change)
  const before = of.map((id) => memories.find((memory) => memory.id === id)?.text ?? "")
  const after = change.kind === "archive" ? [] : change.kind === "split" ? change.texts : [change.text]
  return { task, kind: change.kind, of, before, after, reason: change.reason }
}
