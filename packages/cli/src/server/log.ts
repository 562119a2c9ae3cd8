/**
 * What a server says while it runs: to a person in words, or one JSON object a line (AU1).
 *
 *   text  what concerns a person, on standard error
 *   json  everything of the level, on standard output, as {"time", "level", "event", …fields}
 *
 * Entries are made of names, numbers and our own words. Where a detail of a failure is passed on, the
 * server has taken secrets out of it.
 */
import type { Terminal } from "../terminal.ts"

export const logFormats = ["text", "json"] as const
export type LogFormat = (typeof logFormats)[number]

/** In the order of their weight. */
export const logLevels = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogEntry {
  readonly level: LogLevel
  readonly event: string
  readonly fields?: Readonly<Record<string, string | number | readonly string[]>>
  /** For a person; without it the entry is for machines alone. */
  readonly text?: string
}

export type Log = (entry: LogEntry) => void

export interface LogOptions {
  readonly format: LogFormat
  readonly level: LogLevel
}

export function makeLog(
  terminal: Pick<Terminal, "write" | "complain">,
  { format, level }: LogOptions,
  nowMs: () => number = Date.now,
): Log {
  return (entry) => {
    if (logLevels.indexOf(entry.level) < logLevels.indexOf(level)) return
    if (format === "json") terminal.write(`${jsonLine(entry, nowMs())}\n`)
    else if (entry.text !== undefined) terminal.complain(entry.text)
  }
}

const jsonLine = ({ level, event, fields }: LogEntry, ms: number): string =>
  JSON.stringify({ time: new Date(ms).toISOString(), level, event, ...fields })
