/** Background commands of one Session, as its tools see them: what they start, look at and end. */
import type { Effect } from "effect"
import type { OutputSink } from "../output-sink.ts"
import type { ToolFailure } from "../tool.ts"

export interface SessionCommands {
  /** Puts a command on record and runs it beside the turn, until it ends or has to. */
  readonly start: (command: BackgroundCommand) => Effect.Effect<void, ToolFailure>
  /** Those of this process, in the order of their starts: all that run, and some that have ended. */
  readonly held: () => readonly HeldCommand[]
  /** Ids of others that are on record as running: in another process. */
  readonly elsewhere: () => readonly string[]
}

export interface BackgroundCommand {
  readonly id: string
  /** The command line. */
  readonly line: string
  /** Where all of its output goes; null if it is stored nowhere. */
  readonly outputFile: string | null
  /** Runs it to its end; to interrupt this ends all that it started. */
  readonly run: Effect.Effect<CommandExit>
  /** What it put out since this was last asked. */
  readonly takeOutput: () => Pick<OutputSink, "text" | "omitted">
}

export interface CommandExit {
  readonly exitCode: number | null
  /** How it ended, in words. */
  readonly said: string
}

export interface HeldCommand extends BackgroundCommand {
  /** Null while it runs. */
  readonly exit: () => CommandExit | null
  /** Answers when it has ended and that is on record. */
  readonly ended: Effect.Effect<void>
  /** Ends it, and answers as `ended` does. */
  readonly end: Effect.Effect<void>
}

/** Live ones of a Session. */
export const commandsMax = 8
