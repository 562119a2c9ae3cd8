/**
 * A schema to the type of the JSON in which it is sent (CO2).
 *
 * The walk is over the schema as it was written, so that names are kept; where a schema has another
 * form when it is sent, it goes on with that form. What has no JSON form is refused.
 */
import { Schema, SchemaAST } from "effect"
import { type Field, Irreproducible, type NamedType, type Type } from "./contract.ts"

type AST = SchemaAST.AST

export class EncodedTypes {
  readonly #named = new Map<string, NamedType>()

  /** Every type that has a name, by name. */
  all(): readonly NamedType[] {
    return [...this.#named.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  of(ast: AST, where: string): Type {
    const name = SchemaAST.resolveIdentifier(ast)
    if (name === undefined) return this.#shape(ast, where)
    this.#name(name, ast, where)
    return { kind: "named", name }
  }

  /** Of a value that is sent as JSON in a text. */
  inText(ast: AST, where: string): Type {
    const [link, ...more] = ast.encoding ?? []
    if (link === undefined || more.length > 0) throw new Irreproducible(where, "JSON in a text is wanted")
    const name = SchemaAST.resolveIdentifier(ast)
    const type = this.#plain(ast, where)
    if (name === undefined) return type
    this.#named.set(name, { name, description: SchemaAST.resolveDescription(ast) ?? null, type })
    return { kind: "named", name }
  }

  fields(ast: AST, where: string): readonly Field[] {
    const shape = this.#shape(ast, where)
    if (shape.kind !== "object") throw new Irreproducible(where, `an object is wanted, not ${shape.kind}`)
    return shape.fields
  }

  /** Once each: a type may hold itself. */
  #name(name: string, ast: AST, where: string): void {
    const known = this.#named.get(name)
    const description = SchemaAST.resolveDescription(ast) ?? known?.description ?? null
    if (known === undefined) {
      this.#named.set(name, { name, description, type: { kind: "json" } })
      this.#named.set(name, { name, description, type: this.#shape(ast, `${where}.${name}`) })
      return
    }
    // While it is being read, it has no shape to compare with.
    if (known.type.kind === "json") return
    const again = this.#shape(ast, where)
    if (JSON.stringify(again) !== JSON.stringify(known.type))
      throw new Irreproducible(where, `two types are called ${name}`)
  }

  #shape(ast: AST, where: string): Type {
    const sent = ast.encoding?.at(-1)?.to
    return sent === undefined ? this.#plain(ast, where) : this.#shape(sent, where)
  }

  #plain(ast: AST, where: string): Type {
    switch (ast._tag) {
      case "String":
      case "TemplateLiteral":
        return { kind: "string" }
      case "Number":
        return { kind: "number" }
      case "Boolean":
        return { kind: "boolean" }
      case "Null":
        return { kind: "null" }
      case "Unknown":
      case "Any":
        return { kind: "json" }
      case "Literal":
        if (typeof ast.literal === "bigint") throw new Irreproducible(where, "a bigint is no JSON")
        return { kind: "literal", value: ast.literal }
      case "Arrays":
        return this.#array(ast, where)
      case "Objects":
        return this.#object(ast, where)
      case "Union":
        return this.#union(ast.types, where)
      case "Suspend":
        return this.of(ast.thunk(), where)
      case "Declaration":
        if (isAnyJson(ast)) return { kind: "json" }
        throw new Irreproducible(
          where,
          `${SchemaAST.resolveIdentifier(ast) ?? "a declaration"} has no JSON form`,
        )
      default:
        throw new Irreproducible(where, `${ast._tag} has no JSON form`)
    }
  }

  #array(ast: SchemaAST.Arrays, where: string): Type {
    const items = ast.elements.map((element) => this.of(element, `${where}[]`))
    const [rest, ...behind] = ast.rest.map((element) => this.of(element, `${where}[]`))
    if (behind.length > 0) throw new Irreproducible(where, "items behind a rest")
    if (rest === undefined) return { kind: "tuple", items }
    // A list of which some must be there is one whose first items are of the same type.
    if (items.every((item) => JSON.stringify(item) === JSON.stringify(rest)))
      return { kind: "array", item: rest, least: items.length }
    throw new Irreproducible(where, "a list whose items differ")
  }

  #object(ast: SchemaAST.Objects, where: string): Type {
    const [index, ...more] = ast.indexSignatures
    if (index !== undefined) {
      if (more.length > 0 || ast.propertySignatures.length > 0)
        throw new Irreproducible(where, "an object with fields and with an index")
      return { kind: "record", value: this.of(index.type, `${where}[…]`) }
    }
    const fields = ast.propertySignatures.map(({ name, type }): Field => {
      if (typeof name !== "string") throw new Irreproducible(where, "a field whose name is no text")
      const at = `${where}.${name}`
      return {
        name,
        type: this.of(withoutUndefined(type), at),
        optional: SchemaAST.isOptional(sentOf(type)),
      }
    })
    return { kind: "object", fields }
  }

  #union(types: readonly AST[], where: string): Type {
    const members = types.map((type) => this.of(type, where))
    const told = new Map(members.map((member) => [JSON.stringify(member), member]))
    const [only, ...others] = told.values()
    if (only === undefined) throw new Irreproducible(where, "a union of nothing")
    return others.length === 0 ? only : { kind: "union", members: [...told.values()] }
  }
}

const sentOf = (ast: AST): AST => {
  const sent = ast.encoding?.at(-1)?.to
  return sent === undefined ? ast : sentOf(sent)
}

/** JSON knows no undefined: a field that may hold it is one that may be left out. */
function withoutUndefined(ast: AST): AST {
  if (ast._tag !== "Union" || ast.encoding !== undefined) return ast
  const types = ast.types.filter((type) => type._tag !== "Undefined")
  return types.length === ast.types.length
    ? ast
    : types.length === 1
      ? (types[0] as AST)
      : new SchemaAST.Union(types)
}

const representation = SchemaAST.resolveAt<{ readonly id: string }>("representation")
const isAnyJson = (ast: AST): boolean => representation(ast)?.id === representation(Schema.Json.ast)?.id
