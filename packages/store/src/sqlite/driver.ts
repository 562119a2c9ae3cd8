/**
 * The writing side of the store, synchronous and without a thread of its own.
 *
 * Two executors run it: a writer thread and, for simulation, the calling thread. A batch of commands is
 * one transaction and one sync. Where one fails, all are done again, each behind a savepoint: there the
 * index of words writes out what it holds, which a batch does once. Replies exist only after COMMIT (PR1).
 *
 * After a failure the connection is rolled back and usable. If SQLite gave up the whole
 * transaction (a full disk does that), the commands are tried again one by one, so that only those
 * that cannot be done fail.
 */
import { accessSync, constants, existsSync } from "node:fs"
import type { SessionId } from "@holdfast/schema/id"
import { explain, sqliteCode } from "../failure.ts"
import type { FailureFields } from "../failure.ts"
import type { Command, Outcomes } from "../port.ts"
import { blobDirectory, sweepFiles } from "./blob.ts"
import { inTransaction, openWriter, rollback, waitWhileBusy } from "./connection.ts"
import type { Connection, Patience } from "./connection.ts"
import { acquire, append, checkpoint, release, renew } from "./drain-commands.ts"
import { contribute } from "./contribute.ts"
import { hasCopies, removeCopies } from "./fork/copy-row.ts"
import { importSession } from "./bundle/import.ts"
import { forkSession } from "./fork/fork.ts"
import { admit, cancelPrompt, createSession, deleteSession, settleJob } from "./input-commands.ts"
import { editPrompt, interrupt, moveSession } from "./input-commands.ts"
import type { Stepped } from "./input-commands.ts"
import { writeCommits } from "./search/commits.ts"
import { askEmbedding, writeVectors } from "./search/vectors.ts"
import { bytesOf } from "./driver/bytes.ts"
import { makeUpkeep, mendIndex, type Upkeep } from "./driver/upkeep.ts"
import { forgetIndex, forgetWritten, indexMore, isIndexDamage } from "./search/index-units.ts"
import type { IndexWords } from "../search/units.ts"
import { acquireNamed, releaseNamed, renewNamed } from "./lease/named.ts"
import { changeMemory, dream } from "./memory/change.ts"
import { changeNotes, surfaceNotes } from "./memory/notes.ts"
import { changeWorkspace } from "./memory/workspace.ts"
import { changePlace, recordUses } from "./memory/places.ts"
import { openLocation } from "./rows/location.ts"
import { checkFence, migrate } from "./migrate.ts"
import type { SchemaVersion } from "./versions/list.ts"

export type Reply =
  | { readonly ok: true; readonly outcome: Outcomes[Command["kind"]] }
  | { readonly ok: false; readonly failure: FailureFields }

/** A Session whose log grew to `seq`, or that was deleted (0). */
export interface Advance {
  readonly session: SessionId
  readonly seq: number
}

export interface BatchResult {
  /** In the order of the commands. What is unfinished is to be given again, with whatever came meanwhile. */
  readonly replies: readonly (Reply | "unfinished")[]
  readonly advances: readonly Advance[]
}

export interface DriverOptions extends Patience {
  readonly file: string
  readonly versions?: readonly SchemaVersion[]
}

export interface Driver {
  readonly connection: Connection
  readonly blobs: string
  /** Never throws: what fails is a reply. */
  readonly apply: (commands: readonly Command[]) => BatchResult
  readonly maintain: Upkeep["maintain"]
  readonly close: () => void
}

const batchBytesMax = 4 * 1_048_576
const batchCommandsMax = 4_096

export function openDriver(options: DriverOptions): Driver {
  checkFence(options.file, options.versions)
  if (existsSync(options.file)) accessSync(options.file, constants.W_OK)
  const connection = openWriter(options.file, options)
  const blobs = blobDirectory(options.file)
  try {
    migrate(connection, options, options.versions)
    if (hasCopies(connection)) inTransaction(connection, options, () => removeCopies(connection))
    if (existsSync(blobs)) inTransaction(connection, options, () => sweepFiles(connection, blobs))
  } catch (cause) {
    connection.close()
    throw cause
  }
  const upkeep = makeUpkeep(connection, blobs, options)
  return {
    connection,
    blobs,
    apply: (commands) => {
      const result = applyBatch(connection, blobs, options, commands)
      upkeep.note(commands, result)
      return result
    },
    maintain: upkeep.maintain,
    close: () => {
      while (upkeep.maintain("closing"));
      connection.close()
    },
  }
}

/** How many commands from the front share the next transaction: at least one, by count and bytes. */
export function batchLength(commands: readonly Command[]): number {
  let bytes = 0
  for (let length = 0; length < commands.length; length++) {
    bytes += bytesOf(commands[length])
    if (length > 0 && (bytes > batchBytesMax || length >= batchCommandsMax)) return length
  }
  return commands.length
}

function applyBatch(
  connection: Connection,
  blobs: string,
  patience: Patience,
  commands: readonly Command[],
): BatchResult {
  const first = applyTogether(connection, blobs, patience, commands, false)
  const mended = first.kind === "undone" && first.indexDamaged === true && canMend(connection, patience)
  const together = mended ? applyTogether(connection, blobs, patience, commands, false) : first
  const failed = together.kind === "undone" && together.entangled
  const attempt = failed ? applyTogether(connection, blobs, patience, commands, true) : together
  if (attempt.kind === "done") return attempt.result
  if (commands.length > 1 && attempt.separable) {
    const results = commands.map((command) => applyBatch(connection, blobs, patience, [command]))
    return {
      replies: results.flatMap((result) => result.replies),
      advances: results.flatMap((result) => result.advances),
    }
  }
  return { replies: commands.map(() => ({ ok: false, failure: attempt.failure })), advances: [] }
}

