/**
 * Who is let in (AU1). Judged from headers alone, before anything else is looked at:
 *
 *   Host    a loopback name or one that was allowed, so that no foreign name leads here
 *   Origin  absent, or the page of this very host, so that no foreign page speaks for its reader
 *   token   `Authorization: Bearer …`, always, compared in constant time
 */
import { createHash, timingSafeEqual } from "node:crypto"
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
}

/** Why this caller is not let in, or null. */
export function judgeCaller(caller: Caller, policy: CallerPolicy): CallerRefused | Unauthorized | null {
  const refused = judgeAddress(caller, policy)
  if (refused !== null) return refused
  const token = /^bearer +(\S+)$/i.exec(caller.authorization ?? "")?.[1]
  if (token === undefined || !policy.isToken(token)) return unauthorized()
  return null
}

/** The same without the token, for whoever is let in by something else. */
export function judgeAddress(
  caller: Pick<Caller, "host" | "origin">,
  policy: Pick<CallerPolicy, "allowedHosts">,
): CallerRefused | null {
  const host = caller.host?.toLowerCase() ?? null
  if (host === null || !isHostAllowed(host, policy.allowedHosts)) {
    const message =
      "This server does not answer to that Host. Use its loopback address, or a name that it was given with --allowed-host."
    return new CallerRefused({ header: "host", message })
  }
  const origin = caller.origin?.toLowerCase() ?? null
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) {
    const message = "This server takes no requests from pages of another Origin."
    return new CallerRefused({ header: "origin", message })
  }
  return null
}

export const unauthorized = (): Unauthorized =>
  new Unauthorized({ message: "A valid token is required. Send it as `Authorization: Bearer …`." })

/** Hashes have one length, so neither length nor content of the token shows in the time it takes. */
export function tokenMatcher(token: string): (given: string) => boolean {
  const expected = hash(token)
  return (given) => timingSafeEqual(hash(given), expected)
}

const hash = (text: string): Buffer => createHash("sha256").update(text).digest()

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?$/

function isHostAllowed(host: string, allowed: readonly string[]): boolean {
  if (loopbackHost.test(host)) return true
  const bare = host.replace(/:[0-9]{1,5}$/, "")
  return allowed.map((name) => name.toLowerCase()).some((name) => name === host || name === bare)
}
