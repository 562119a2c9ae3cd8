/**
 * Credential: what proves to a provider who asks, and the headers that it makes of a request (AU1).
 *
 * A key is a header as it stands. AWS keys sign: a signature holds for one request and for minutes,
 * so headers are made at every attempt, at the moment it is sent.
 */
import { secretShapes } from "@holdfast/llm/recording/secrets"
import type { Target } from "@holdfast/llm/segments"
import type { SigningCredentials, StreamLimits, Wire, WireRequest } from "@holdfast/llm/wire"

/** A key, or the keys that a request is signed with; null to a server that asks for none. */
export type Credential = string | SigningCredentials | null

export function headersFor(
  wire: Wire,
  credential: Credential,
  request: Pick<WireRequest, "url" | "body">,
  nowMs: number,
): Readonly<Record<string, string>> {
  if (credential === null || typeof credential === "string") return wire.headers(credential)
  // Settings of another wire cannot name AWS keys.
  if (wire.sign === undefined) throw new Error(`The wire ${wire.name} signs nothing.`)
  return wire.sign(request, credential, nowMs)
}

/** A request of a configured model. */
export function requestFor(
  { wire, url: base, target }: { readonly wire: Wire; readonly url: string; readonly target: Target },
  credential: Credential,
  { body, bytes }: Pick<WireRequest, "body" | "bytes">,
  { firstByteMs, idleMs }: StreamLimits,
  nowMs: number,
): WireRequest {
  const url = wire.address(base, target.model)
  const headers = headersFor(wire, credential, { url, body }, nowMs)
  return { url, headers, body, bytes, limits: { firstByteMs, idleMs } }
}

/** What of it must never be shown. */
export const secretsOf = (credential: Credential): readonly string[] => {
  if (credential === null) return []
  if (typeof credential === "string") return [credential]
  const { secretAccessKey, sessionToken, accessKeyId } = credential
  return [secretAccessKey, ...(sessionToken === null ? [] : [sessionToken]), accessKeyId]
}

/** Shorter ones are no secrets, and may be words of a sentence. */
const secretLengthMin = 8

/** Some providers quote the key that they refuse. */
export const withoutSecrets = (text: string, credential: Credential): string =>
  secretsOf(credential)
    .filter((secret) => secret.length >= secretLengthMin)
    .reduce((hidden, secret) => hidden.replaceAll(secret, "[hidden]"), text)

/** A text for an operator's records: without the named secrets, and without whatever is shaped like one. */
export const withoutAnySecrets = (text: string, secrets: readonly string[]): string =>
  secretShapes.reduce(
    (hidden, [, { source, flags }]) => hidden.replace(new RegExp(source, `${flags}g`), "[hidden]"),
    secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "[hidden]"), text),
  )

export const isSameCredential = (one: Credential, other: Credential): boolean =>
  JSON.stringify(secretsOf(one)) === JSON.stringify(secretsOf(other))
