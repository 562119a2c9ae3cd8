/**
 * An object of a body while it is read: whatever is not taken is named by its place. So a reader says
 * by itself what it has no word for, and can lose nothing in silence (LL1).
 *
 * A member that is null or an empty list says nothing, and marks of a cache stand at places of our own
 * (LL5): none of these is ever named.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, textOf } from "../json-fields.ts"

export class FieldReader {
  readonly place: string
  readonly #fields: Fields
  readonly #left: Set<string>
  readonly #inside: FieldReader[] = []
  #strange: string | null = null

  constructor(value: unknown, place = "") {
    this.place = place
    this.#fields = fieldsOf(value)
    this.#left = new Set(Object.keys(this.#fields).filter((name) => this.#says(name)))
    if (value !== undefined && value !== null && !isFields(value)) this.strange(typeof value)
  }

  /** The value of a member, which stays unread. */
  peek(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined
  }

  take(name: string): unknown {
    this.#left.delete(name)
    return this.peek(name)
  }

  /** A text; anything else stays unread and counts as none. */
  text(name: string): string {
    return typeof this.peek(name) === "string" ? textOf(this.take(name)) : ""
  }

  /** Takes a member that has this value; another one stays unread. */
  expect(name: string, value: unknown): void {
    if (this.peek(name) === value) this.take(name)
  }

  object(name: string): FieldReader {
    return this.#open(this.take(name), this.#at(name))
  }

  /** The members of a list; a text that stands in its place is given as the one that it means. */
  list(name: string, ofText?: (text: string) => Fields): readonly FieldReader[] {
    const value = this.peek(name)
    const meant = typeof value === "string" && ofText !== undefined ? [ofText(value)] : value
    if (!Array.isArray(meant)) return []
    this.take(name)
    return meant.map((item, at) => this.#open(item, `${this.#at(name)}[${at}]`))
  }

  /** Parts; a text that stands in their place is one of them. */
  parts(name: string): readonly FieldReader[] {
    return this.list(name, (text) => ({ type: "text", text }))
  }

  /** A schema of an object; without one there is nothing in it, and any other is strange. */
  schema(name: string): JsonObject {
    const schema = this.take(name)
    const { type = "object", properties = {} } = fieldsOf(schema)
    if (isFields(schema) && type === "object" && isFields(properties)) return schema as JsonObject
    if (schema !== undefined) this.strange(name)
    return { type: "object", properties: {} }
  }

  /** The object as it came, without marks of a cache. */
  whole(): JsonObject {
    this.#left.clear()
    const kept = Object.entries(this.#fields).filter(([name]) => !marks.has(name))
    return Object.fromEntries(kept) as JsonObject
  }

  /** Whether the JSON of the object holds this text. */
  mentions(json: string): boolean {
    return JSON.stringify(this.#fields).includes(json)
  }

  /** Names of what is left. */
  left(): readonly string[] {
    return [...this.#left]
  }

  /** The object as a whole is nothing that could be read; `what` it is. */
  strange(what: string): void {
    this.#strange ??= what
  }

  unread(): readonly string[] {
    if (this.#strange !== null) return [`${this.place}: ${this.#strange}`]
    return [...[...this.#left].map((name) => this.#at(name)), ...this.#inside.flatMap((one) => one.unread())]
  }

  #says(name: string): boolean {
    const value = this.#fields[name]
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0)
    return !isEmpty && !marks.has(name)
  }

  #at(name: string): string {
    return this.place === "" ? name : `${this.place}.${name}`
  }

  #open(value: unknown, place: string): FieldReader {
    const inside = new FieldReader(value, place)
    this.#inside.push(inside)
    return inside
  }
}

const marks: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint"])
