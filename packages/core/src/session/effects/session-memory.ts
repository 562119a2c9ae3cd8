/** The memory of the leading Session's project, for its own tool: signed by the Session, without secrets (MM1, AU1). */
import { Clock, Effect } from "effect"
import type { MessageId } from "@holdfast/schema/id"
import type { MemoryChange } from "@holdfast/schema/memory/memory"
import { partnerId } from "@holdfast/schema/memory/partner"
import type { SmartNote, SmartNoteChange } from "@holdfast/schema/memory/note"
import { projectOf } from "../../memory/known.ts"
import { noteRefusal, refusalText } from "../../memory/refusal.ts"
import { masked, maskedNote } from "../../memory/masked.ts"
import type { OwnChange, OwnNote, SessionMemory } from "../../tools/context/session-memory.ts"
import { ToolFailure } from "../../tools/index.ts"
import type { Lead } from "../lead.ts"

export const sessionMemory = (lead: Lead, message: MessageId): SessionMemory => ({
  change: (changes, partner) =>
    Effect.mapError(
      change(lead, message, changes, partner),
      (failure) => new ToolFailure({ code: "unreadable", message: failure.message }),
    ),
  note: (own) =>
    Effect.mapError(
      changeNote(lead, message, own),
      (failure) => new ToolFailure({ code: "unreadable", message: failure.message }),
    ),
})

const changeNote = Effect.fnUntraced(function* (
  { ports, session, loaded }: Lead,
  message: MessageId,
  own: OwnNote,
) {
  const source = { by: "agent", session, messages: [message] } as const
  const outcome = yield* ports.store.commit({
    kind: "change-notes",
    project: yield* projectOf(ports, loaded.state.summary.location, "write"),
    time: yield* Clock.currentTimeMillis,
    changes: [maskedNote(ports.masks, { ...own, source } as SmartNoteChange)],
  })
  if (outcome.kind === "refused") return noteRefusal(outcome.problem, outcome.ids)
  return outcome.notes[0] as SmartNote
})

const change = Effect.fnUntraced(function* (
  { ports, session, loaded }: Lead,
  message: MessageId,
  changes: readonly OwnChange[],
  partner: number | undefined,
) {
  const source = { by: "agent", session, messages: [message] } as const
  const outcome = yield* ports.store.commit({
    kind: "change-memory",
    project: yield* projectOf(ports, loaded.state.summary.location, "write"),
    time: yield* Clock.currentTimeMillis,
    changes: changes.map((own) => masked(ports.masks, { ...own, source } as MemoryChange)),
    ...(partner !== undefined && { partner }),
  })
  const named = (id: string): string => (partner === undefined ? id : partnerId(id, partner))
  if (outcome.kind === "refused") return refusalText(outcome, outcome.ids.map(named))
  return outcome.results.map(({ memory, made }) => ({ memory: { ...memory, id: named(memory.id) }, made }))
})
