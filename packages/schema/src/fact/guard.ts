/**
 * Guards: whether a value is of a schema, answered by functions that are made of it once.
 *
 * `Schema.is` builds the value anew, and an error for each member of a union that does not fit. Every
 * commit asks, so that counts. What is no struct, list, union or plain value is left to it: the answer
 * is the same in every case.
 */
import { Schema, SchemaAST } from "effect"

type Guard = (value: unknown) => boolean

export function guardFor<T>(schema: Schema.Schema<T>): (value: unknown) => value is T {
  return guard(SchemaAST.toType(schema.ast)) as (value: unknown) => value is T
}

function guard(ast: SchemaAST.AST): Guard {
  const shape = shapeOf(ast)
  if (shape === null) return Schema.is(Schema.make<Schema.Schema<unknown>>(ast))
  const { checks } = ast
  return checks === undefined ? shape : checked(shape, filtersOf(checks), ast)
}

const filtersOf = (checks: readonly SchemaAST.Check<unknown>[]): readonly SchemaAST.Filter<unknown>[] =>
  checks.flatMap((check) => (check._tag === "FilterGroup" ? filtersOf(check.checks) : [check]))

const checked =
  (shape: Guard, filters: readonly SchemaAST.Filter<unknown>[], ast: SchemaAST.AST): Guard =>
  (value) => {
    if (!shape(value)) return false
    for (const filter of filters) if (filter.run(value, ast, plainOptions) !== undefined) return false
    return true
  }

const plainOptions: SchemaAST.ParseOptions = {}

/** Without the checks that stand on it; null where `Schema.is` has to tell. */
function shapeOf(ast: SchemaAST.AST): Guard | null {
  switch (ast._tag) {
    case "Null":
      return (value) => value === null
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "String":
      return (value) => typeof value === "string"
    case "Number":
      return (value) => typeof value === "number"
    case "Literal":
      return (value) => value === ast.literal
    case "Arrays":
      return isPlain(ast) ? list(ast) : null
    case "Objects":
      return isPlain(ast) ? struct(ast) : null
    case "Union":
      return isPlain(ast) && ast.options?.mode !== "oneOf" ? anyOf(ast.types.map(guard)) : null
    default:
      return null
  }
}

const isPlain = ({ encodingChecks }: SchemaAST.Arrays | SchemaAST.Objects | SchemaAST.Union): boolean =>
  encodingChecks === undefined

const anyOf =
  (guards: readonly Guard[]): Guard =>
  (value) =>
    guards.some((one) => one(value))

function list({ elements, rest }: SchemaAST.Arrays): Guard | null {
  const [of] = rest
  if (elements.length > 0 || rest.length !== 1 || of === undefined) return null
  const one = guard(of)
  return (value) => {
    if (!Array.isArray(value)) return false
    // By index, since `every` passes over holes.
    for (let at = 0; at < value.length; at++) if (!one(value[at])) return false
    return true
  }
}

interface Field {
  readonly name: string
  readonly optional: boolean
  readonly fits: Guard
}

function struct({ propertySignatures, indexSignatures }: SchemaAST.Objects): Guard | null {
  if (indexSignatures.length > 0 || propertySignatures.length === 0) return null
  const literals: Field[] = []
  const others: Field[] = []
  for (const { name, type } of propertySignatures) {
    if (typeof name !== "string" || name === "__proto__") return null
    const field = { name, optional: type.context?.isOptional === true, fits: guard(type) }
    ;(type._tag === "Literal" ? literals : others).push(field)
  }
  // What tells the members of a union apart is looked at first.
  const fields = [...literals, ...others]
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false
    for (const { name, optional, fits } of fields) {
      const each = (value as Readonly<Record<string, unknown>>)[name]
      if (each === undefined && !(name in value) ? !optional : !fits(each)) return false
    }
    return true
  }
}
