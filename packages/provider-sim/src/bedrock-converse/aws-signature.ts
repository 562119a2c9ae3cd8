/**
 * AWS Signature Version 4 from the side of who receives it: the signature is made again from what
 * arrived, and compared. Written from the published description, apart from any client.
 *
 * documented: hash of method, path, query, signed headers and body → text with date and scope →
 * key by date, region, service and `aws4_request` → signature.
 */
import { createHash, createHmac } from "node:crypto"
import { headerOf, pathOf } from "../exchange.ts"
import type { SimRequest } from "../exchange.ts"
import type { AwsKey } from "../sim-wire.ts"
import type { Verdict } from "../sim-wire.ts"
import { facts } from "./facts.ts"

interface Claim {
  readonly keyId: string
  /** Date, region, service and `aws4_request`. */
  readonly scope: readonly string[]
  readonly names: readonly string[]
  readonly signature: string
}

/** Nothing if the signature is that of a known key for this very request, now. */
export function verifySignature(
  request: SimRequest,
  header: string,
  keys: readonly AwsKey[],
  nowMs: number,
): Verdict {
  const claim = readClaim(header)
  const key = keys.find(({ accessKeyId }) => accessKeyId === claim.keyId)
  const token = headerOf(request.headers, "x-amz-security-token")
  if (key === undefined || token !== key.sessionToken)
    return denied("UnrecognizedClientException", facts.tokenInvalid)
  if (key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs)
    return denied("ExpiredTokenException", facts.tokenExpired)
  const moment = headerOf(request.headers, "x-amz-date") ?? ""
  const canonical = canonicalOf(request, claim.names)
  const text = ["AWS4-HMAC-SHA256", moment, claim.scope.join("/"), sha256(canonical)].join("\n")
  if (!isCovered(request, claim, moment) || signatureOf(key, claim.scope, text) !== claim.signature)
    return denied("InvalidSignatureException", facts.signatureMismatch(canonical))
  return Math.abs(nowMs - timeOf(moment)) <= facts.clockSkewMs
    ? undefined
    : denied("InvalidSignatureException", facts.signatureExpired(moment))
}

function readClaim(header: string): Claim {
  const part = (name: string) => new RegExp(`\\b${name}=([^,\\s]+)`).exec(header)?.[1] ?? ""
  const [keyId = "", ...scope] = part("Credential").split("/")
  return { keyId, scope, names: part("SignedHeaders").split(";"), signature: part("Signature") }
}

/** documented: host and every `x-amz-` header are signed, for this service and the day of the signature. */
function isCovered({ headers }: SimRequest, { names, scope }: Claim, moment: string): boolean {
  const wanted = Object.keys(headers)
    .map((name) => name.toLowerCase())
    .filter((name) => name === "host" || name.startsWith("x-amz-"))
  return (
    wanted.includes("host") &&
    wanted.every((name) => names.includes(name)) &&
    moment.startsWith(scope[0] ?? "-") &&
    scope[2] === "bedrock" &&
    scope[3] === "aws4_request"
  )
}

function canonicalOf(request: SimRequest, names: readonly string[]): string {
  const headers = names.map((name) => {
    const value = headerOf(request.headers, name) ?? ""
    return `${name}:${value.trim().split(/ +/).join(" ")}\n`
  })
  return [
    request.method.toUpperCase(),
    // documented: what stands in the path is escaped once more.
    pathOf(request).replace(/[^A-Za-z0-9\-._~/]/g, escaped),
    (request.path.split("?")[1] ?? "").split("&").sort().join("&"),
    headers.join(""),
    names.join(";"),
    sha256(request.body),
  ].join("\n")
}

const escaped = (sign: string): string =>
  [...Buffer.from(sign)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")

function signatureOf({ secretAccessKey }: AwsKey, scope: readonly string[], text: string): string {
  let key: Buffer = Buffer.from(`AWS4${secretAccessKey}`)
  for (const part of [...scope, text]) key = createHmac("sha256", key).update(part).digest()
  return key.toString("hex")
}

/** `20150830T123600Z`; no number for anything else. */
function timeOf(moment: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(moment)?.slice(1).map(Number)
  if (parts === undefined) return Number.NaN
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")

const denied = (type: string, message: string) => ({ status: 403, type, message })
