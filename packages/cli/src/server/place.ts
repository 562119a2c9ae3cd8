/**
 * The one place that decides where a command does its work.
 *
 *   a record in the data directory ─ its process lives ─ it answers ─ same version ──▶ the server
 *   anything else ──▶ this process
 *
 * The result is the same either way; with the server a Session stays warm and lives on when the
 * command ends. What the command asks for and the server does not offer is refused, not ignored.
 */
import type { ConfigurationMark } from "@holdfast/sdk"
import { quoted } from "../hint.ts"
import { UsageError } from "../outcome/outcome.ts"
import { version } from "../version.ts"
import { askHealth } from "./health.ts"
import { readServerRecord, type ServerRecord } from "./record.ts"

export interface RunningServer {
  readonly record: ServerRecord
  readonly token: string
}

/** Longer than any server that works needs on this machine; a command does not wait for another. */
const answerMsMax = 500

/** The server of a data directory, if one is there and answers. */
export async function findServer(dataDirectory: string): Promise<RunningServer | null> {
  const found = readServerRecord(dataDirectory)
  if (found.kind !== "there") return null
  const { record, token } = found
  const health = await askHealth(record.url, token, answerMsMax)
  return health.kind === "answers" ? { record, token } : null
}

/** Why this server cannot do what a command of this version asks, or null. */
export function findMisfit({ record }: RunningServer): UsageError | null {
  const own = version()
  if (record.version === own) return null
  return new UsageError(
    `The server at ${record.url} has version ${record.version}, this command ${own}. Start it again, or add --no-server.`,
  )
}

/** The command line that starts such a server. */
export function startLine({ options, allow }: Pick<ServerRecord, "options" | "allow">): string {
  const rules = allow.flatMap((rule) => ["--allow", rule])
  return ["holdfast", "serve", ...[...options, ...rules].map(quoted)].join(" ")
}

/** What a person should know where a server does not work with the configuration of this command. */
export function staleNotice(record: ServerRecord, current: ConfigurationMark): string | null {
  const { url, configuration } = record
  if (configuration.directory !== current.directory)
    return `The server at ${url} works with the configuration in ${configuration.directory}, not with that in ${current.directory}.`
  return configuration.hash === current.hash
    ? null
    : `The configuration in ${current.directory} has changed since the server at ${url} started, and it works with the old one. ` +
        `Start it again to use the new one: ${startLine(record)}`
}

/** What a person should know before a server works for them: what it does for everybody without asking. */
export const serverNotice = ({ record }: RunningServer): string | null =>
  record.allow.length === 0
    ? null
    : `The server at ${record.url} works, and allows every Session ${record.allow.join(", ")} without asking.`
