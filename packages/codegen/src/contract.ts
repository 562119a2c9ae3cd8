/**
 * The Contract IR: what the HttpApi says, as plain data (CO2).
 *
 * Every emitter reads this and nothing else, so that clients and documents cannot tell different
 * stories. Types are those of the JSON that is sent. A part of a path or a query is sent as a text
 * and is a JSON value here (CL4): a number is a number, whatever it looks like in an address.
 */

export type Type =
  | { readonly kind: "string" }
  | { readonly kind: "number" }
  | { readonly kind: "boolean" }
  | { readonly kind: "null" }
  /** Any JSON value. */
  | { readonly kind: "json" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "array"; readonly item: Type; readonly least: number }
  | { readonly kind: "tuple"; readonly items: readonly Type[] }
  | { readonly kind: "record"; readonly value: Type }
  | { readonly kind: "object"; readonly fields: readonly Field[] }
  | { readonly kind: "union"; readonly members: readonly Type[] }
  | { readonly kind: "named"; readonly name: string }

export interface Field {
  readonly name: string
  readonly type: Type
  readonly optional: boolean
}

export interface NamedType {
  readonly name: string
  readonly description: string | null
  readonly type: Type
}

/** What a caller gets when it goes well. */
export type Answer =
  | { readonly kind: "empty" }
  | { readonly kind: "json"; readonly type: Type }
  | { readonly kind: "bytes"; readonly contentTypes: readonly string[] }
  | { readonly kind: "byte-stream"; readonly contentType: string }
  /** Server-sent events; an item is the parsed `data` of one. */
  | { readonly kind: "events"; readonly item: Type }

export interface Operation {
  /** What callers know it by, from its annotation (CO5). */
  readonly group: string
  readonly name: string
  /** What the HttpApi itself knows it by; nothing that a caller sees is made of it. */
  readonly inner: { readonly group: string; readonly endpoint: string }
  readonly method: string
  /** Parameters stand in it as `:name`. */
  readonly path: string
  readonly params: readonly Field[]
  readonly query: readonly Field[]
  /** Headers that the operation reads. A caller gives them with the options of the call. */
  readonly headers: readonly Field[]
  readonly payload: Payload
  readonly status: number
  readonly answer: Answer
  /** Names of failures, by status. */
  readonly failures: readonly { readonly status: number; readonly name: string }[]
  readonly middleware: readonly string[]
}

export type Payload =
  | { readonly kind: "none" }
  /** An object, whose fields a caller gives beside those of the path and the query. */
  | { readonly kind: "json"; readonly fields: readonly Field[]; readonly name: string | null }
  | { readonly kind: "bytes"; readonly contentType: string }
  | { readonly kind: "byte-stream"; readonly contentType: string }

export interface Contract {
  readonly name: string
  readonly version: string
  /** By name. */
  readonly types: readonly NamedType[]
  readonly operations: readonly Operation[]
  /** Names of failures that any request may be answered with, before or instead of an operation. */
  readonly everywhere: readonly string[]
}

/** What an emitter could not reproduce, and where it stands. */
export class Irreproducible extends Error {
  override readonly name = "Irreproducible"
  constructor(where: string, what: string) {
    super(`${where}: ${what}. Change the contract, or teach the generator what this means.`)
  }
}

export const groupsOf = ({ operations }: Contract): readonly string[] => [
  ...new Set(operations.map(({ group }) => group)),
]

/** Every field that a caller gives, in one object; no two may share a name. */
export function inputOf({ params, query, payload }: Operation): readonly Field[] {
  return [...params, ...query, ...(payload.kind === "json" ? payload.fields : [])]
}
