/**
 * What a Session knows of files, from its own log: which version it read or left last, so that a
 * call which would overwrite another one is refused, also after a restart and by another process.
 */
import { Effect } from "effect"
import type { FactOf } from "@holdfast/schema/event"
import type { FileVersion } from "@holdfast/schema/state/files"
import { shownText, ToolFailure, type SessionFiles } from "../../tools/index.ts"
import { append, type Lead } from "../lead.ts"

type CallPlace = Pick<FactOf<"call.planned">, "turn" | "message" | "call">

export const sessionFiles = (lead: Lead, at: CallPlace): SessionFiles => ({
  known: (path) => {
    const version = lead.loaded.state.items.files.get(path)
    return version === undefined ? null : { hash: version.hash, text: knownText(lead, path, version) }
  },
  plan: (effects, blobs) =>
    append(lead, [{ type: "call.planned", ...at, effects }], { blobs }).pipe(
      Effect.catch((failure) => Effect.fail(notRecorded(failure.message))),
      Effect.flatMap(({ kind }) => (kind === "appended" ? Effect.void : Effect.interrupt)),
    ),
})

/** The bytes that a call left, or else the text that a read has shown, if that was all of it. */
const knownText = Effect.fnUntraced(function* (lead: Lead, path: string, { hash, seq }: FileVersion) {
  if (hash === null) return null
  const { store } = lead.ports
  const bytes = yield* Effect.orElseSucceed(store.blob(hash), () => null)
  if (bytes !== null) return new TextDecoder().decode(bytes)
  const page = yield* Effect.orElseSucceed(store.events(lead.session, seq - 1, 1), () => null)
  const fact = page?.events[0]?.fact
  const isRead = fact?.type === "call.settled" && fact.seen?.length === 1 && fact.seen[0]?.path === path
  return isRead ? shownText(fact.outcome) : null
})

const notRecorded = (why: string): ToolFailure =>
  new ToolFailure({
    code: "not_recorded",
    message: `What would change could not be recorded, so nothing was changed. ${why}`,
  })
