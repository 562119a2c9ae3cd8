/**
 * What has to hold of a bundle before any of it is taken over (ST4), line by line, from values alone.
 *
 * A checker knows what it has seen: the number of events, the hashes of blobs, and the notices that
 * wait. It answers with what is wrong, or with nothing.
 */
import { createHash, type Hash } from "node:crypto"
import { posix, win32 } from "node:path"
import { Schema } from "effect"
import {
  type BlobPiece,
  type BundleEnd,
  type BundleEvent,
  bundleEventsMax,
  type BundleLine,
} from "@holdfast/schema/bundle/line"
import { withoutPermissions } from "@holdfast/schema/bundle/adopt"
import { blobsNamedBy } from "@holdfast/schema/bundle/named-blobs"
import { type Fact, readFact } from "@holdfast/schema/event"
import { SessionId } from "@holdfast/schema/id"
import type { JsonObject } from "@holdfast/schema/json"
import { findTextFault } from "@holdfast/schema/prompt"

export type Fault = { readonly code: "damaged" | "newer" | "too_large" | "misfit"; readonly problem: string }

export interface CheckedBundle {
  readonly session: SessionId
  readonly events: number
  readonly messages: number
  readonly calls: number
  /** Events that allow something, or let it go on by itself. */
  readonly permissions: number
  /** Blobs that facts name and that did not come along. */
  readonly absent: readonly string[]
  /** Events that were masked on their way out. */
  readonly masked: number
}

export interface Checker {
  /** Null where the line is in order. `bytes` is the line as it came, its end included. */
  readonly take: (line: BundleLine, bytes: Uint8Array) => Fault | null
  /** What the bundle holds; null as long as its last line has not come. */
  readonly whole: () => CheckedBundle | null
}

interface OpenBlob {
  readonly hash: string
  readonly size: number
  readonly digest: Hash
  at: number
}

const damaged = (problem: string): Fault => ({ code: "damaged", problem })
const misfit = (problem: string): Fault => ({ code: "misfit", problem })

export function makeChecker(): Checker {
  const digest = createHash("sha256")
  let session: SessionId | null = null
  let blob: OpenBlob | null = null
  let whole: CheckedBundle | null = null
  /** Blobs that came and whose event is still to come. */
  let fresh = new Set<string>()
  const brought = new Set<string>()
  const missing = new Set<string>()
  const notices = new Map<string, number>()
  const counts = { events: 0, messages: 0, calls: 0, permissions: 0 }

  const takePiece = (piece: BlobPiece): Fault | null => {
    if (blob === null) {
      if (brought.has(piece.hash)) return damaged(`brings the blob ${piece.hash} twice`)
      blob = { hash: piece.hash, size: piece.size, digest: createHash("sha256"), at: 0 }
    }
    const bytes = Buffer.from(piece.data, "base64")
    const follows = piece.hash === blob.hash && piece.size === blob.size && piece.at === blob.at
    if (!follows || bytes.toString("base64") !== piece.data)
      return damaged("is a piece of a blob out of its place")
    if (bytes.length === 0 && piece.size > 0) return damaged("is an empty piece of a blob")
    blob.digest.update(bytes)
    blob.at += bytes.length
    if (blob.at < blob.size) return null
    if (blob.at > blob.size || blob.digest.digest("hex") !== blob.hash)
      return damaged(`holds other bytes than its blob ${piece.hash}`)
    brought.add(blob.hash)
    fresh.add(blob.hash)
    blob = null
    return null
  }

  const takeEvent = ({ seq, type, version, data }: BundleEvent): Fault | null => {
    if (seq !== counts.events + 1) return damaged(`is event ${seq}, where ${counts.events + 1} belongs`)
    if (seq > bundleEventsMax) return { code: "too_large", problem: `is behind ${bundleEventsMax} events` }
    const reading = readFact(type, version, data as JsonObject)
    if (reading.kind === "newer")
      return { code: "newer", problem: `holds a ${JSON.stringify(type.slice(0, 60))} of version ${version}` }
    if (reading.kind === "unreadable") return damaged(`holds a ${type} that cannot be read`)
    const { fact } = reading
    counts.events = seq
    if (isMessage(fact)) counts.messages += 1
    if (fact.type === "part.recorded" && fact.part.type === "call") counts.calls += 1
    if (withoutPermissions(fact) !== fact) counts.permissions += 1
    return findMisfit(fact, seq, notices) ?? takeBlobs(fact)
  }

  const takeBlobs = (fact: Fact): Fault | null => {
    const { needed, kept } = blobsNamedBy(fact)
    const named = new Set([...needed, ...kept])
    for (const hash of fresh)
      if (!named.has(hash)) return misfit(`comes behind the blob ${hash}, which it does not name`)
    fresh = new Set()
    for (const hash of needed) if (!brought.has(hash)) missing.add(hash)
    return null
  }

  const takeEnd = (end: BundleEnd): Fault | null => {
    if (session === null || counts.events === 0) return damaged("ends what has not begun")
    if (fresh.size > 0) return misfit("ends behind a blob that nothing names")
    if (end.sha256 !== digest.digest("hex")) return damaged("tells another SHA-256 than the bundle has")
    if (end.events !== counts.events || end.blobs !== brought.size)
      return damaged("counts other events or blobs")
    const absent = new Set(end.absent)
    const isTold = absent.size === missing.size && [...missing].every((hash) => absent.has(hash))
    if (!isTold) return misfit("does not tell which blobs are absent")
    whole = { session, ...counts, absent: [...missing], masked: end.masked }
    return null
  }

  return {
    whole: () => whole,
    take: (line, bytes) => {
      if (whole !== null) return damaged("stands behind the end")
      if (line.kind !== "end") digest.update(bytes)
      if ((line.kind === "header") !== (session === null)) return damaged("is not where it belongs")
      if (blob !== null && line.kind !== "blob") return damaged("stands within a blob")
      switch (line.kind) {
        case "header":
          session = isSessionId(line.session) ? line.session : null
          return session === null ? damaged("names no Session") : null
        case "blob":
          return takePiece(line)
        case "event":
          return takeEvent(line)
        case "end":
          return takeEnd(line)
      }
    },
  }
}

