/**
 * Instruction Files on the host's file system.
 *
 * Off the event loop: a disk that does not answer holds up the one observation that asks it, which
 * has a time limit (SC4), and not the process. What was begun ends by itself once the disk answers.
 */
import { constants, lstat, readdir, realpath, stat } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { dirname, sep } from "node:path"
import { Effect } from "effect"
import { keepNewest } from "../newest.ts"
import { makeAbsentNames } from "./absent-names.node.ts"
import { type Answers, instructionBytesMax, type FileContent, type KnownFiles, type NoFile } from "./files.ts"
import { asDirectory } from "./project.ts"
import { type Look, shareLooks } from "./shared-look.ts"
import { isSame, tellsChanges, type Stamp, stampOf } from "./stamp.node.ts"

/** Files whose content is kept while they stay as they are, and how long one may be. */
const keptMax = 64
const keptCharactersMax = 64 * 1024

/**
 * What was seen is kept where a look at a stamp can tell that it is still so. Callbacks, since every
 * turn waits for it and most places are empty: a rejected Promise or a fiber for each costs more than
 * the look itself.
 */
export function makeNodeInstructionFiles(nowMs: () => number): KnownFiles {
  const absences = makeAbsentNames(nowMs)
  const contents = new Map<string, { readonly stamp: Stamp; readonly content: FileContent }>()
  const keep = (path: string, stamp: Stamp, content: FileContent): void => {
    if (content.kind !== "text" || content.text.length > keptCharactersMax) contents.delete(path)
    else keepNewest(contents, path, { stamp, content }, keptMax)
  }
  const reading = (look: typeof stat): Look<FileContent> =>
    shareLooks((path, answer) => {
      const atMs = nowMs()
      look(path, (cause, stats) => {
        if (cause !== null) {
          if (cause.code === "ENOENT") absences.learn(path)
          return answer(explainFailure(cause))
        }
        if (!stats.isFile()) return answer(irregular)
        const stamp = stampOf(stats)
        const known = contents.get(path)
        if (known !== undefined && isSame(known.stamp, stamp)) return answer(known.content)
        void readContent(path).then(
          ([content, opened]) => {
            if (tellsChanges(stamp, atMs) && isSame(opened, stamp)) keep(path, stamp, content)
            answer(content)
          },
          (thrown: unknown) => answer(explainFailure(thrown)),
        )
      })
    })
  const read = reading(stat)
  const readPlain = reading(lstat)
  const resolve = shareLooks<string | NoFile>((path, answer) =>
    realpath.native(path, (cause, real) => {
      if (cause?.code === "ENOENT") absences.learn(path)
      answer(cause === null ? real : explainFailure(cause))
    }),
  )
  const list = (path: string, answer: (names: readonly string[]) => void): void =>
    readdir(path, (cause, names) => {
      if (cause?.code === "ENOENT") absences.learn(path)
      // Not there, or not to be looked into: in both cases there is nothing to take from it.
      answer(cause === null ? names.sort() : [])
    })
  /** One answer a path, all asked at once; `none` where nothing is. */
  const askAll = <A>(
    paths: readonly string[],
    none: A,
    look: (path: string, answer: (found: A) => void) => void,
  ): Effect.Effect<readonly A[]> =>
    Effect.callback((resume) => {
      const found: A[] = paths.map(() => none)
      let waiting = paths.length
      if (waiting === 0) return resume(Effect.succeed(found))
      for (const [at, path] of paths.entries()) {
        const answer = (one: A) => {
          found[at] = one
          waiting -= 1
          if (waiting === 0) resume(Effect.succeed(found))
        }
        absences.ask(path, (mayBeThere) => (mayBeThere ? look(path, answer) : answer(none)))
      }
    })
  const readIfThere = (path: string, answer: (content: FileContent) => void): void =>
    absences.ask(path, (mayBeThere) => (mayBeThere ? read(path, answer) : answer(nowhere)))
  const resolveIfThere = (path: string, answer: (found: string | NoFile) => void): void =>
    absences.ask(path, (mayBeThere) => (mayBeThere ? resolve(path, answer) : answer(nowhere)))
  return {
    read: (path) =>
      Effect.callback((resume) => readIfThere(path, (content) => resume(Effect.succeed(content)))),
    answerSame: (answers) =>
      Effect.callback((resume) => {
        const plain = plainFiles(answers)
        let waiting = answers.reals.size + answers.contents.size - plain.size
        let same = true
        const judge = (one: boolean): void => {
          same &&= one
          waiting -= 1
          if (waiting === 0) resume(Effect.succeed(same))
        }
        if (waiting === 0) return resume(Effect.succeed(true))
        for (const [path, before] of answers.reals)
          if (!plain.has(path)) resolveIfThere(path, (now) => judge(isSameAnswer(now, before)))
        for (const [path, before] of answers.contents) {
          const answer = (now: FileContent) => judge(isSameAnswer(now, before))
          if (plain.has(path)) readPlain(path, answer)
          else readIfThere(path, answer)
        }
      }),
    realPaths: (paths) => askAll<string | NoFile>(paths, nowhere, resolve),
    names: (directories) => askAll<readonly string[]>(directories, [], list),
  }
}

