/**
 * What of an exchange may be kept in a file: an allow list of headers, and a search for secrets.
 *
 * Two walls. Only named headers are kept, none of which identifies a caller. Then the finished text
 * is searched for the secrets that were used, and for whatever is shaped like one; a find means that
 * nothing is written. A find is told by its kind: the words of a secret are never repeated.
 */
import { headersOf, nameSet } from "../json-fields.ts"

/** By lower-case name. None of them names a caller, an account or a request. */
const keptHeaders: ReadonlySet<string> = nameSet(
  "accept anthropic-beta anthropic-version content-type retry-after retry-after-ms",
)

export const keepHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headersOf(headers)).filter(([name]) => keptHeaders.has(name)))

/** Shapes of what providers and clouds give out as secrets, or as names of accounts. */
export const secretShapes: readonly (readonly [kind: string, shape: RegExp])[] = [
  ["an API key", /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/],
  ["an API key of Google", /\bAIza[A-Za-z0-9_-]{30,}/],
  ["an access key of AWS", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ["a session token of AWS", /\b(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9+/=]{20,}/],
  ["a signature of AWS", /\bAWS4-HMAC-SHA256\s+Credential=|\bX-Amz-Signature=/i],
  ["a key of Groq", /\bgsk_[A-Za-z0-9]{20,}/],
  ["a key of xAI", /\bxai-[A-Za-z0-9]{20,}/],
  ["a token of a code host", /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,})/],
  ["a bearer token", /\bbearer\s+[A-Za-z0-9._~+/-]{16,}/i],
  ["a signed token", /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+/],
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ["an organisation's id", /\borg-[A-Za-z0-9]{16,}/],
]

/** Shorter ones would be found in ordinary words. */
const secretLengthMin = 6

/** Kinds of secrets that the text holds; none may be in a file. Base64 bodies are given as text too. */
export function findSecrets(texts: readonly string[], secrets: readonly string[]): readonly string[] {
  const used = secrets.filter((secret) => secret.length >= secretLengthMin).flatMap(spellings)
  const kinds = texts.flatMap((text) => [
    ...(used.some((secret) => text.includes(secret)) ? ["the key that was used"] : []),
    ...secretShapes.filter(([, shape]) => shape.test(text)).map(([kind]) => kind),
  ])
  return [...new Set(kinds)]
}

/** A secret as it may stand in a URL, in JSON or in base64. */
const spellings = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
]
