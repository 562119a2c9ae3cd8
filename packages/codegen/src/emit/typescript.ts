/** Types of the contract as TypeScript. */
import type { Field, NamedType, Type } from "../contract.ts"

export const banner = "// Made from the contract by `npm run codegen`; changes here are lost.\n"

export const typeText = (type: Type): string => {
  switch (type.kind) {
    case "json":
      return "Json"
    case "literal":
      return JSON.stringify(type.value)
    case "array":
      return type.least === 0
        ? `readonly ${inList(type.item)}[]`
        : `readonly [${`${typeText(type.item)}, `.repeat(type.least)}...${inList(type.item)}[]]`
    case "tuple":
      return `readonly [${type.items.map(typeText).join(", ")}]`
    case "record":
      return `{ readonly [name: string]: ${typeText(type.value)} }`
    case "object":
      return fieldsText(type.fields)
    case "union":
      return type.members.map(typeText).join(" | ")
    case "named":
      return type.name
    default:
      return type.kind
  }
}

const inList = (type: Type): string =>
  type.kind === "union" || type.kind === "array" || type.kind === "tuple"
    ? `(${typeText(type)})`
    : typeText(type)

const isPlainName = /^[A-Za-z_$][\w$]*$/

export function fieldsText(fields: readonly Field[]): string {
  if (fields.length === 0) return "{}"
  const lines = fields.map(
    ({ name, type, optional }) =>
      `readonly ${isPlainName.test(name) ? name : JSON.stringify(name)}${optional ? "?" : ""}: ${typeText(type)}`,
  )
  return `{ ${lines.join("; ")} }`
}

/** Names of types that a type speaks of. */
export function namesIn(type: Type): readonly string[] {
  switch (type.kind) {
    case "json":
      return ["Json"]
    case "named":
      return [type.name]
    case "array":
      return namesIn(type.item)
    case "record":
      return namesIn(type.value)
    case "tuple":
      return type.items.flatMap(namesIn)
    case "union":
      return type.members.flatMap(namesIn)
    case "object":
      return type.fields.flatMap((field) => namesIn(field.type))
    default:
      return []
  }
}

/** An interface for an object, an alias for everything else (CO7). */
export function declaration({ name, description, type }: NamedType): string {
  const words = description === null ? "" : `/** ${description} */\n`
  return type.kind === "object"
    ? `${words}export interface ${name} ${fieldsText(type.fields)}\n`
    : `${words}export type ${name} = ${typeText(type)}\n`
}

export const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)
