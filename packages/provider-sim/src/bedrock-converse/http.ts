/**
 * HTTP rules of Bedrock: the model is in the path, and the request is signed or bears a key.
 *
 * A signature is made again and compared where the secret is known; else it is only looked at.
 */
import { headerOf, pathOf, unescaped } from "../exchange.ts"
import type { SimRequest } from "../exchange.ts"
import type { Refusal, Verdict, ProviderSimOptions } from "../sim-wire.ts"
import { verifySignature } from "./aws-signature.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

const operations = [
  "converse",
  "converse-stream",
  "count-tokens",
  "invoke",
  "invoke-with-response-stream",
] as const

export interface ConversePath {
  readonly model: string
  readonly operation: (typeof operations)[number]
}

/** documented: `/model/{id}/` and what is to be done, the id escaped. */
export function readPath(request: SimRequest): ConversePath | undefined {
  const [, model, last] = /^\/model\/(.+)\/([a-z-]+)$/.exec(pathOf(request)) ?? []
  const operation = operations.find((one) => one === last)
  return model === undefined || operation === undefined ? undefined : { model: unescaped(model), operation }
}

/** documented: the last part of an ARN of a model or of an inference profile is the id. */
export function nameIn(model: string): string {
  return model.startsWith("arn:") ? (model.split("/").at(-1) ?? model) : model
}

type Known = Pick<ProviderSimOptions, "apiKeys" | "awsKeys">

export function checkHttp(request: SimRequest, known: Known, nowMs: number): Verdict {
  if (request.method.toUpperCase() !== "POST") return notFound
  const refusal = checkIdentity(request, known, nowMs)
  if (refusal !== undefined) return refusal
  return request.body.length <= facts.bodyBytesMax ? undefined : invalid(facts.bodyTooLarge)
}

function checkIdentity(request: SimRequest, { apiKeys, awsKeys }: Known, nowMs: number): Verdict {
  const given = headerOf(request.headers, "authorization")
  if (given === undefined && apiKeys === undefined && awsKeys === undefined) return undefined
  const header = given ?? ""
  const bearer = /^Bearer\s+(.+)$/i.exec(header)?.[1]
  if (bearer === undefined && !header.startsWith("AWS4-HMAC-SHA256")) {
    return denied("MissingAuthenticationTokenException", facts.tokenMissing)
  }
  if (bearer === undefined) {
    const refusal = checkSignature(request, header)
    if (refusal !== undefined) return refusal
    if (awsKeys !== undefined) return verifySignature(request, header, awsKeys, nowMs)
  }
  const key = bearer ?? /Credential=([^/,\s]+)/.exec(header)?.[1] ?? ""
  return apiKeys === undefined || apiKeys.includes(key) ? undefined : identityRefused
}

export const notFound: Refusal = {
  status: 404,
  type: "UnknownOperationException",
  message: facts.methodUnknown,
}

/** recorded. */
export const identityRefused = denied("UnrecognizedClientException", facts.tokenInvalid)

/** documented: the three parts of a signature, and when it was made. */
function checkSignature(request: SimRequest, header: string): Verdict {
  const missing = ["Credential", "SignedHeaders", "Signature"].filter((name) => !header.includes(`${name}=`))
  const date = headerOf(request.headers, "x-amz-date") ?? headerOf(request.headers, "date")
  if (missing.length === 0 && date !== undefined) return undefined
  const parts = [
    ...(missing.length === 0 ? [] : [facts.signatureIncomplete(missing)]),
    ...(date === undefined ? [facts.dateMissing] : []),
  ]
  return denied("IncompleteSignatureException", parts.join(" "))
}

function denied(type: string, message: string) {
  return { status: 403, type, message }
}
