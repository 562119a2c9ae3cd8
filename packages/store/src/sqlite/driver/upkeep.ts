/**
 * Upkeep of the store: the index of words, checkpoints, freed pages and files, everything that may wait until after the
 * reply. It runs between transactions, and a failure of it fails no command (FA1).
 */
import { statSync } from "node:fs"
import type { Command } from "../../port.ts"
import { sweepFiles } from "../blob.ts"
import { type Connection, inTransaction, type Patience } from "../connection.ts"
import type { BatchResult, Reply } from "../driver.ts"
import { removeCopies } from "../fork/copy-row.ts"
import {
  forgetIndex,
  forgetWords,
  forgetWritten,
  indexMore,
  isIndexDamage,
  isIndexed,
  stepBytes,
} from "../search/index-units.ts"
import { bytesOf, saidBytes } from "./bytes.ts"

export type Moment = "between-batches" | "idle" | "closing"

export interface Upkeep {
  /** What was just committed. */
  readonly note: (commands: readonly Command[], result: Pick<BatchResult, "replies" | "advances">) => void
  /** A bounded piece; true if more is to do. Failures wait for the next time. */
  readonly maintain: (moment: Moment) => boolean
}

export function makeUpkeep(connection: Connection, blobs: string, patience: Patience): Upkeep {
  let written = 0
  /** Bytes of texts that the index has not read. */
  let unread = 0
  /** Something was said since the store was opened. */
  let spoke = false
  /** A whole log came in, which whoever brought it may search in at once. */
  let imported = false
  let closingSteps = 0
  let freed = false
  let abandoned = false
  const note: Upkeep["note"] = (commands, result) => {
    for (const command of commands) {
      written += bytesOf(command)
      unread += saidBytes(command)
      spoke ||= unread > 0
    }
    written += transactionBytes
    imported ||= commands.some(({ kind }) => kind === "import-session" || kind === "fork-session")
    freed ||= result.advances.some((advance) => advance.seq === 0)
    abandoned ||= commands.some(
      ({ kind }, index) => kind === "fork-session" && isFailed(result.replies[index]),
    )
  }
  /** A piece of what is due; all of what is too much to be behind with. True if there is more. */
  const index = (moment: Moment): boolean => {
    try {
      return readOn(moment)
    } catch {
      // Searches try again, and are told what is wrong. Nothing else waits for it (FA1).
      unread = 0
      return false
    }
  }
  const readOn = (moment: Moment): boolean => {
    const due = unread > (moment === "between-batches" ? unreadBytesLeast : 0)
    const reads = moment === "closing" && (imported || (spoke && closingSteps++ < closingStepsMax))
    const toEnd = moment === "idle" || reads
    let more = due || (toEnd && !isIndexed(connection))
    for (let steps = 0; more && (steps === 0 || unread > unreadBytesMax); steps++) {
      more = readMore(connection, patience)
      unread = more ? unread - stepBytes : 0
      written += indexedBytes
    }
    return more && toEnd
  }
  const maintain: Upkeep["maintain"] = (moment) => {
    try {
      const more = index(moment)
      if (!freed && !abandoned && written < (moment === "between-batches" ? walBytesMax : 1)) return more
      if (abandoned) inTransaction(connection, patience, () => removeCopies(connection))
      abandoned = false
      if (freed) freed = giveBack(connection, blobs, patience)
      checkpointWal(connection)
      written = 0
      return freed || more
    } catch {
      // Housekeeping never fails a command. What was left is tried again after later commits.
      written = 0
      freed = false
      abandoned = false
      return false
    }
  }
  return { note, maintain }
}

/** One step of the index, in its own transaction. One that is damaged is made anew (FA1). */
function readMore(connection: Connection, patience: Patience): boolean {
  try {
    return inTransaction(connection, patience, () => indexMore(connection))
  } catch (cause) {
    forgetWritten(connection)
    if (!isIndexDamage(cause)) throw cause
    mendIndex(connection, patience)
    return true
  }
}

export const mendIndex = (connection: Connection, patience: Patience): void =>
  inTransaction(connection, patience, () => forgetIndex(connection))

/** The index is read on between commits from here on, and before the next one from there on. */
const unreadBytesLeast = 4 * 1_048_576
const unreadBytesMax = 4 * unreadBytesLeast
/** What a store that closes still reads of a log that is older than its process. */
const closingStepsMax = 64
/** What a step writes, about. */
const indexedBytes = 4 * stepBytes

const isFailed = (reply: Reply | "unfinished" | undefined): boolean =>
  reply !== undefined && reply !== "unfinished" && !reply.ok

/** Enough to keep readers fast; a checkpoint of that size takes a few milliseconds. */
const walBytesMax = 4 * 1_048_576
/** A transaction writes whole pages: about four of 4 KiB even for one small command. */
const transactionBytes = 16_384
const pagesFreedAtOnce = 1_024

/** ST3: files without a row go, and the file shrinks. True if pages are left to give back. */
function giveBack(connection: Connection, blobs: string, patience: Patience): boolean {
  inTransaction(connection, patience, () => sweepFiles(connection, blobs))
  try {
    inTransaction(connection, patience, () => forgetWords(connection))
  } catch (cause) {
    if (!isIndexDamage(cause)) throw cause
    mendIndex(connection, patience)
  }
  const before = freePages(connection)
  connection.db.exec(`PRAGMA incremental_vacuum(${pagesFreedAtOnce})`)
  const after = freePages(connection)
  return after > 0 && after < before
}

const freePages = (connection: Connection): number =>
  connection.get<{ freelist_count: number }>("PRAGMA freelist_count")?.freelist_count ?? 0

function checkpointWal(connection: Connection): void {
  const file = connection.db.location()
  const wal = file === null ? undefined : statSync(`${file}-wal`, { throwIfNoEntry: false })
  // A WAL that outgrew its bound, because a reader stood in the way, is cut once it can be.
  const mode = (wal?.size ?? 0) > 4 * walBytesMax ? "TRUNCATE" : "PASSIVE"
  connection.db.exec(`PRAGMA wal_checkpoint(${mode})`)
}
