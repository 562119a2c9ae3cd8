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
    `import { type InputOf, partsOf, told } from "../effect-request.ts"\n`,
    `export const makeEffectClient = Effect.fnUntraced(function* (options?: { readonly baseUrl?: URL | string }) {`,
    `  const api = yield* HttpApiClient.make(HoldfastApi, options)`,
    `  const { groups } = HoldfastApi`,
    `  return {`,
    ...groups,
    `  }`,
    `})\n`,
    `export type HoldfastEffectClient = Effect.Success<ReturnType<typeof makeEffectClient>>\n`,
  ].join("\n")
}

function methodText(operation: Operation): string {
  const { name, inner, params, query, payload, answer } = operation
  const method = `api.${inner.group}.${inner.endpoint}`
  const parts = [
    ...(params.length > 0 ? [`"params"`] : []),
    ...(query.length > 0 ? [`"query"`] : []),
    ...(payload.kind === "json" ? [`"payload"`] : []),
  ]
  const endpoint = `groups.${inner.group}.endpoints.${inner.endpoint}`
  const isOptional = [...params, ...query, ...(payload.kind === "json" ? payload.fields : [])].every(
    (field) => field.optional,
  )
  const input = `input: InputOf<typeof ${method}, ${parts.join(" | ")}>${isOptional ? " = {}" : ""}`
  const call =
    parts.length === 0
      ? `told(${endpoint}, {}, ${method}())`
      : `told(${endpoint}, input, ${method}(partsOf<typeof ${method}>(${endpoint}, input)))`
  const answered =
    answer.kind === "events" ? `Stream.map(Stream.unwrap(${call}), (event) => event.data)` : call
  return `      ${name}: (${parts.length === 0 ? "" : input}) => ${answered},`
}
