/**
 * Instruction Files: the port through which instruction files are found and read.
 *
 * Called by discovery at each observation, and by whoever describes a project. It never fails:
 * what the outside world does wrong is part of the answer. It only reads, so a repeat is safe.
 */
import type { Effect } from "effect"

export interface InstructionFiles {
  /**
   * The content of a regular file, decoded as UTF-8 without its byte order mark; invalid bytes
   * become U+FFFD. `cut` says that the file goes on after `instructionBytesMax`, and `bytes` how long it is. Anything that is
   * not a regular file is missing, since it cannot hold instructions, and `irregular` tells it.
   */
  read(path: string): Effect.Effect<FileContent>
  /**
   * For each path the canonical one with every symlink resolved, or why nothing can be reached
   * there. All are asked for at once, since a boundary waits for the slowest.
   */
  realPaths(paths: readonly string[]): Effect.Effect<readonly (string | NoFile)[]>
  /** What is in each directory, sorted, so that the order of a disk is nobody's order; nothing where there is none. */
  names(directories: readonly string[]): Effect.Effect<readonly (readonly string[])[]>
  /** Told where something else than these answers is part of what is found: then it is not kept. */
  readonly beside?: () => void
}

/** What was asked of files, and answered. */
export interface Answers {
  readonly reals: ReadonlyMap<string, string | NoFile>
  readonly contents: ReadonlyMap<string, FileContent>
}

/** Files of which what was found in them can be kept. */
export interface KnownFiles extends InstructionFiles {
  /** Whether each question still has this answer. All are asked for at once. */
  answerSame(answers: Answers): Effect.Effect<boolean>
}

export type FileContent =
  | { readonly kind: "text"; readonly text: string; readonly cut?: true; readonly bytes?: number }
  | NoFile

export type NoFile =
  | { readonly kind: "missing"; readonly irregular?: true }
  | { readonly kind: "unreadable"; readonly reason: string }

/** What is read of a file; it is sent with every request. */
export const instructionBytesMax = 256 * 1024
