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

const known: ReadonlySet<string> = new Set([
  ...["$ref", "type", "enum", "anyOf", "allOf", "properties", "required", "additionalProperties"],
  ...["propertyNames", "items", "prefixItems", "contentSchema", "minimum", "maximum"],
  ...["exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"],
  ...["pattern", "format", "contentEncoding", "contentMediaType"],
  // Words, which bind nobody.
  ...["description", "title", "default", "examples", "deprecated"],
])

/** A word of JSON Schema that the comparison would pass over, or null. */
export const findUnknownWord = (schema: JsonSchema): string | null =>
  Object.keys(schema).find((word) => !known.has(word)) ?? null
