/**
 * Who is let in (AU1). Judged from headers alone, before anything else is looked at:
 *
 *   Host    a loopback name or one that was allowed, so that no foreign name leads here
 *   Origin  absent, the page of this very host or one that was allowed, so that no foreign page
 *           speaks for its reader
 *   token   `Authorization: Bearer …`, compared in constant time; only what holds no data goes without
 */
import { hash, timingSafeEqual } from "node:crypto"
import { CallerRefused, Unauthorized } from "@holdfast/protocol/error"

export interface Caller {
  readonly host: string | null
  readonly origin: string | null
  readonly authorization: string | null
}

export interface CallerPolicy {
  readonly isToken: (given: string) => boolean
  /** Names beside those of loopback: `host` with any port, `host:port` with that one alone. */
  readonly allowedHosts: readonly string[]
  /** Origins of pages beside the server's own, as `https://app.example`. */
  readonly allowedOrigins: readonly string[]
}

/** Why this caller is not let in, or null. */
export function judgeCaller(caller: Caller, policy: CallerPolicy): CallerRefused | Unauthorized | null {
  return judgeAddress(caller, policy) ?? judgeToken(caller, policy)
}

/** Why a request may not come this way, whoever sends it, or null. */
export function judgeAddress(
  caller: Omit<Caller, "authorization">,
  policy: CallerPolicy,
): CallerRefused | null {
  const host = caller.host?.toLowerCase() ?? null
  if (host === null || !isHostAllowed(host, policy.allowedHosts)) {
    const message =
      "This server does not answer to that Host. Use its loopback address, or a name that it was given: --allowed-host on the command line, `allowedHosts` in a program."
    return new CallerRefused({ header: "host", message })
  }
  const origin = caller.origin?.toLowerCase() ?? null
  const isOwn = origin === null || origin === `http://${host}` || origin === `https://${host}`
  if (isOwn || isOriginAllowed(origin, policy)) return null
  const message =
    "This server takes no requests from pages of that Origin. To let them in, start it with --allowed-origin on the command line, or `allowedOrigins` in a program."
  return new CallerRefused({ header: "origin", message })
}

export const isOriginAllowed = (origin: string | null, { allowedOrigins }: CallerPolicy): boolean =>
  origin !== null && allowedOrigins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase())

function judgeToken(caller: Pick<Caller, "authorization">, policy: CallerPolicy): Unauthorized | null {
  const token = /^bearer +(\S+)$/i.exec(caller.authorization ?? "")?.[1]
  return token === undefined || !policy.isToken(token) ? unauthorized() : null
}

export const unauthorized = (): Unauthorized =>
  new Unauthorized({ message: "A valid token is required. Send it as `Authorization: Bearer …`." })

/** Hashes have one length, so neither length nor content of the token shows in the time it takes. */
export function tokenMatcher(token: string): (given: string) => boolean {
  const expected = digest(token)
  return (given) => timingSafeEqual(digest(given), expected)
}

const digest = (text: string): Buffer => hash("sha256", text, "buffer")

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?$/

function isHostAllowed(host: string, allowed: readonly string[]): boolean {
  if (loopbackHost.test(host)) return true
  const bare = host.replace(/:[0-9]{1,5}$/, "")
  return allowed.map((name) => name.toLowerCase()).some((name) => name === host || name === bare)
}
