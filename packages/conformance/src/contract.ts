/**
 * The contract as the cases see it: the operations that the generated client knows, and what the
 * server's own document says that each takes. An operation that is added there gets its cases
 * without a change here.
 */
import type { Operation } from "@holdfast/client"
import { operations } from "@holdfast/client/generated/operations"

export interface NamedOperation extends Operation {
  /** As `sessions.create`. */
  readonly name: string
  /** Names of the parameters in its path. */
  readonly params: readonly string[]
}

export const everyOperation: readonly NamedOperation[] = Object.entries(
  operations as Readonly<Record<string, Operation>>,
).map(([name, operation]) => ({
  ...operation,
  name,
  params: [...operation.path.matchAll(/:(\w+)/g)].map(([, param]) => param ?? ""),
}))

/** As much of a JSON schema as samples are made from. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly minimum?: number
}

export interface DocumentOperation {
  readonly operationId?: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema?: JsonSchema
  }[]
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>
  }
  readonly responses?: Readonly<Record<string, unknown>>
}

export interface ContractDocument {
  readonly openapi: string
  readonly info?: { readonly title?: string; readonly version?: string }
  readonly security?: readonly unknown[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

/** An operation where the document has it, by method and path. */
export const documented = (
  { paths }: ContractDocument,
  { method, path }: Operation,
): DocumentOperation | undefined => paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()]

/** Fields of the query or payload, with what they may hold. */
export function inputFieldsOf(
  document: ContractDocument,
  operation: Operation,
): Readonly<Record<string, JsonSchema>> {
  const found = documented(document, operation)
  if (operation.rest === "payload") return payloadOf(document, found)?.properties ?? {}
  const query = (found?.parameters ?? []).filter((parameter) => parameter.in === "query")
  return Object.fromEntries(query.map(({ name, schema = {} }) => [name, schema]))
}

/** The least that the schema of an operation takes as its query or payload; null where it takes none. */
export function sampleOf(
  document: ContractDocument,
  operation: Operation,
): Readonly<Record<string, unknown>> | null {
  const found = documented(document, operation)
  if (operation.rest === "payload") {
    const schema = payloadOf(document, found)
    return schema === null ? null : (sampleValue(document, schema) as Record<string, unknown>)
  }
  if (operation.rest === undefined) return null
  const required = (found?.parameters ?? []).filter((one) => one.in === "query" && one.required === true)
  return Object.fromEntries(required.map(({ name, schema = {} }) => [name, sampleValue(document, schema)]))
}

function payloadOf(document: ContractDocument, found: DocumentOperation | undefined): JsonSchema | null {
  const schema = found?.requestBody?.content?.["application/json"]?.schema
  return schema === undefined ? null : resolved(document, schema)
}

/** Deep enough for every record of a request. */
const referencesMax = 10

function resolved(document: ContractDocument, schema: JsonSchema): JsonSchema {
  let one: JsonSchema = schema
  for (let step = 0; step < referencesMax && one.$ref !== undefined; step++)
    one = document.components?.schemas?.[one.$ref.split("/").at(-1) ?? ""] ?? {}
  return one
}

function sampleValue(document: ContractDocument, given: JsonSchema): unknown {
  const schema = resolved(document, given)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const either = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0]
  if (either !== undefined) return sampleValue(document, either)
  switch (typesOf(schema)[0]) {
    case "integer":
    case "number":
      return schema.minimum ?? 1
    case "boolean":
      return false
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleValue(document, schema.items ?? {}))
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleValue(document, schema.properties?.[name] ?? {})]),
      )
    case "null":
      return null
    default:
      return "sample"
  }
}

const typesOf = ({ type }: JsonSchema): readonly string[] =>
  typeof type === "string" ? [type] : (type ?? ["string"])

/** JSON types that the schema takes, through references and choices. */
export function takenTypes(document: ContractDocument, given: JsonSchema): ReadonlySet<string> {
  const schema = resolved(document, given)
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  if (choices.length > 0) return new Set(choices.flatMap((choice) => [...takenTypes(document, choice)]))
  const values = schema.enum ?? (schema.const === undefined ? null : [schema.const])
  if (values !== null) return new Set(values.map(typeOfValue))
  // A schema without a type takes everything.
  return schema.type === undefined ? new Set(jsonTypes) : new Set(typesOf(schema).map(asJsonType))
}

export type JsonType = "string" | "number" | "boolean" | "null" | "array" | "object"

const jsonTypes: readonly JsonType[] = ["string", "number", "boolean", "null", "array", "object"]

const asJsonType = (type: string): string => (type === "integer" ? "number" : type)

function typeOfValue(value: unknown): JsonType {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value as JsonType
}