export const nodeInstructionFiles: KnownFiles = makeNodeInstructionFiles(Date.now)

/**
 * Files that were found without a link on the way, in or above a directory that is asked for too: such a
 * file is still there, and is still itself, while the directory is and nothing but a file has its name. One look tells both.
 */
function plainFiles({ reals, contents }: Answers): ReadonlySet<string> {
  const directories = [...reals].flatMap(([path, real]) =>
    typeof real === "string" && path === asDirectory(real) ? [`${real}${sep}`] : [],
  )
  const isCanonical = (path: string): boolean =>
    directories.some((directory) => directory.startsWith(`${dirname(path)}${sep}`))
  const found = [...contents].filter(
    ([path, { kind }]) => kind === "text" && reals.get(path) === path && isCanonical(path),
  )
  return new Set(found.map(([path]) => path))
}

/** A content that was kept is the same object. */
export function isSameAnswer(now: string | FileContent, before: string | FileContent): boolean {
  if (now === before) return true
  if (typeof now === "string" || typeof before === "string" || now.kind !== before.kind) return false
  if (now.kind === "missing") return before.kind === "missing" && now.irregular === before.irregular
  if (now.kind === "unreadable") return before.kind === "unreadable" && now.reason === before.reason
  return (
    before.kind === "text" && now.text === before.text && now.cut === before.cut && now.bytes === before.bytes
  )
}

const nowhere: NoFile = { kind: "missing" }
const irregular: NoFile = { kind: "missing", irregular: true }

/** Codes that say that no file is there. A symlink loop is one: it never leads to a file. */
const missingCodes = new Set(["ENOENT", "ENOTDIR", "ELOOP"])

function explainFailure(thrown: unknown): NoFile {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error"
  return missingCodes.has(code) ? nowhere : { kind: "unreadable", reason: code }
}

/** With the stamp of what was opened. */
async function readContent(path: string): Promise<readonly [FileContent, Stamp]> {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer, for ever if none comes.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    // Beside the look at what it is, since a turn waits for both; most files end within it.
    const reading = readAt(file, 0, headBytes)
    reading.catch(() => {}) // heard below, where there is a file to read
    const stats = await file.stat()
    if (!stats.isFile()) return [irregular, stampOf(stats)]
    const bytes = await readOn(file, await reading, Math.min(stats.size, instructionBytesMax + 1))
    const cut = bytes.length > instructionBytesMax
    // `stream` holds back a character that the cut has split, instead of replacing it.
    const text = new TextDecoder("utf-8").decode(bytes.subarray(0, instructionBytesMax), { stream: cut })
    return [cut ? { kind: "text", text, cut, bytes: stats.size } : { kind: "text", text }, stampOf(stats)]
  } finally {
    file.close().catch(() => {}) // nobody waits for it
  }
}

const headBytes = 16 * 1024

async function readOn(file: FileHandle, head: Uint8Array, bytesMax: number): Promise<Uint8Array> {
  if (head.length >= bytesMax) return head
  const bytes = new Uint8Array(bytesMax)
  bytes.set(head)
  let length = head.length
  while (length < bytesMax) {
    const piece = await readAt(file, length, bytesMax - length)
    if (piece.length === 0) break
    bytes.set(piece, length)
    length += piece.length
  }
  return bytes.subarray(0, length)
}

async function readAt(file: FileHandle, position: number, bytesMax: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(bytesMax), 0, bytesMax, position)
  return buffer.subarray(0, bytesRead)
}
