/**
 * Instructions at addresses that the user's settings name (IN4), under the address rules of `webfetch`.
 *
 *   reached              the text holds, and a copy is kept in the data directory
 *   reached once before  the copy holds: an address that does not answer takes nothing back
 *   never reached        absent, and told: by `run` and by `health`
 *
 * Every boundary asks, so an address is asked again only after a while; processes share the copies.
 */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Option, Schema } from "effect"
import { replaceFile } from "../config/replace-file.ts"
import { type Candidate, instructionBytesMax } from "../instructions/index.ts"
import { visible } from "../markdown/visible.ts"
import type { Reach } from "../tools/web/exchange.ts"
import { fetchDocument } from "../tools/web/fetch-document.ts"

export interface FetchedInstructions {
  /** Addresses whose text is known, in their order. */
  readonly current: Effect.Effect<readonly Candidate[]>
  /** Those that did not answer when they were asked last. */
  readonly unreached: () => readonly UnreachedInstruction[]
}

export interface UnreachedInstruction {
  readonly url: string
  readonly message: string
  readonly since: number
  /** Whether an earlier text of it holds meanwhile. */
  readonly known: boolean
}

export interface FetchedSettings {
  /** As they are set now. */
  readonly urls: () => readonly string[]
  /** Where copies are kept. */
  readonly directory: string
  readonly reach: () => Reach
}

/** Less than a source has (SC4). */
const fetchMsMax = 3_000
const freshMs = 5 * 60_000
const askAgainMs = 30_000

const Copy = Schema.Struct({
  url: Schema.String,
  at: Schema.Number,
  text: Schema.String,
  bytes: Schema.Number,
})
type Copy = typeof Copy.Type

export const isAddress = (path: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(path)

export function makeFetchedInstructions({ urls, directory, reach }: FetchedSettings): FetchedInstructions {
  const copies = new Map<string, Copy>()
  const failed = new Map<string, UnreachedInstruction & { readonly at: number }>()
  const look = Effect.fnUntraced(function* (url: string) {
    const now = yield* Clock.currentTimeMillis
    const known = copies.get(url) ?? (yield* Effect.promise(() => readCopy(directory, url)))
    if (known !== null) copies.set(url, known)
    const failure = failed.get(url)
    const rests = failure !== undefined && now - failure.at < askAgainMs
    if (rests || (known !== null && failure === undefined && isFresh(known, now))) return known
    const found = yield* Effect.promise(() => fetchCopy(url, reach(), now))
    if (typeof found === "string") {
      const since = failure?.since ?? now
      failed.set(url, { url, message: found, since, at: now, known: known !== null })
      return known
    }
    failed.delete(url)
    copies.set(url, found)
    keepCopy(directory, found)
    return found
  })
  return {
    current: Effect.map(
      Effect.suspend(() => Effect.forEach(urls(), look, { concurrency: "unbounded" })),
      (found) => found.flatMap((copy) => (copy === null ? [] : [candidateOf(copy)])),
    ),
    unreached: () =>
      urls().flatMap((asked) => {
        const failure = failed.get(asked)
        if (failure === undefined) return []
        const { url, message, since, known } = failure
        return [{ url, message, since, known }]
      }),
  }
}

/** A clock that was set back makes a copy old, not young for ever. */
const isFresh = ({ at }: Copy, now: number): boolean => now - at >= 0 && now - at < freshMs

const candidateOf = ({ url, text, bytes }: Copy): Candidate => ({
  path: url,
  within: null,
  content: bytes > instructionBytesMax ? { kind: "text", text, cut: true, bytes } : { kind: "text", text },
})

/** The text, or why there is none, in a sentence. */
async function fetchCopy(url: string, reach: Reach, at: number): Promise<Copy | string> {
  try {
    const { status, contentType, body } = await fetchDocument(url, reach, AbortSignal.timeout(fetchMsMax))
    if (status !== 200) return `${url} answered ${status}.`
    if (/html/.test(contentType))
      return `${url} is a web page. Name the address of a plain text, such as Markdown.`
    if (body.subarray(0, 8_192).includes(0)) return `${url} is no text.`
    const cut = body.length > instructionBytesMax
    const head = new TextDecoder().decode(body.subarray(0, instructionBytesMax), { stream: cut })
    return { url, at, text: visible(head), bytes: body.length }
  } catch (thrown) {
    // Whatever the network, the address or the rules have against it: the turn goes on without.
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    return why.includes(url) ? why : `${url} cannot be reached: ${why.replace(/\.$/, "")}.`
  }
}

const fileOf = (directory: string, url: string): string =>
  join(directory, `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`)

const decodeCopy = Schema.decodeUnknownOption(Schema.fromJsonString(Copy))

async function readCopy(directory: string, url: string): Promise<Copy | null> {
  try {
    const copy = Option.getOrNull(decodeCopy(await readFile(fileOf(directory, url), "utf8")))
    return copy?.url === url ? copy : null
  } catch {
    return null // never fetched, or not to be read: it is fetched
  }
}

function keepCopy(directory: string, copy: Copy): void {
  try {
    replaceFile(fileOf(directory, copy.url), JSON.stringify(copy))
  } catch {
    // Without its copy it holds for this process; the next one fetches it.
  }
}
