/**
 * Names of hosts: which of them is this machine alone, and by which a request may call it (AU1).
 */
import { hostname, networkInterfaces } from "node:os"

export const loopback = "127.0.0.1"

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host)

const unspecified: ReadonlySet<string> = new Set(["0.0.0.0", "::"])

/** What a person should know who lets other machines in; null on loopback. */
export const hostWarning = (host: string): string | null =>
  isLoopback(host)
    ? null
    : "other machines can reach this server, without encryption. Whoever has the token works with your files and your keys."

/** Names beside those of loopback that a request may call this machine by. */
export function namesOf(host: string): readonly string[] {
  if (isLoopback(host)) return []
  if (!unspecified.has(host)) return [host.includes(":") ? `[${host}]` : host]
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return [
    hostname(),
    ...addresses.map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address)),
  ]
}

/** The address for commands on this machine: what listens everywhere listens on loopback too. */
export function reachable(url: string): string {
  const parsed = new URL(url)
  if (parsed.hostname === "0.0.0.0" || parsed.hostname === "[::]") parsed.hostname = loopback
  return parsed.origin
}
