/** The part of an OpenAPI document that two versions of a contract are compared by. */

export interface Document {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes?: unknown
  }
}

export interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly security: readonly unknown[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: JsonSchema
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

/** What our documents hold of JSON Schema. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly propertyNames?: JsonSchema
  readonly items?: JsonSchema | false
  readonly prefixItems?: readonly JsonSchema[]
  readonly contentSchema?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly format?: string
  readonly contentEncoding?: string
  readonly contentMediaType?: string
}

const binding: Readonly<Record<keyof JsonSchema, true>> = {
  $ref: true,
  type: true,
  enum: true,
  anyOf: true,
  allOf: true,
  properties: true,
  required: true,
  additionalProperties: true,
  propertyNames: true,
  items: true,
  prefixItems: true,
  contentSchema: true,
  minimum: true,
  maximum: true,
  exclusiveMinimum: true,
  exclusiveMaximum: true,
  minLength: true,
  maxLength: true,
  minItems: true,
  maxItems: true,
  pattern: true,
  format: true,
  contentEncoding: true,
  contentMediaType: true,
}

/** What is there for people to read, and binds nobody. */
const spoken: ReadonlySet<string> = new Set(["description", "title", "default", "examples", "deprecated"])

export const isSpoken = (word: string): boolean => spoken.has(word)

/** A word of JSON Schema that the comparison would pass over, or null. */
export const findUnknownWord = (schema: JsonSchema): string | null =>
  Object.keys(schema).find((word) => !Object.hasOwn(binding, word) && !isSpoken(word)) ?? null
