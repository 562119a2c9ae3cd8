/**
 * Masks: a text in which every secret is replaced by a token that stands for it (AU1).
 *
 * A token says what kind of secret it is, and which: the same secret has the same token wherever it
 * occurs in a store, so that a model can still see that two places hold the same one. Its digits come
 * from a hash with a key that never leaves the data directory, and lead back to nothing.
 *
 * What a model wrote is never masked. A tool refuses an input that holds a token, or the token would
 * end up in a file or a command where the secret belongs.
 */
import { createHmac } from "node:crypto"
import type { Json } from "@holdfast/schema/json"
import { findOpen, findHits, type Hit, type Scanner } from "./scan.ts"

/** What is looked for, and the key of the tokens. */
export interface Known {
  readonly scanner: Scanner
  readonly key: Uint8Array
  /** A secret as it is known, for one that is written in another way. */
  readonly spelledAs: (text: string) => { readonly kind: string; readonly secret: string } | null
}

export interface Masked {
  readonly text: string
  /** The tokens that it holds now in place of secrets, in order. */
  readonly found: readonly string[]
}

export interface MaskStream {
  /** What of the text so far can be told: it holds no secret, nor a part of one. */
  readonly push: (text: string) => string
  /** The rest. */
  readonly end: () => string
}

/** The very same text where it holds no secret. */
export function mask(text: string, known: Known): Masked {
  return replaced(text, 0, text.length, findHits(known.scanner, text), known)
}

/** Of what is held back, at most so much: no secret is longer. */
const heldMax = 32_768

/** Whatever the pieces are, what was told of them together is the masked text of the whole. */
export function createMaskStream(known: () => Known): MaskStream {
  let buffer = ""
  /** Of the buffer, told already; it is kept to see what stands before a secret. */
  let told = 0
  const tell = (until: number, hits: readonly Hit[], now: Known): string => {
    const { text } = replaced(buffer, told, until, hits, now)
    const kept = Math.max(0, until - 1)
    buffer = buffer.slice(kept)
    told = until - kept
    return text
  }
  return {
    push: (text) => {
      const now = known()
      buffer += text
      const hits = findHits(now.scanner, buffer, told)
      const open = findOpen(now.scanner, buffer, Math.max(told, buffer.length - heldMax))
      const cut = hits.find(({ start, end }) => start < open && end > open)?.start ?? open
      return tell(buffer.length - cut > heldMax ? buffer.length : cut, hits, now)
    },
    end: () => {
      const now = known()
      return tell(buffer.length, findHits(now.scanner, buffer, told), now)
    },
  }
}

const tokenPattern = /⟦secret:[a-z-]+:[0-9a-f]{8}⟧/

/** The first token in any text of a value, or null. */
export function findToken(value: Json): string | null {
  if (typeof value === "string") return value.includes("⟦") ? (tokenPattern.exec(value)?.[0] ?? null) : null
  if (value === null || typeof value !== "object") return null
  for (const [name, inner] of Object.entries(value)) {
    const found = findToken(name) ?? findToken(inner as Json)
    if (found !== null) return found
  }
  return null
}

/** The very same value where no text of it holds a secret. */
export function maskJson(value: Json, maskText: (text: string) => string): Json {
  if (typeof value === "string") return maskText(value)
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) {
    const items = value.map((item) => maskJson(item as Json, maskText))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  const fields = Object.entries(value)
  const masked = fields.map(([name, inner]) => [maskText(name), maskJson(inner as Json, maskText)] as const)
  const same = masked.every(([name, inner], at) => name === fields[at]?.[0] && inner === fields[at]?.[1])
  return same ? value : Object.fromEntries(masked)
}

function replaced(text: string, from: number, until: number, hits: readonly Hit[], known: Known): Masked {
  if (hits.length === 0)
    return { text: from === 0 && until === text.length ? text : text.slice(from, until), found: [] }
  const found: string[] = []
  let masked = ""
  let at = from
  for (const { start, end, kind } of hits) {
    if (start >= until) break
    const token = tokenFor(text.slice(start, end), kind, known)
    found.push(token)
    masked += text.slice(at, start) + token
    at = end
  }
  return { text: masked + text.slice(at, until), found }
}

function tokenFor(text: string, kind: string, { key, spelledAs }: Known): string {
  const { secret, kind: named } = spelledAs(text) ?? { secret: text, kind }
  const digest = createHmac("sha256", key).update(secret).digest("hex").slice(0, 8)
  return `⟦secret:${named}:${digest}⟧`
}
