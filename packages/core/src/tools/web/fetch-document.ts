/**
 * Fetches a document by its URL, redirects included: each URL on the way is judged like the first (PE2).
 *
 * Permissions are given by host, so a redirect is followed on its own host only. One that leads to another
 * is told: who wants it calls again, and the rules are asked about that host.
 */
import { ToolFailure } from "../tool.ts"
import { type Answer, judgedAddresses, type Reach, requestDocument } from "./exchange.ts"

export interface Document extends Answer {
  /** Where it was found in the end. */
  readonly url: URL
}

const redirectsMax = 5

/** The host of a URL that may be fetched, as permissions name it; null where it may not. */
export function fetchedHost(given: string): string | null {
  const url = URL.parse(given)
  return url === null || faultOf(url) !== null ? null : url.hostname
}

export async function fetchDocument(given: string, reach: Reach, signal: AbortSignal): Promise<Document> {
  let url = judged(URL.parse(given), given)
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const answer = await requestDocument(url, reach, signal)
    if (answer.location === null) return { ...answer, url }
    const next = judged(URL.parse(answer.location, url), answer.location)
    if (next.hostname !== url.hostname) {
      await judgedAddresses(next, reach)
      throw leadsElsewhere(url, next)
    }
    url = next
  }
  throw new ToolFailure({
    code: "too_many_redirects",
    message: `${given} leads from one address to the next more than ${redirectsMax} times.`,
  })
}

const leadsElsewhere = (url: URL, next: URL): ToolFailure =>
  new ToolFailure({
    code: "leads_elsewhere",
    message: `${url.href} leads to another host: ${next.href.slice(0, hrefUnitsMax)} Nothing was sent there. Fetch that URL if you want it.`,
  })

const hrefUnitsMax = 2_000

function judged(url: URL | null, given: string): URL {
  const fault = url === null ? "it is no complete URL, as https://example.com/page" : faultOf(url)
  if (url !== null && fault === null) return url
  throw new ToolFailure({
    code: "invalid_url",
    message: `${given.slice(0, 200)} cannot be fetched: ${fault}.`,
  })
}

function faultOf({ protocol, username, password, hostname }: URL): string | null {
  if (protocol !== "http:" && protocol !== "https:") return "only http and https are"
  if (username !== "" || password !== "") return "a URL may hold no user and no password"
  return hostname === "" ? "it names no host" : null
}
