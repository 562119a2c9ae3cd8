/** HTTP rules of Gemini: the model and the method are in the path, the key in a header or the query. */
import { headerOf, pathOf, unescaped } from "../exchange.ts"
import type { SimRequest } from "../exchange.ts"
import type { Refusal, Verdict } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

export interface GeminiPath {
  readonly model: string
  readonly method: "generateContent" | "streamGenerateContent" | "countTokens"
}

/** documented: `/v1beta/models/{model}:{method}`. */
export function readPath(request: SimRequest): GeminiPath | undefined {
  const match = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/.exec(
    pathOf(request),
  )
  if (match === null) return undefined
  return { model: unescaped(match[1] ?? ""), method: match[2] as GeminiPath["method"] }
}

export function checkHttp(request: SimRequest, apiKeys: readonly string[] | undefined): Verdict {
  const query = new URLSearchParams(request.path.split("?")[1] ?? "")
  if (request.method.toUpperCase() !== "POST") return notFound
  const key = keyOf(request, query)
  if (apiKeys !== undefined) {
    if (key === undefined) return { status: 403, type: "PERMISSION_DENIED", message: facts.keyMissing }
    if (!apiKeys.includes(key)) return keyRefused
  }
  return request.body.length <= facts.bodyBytesMax
    ? undefined
    : invalid(facts.bodyTooLarge(facts.bodyBytesMax))
}

export const notFound: Refusal = { status: 404, type: "NOT_FOUND", message: facts.notFound }

/** documented: a stream is a list in JSON, or server-sent events for who asks for them. */
export function wantsEvents(request: SimRequest): boolean {
  return new URLSearchParams(request.path.split("?")[1] ?? "").get("alt") === "sse"
}

/** recorded: a wrong key is a wrong argument. */
export const keyRefused = {
  ...invalid(facts.keyInvalid),
  details: [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "API_KEY_INVALID",
      domain: "googleapis.com",
      metadata: { service: "generativelanguage.googleapis.com" },
    },
  ],
}

function keyOf(request: SimRequest, query: URLSearchParams): string | undefined {
  const bearer = /^Bearer\s+(.+)$/i.exec(headerOf(request.headers, "authorization") ?? "")?.[1]
  return headerOf(request.headers, "x-goog-api-key") ?? query.get("key") ?? bearer
}
