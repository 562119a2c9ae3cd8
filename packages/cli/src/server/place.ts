/**
 * The one place that decides where a command does its work.
 *
 *   a record in the data directory ─ its process lives ─ it answers ─ same version ──▶ the server
 *   anything else ──▶ this process
 *
 * The result is the same either way; with the server a Session stays warm and lives on when the
 * command ends. What the command asks for and the server does not offer is refused, not ignored.
 */
import { quoted } from "../hint.ts"
import { UsageError } from "../outcome/outcome.ts"
import { version } from "../version.ts"
import { askHealth, type DegradedPart } from "./health.ts"
import { readServerRecord, type ServerRecord } from "./record.ts"

export interface RunningServer {
  readonly record: ServerRecord
  readonly token: string
  /** What it says that it does less well (FA1). */
  readonly degraded: readonly DegradedPart[]
}

/** Longer than any server that works needs on this machine; a command does not wait for another. */
const answerMsMax = 500

/** The server of a data directory, if one is there and answers. */
export async function findServer(dataDirectory: string): Promise<RunningServer | null> {
  const found = readServerRecord(dataDirectory)
  if (found.kind !== "there") return null
  const { record, token } = found
  const health = await askHealth(record.url, token, answerMsMax)
  return health.kind === "answers" ? { record, token, degraded: health.degraded } : null
}

/** Why this server cannot do what a command of this version asks, or null. */
export function findMisfit({ record }: Pick<RunningServer, "record">): UsageError | null {
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

/** What a person should know where a server works with other files than this command. */
export const elsewhereNotice = ({ url, configuration }: ServerRecord, directory: string): string | null =>
  configuration === directory
    ? null
    : `The server at ${url} works with the configuration in ${configuration}, not with that in ${directory}.`

/** What a server says of its configuration: that it cannot be used, or holds in part only after the next start. */
export const configurationNotices = ({ record, degraded }: Omit<RunningServer, "token">): readonly string[] =>
  degraded
    .filter(({ part }) => /^configuration(?:\/|$)/.test(part))
    .map(({ part, cause }) =>
      part === "configuration" ? cause : `${cause} To start it: ${startLine(record)}`,
    )

/** What a person should know before a server works for them: what it does for everybody without asking. */
export const serverNotice = ({ record }: Pick<RunningServer, "record">): string | null =>
  record.allow.length === 0
    ? null
    : `The server at ${record.url} works, and allows every Session ${record.allow.join(", ")} without asking.`
