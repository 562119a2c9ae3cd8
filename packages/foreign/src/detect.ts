/** Which agent wrote a file, by how it begins. */
import { isObject, type JsonFields, stringOf } from "./reading/fields.ts"
import { readClaudeCode } from "./claude-code/claude-code.ts"
import { readCodex } from "./codex/codex.ts"
import { readOpenCodeExport } from "./opencode/export.ts"
import { readPi } from "./pi/pi.ts"
import type { Agent, Reader } from "./record.ts"
import { readTranscript } from "./transcript/transcript.ts"

export type Format = "claude-code" | "codex" | "pi" | "opencode-store" | "opencode-export" | "transcript"

/** Formats that are read as a stream of bytes; a store is read by its path. */
export const agentReaders: Readonly<Record<Exclude<Format, "opencode-store">, Reader>> = {
  "claude-code": readClaudeCode,
  codex: readCodex,
  pi: readPi,
  "opencode-export": readOpenCodeExport,
  transcript: readTranscript,
}

export const agentOf = (format: Format): Agent => (isOpenCode(format) ? "opencode" : format)

const isOpenCode = (format: Format): format is "opencode-store" | "opencode-export" =>
  format.startsWith("opencode-")

/** Bytes of a file that are enough to tell. */
export const headBytes = 256 * 1_024

/** Null where it is none that is known here. */
export function sessionFormat(head: Uint8Array): Format | null {
  const text = Buffer.from(head)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
  if (text.startsWith("SQLite format 3\0")) return "opencode-store"
  const lines = text.split("\n")
  for (const line of lines) {
    const value = parse(line)
    const format = value === null ? null : formatOfLine(value)
    if (format !== null) return format
  }
  return formatOfText(text)
}

function formatOfLine(value: JsonFields): Format | null {
  if (Array.isArray(value["segments"])) return "transcript"
  if (isObject(value["info"]) && Array.isArray(value["messages"])) return "opencode-export"
  const kind = stringOf(value["type"])
  if (kind === "session_meta" || (value["payload"] !== undefined && kind !== null)) return "codex"
  if (kind === "session" && typeof value["cwd"] === "string") return "pi"
  if (typeof value["sessionId"] === "string" || kind === "file-history-snapshot") return "claude-code"
  if (kind === "summary" && typeof value["leafUuid"] === "string") return "claude-code"
  // Before its lines had kinds, Codex began with a bare header.
  if (kind === null && typeof value["id"] === "string" && value["instructions"] !== undefined) return "codex"
  // A tree whose header is lost.
  if (typeof value["parentId"] === "string" && isObject(value["message"])) return "pi"
  return null
}

/** A document on many lines, or a first line that is longer than the head. */
function formatOfText(text: string): Format | null {
  if (!/^\s*\{/.test(text)) return null
  if (/^\s*\{\s*"info"\s*:/.test(text)) return "opencode-export"
  if (/"segments"\s*:\s*\[/.test(text) || /"api"\s*:\s*"(?:anthropic|openai)-/.test(text)) return "transcript"
  if (/"type"\s*:\s*"session_meta"/.test(text)) return "codex"
  if (/"sessionId"\s*:/.test(text)) return "claude-code"
  return null
}

function parse(line: string): JsonFields | null {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : null
  } catch {
    // Not a whole line of JSON; the next may be.
    return null
  }
}
