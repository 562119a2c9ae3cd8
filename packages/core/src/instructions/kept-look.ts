/**
 * A kept look: what was found in files last time, found again where the disk answers every question
 * that was asked for it as it did then.
 *
 * Every turn looks, and next to never has anything changed. The questions are asked at once and by one
 * wait, where finding goes step by step. Nothing is taken on trust: each of them is asked (IN1, SC12).
 */
import { Effect } from "effect"
import type { Answers, FileContent, InstructionFiles, KnownFiles, NoFile } from "./files.ts"

export interface KeptLook<A> {
  /** What holds now. */
  readonly now: Effect.Effect<A>
  /** The same, found step by step. */
  readonly anew: Effect.Effect<A>
}

export function keepLook<A>(
  files: KnownFiles,
  find: (files: InstructionFiles) => Effect.Effect<A>,
): KeptLook<A> {
  let last: { readonly answers: Answers; readonly found: A } | null = null
  const anew = Effect.suspend(() => {
    const { lookedAt, answers } = recorded(files)
    return Effect.map(find(lookedAt), (found) => {
      const all = answers()
      last = all === null ? null : { answers: all, found }
      return found
    })
  })
  const now = Effect.suspend(() => {
    const known = last
    return known === null
      ? anew
      : Effect.flatMap(files.answerSame(known.answers), (same) => (same ? Effect.succeed(known.found) : anew))
  })
  return { now, anew }
}

/** The files as one look sees them, and what they answered; null where that is not all there is to it. */
function recorded(files: InstructionFiles) {
  const reals = new Map<string, string | NoFile>()
  const contents = new Map<string, FileContent>()
  let whole = true
  const beside = (): void => void (whole = false)
  const lookedAt: InstructionFiles = {
    beside,
    read: (path) => Effect.tap(files.read(path), (content) => Effect.sync(() => contents.set(path, content))),
    realPaths: (paths) =>
      Effect.map(files.realPaths(paths), (found) => {
        for (const [at, path] of paths.entries()) reals.set(path, found[at] ?? { kind: "missing" })
        return found
      }),
    names: (directories) => {
      beside()
      return files.names(directories)
    },
  }
  return { lookedAt, answers: (): Answers | null => (whole ? { reals, contents } : null) }
}
