/** Files of other agents: where they are kept, and one of them as its records. Nothing is ever written to them. */
import { createReadStream } from "node:fs"
import { open, readdir, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { agentOf, type Format, sessionFormat, headBytes, agentReaders } from "./detect.ts"
import { readOpenCodeStore } from "./opencode/store.ts"
import type { Agent, ForeignRecord } from "./record.ts"

export interface Source {
  readonly path: string
  readonly bytes: number
  readonly format: Format
  readonly agent: Agent
}

/** A path that was given and is no file of an agent. */
export interface Unknown {
  readonly path: string
  readonly why: "absent" | "unreadable" | "unknown-format"
}

export interface Found {
  readonly sources: readonly Source[]
  readonly unknown: readonly Unknown[]
}

/** Folders are searched this deep, and for this many files. */
const depthMax = 8
const filesMax = 100_000

/** Where the agents keep their sessions unless told otherwise. */
export function usualPlaces(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const home = environment["HOME"] ?? homedir()
  const data = environment["XDG_DATA_HOME"] ?? join(home, ".local", "share")
  return [
    join(environment["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "projects"),
    join(home, ".config", "claude", "projects"),
    join(environment["CODEX_HOME"] ?? join(home, ".codex"), "sessions"),
    join(environment["CODEX_HOME"] ?? join(home, ".codex"), "archived_sessions"),
    join(environment["PI_CODING_AGENT_DIR"] ?? join(home, ".pi", "agent"), "sessions"),
    join(data, "opencode"),
  ]
}

/** Of the files and folders named, those that an agent wrote; a file named by itself is reported if it is none. */
export async function findSources(paths: readonly string[]): Promise<Found> {
  const sources: Source[] = []
  const unknown: Unknown[] = []
  const seen = new Set<string>()
  for (const path of paths) {
    const kind = await stat(path).then(
      (found) => (found.isDirectory() ? "folder" : "file"),
      (error: NodeJS.ErrnoException) =>
        error.code === "ENOENT" ? ("absent" as const) : ("unreadable" as const),
    )
    if (kind === "absent" || kind === "unreadable") {
      unknown.push({ path, why: kind })
      continue
    }
    const files = kind === "file" ? [path] : await filesBelow(path, 0)
    for (const file of files.slice(0, filesMax)) {
      if (seen.has(file)) continue
      seen.add(file)
      const source = await sourceOf(file)
      if ("format" in source) sources.push(source)
      else if (kind === "file") unknown.push(source)
    }
  }
  return { sources, unknown }
}

/** The records of a file, whatever state it is in. */
export function readSource(
  source: Source,
  progress: (bytes: number) => void = () => {},
): AsyncIterable<ForeignRecord> {
  if (source.format === "opencode-store") return storeWithProgress(source, progress)
  return agentReaders[source.format](counted(source.path, progress))
}

async function* storeWithProgress(
  source: Source,
  progress: (bytes: number) => void,
): AsyncIterable<ForeignRecord> {
  yield* readOpenCodeStore(source.path)
  progress(source.bytes)
}

/** Bytes read at a time: large enough to be fast, small enough not to count. */
const chunkBytes = 1_048_576

async function* counted(path: string, progress: (bytes: number) => void): AsyncIterable<Uint8Array> {
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    const bytes = chunk as Uint8Array
    progress(bytes.length)
    yield bytes
  }
}

/** Names that may hold sessions; anything else in a folder, such as other programs' databases, is passed over. */
const names = /\.jsonl?$|^opencode.*\.db$/

async function filesBelow(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found: string[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth < depthMax && entry.name !== "node_modules" && entry.name !== ".git") {
        found.push(...(await filesBelow(path, depth + 1)))
      }
    } else if (entry.isFile() && names.test(entry.name)) found.push(path)
  }
  return found
}

async function sourceOf(path: string): Promise<Source | Unknown> {
  try {
    const file = await open(path, "r")
    try {
      const head = new Uint8Array(headBytes)
      const { bytesRead } = await file.read(head, 0, headBytes, 0)
      const format = sessionFormat(head.subarray(0, bytesRead))
      if (format === null) return { path, why: "unknown-format" }
      const { size } = await file.stat()
      return { path, bytes: size, format, agent: agentOf(format) }
    } finally {
      await file.close()
    }
  } catch {
    // Removed since it was listed, or not ours to read: the report names it.
    return { path, why: "unreadable" }
  }
}
