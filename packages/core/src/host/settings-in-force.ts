/**
 * Settings in force: what the user has set, as it holds now (CF1, DR2).
 *
 *   a turn is sampled ─▶ is the file as it was? ──yes──▶ what is known holds
 *                               └──no──▶ read anew ──sound──▶ it holds from here on
 *                                                 └──faulty─▶ the last good settings go on, and health says why
 *
 * Nothing watches the file: whoever needs what is set looks, and a look at a file that stayed as it was costs one question
 * to the disk. A file that was there and is gone is faulty too: some editors take it away for a moment, and rules
 * that deny must not end with it.
 */
import { join } from "node:path"
import { Clock, Effect, Result, Semaphore } from "effect"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import type { Degradation } from "@holdfast/schema/health"
import { noSettings, type ReadFile, type Settings } from "../config/index.ts"
import { configurationInvalid } from "../config/document.ts"
import { fileNames } from "../config/load.ts"
import { type FileContent, isSameAnswer, nodeInstructionFiles } from "../instructions/index.ts"

export interface InForce {
  /** The same object until something else is set. */
  readonly settings: Settings
  /** Why no turn may begin: the settings were never sound since the process began. Null where they were. */
  readonly fault: ConfigurationInvalid | null
  /** When they were read. */
  readonly since: number
}

export interface SettingsInForce {
  /** As of the last look. */
  readonly now: () => InForce
  /** Who asks while another look is reading waits for that. */
  readonly look: Effect.Effect<InForce>
  /** What is wrong with the file, since when; null where nothing is. */
  readonly trouble: () => Degradation | null
}

export interface UserFile {
  /** Where the user's file lies. */
  readonly directory: string
  /** All layers, with the file as it is now. */
  readonly load: Effect.Effect<Settings, ConfigurationInvalid>
  /** Opens in spite of a fault, without any setting, and tells it; without this the fault is the answer. */
  readonly onFault?: ((fault: ConfigurationInvalid) => void) | undefined
  /** Told, in sentences, of a fault that a later look meets. */
  readonly onTrouble?: ((trouble: string) => void) | undefined
  readonly readFile?: ReadFile
}

/** Reads them once, and again whenever a look finds the file changed. */
export const openSettings = Effect.fnUntraced(function* ({
  directory,
  load,
  onFault,
  onTrouble,
  readFile = nodeInstructionFiles.read,
}: UserFile): Effect.fn.Return<SettingsInForce, ConfigurationInvalid> {
  const files = fileNames.map((name) => join(directory, name))
  // Before it is read: what changes meanwhile has changed.
  let seen = yield* readAll(files, readFile)
  const first = yield* Effect.result(load)
  if (Result.isFailure(first) && onFault === undefined) return yield* first.failure
  const since = yield* Clock.currentTimeMillis
  let inForce: InForce = Result.match(first, {
    onSuccess: (settings) => ({ settings, fault: null, since }),
    onFailure: (fault) => ({ settings: noSettings, fault, since }),
  })
  let trouble = troubleOf(inForce, inForce.fault, since)
  if (inForce.fault !== null) onFault?.(inForce.fault)

  /** While nothing is wrong, the file that is there is asked alone: a second one beside it is a fault only once it is read. */
  const isAsSeen = Effect.suspend(() => {
    const only = trouble === null ? seen.findIndex(isThere) : -1
    if (only < 0) return Effect.map(readAll(files, readFile), (found) => isSame(found, seen))
    return Effect.map(readFile(files[only]!), (found) => isSameAnswer(found, seen[only]!))
  })
  const renew = Effect.gen(function* () {
    const found = yield* readAll(files, readFile)
    if (isSame(found, seen)) return
    const gone = files.find((_, at) => isThere(seen[at]!) && !found.some(isThere))
    const read = yield* Effect.result(gone === undefined ? load : Effect.fail(isGone(gone)))
    const fault = Result.isFailure(read) ? read.failure : null
    const now = yield* Clock.currentTimeMillis
    // Together, at the end: whoever is interrupted has seen nothing.
    trouble = troubleOf(inForce, fault, trouble?.since ?? now)
    if (Result.isSuccess(read)) inForce = { settings: read.success, fault: null, since: now }
    else if (inForce.fault !== null) inForce = { ...inForce, fault }
    seen = found
    if (trouble !== null) onTrouble?.(trouble.cause)
  })
  const one = Semaphore.makeUnsafe(1)
  const look = Effect.flatMap(isAsSeen, (same) => (same ? Effect.void : one.withPermits(1)(renew)))
  return {
    now: () => inForce,
    look: Effect.map(Effect.timeoutOption(look, lookMsMax), () => inForce),
    trouble: () => trouble,
  }
})

/** That never change. */
export function fixedSettings(settings: Settings): SettingsInForce {
  const inForce: InForce = { settings, fault: null, since: 0 }
  return { now: () => inForce, look: Effect.succeed(inForce), trouble: () => null }
}

/** As long as a source has (SC4): on a disk that does not answer, what is known holds. */
const lookMsMax = 5_000

const readAll = (files: readonly string[], readFile: ReadFile): Effect.Effect<readonly FileContent[]> =>
  Effect.forEach(files, readFile, { concurrency: "unbounded" })

const isSame = (found: readonly FileContent[], seen: readonly FileContent[]): boolean =>
  found.every((content, at) => isSameAnswer(content, seen[at]!))

/** What is no file, or cannot be read, is there too, and is a fault. */
const isThere = (content: FileContent): boolean => content.kind !== "missing" || content.irregular === true

const isGone = (file: string): ConfigurationInvalid =>
  configurationInvalid(file, 0, "The file is gone. Put it back, or an empty {} in its place to set nothing.")

/** `since` is when the first fault was met. */
function troubleOf(
  { fault: never }: InForce,
  fault: ConfigurationInvalid | null,
  since: number,
): Degradation | null {
  if (fault === null) return null
  const meanwhile =
    never === null ? "the settings before it hold" : "no turn can begin, since none were sound before"
  return { part: "configuration", cause: `${fault.message} Until it is mended, ${meanwhile}.`, since }
}
