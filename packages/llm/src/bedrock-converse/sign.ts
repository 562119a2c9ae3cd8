/**
 * AWS Signature Version 4: headers that prove who sends a request, as a pure function of the request,
 * the credentials and the time.
 *
 * documented: canonical request → text to sign → key derived from date, region and service →
 * signature. The path is encoded once more on top of what is sent, as every service but S3 wants it.
 */
import { createHash, createHmac, hash } from "node:crypto"
import type { SigningCredentials, WireRequest } from "../wire.ts"

export interface RequestToSign extends Pick<WireRequest, "url" | "body"> {
  readonly method: string
  /** Headers that are signed beside host and date, by lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

const algorithm = "AWS4-HMAC-SHA256"

/** The given headers with date, session token and authorization. */
export function signRequest(
  request: RequestToSign,
  credentials: SigningCredentials & { readonly service: string },
  nowMs: number,
): Readonly<Record<string, string>> {
  const moment = momentOf(nowMs)
  const date = moment.slice(0, 8)
  const { accessKeyId, secretAccessKey, sessionToken, region, service } = credentials
  const headers = {
    ...request.headers,
    "x-amz-date": moment,
    ...(sessionToken === null ? {} : { "x-amz-security-token": sessionToken }),
  }
  const signed: Readonly<Record<string, string>> = { ...headers, host: new URL(request.url).host }
  const names = Object.keys(signed).sort()
  const scope = `${date}/${region}/${service}/aws4_request`
  const canonical = canonicalRequest(request, signed, names)
  const text = [algorithm, moment, scope, hash("sha256", canonical)].join("\n")
  const signature = hmac(signingKey(secretAccessKey, date, region, service), text).toString("hex")
  const authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`
  return { ...headers, authorization }
}

/** `20150830T123600Z`. */
const momentOf = (nowMs: number): string => new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, "")

export function canonicalRequest(
  { method, url, body }: RequestToSign,
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): string {
  const { pathname, search } = new URL(url)
  return [
    method,
    pathname.split("/").map(encode).join("/"),
    canonicalQuery(search),
    ...names.map((name) => `${name}:${(headers[name] as string).trim().replaceAll(/\s+/g, " ")}`),
    "",
    names.join(";"),
    bodyHash(body),
  ].join("\n")
}

function canonicalQuery(search: string): string {
  const pairs = [...new URLSearchParams(search)].map(([name, value]) => `${encode(name)}=${encode(value)}`)
  return pairs.sort().join("&")
}

/** documented: everything but letters, digits and `-._~` is written as bytes in capitals. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

function bodyHash(body: readonly Uint8Array[]): string {
  const sum = createHash("sha256")
  for (const piece of body) sum.update(piece)
  return sum.digest("hex")
}

export const signingKey = (secret: string, date: string, region: string, service: string): Buffer =>
  [date, region, service, "aws4_request"].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`))

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()
