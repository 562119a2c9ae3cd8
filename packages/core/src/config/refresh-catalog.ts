/**
 * Refreshing the catalog: fetched on request and never otherwise, checked, then put in the place of
 * the last one in a single step (CA1). Whatever goes wrong, what was there stays.
 */
import { findUrlFault } from "./decode-provider.ts"
import { catalogBytesMax, catalogFile, readCatalog } from "./fetched-catalog.ts"
import { replaceFile } from "./replace-file.ts"

export type CatalogRefresh =
  | {
      readonly kind: "refreshed"
      readonly url: string
      readonly models: number
      /** Entries that could not be read. */
      readonly leftOut: number
      readonly file: string
    }
  /** Nothing has changed. */
  | { readonly kind: "failed"; readonly url: string; readonly problem: string }

export const catalogUrlDefault = "https://models.dev/api.json"
const refreshMsMax = 30_000

export async function refreshCatalog(
  dataDirectory: string,
  url: string,
  limits = { ms: refreshMsMax, bytes: catalogBytesMax },
): Promise<CatalogRefresh> {
  const failed = (problem: string): CatalogRefresh => ({ kind: "failed", url: shownAddress(url), problem })
  const fault = findUrlFault(url)
  if (fault !== null) return failed(`it ${fault}`)
  const fetched = await fetchText(url, limits)
  if ("problem" in fetched) return failed(fetched.problem)
  let document: unknown
  try {
    document = JSON.parse(fetched.text)
  } catch {
    return failed("what it answers is no JSON") // SyntaxError is all that parse throws
  }
  const { catalog, leftOut, kept } = readCatalog(document)
  if (catalog.size === 0) return failed("it lists no model of a provider that is known here")
  const file = catalogFile(dataDirectory)
  try {
    replaceFile(file, JSON.stringify(kept))
  } catch (thrown) {
    // The system's reasons (full, read-only, not permitted) all mean that it was not stored.
    return failed(`it cannot be stored: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
  return { kind: "refreshed", url, models: catalog.size, leftOut, file }
}

/** An address as it may be printed: what is not its place may be a secret. */
function shownAddress(url: string): string {
  if (!URL.canParse(url)) return "the given address"
  const { origin, protocol, pathname } = new URL(url)
  return origin === "null" ? `${protocol}${pathname}` : `${origin}${pathname}`
}

type Fetched = { readonly text: string } | { readonly problem: string }

async function fetchText(url: string, limits: { ms: number; bytes: number }): Promise<Fetched> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(limits.ms) })
    if (!response.ok || response.body === null)
      return { problem: `it answers with status ${response.status}` }
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of response.body) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes > limits.bytes) return { problem: `it is larger than ${limits.bytes} bytes` }
    }
    return { text: Buffer.concat(pieces).toString("utf8") }
  } catch (thrown) {
    // Everything that fetch throws means that there is no answer; its cause says more.
    if (thrown instanceof Error && thrown.name === "TimeoutError")
      return { problem: `it did not answer within ${limits.ms} ms` }
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
    return { problem: `it cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
}
