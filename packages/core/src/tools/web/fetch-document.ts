/**
 * Fetches a document by its URL, redirects included: each URL on the way is judged like the first (PE2).
 */
import { ToolFailure } from "../tool.ts"
import { type Answer, type Reach, requestDocument } from "./exchange.ts"

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
    url = judged(URL.parse(answer.location, url), answer.location)
  }
  throw new ToolFailure({
    code: "too_many_redirects",
    message: `${given} leads from one address to the next more than ${redirectsMax} times.`,
  })
}

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
