/** The log of a Session out of a bundle, for whoever needs its events and not the store. */
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { open } from "node:fs/promises"
import { type BundleLine, readLine } from "@holdfast/schema/bundle/line"
import { type Event, type Fact, readFact } from "@holdfast/schema/event"
import { factVersions } from "@holdfast/schema/fact/version"
import type { SessionId } from "@holdfast/schema/id"
import type { JsonObject } from "@holdfast/schema/json"
import { isFailure, type HoldfastClient } from "@holdfast/sdk"
import { UsageError } from "../outcome/outcome.ts"

export interface StoredLog {
  readonly events: readonly Event[]
  /** Events that differ from what is stored, because a known secret was in them. */
  readonly masked: number
}

/** Null where there is no such Session. */
export async function storedLog(
  { sessions }: Pick<HoldfastClient, "sessions">,
  sessionID: string,
): Promise<StoredLog | null> {
  try {
    await sessions.get({ sessionID })
  } catch (failure) {
    if (isFailure(failure, "SessionNotFound")) return null
    throw failure
  }
  return readLog(Readable.from(sessions.export({ sessionID })), sessionID)
}

export const bundleLog = (file: string, gzipped: boolean): Promise<StoredLog> => {
  const bytes = createReadStream(file)
  return readLog(gzipped ? bytes.pipe(createGunzip()) : bytes, file)
}

async function readLog(bytes: Readable, name: string): Promise<StoredLog> {
  const events: Event[] = []
  let session = "" as SessionId
  let masked: number | null = null
  for await (const text of createInterface({ input: bytes, crlfDelay: Infinity })) {
    const line: BundleLine | string = readLine(text)
    if (typeof line === "string") throw new UsageError(`${name} is damaged: a line ${line}.`)
    if (line.kind === "header") session = line.session as SessionId
    if (line.kind === "end") masked = line.masked
    if (line.kind !== "event") continue
    const { seq, type, version, time, data } = line
    const reading = readFact(type, version, data as JsonObject)
    if (reading.kind !== "read")
      throw new UsageError(`${name} holds a ${type} that this version of Holdfast cannot read.`)
    // As it stands in the file, so that whoever writes it again writes the same.
    const fact =
      version === factVersions[reading.fact.type] ? ({ type, ...data } as unknown as Fact) : reading.fact
    events.push({ session, seq, version, time, fact })
  }
  if (masked === null) throw new UsageError(`${name} is damaged: its end is missing.`)
  return { events, masked }
}

/** Whether a file is a bundle, by how it begins; null if it is none. */
export async function bundleKind(file: string): Promise<"plain" | "gzipped" | null> {
  const handle = await open(file)
  try {
    const head = Buffer.alloc(headBytes)
    const { bytesRead } = await handle.read(head, 0, headBytes, 0)
    const begun = head.subarray(0, bytesRead)
    if (begun[0] === 0x1f && begun[1] === 0x8b) return "gzipped"
    return begun.toString("utf8").startsWith('{"bundle":"holdfast-session"') ? "plain" : null
  } finally {
    await handle.close()
  }
}

const headBytes = 64
