/**
 * A request of the Effect client: one input object as its parts, and failures as the other client has them.
 *
 * Input that does not fit is found before it is sent, by the schemas that encode it. It is told as the server
 * tells it, by reading what would have been sent; so both clients fail alike, whoever looks first (CL4).
 */
import { Effect, Result, Schema } from "effect"
import { HttpClientError } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { inputParseOptions } from "@holdfast/protocol/api"
import { Base64Bytes } from "@holdfast/protocol/base64"
import { TransportFailure } from "@holdfast/protocol/error"
import { noPathField, noSuchField, unfit, unwritable } from "@holdfast/protocol/misfit"
import { jsonText, unsayable, unsayableField } from "./given/json-text.ts"

type Request<Method> = Method extends (request: infer Given) => unknown
  ? Omit<Exclude<Given, void>, "responseMode">
  : never
type Part<Given, Name extends string> = Given extends { readonly [K in Name]: infer Value } ? Value : never
type Together<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never

/** What a caller gives: the fields of all parts in one object. */
export type InputOf<Method, Names extends string> = Together<
  Names extends string ? Part<Request<Method>, Names> : never
>

export function partsOf<Method>(endpoint: HttpApiEndpoint.Top, input: unknown): Request<Method> {
  const { params, rest } = divided(endpoint, input)
  const part = restOf(endpoint)
  return {
    ...(endpoint.params && { params }),
    ...(part !== null && { [part]: rest }),
    ...(endpoint.headers && { headers: {} }),
  } as Request<Method>
}

/** The call with every failure that the contract has, also those of no operation in particular. */
export const told = <A, E, R>(
  endpoint: HttpApiEndpoint.Top,
  input: unknown,
  call: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | TransportFailure, R> =>
  Effect.suspend(() => {
    const [unknown] = restOf(endpoint) === null ? Object.keys(divided(endpoint, input).rest) : []
    if (unknown !== undefined) return Effect.fail(noSuchField(unknown))
    return Effect.catch(call, (error) =>
      Effect.flatMap(failureOf(endpoint, input, error), (failure) => Effect.fail(failure ?? error)),
    )
  })

type Fields = Readonly<Record<string, unknown>>

/** A field without a value is as good as left out. */
function divided(
  { path }: HttpApiEndpoint.Top,
  input: unknown,
): { readonly params: Fields; readonly rest: Fields } {
  const inPath = namesIn(path)
  const given = Object.entries(Object(input ?? {})).filter(([, value]) => value !== undefined)
  return {
    params: Object.fromEntries(given.filter(([name]) => inPath.includes(name))),
    rest: Object.fromEntries(given.filter(([name]) => !inPath.includes(name))),
  }
}

const namesIn = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "")

/** Where fields go that do not stand in the path. */
const restOf = ({ payload, query }: HttpApiEndpoint.Top): "payload" | "query" | null =>
  payload.size > 0 ? "payload" : query === undefined ? null : "query"

/** The contract's own word for it, or null: then the answer does not fit, or there is none. */
const failureOf = Effect.fnUntraced(function* (
  endpoint: HttpApiEndpoint.Top,
  input: unknown,
  error: unknown,
) {
  if (Schema.isSchemaError(error)) return refusalOf(endpoint, input)
  if (!HttpClientError.isHttpClientError(error) || error.response === undefined) return null
  const read = Effect.flatMap(error.response.json, decodeFailure)
  return Result.getOrElse(yield* Effect.result(read), () => null)
})

const decodeFailure = Schema.decodeUnknownEffect(TransportFailure)

/** What the server would say of the input; null if it fits. */
function refusalOf(endpoint: HttpApiEndpoint.Top, input: unknown): ReturnType<typeof unfit> | null {
  const { params, rest } = divided(endpoint, input)
  const wrong = namesIn(endpoint.path).find((name) => typeof params[name] !== "string")
  if (wrong !== undefined) return noPathField(wrong, params[wrong])
  const part = restOf(endpoint)
  if (part === null) return null
  const codec = codecOf(endpoint)
  const encoded = Schema.encodeUnknownResult(codec, inputParseOptions)(rest)
  if (Result.isSuccess(encoded)) return null
  const written = part === "query" ? asQuery(rest) : jsonText(rest, encodeBytes)
  if (written.kind === "refused") return unwritable(part, written.message)
  const sent = written.kind === "query" ? written.fields : JSON.parse(written.text)
  const read = Schema.decodeUnknownResult(codec, inputParseOptions)(sent)
  return unfit(part, (Result.isFailure(read) ? read : encoded).failure.issue)
}

function codecOf({ payload, query }: HttpApiEndpoint.Top): Schema.Codec<unknown, unknown> {
  const [given] = payload.values()
  return (given?.schemas[0] ?? query) as unknown as Schema.Codec<unknown, unknown>
}

type Query =
  | { readonly kind: "query"; readonly fields: Fields }
  | { readonly kind: "refused"; readonly message: string }

function asQuery(fields: Fields): Query {
  for (const [name, value] of Object.entries(fields)) {
    const what = unsayable(value)
    if (what !== null) return { kind: "refused", message: unsayableField(name, what) }
  }
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)])
  return { kind: "query", fields: Object.fromEntries(texts) }
}

/** Bytes are no fault of an input that has another. */
const encodeBytes = Schema.encodeSync(Base64Bytes)
