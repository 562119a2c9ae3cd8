/**
 * Names of hosts: which of them is this machine alone, by which a request may call it, and from the
 * pages of which origins it may come (AU1).
 *
 * A server for other machines is told its names by whoever starts it. It does not guess them: in a
 * container or behind a proxy they are not its own.
 */
import { isIPv6 } from "node:net"

export const loopback = "127.0.0.1"

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host)

const unspecified: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/** What a person should know who lets other machines in; null on loopback. */
export const hostWarning = (host: string): string | null =>
  isLoopback(host)
    ? null
    : "other machines can reach this server, without encryption. Whoever has the token works with your files and your keys."

/** Names that a request may call this server by, beside the common ones of loopback. */
export const hostNames = (host: string, allowed: readonly string[]): readonly string[] =>
  unspecified.has(host) ? allowed : [...new Set([asName(host), ...allowed])]

/** Where others reach it: an allowed name, with the port that it listens on unless it has its own. */
export function addressesOf(host: string, url: string, allowed: readonly string[]): readonly string[] {
  if (isLoopback(host)) return []
  const { port } = new URL(url)
  const at = port === "" ? "" : `:${port}`
  return allowed.map((name) => `http://${name}${/:\d+$/.test(name) ? "" : at}`)
}

/** The same for a person. Names that a server on loopback is given are those of a proxy before it. */
export function addressLines(host: string, url: string, allowed: readonly string[]): readonly string[] {
  if (allowed.length === 0 || !isLoopback(host))
    return addressesOf(host, url, allowed).map((address) => `Other machines reach it at ${address}`)
  return [
    `It also answers to ${allowed.join(", ")}, for a proxy on this machine. Other machines cannot reach it; --host 0.0.0.0 lets them in.`,
  ]
}

/** The address for commands on this machine: what listens everywhere listens on loopback too. */
export function reachable(url: string): string {
  const parsed = new URL(url)
  if (parsed.hostname === "0.0.0.0" || parsed.hostname === "[::]") parsed.hostname = loopback
  return parsed.origin
}

/**
 * A name as a request has it in its Host, with a port or without; null if it is none. What holds
 * for every name, as `*`, is none: then any page could lead its reader's browser here.
 */
export function readHostName(text: string): string | null {
  const name = asName(text.trim().toLowerCase())
  return hostName.test(name) && URL.canParse(`http://${name}`) ? name : null
}

const hostName = /^(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?)(:\d{1,5})?$/

/**
 * An origin as a browser sends it, or null if it is none. `*` and `null` are none: every page would
 * have them, or could.
 */
export function readOrigin(text: string): string | null {
  const origin = text.trim().toLowerCase().replace(/\/$/, "")
  if (!originShape.test(origin)) return null
  const url = URL.parse(origin)
  if (url === null || url.protocol === "file:") return null
  // Of a scheme that URLs do not know it is the text itself.
  return url.origin === "null" ? origin : url.origin
}

const originShape = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/

const asName = (host: string): string => (isIPv6(host) ? `[${host}]` : host)
