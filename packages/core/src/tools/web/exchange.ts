/**
 * Exchange: one request for a document, by an address that was judged before.
 *
 * A name is resolved here and nowhere else: all its addresses are judged, and the connection is made to
 * one of them, so that a name which answers differently the next time gains nothing. What was connected
 * to is judged once more. Connections are not kept. The body is unpacked and counted as it comes.
 */
import { lookup as resolveName } from "node:dns/promises"
import { type IncomingMessage, request as requestHttp } from "node:http"
import { isIP } from "node:net"
import type { Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { ToolFailure } from "../tool.ts"
import { privateReason } from "./address.ts"

export interface Reach {
  /** Hosts that may have addresses which are not public: the user said so. */
  readonly privateHosts: ReadonlySet<string>
  /** How names are resolved; by the system unless given. */
  readonly resolve?: (name: string) => Promise<readonly ResolvedAddress[]>
}

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly location: string | null
  /** In lower case, with its parameters. */
  readonly contentType: string
  /** Empty where the answer leads elsewhere. */
  readonly body: Buffer
}

export const documentBytesMax = 5_242_880

const headers = {
  "user-agent": "Mozilla/5.0 (compatible; Holdfast; +https://www.npmjs.com/package/holdfast)",
  accept: "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,*/*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
  "accept-language": "en,*;q=0.5",
}

/** Throws ToolFailure; anything else that it throws comes from the network. */
export async function requestDocument(url: URL, reach: Reach, signal: AbortSignal): Promise<Answer> {
  const addresses = await judgedAddresses(url, reach)
  const response = await send(url, addresses, signal)
  try {
    const { remoteAddress = "" } = response.socket
    if (!reach.privateHosts.has(url.hostname)) refusePrivate(url, remoteAddress)
    return await readAnswer(url, response)
  } finally {
    response.destroy()
  }
}

/** The addresses of a host, all of which may be reached; nothing is sent to it. */
async function judgedAddresses(url: URL, reach: Reach): Promise<readonly ResolvedAddress[]> {
  const { hostname } = url
  const literal = hostname.replace(/^\[|\]$/g, "")
  const family = isIP(literal)
  const addresses =
    family === 0 ? await (reach.resolve ?? systemNames)(hostname) : [{ address: literal, family }]
  if (!reach.privateHosts.has(hostname)) for (const { address } of addresses) refusePrivate(url, address)
  return addresses
}

const systemNames = (name: string): Promise<readonly ResolvedAddress[]> => resolveName(name, { all: true })

function refusePrivate({ hostname }: URL, address: string): void {
  const reason = privateReason(address)
  if (reason === null) return
  throw new ToolFailure({
    code: "private_address",
    message: `${hostname} is at ${address}, which is ${reason}: only public addresses may be fetched. The user can allow the host with webfetchPrivateHosts in the configuration.`,
  })
}

function send(
  url: URL,
  addresses: readonly ResolvedAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // TLS is loaded for those who speak it.
    const begin = url.protocol === "https:" ? process.getBuiltinModule("node:https").request : requestHttp
    const request = begin(url, {
      headers,
      signal,
      agent: false,
      lookup: (_name, options, answer) => {
        if (options.all === true) answer(null, [...addresses])
        else answer(null, addresses[0]?.address ?? "", addresses[0]?.family ?? 4)
      },
    })
    request.once("response", resolve).once("error", reject).end()
  })
}

async function readAnswer(url: URL, response: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, statusMessage: statusText = "" } = response
  const { location = null, "content-type": contentType = "" } = response.headers
  const leads = status >= 300 && status < 400 && location !== null
  const body = leads ? Buffer.alloc(0) : await readBody(url, unpacked(response))
  return {
    status,
    statusText,
    location: leads ? location : null,
    contentType: contentType.toLowerCase(),
    body,
  }
}

function unpacked(response: IncomingMessage): Readable {
  const unpackers = {
    gzip: createGunzip,
    "x-gzip": createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  const make = Object.hasOwn(unpackers, encoding) ? unpackers[encoding as keyof typeof unpackers] : null
  if (make === null) return response
  const unpacker = make()
  response.once("error", (error) => unpacker.destroy(error))
  return response.pipe(unpacker)
}

async function readBody({ href }: URL, stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > documentBytesMax) {
      const message = `${href} has more than ${documentBytesMax} bytes, which is the most that is fetched. Look for a smaller document.`
      throw new ToolFailure({ code: "too_large", message })
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
