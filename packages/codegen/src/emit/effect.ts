/**
 * The Effect client: the same methods, with decoded and branded values (CL3, CL4, CL5).
 *
 * Values, failures and transport follow from the contract's own schemas; what is written here is how
 * one input object becomes the parts of a request, and that an answer in events is a Stream.
 */
import { type Contract, groupsOf, type Operation } from "../contract.ts"
import { banner } from "./typescript.ts"

export const effectFiles = (contract: Contract): Readonly<Record<string, string>> => ({
  "effect-client.ts": clientText(contract),
})

function clientText(contract: Contract): string {
  const groups = groupsOf(contract).map((group) => {
    const methods = contract.operations.filter((operation) => operation.group === group).map(methodText)
    return `    ${group}: {\n${methods.join("\n")}\n    },`
  })
  return [
    banner,
    `import { Effect, Stream } from "effect"`,
    `import { HttpApiClient } from "effect/http-api"`,
    `import { HoldfastApi } from "@holdfast/protocol/api"`,
    `import { type InputOf, partsOf } from "../request-parts.ts"\n`,
    `export const makeEffectClient = Effect.fnUntraced(function* (options?: { readonly baseUrl?: URL | string }) {`,
    `  const api = yield* HttpApiClient.make(HoldfastApi, options)`,
    `  return {`,
    ...groups,
    `  }`,
    `})\n`,
    `export type HoldfastEffectClient = Effect.Success<ReturnType<typeof makeEffectClient>>\n`,
  ].join("\n")
}

function methodText(operation: Operation): string {
  const { name, inner, params, query, payload, headers, answer } = operation
  const method = `api.${inner.group}.${inner.endpoint}`
  const parts = [
    ...(params.length > 0 ? [`"params"`] : []),
    ...(query.length > 0 ? [`"query"`] : []),
    ...(payload.kind === "json" ? [`"payload"`] : []),
  ]
  const inPath = JSON.stringify(params.map((field) => field.name))
  const rest = payload.kind === "json" ? `"payload"` : query.length > 0 ? `"query"` : "null"
  const request = `partsOf<typeof ${method}>(input, ${inPath}, ${rest}${headers.length > 0 ? ", {}" : ""})`
  const isOptional = [...params, ...query, ...(payload.kind === "json" ? payload.fields : [])].every(
    (field) => field.optional,
  )
  const input = `input: InputOf<typeof ${method}, ${parts.join(" | ")}>${isOptional ? " = {}" : ""}`
  const call = parts.length === 0 ? `${method}()` : `${method}(${request})`
  const answered =
    answer.kind === "events" ? `Stream.map(Stream.unwrap(${call}), (event) => event.data)` : call
  return `      ${name}: (${parts.length === 0 ? "" : input}) => ${answered},`
}
