/**
 * The record of a running server: two files in the data directory that only its user can read.
 *
 *   server.json   where it listens, which process it is, which version; no secret
 *   server.token  the token that every request must carry (AU1); it outlives its server, so that
 *                 clients can go on with the next one. Removing it makes the next token a new one.
 *
 * A server that was killed leaves its record behind. The process in the record tells, so nobody has to
 * wait for an address where no one listens any more, or speak to a stranger who took its port.
 */
import { randomBytes } from "node:crypto"
import { chmodSync, linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type AllowRule, judgeProcess, type ProcessRecord } from "@holdfast/sdk"
import { recordFile } from "./record-file.ts"

export interface ServerRecord {
  readonly url: string
  readonly version: string
  readonly process: ProcessRecord
  /** Tools beyond `read` that it offers to every Session. */
  readonly allow: readonly AllowRule[]
  /** The directory of its configuration. */
  readonly configuration: string
  /** Its own options beside `--allow`, as words of a command line, to start it again. */
  readonly options: readonly string[]
}

export type FoundRecord =
  | { readonly kind: "none" }
  | { readonly kind: "unreadable"; readonly file: string; readonly problem: string }
  | { readonly kind: "gone"; readonly file: string; readonly record: ServerRecord }
  /** Its process lives; where that is not `certain`, only an answer can tell. */
  | {
      readonly kind: "there"
      readonly record: ServerRecord
      readonly token: string
      readonly certain: boolean
    }

export const tokenFile = (dataDirectory: string): string => join(dataDirectory, "server.token")

export function readServerRecord(dataDirectory: string): FoundRecord {
  const file = recordFile(dataDirectory)
  try {
    const text = readText(file)
    if (text === null) return { kind: "none" }
    const record = decode(text)
    if (record === null) return { kind: "unreadable", file, problem: "it is not what a server writes" }
    const state = judgeProcess(record.process)
    if (state === "gone") return { kind: "gone", file, record }
    const token = readText(tokenFile(dataDirectory))?.trim() ?? ""
    if (token === "")
      return { kind: "unreadable", file: tokenFile(dataDirectory), problem: "the token is missing" }
    return { kind: "there", record, token, certain: state === "alive" }
  } catch (cause) {
    return { kind: "unreadable", file, problem: cause instanceof Error ? cause.message : String(cause) }
  }
}

/**
 * Makes this server the one of its data directory; false if another is. Of several that start at
 * once exactly one gets the name `server.json`, since a link is never made over a file. A record
 * left behind by a process that has ended is replaced, as is one of another boot that nobody
 * answers for: `answers` asks.
 */
export async function claimServer(
  dataDirectory: string,
  record: ServerRecord,
  token: string,
  answers: (url: string, token: string) => Promise<boolean>,
): Promise<boolean> {
  const file = recordFile(dataDirectory)
  const own = beside(file)
  try {
    writePrivate(own, `${JSON.stringify(record, null, 2)}\n`)
    if (!linkIfFree(own, file)) {
      const judged = readText(file)
      if (judged !== null) {
        if (await isServed(dataDirectory, judged, answers)) return false
        moveAside(file, judged)
      }
      if (!linkIfFree(own, file)) return false
    }
    replacePrivate(tokenFile(dataDirectory), `${token}\n`)
    return true
  } finally {
    rmSync(own, { force: true })
  }
}

/** One that has just made its record has not written its token yet: a process that lives is enough. */
async function isServed(
  dataDirectory: string,
  text: string,
  answers: (url: string, token: string) => Promise<boolean>,
): Promise<boolean> {
  const record = decode(text)
  if (record === null) return false
  const state = judgeProcess(record.process)
  if (state !== "unknown") return state === "alive"
  return answers(record.url, readText(tokenFile(dataDirectory))?.trim() ?? "")
}

/** Takes a record away that was judged dead. If it has meanwhile become another, it is put back. */
function moveAside(file: string, judged: string): void {
  const aside = beside(file)
  try {
    renameSync(file, aside)
    if (readText(aside) !== judged) linkIfFree(aside, file)
  } catch (cause) {
    if (!isCode(cause, "ENOENT")) throw cause // another took it away
  } finally {
    rmSync(aside, { force: true })
  }
}

function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (cause) {
    if (isCode(cause, "EEXIST")) return false
    throw cause
  }
}

/** Removes the record if it is still that of this process. */
export function removeServerRecord(dataDirectory: string, own: ProcessRecord): void {
  const found = readServerRecord(dataDirectory)
  if (found.kind !== "there" || !isSame(found.record.process, own)) return
  rmSync(recordFile(dataDirectory), { force: true })
}

const tokenBytes = 32
const tokenShape = /^[A-Za-z0-9_-]{43}$/

/** The token of the server before, if nobody else could read it; a new one otherwise. */
export function tokenFor(dataDirectory: string): string {
  const file = tokenFile(dataDirectory)
  const kept = isPrivate(file) ? (readText(file)?.trim() ?? "") : ""
  return tokenShape.test(kept) ? kept : randomBytes(tokenBytes).toString("base64url")
}

function isPrivate(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats !== undefined && stats.isFile() && (stats.mode & 0o077) === 0
}

const isSame = (a: ProcessRecord, b: ProcessRecord): boolean =>
  a.boot === b.boot && a.space === b.space && a.pid === b.pid && a.start === b.start

/** A name that nobody else uses. */
const beside = (file: string): string => `${file}.${randomBytes(6).toString("hex")}`

/** A reader sees the old text or the new one. */
function replacePrivate(file: string, text: string): void {
  const temporary = beside(file)
  try {
    writePrivate(temporary, text)
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function writePrivate(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 })
  chmodSync(file, 0o600) // the mode above holds only for a file that is made
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    if (isCode(cause, "ENOENT", "ENOTDIR")) return null
    throw cause
  }
}

const isCode = (cause: unknown, ...codes: readonly string[]): boolean =>
  cause instanceof Error && "code" in cause && codes.includes(String(cause.code))

function decode(text: string): ServerRecord | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null // a SyntaxError is the only thing JSON.parse throws
  }
  return isRecord(value) ? value : null
}

function isRecord(value: unknown): value is ServerRecord {
  if (typeof value !== "object" || value === null) return false
  const { url, version, process, allow, configuration, options } = value as Fields<ServerRecord>
  if (typeof url !== "string" || typeof version !== "string") return false
  if (!URL.canParse(url) || !areTexts(allow) || !areTexts(options)) return false
  if (typeof process !== "object" || process === null) return false
  const { boot, space, pid, start } = process as Fields<ProcessRecord>
  return areTexts([boot, space, start, configuration]) && Number.isSafeInteger(pid)
}

type Fields<A> = Partial<Record<keyof A, unknown>>

const areTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((part) => typeof part === "string")