const isSessionId = Schema.is(SessionId)

const isMessage = ({ type }: Fact): boolean =>
  type === "prompt.promoted" ||
  type === "notice.promoted" ||
  type === "turn.started" ||
  type === "context.updated"

/** What the store would not notice by itself, or only when it is read. */
function findMisfit(fact: Fact, seq: number, notices: Map<string, number>): Fault | null {
  if ((fact.type === "session.created") !== (seq === 1))
    return misfit("begins a Session in the middle of another")
  switch (fact.type) {
    case "session.created":
      if (fact.kind !== "primary") return misfit("is the Session of a call or a job, not somebody's own")
      return [fact.location.directory, fact.location.projectRoot].every(isPlainPath) ? null : notPlain
    case "session.moved":
      return [fact.location.directory, fact.location.projectRoot].every(isPlainPath) ? null : notPlain
    case "prompt.admitted":
    case "prompt.edited": {
      const fault = findTextFault(fact.text)
      const isFine = fault === null || (fault.code === "empty" && fact.images !== undefined)
      return isFine ? null : misfit(`holds a prompt that nobody could have sent: ${fault.message}`)
    }
    case "notice.admitted":
      notices.set(fact.notice, seq)
      return null
    case "notice.promoted":
      return notices.get(fact.notice) === fact.bodySeq ? null : misfit("promotes a notice that does not wait")
    case "call.planned":
    case "call.settled": {
      const paths = fact.effects.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
      return paths.every(isPlainPath) ? null : notPlain
    }
    case "pass.applied":
      return fact.ops.every(
        (op) => op.op !== "cut" || (op.below <= seq && op.kept.every((kept) => kept < seq)),
      )
        ? null
        : misfit("keeps what is not there")
    default:
      return null
  }
}

const notPlain = misfit("names a path that is not absolute and plain")

/** Absolute, with nothing in it that leads elsewhere, on one kind of machine or the other. */
function isPlainPath(path: string): boolean {
  if (path.includes("\u0000") || !path.isWellFormed()) return false
  const isPosix = posix.isAbsolute(path) && posix.resolve(path) === path
  const isWindows = /^[A-Za-z]:\\/.test(path) && win32.normalize(path) === path
  return isPosix || isWindows
}