type Attempt =
  | { readonly kind: "done"; readonly result: BatchResult }
  | {
      readonly kind: "undone"
      readonly failure: FailureFields
      readonly separable: boolean
      /** A command failed without a savepoint between it and its neighbours. */
      readonly entangled: boolean
      /** What it takes away stands in the search index, which cannot be read (FA1). */
      readonly indexDamaged?: boolean
    }

/** Whether the search index could be made anew. */
function canMend(connection: Connection, patience: Patience): boolean {
  try {
    mendIndex(connection, patience)
    return true
  } catch {
    return false // the command fails by what it met
  }
}

function applyTogether(
  connection: Connection,
  blobs: string,
  patience: Patience,
  commands: readonly Command[],
  savepoints: boolean,
): Attempt {
  let at: "begin" | "commands" | "commit" = "begin"
  try {
    waitWhileBusy(patience, () => connection.exec("BEGIN IMMEDIATE"))
    at = "commands"
    const replies: (Reply | "unfinished")[] = []
    const advances = new Map<SessionId, number>()
    for (const command of commands) {
      const reply = applyOne(connection, blobs, command, advances, savepoints)
      if (!connection.db.isTransaction) {
        const early = explain(new Error("the transaction ended early"))
        const failure = reply === "unfinished" || reply.ok ? early : reply.failure
        return { kind: "undone", failure, separable: true, entangled: false }
      }
      replies.push(reply)
    }
    at = "commit"
    connection.exec("COMMIT")
    const list = [...advances].map(([session, seq]) => ({ session, seq }))
    return { kind: "done", result: { replies, advances: list } }
  } catch (cause) {
    const code = sqliteCode(cause)
    tryRollback(connection)
    const committing = at === "commit"
    // A sync that failed may still have reached the disk: after a crash the commit could be there.
    const outcomeUnknown = committing && code !== null && (code & 0xff) === ioError
    return {
      kind: "undone",
      failure: explain(cause, outcomeUnknown),
      separable: committing && !outcomeUnknown,
      entangled: at === "commands" && commands.length > 1 && !savepoints,
      indexDamaged: isIndexDamage(cause),
    }
  }
}

const ioError = 10

/** Behind a savepoint a failure is a reply; without one it ends the transaction. */
function applyOne(
  connection: Connection,
  blobs: string,
  command: Command,
  advances: Map<SessionId, number>,
  savepoint: boolean,
): Reply | "unfinished" {
  if (savepoint) connection.exec("SAVEPOINT command")
  try {
    const applied = perform(connection, blobs, command)
    if (savepoint) connection.exec("RELEASE command")
    if (applied === "unfinished") return applied
    if (applied.advanced !== null && "session" in command) advances.set(command.session, applied.advanced)
    if (applied.removed !== undefined) advances.set(applied.removed, 0)
    return { ok: true, outcome: applied.outcome }
  } catch (cause) {
    if (!savepoint) throw cause
    forgetWritten(connection)
    if (connection.db.isTransaction) {
      connection.exec("ROLLBACK TO command")
      connection.exec("RELEASE command")
    }
    return { ok: false, failure: explain(cause) }
  }
}

function perform(connection: Connection, blobs: string, command: Command): Stepped<Command> {
  switch (command.kind) {
    case "open-location":
      return openLocation(connection, command)
    case "create-session":
      return createSession(connection, command)
    case "fork-session":
      return forkSession(connection, command)
    case "import-session":
      return importSession(connection, blobs, command)
    case "move-session":
      return moveSession(connection, command)
    case "delete-session":
      return deleteSession(connection, command)
    case "settle-job":
      return settleJob(connection, command)
    case "change-memory":
      return changeMemory(connection, command)
    case "dream":
      return dream(connection, command)
    case "move-project":
    case "mark-project":
    case "ask-project":
    case "settle-project":
    case "join-project":
      return changePlace(connection, command)
    case "use-memory":
      return recordUses(connection, command)
    case "change-notes":
      return changeNotes(connection, command)
    case "change-workspace":
      return changeWorkspace(connection, command)
    case "surface-notes":
      return surfaceNotes(connection, command)
    case "contribute":
      return contribute(connection, command)
    case "admit":
      return admit(connection, blobs, command)
    case "edit-prompt":
      return editPrompt(connection, command)
    case "cancel-prompt":
      return cancelPrompt(connection, command)
    case "interrupt":
      return interrupt(connection, command)
    case "acquire":
      return acquire(connection, command)
    case "renew":
      return renew(connection, command)
    case "release":
      return release(connection, command)
    case "append":
      return append(connection, blobs, command)
    case "checkpoint":
      return checkpoint(connection, command)
    case "acquire-named":
      return acquireNamed(connection, command)
    case "renew-named":
      return renewNamed(connection, command)
    case "index-words":
      return indexWords(connection, command)
    case "ask-embedding":
      return askEmbedding(connection, command)
    case "write-vectors":
      return writeVectors(connection, command)
    case "write-commits":
      return writeCommits(connection, command)
    case "release-named":
      return releaseNamed(connection, command)
  }
}

function indexWords(connection: Connection, { anew }: IndexWords): Stepped<IndexWords> {
  if (anew) forgetIndex(connection)
  return { outcome: { kind: "indexed", all: !indexMore(connection) }, advanced: null }
}

function tryRollback(connection: Connection): void {
  forgetWritten(connection)
  try {
    rollback(connection)
  } catch {
    // The next BEGIN reports what is wrong; nothing can be done about it here.
  }
}
