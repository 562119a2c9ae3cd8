/**
 * Fetches a document by its URL, redirects included: each URL on the way is judged like the first (PE2).
 *
 * Permissions are given by host, so a redirect to a host that would be asked for is not followed but told:
 * who wants it calls again, and the rules are asked about that host.
 */
import { ToolFailure } from "../tool.ts"
import type { Answer, Reach } from "./exchange.ts"

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

/** `mayFetch` says whether another host, which a redirect leads to, may be fetched without asking. */
export async function fetchDocument(
  given: string,
  reach: Reach,
  signal: AbortSignal,
  mayFetch: (host: string) => boolean = () => true,
): Promise<Document> {
  let url = judged(URL.parse(given), given)
  const { hostname: asked } = url
  // Loaded with its tables of addresses by whoever fetches: most commands do not.
  const { requestDocument } = await import("./exchange.ts")
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const answer = await requestDocument(url, reach, signal)
    if (answer.location === null) return { ...answer, url }
    url = judged(URL.parse(answer.location, url), answer.location)
    if (url.hostname !== asked && !mayFetch(hostOf(url))) throw otherHost(given, url)
  }
  throw new ToolFailure({
    code: "too_many_redirects",
    message: `${given} leads from one address to the next more than ${redirectsMax} times.`,
  })
}

/** As rules name it. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "")

/** The model may ask for it by a call of its own, which is judged. */
const otherHost = (given: string, url: URL): ToolFailure =>
  new ToolFailure({
    code: "other_host",
    message: `${given.slice(0, 200)} leads to another host, which may be fetched only after asking: ${url.href.slice(0, 2_000)}. Nothing was sent there. Fetch that address itself if you need it.`,
  })

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
