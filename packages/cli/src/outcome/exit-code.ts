/**
 * Exit codes: every one that a run can end with, by name, with the words of the help.
 *
 * The help is made from here, and a test compares docs/commands.md. Apart from `outcome.ts`, because
 * `--help` needs nothing else of it.
 */
import type { RunStatus } from "./outcome.ts"

export const exitCode = {
  done: 0,
  failed: 1,
  /** Nothing was tried. */
  usage: 2,
  blocked: 3,
  interrupted: 130,
  /** As a shell reports a program that wrote to a closed pipe. */
  readerGone: 141,
} as const

export const exitMeanings: Readonly<Record<keyof typeof exitCode, string>> = {
  done: "done",
  failed: "failed",
  usage: "wrong arguments or configuration",
  blocked: "blocked or asking",
  interrupted: "interrupted",
  readerGone: "the reader of its output has left",
}

export const exitCodeOfStatus: Readonly<Record<RunStatus, number>> = {
  done: exitCode.done,
  failed: exitCode.failed,
  asking: exitCode.blocked,
  blocked: exitCode.blocked,
  interrupted: exitCode.interrupted,
}

/** `0 done, 1 failed, …`. */
export const exitCodeList = Object.entries(exitMeanings)
  .map(([name, meaning]) => `${exitCode[name as keyof typeof exitCode]} ${meaning}`)
  .join(", ")
