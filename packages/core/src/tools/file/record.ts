/**
 * File record: what one call tells of the files that it reads and changes, beside its result.
 *
 * It is kept apart from the result, because an interrupted or failed call has none and may have
 * changed files all the same: whatever ends the call, what it did is settled with it (TL5).
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import type { FileEffect, SeenFile } from "@holdfast/schema/fact/turn"
import type { BlobWrite } from "@holdfast/store/port"
import type { ToolFailure } from "../tool.ts"

/** A version of a file that the Session read or left behind. */
export interface KnownFile {
  /** Null where the Session took the file away. */
  readonly hash: string | null
  /** Its text, as far as the Session has it; asked for only to show a difference. */
  readonly text: Effect.Effect<string | null>
}

/** One file, before and after. */
export interface FileChange {
  readonly kind: FileEffect["kind"]
  /** Canonical and absolute. */
  readonly path: string
  readonly from?: string
  /** Permission bits of the file that is there afterwards, or was there before. */
  readonly mode: number | null
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

/** What a Session knows of files, and where it puts plans on record. */
export interface SessionFiles {
  /** The version that the Session read or left last, by canonical path; null if it did neither. */
  readonly known: (path: string) => KnownFile | null
  /**
   * Puts on record what is about to change, before it does (DR4). It fails where that is not
   * possible and is interrupted where an interrupt came first (DR3); then nothing may be changed.
   */
  readonly plan: (
    effects: readonly FileEffect[],
    blobs: readonly BlobWrite[],
  ) => Effect.Effect<void, ToolFailure>
}

export interface FileRecord {
  readonly known: SessionFiles["known"]
  readonly plan: (changes: readonly FileChange[]) => Effect.Effect<void, ToolFailure>
  /** A file was read, as these bytes or as bytes of this hash. */
  readonly saw: (path: string, hash: string) => void
  readonly changed: (change: FileChange) => void
}

/** What is settled with a call; empty lists where it did nothing to files. */
export interface RecordedFiles {
  readonly effects: readonly FileEffect[]
  readonly seen: readonly SeenFile[]
  readonly blobs: readonly BlobWrite[]
}

/** Without a Session nothing is known. */
const noSession: SessionFiles = { known: () => null, plan: () => Effect.void }

export function createFileRecord(session: SessionFiles = noSession): FileRecord & {
  readonly recorded: () => RecordedFiles
} {
  const changes: FileChange[] = []
  const seen = new Map<string, string>()
  /** Blobs that a plan has brought: they are not sent again. */
  const stored = new Set<string>()
  return {
    known: session.known,
    plan: (planned) => {
      const blobs = planned.flatMap(blobsBefore)
      const keep = Effect.sync(() => blobs.forEach(({ hash: name }) => stored.add(name)))
      return Effect.andThen(session.plan(planned.map(effectOf), blobs), keep)
    },
    saw: (path, version) => void seen.set(path, version),
    changed: (change) => void changes.push(change),
    recorded: () => ({
      effects: changes.map(effectOf),
      seen: [...seen].map(([path, version]) => ({ path, hash: version })),
      blobs: changes
        .flatMap((change) => [...blobsBefore(change), ...blobsAfter(change)])
        .filter(({ hash: name }) => !stored.has(name)),
    }),
  }
}

export const hashOf = (bytes: Uint8Array): string => hash("sha256", bytes)

/** A larger file is not kept as it was left: a difference to it cannot be shown. */
const keptBytesMax = 131_072

const effectOf = ({ kind, path, from, mode, before, after }: FileChange): FileEffect => ({
  path,
  kind,
  ...(from !== undefined && { from }),
  mode,
  before: before && hashOf(before),
  after: after && hashOf(after),
})

const blobsBefore = ({ before }: FileChange): readonly BlobWrite[] =>
  before === null ? [] : [{ hash: hashOf(before), bytes: before }]

const blobsAfter = ({ after }: FileChange): readonly BlobWrite[] =>
  after === null || after.length > keptBytesMax ? [] : [{ hash: hashOf(after), bytes: after }]
