/**
 * Sessions that leave a store, and that come into one (ST4, SS1).
 *
 * An export reads what is settled, a page at a time, and holds nobody up. An import checks all of a
 * bundle first, then commits it once; where the Session that is here went another way, it becomes a
 * second one, whose id follows from both ways, so that a repeat finds it again.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, type Scope } from "effect"
import { BundleRefused, type LocationMissing, type StoreFailure } from "@holdfast/schema/error"
import type { BundleFormat, BundleImport } from "@holdfast/schema/bundle/import"
import { idFromBytes, type SessionId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { SessionInfo } from "@holdfast/schema/session"
import type { ImportSession, LogRecord, OutcomeOf, SessionRow } from "@holdfast/store/port"
import { busy, type KnownFailure } from "../caller/given.ts"
import { locationMissing } from "../caller/locations.ts"
import { projectOf } from "../memory/known.ts"
import { type Coordinator, sessionNotFound } from "../session/coordinator/coordinator.ts"
import type { RuntimePorts } from "../session/ports.ts"
import type { CheckedBundle } from "./check.ts"
import type { Intake, IntakeFailure } from "./intake.ts"
import { writePage } from "./page/page.ts"
import { makeUploads, type Piece } from "./uploads.ts"
import { writeBundle } from "./write.ts"

export interface ExportSession {
  readonly sessionID: string
  /** `bundle` unless given; the others are for people. */
  readonly format?: BundleFormat
  /** For people: what the runtime told the model of its surroundings too (EP11). */
  readonly system?: boolean
  /** For people: what the model thought too. */
  readonly reasoning?: boolean
}

export interface ImportOptions {
  /** Permissions and the restart policy of the Session are taken over too. */
  readonly trust?: boolean
  /** Moves the Session there at once (EP9). */
  readonly directory?: string
}

export interface ImportPiece extends Piece, ImportOptions {
  /** With it the bundle is whole. */
  readonly last?: boolean
}

export type ImportFailure = IntakeFailure | LocationMissing | KnownFailure

export interface BundleCalls {
  /** Up to where everything is settled. What is wrong later breaks it off: then its last line is missing. */
  readonly exportSession: (input: ExportSession) => Effect.Effect<AsyncIterable<Uint8Array>, KnownFailure>
  /** One piece of a bundle; null until the last has come. */
  readonly importPiece: (
    piece: ImportPiece,
  ) => Effect.Effect<{ readonly received: number; readonly imported: BundleImport | null }, ImportFailure>
}

interface Surroundings {
  readonly ports: RuntimePorts
  readonly coordinator: Pick<Coordinator, "settleDead">
  readonly locate: (directory: string) => Effect.Effect<Location | null>
  readonly known: (sessionID: string) => Effect.Effect<SessionRow, KnownFailure>
  readonly describe: (row: SessionRow) => Effect.Effect<SessionInfo, StoreFailure>
}

export const makeBundleCalls = (around: Surroundings): Effect.Effect<BundleCalls, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { ports, locate, known, describe } = around
    const { store } = ports
    const uploads = yield* makeUploads(store)

    const located = Effect.fnUntraced(function* ({ directory }: ImportOptions) {
      if (directory === undefined) return null
      return (yield* locate(directory)) ?? (yield* locationMissing(directory))
    })

    const commit = Effect.fnUntraced(function* (intake: Intake, options: ImportOptions) {
      const checked = yield* intake.end()
      const location = yield* located(options)
      const { descriptor } = intake.staged
      // The writer reads the staged file: it is closed when that has ended, not before.
      const { row, change } = yield* Effect.uninterruptible(
        takeOver(around, descriptor, checked, options.trust === true),
      )
      if (location !== null) {
        yield* projectOf(ports, location)
        const time = yield* Clock.currentTimeMillis
        yield* store.commit({ kind: "move-session", session: row.id, time, location })
      }
      const { session: source, events, messages, calls, masked } = checked
      const absent = checked.absent.length
      const session = yield* describe(yield* known(row.id))
      const permissions = checked.permissions === 0 ? "none" : options.trust === true ? "kept" : "dropped"
      const counts = { events, messages, calls, masked, absent }
      return { change, source, session, permissions, ...counts } satisfies BundleImport
    })
    const released = ({ staged }: Intake) => Effect.sync(() => staged.close())

    return {
      exportSession: Effect.fnUntraced(function* ({ sessionID, format = "bundle", ...shown }) {
        const row = yield* known(sessionID)
        const through = yield* store.settledSeq(row.id)
        if (through === null) return yield* sessionNotFound(sessionID)
        if (format !== "bundle") return writePage(ports, yield* describe(row), through, { format, ...shown })
        return writeBundle({
          session: row.id,
          records: recordsOf(ports, row.id, through),
          blob: (hash) => Effect.runPromise(store.blob(hash)),
          masked: ports.masks.known,
        })
      }),
      importPiece: Effect.fnUntraced(function* ({ upload, offset, data, last = false, ...options }) {
        yield* located(options)
        const received = yield* uploads.take({ upload, offset, data }, yield* Clock.currentTimeMillis)
        if (!last) return { received, imported: null }
        const imported = yield* Effect.acquireUseRelease(
          uploads.finish(upload),
          (intake) => commit(intake, options),
          released,
        )
        return { received, imported }
      }),
    }
  })

/** Events read at once. */
const pageLength = 200

async function* recordsOf(
  { store }: RuntimePorts,
  session: SessionId,
  through: number,
): AsyncGenerator<LogRecord, void, undefined> {
  for (let after = 0; after < through;) {
    const page = await Effect.runPromise(store.records(session, after, through, pageLength))
    yield* page
    after += page.length
    if (page.length === 0) return
  }
}

/** How often the ways of two logs may part before somebody should look. */
const copiesMax = 16

const takeOver = Effect.fnUntraced(function* (
  { ports: { store }, coordinator }: Surroundings,
  staged: number,
  { session: source, absent }: CheckedBundle,
  trusted: boolean,
): Effect.fn.Return<
  { readonly row: SessionRow; readonly change: BundleImport["change"] },
  BundleRefused | StoreFailure
> {
  let session = source
  let copy: ImportSession["copy"] = null
  for (let attempts = 0, settled = false; attempts < copiesMax; attempts++) {
    const command: ImportSession = { kind: "import-session", session, staged, trusted, absent, copy }
    const outcome: OutcomeOf<ImportSession> = yield* store.commit(command)
    switch (outcome.kind) {
      case "imported": {
        const { row, change } = outcome
        return { row, change: copy !== null && change === "created" ? "copied" : change }
      }
      case "diverged":
        session = wayId(session, outcome.common, outcome.way)
        copy = { source, seq: outcome.common }
        continue
      case "held":
        if (settled)
          return yield* busy(
            `Somebody is working on Session ${session}. Stop it with holdfast interrupt ${session}, then import again.`,
          )
        // Its holder may be dead.
        yield* coordinator.settleDead(session)
        settled = true
        continue
      case "refused": {
        const message = `The bundle cannot be taken over: ${outcome.problem}. Nothing was imported.`
        return yield* new BundleRefused({ code: "misfit", message })
      }
    }
  }
  return yield* busy(
    `Session ${source} is here in more than ${copiesMax} ways already. Delete some of them first.`,
  )
})

/** The id of a copy, from the Session that it stands beside and the way that it takes. */
const wayId = (session: SessionId, common: number, way: Uint8Array): SessionId =>
  idFromBytes("ses", createHash("sha256").update(`${session} ${common} `).update(way).digest()) as SessionId
