/**
 * The settings of a body as options (CA2).
 *
 * An option is read from a member only if the wire writes that very member for it again, so nothing is
 * lost. Other members pass as compatibility fields where the wire lets them through, and are unread
 * where not.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { isFields } from "../json-fields.ts"
import type {
  GenerationControls,
  ModelRequestOptions,
  ModelTraits,
  Reasoning,
  RequestOptions,
  StructuredOutput,
  ToolChoice,
} from "../options.ts"
import { findDifference } from "../recording/difference.ts"
import type { FieldReader } from "./field-reader.ts"

/** Options that one member says. */
export interface Said {
  readonly generation?: Partial<GenerationControls>
  readonly model?: ModelRequestOptions
  readonly traits?: ModelTraits
}

/** How members are read, by name; null where no option says the same. */
export type SettingTable = Readonly<Record<string, (value: unknown) => Said | null>>

/** Enough for an answer where a body leaves the limit to the provider. */
const outputTokensOtherwise = 4_096

export class ReadOptions {
  #generation: Partial<GenerationControls> = {}
  #model: ModelRequestOptions = {}
  #traits: ModelTraits = {}
  #body: JsonObject = {}

  say({ generation = {}, model = {}, traits = {} }: Said): void {
    this.#generation = { ...this.#generation, ...generation }
    this.#model = { ...this.#model, ...model }
    this.#traits = { ...this.#traits, ...traits }
  }

  /** Reads the members of a table; what an earlier member said is not said again. */
  read(from: FieldReader, table: SettingTable): void {
    for (const [name, read] of Object.entries(table)) {
      const value = from.peek(name)
      const said = value === undefined ? null : read(value)
      if (said === null || this.#knows(said)) continue
      from.take(name)
      this.say(said)
    }
  }

  /** What is left, as compatibility fields, inside of the member `under` if there is one. */
  pass(from: FieldReader, denied: ReadonlySet<string>, under?: string): void {
    const passed = from.left().filter((name) => !denied.has(name) && !secret.test(name))
    if (passed.length === 0) return
    const fields = Object.fromEntries(passed.map((name) => [name, from.take(name)])) as JsonObject
    this.#body = { ...this.#body, ...(under === undefined ? fields : { [under]: fields }) }
  }

  /** A compatibility field that was read as it stands. */
  keep(name: string, value: readonly unknown[]): void {
    if (value.length > 0) this.#body = { ...this.#body, [name]: value as readonly Json[] }
  }

  value(): RequestOptions {
    const { reasoning } = this.#model
    const outputTokensMax = outputTokensOtherwise + (reasoning?.kind === "budget" ? reasoning.tokens : 0)
    return {
      generation: { outputTokensMax, ...this.#generation },
      model: this.#model,
      body: this.#body,
      traits: this.#traits,
    }
  }

  #knows({ generation = {}, model = {} }: Said): boolean {
    return (
      Object.keys(generation).some((name) => Object.hasOwn(this.#generation, name)) ||
      Object.keys(model).some((name) => Object.hasOwn(this.#model, name))
    )
  }
}

/** A record holds no secret, so a field that may be one is not passed. */
const secret = /key$|secret|token$|authoriz|password|credential/i

export const outputLimit = (value: unknown): Said | null =>
  Number.isSafeInteger(value) && (value as number) > 0
    ? { generation: { outputTokensMax: value as number } }
    : null

export const temperature = (value: unknown): Said | null =>
  typeof value === "number" ? { generation: { temperature: value } } : null

export const topP = (value: unknown): Said | null =>
  typeof value === "number" ? { generation: { topP: value } } : null

export const stopSequences = (value: unknown): Said | null =>
  Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === "string")
    ? { generation: { stop: value } }
    : null

/** One stop sequence, or several. */
export const stop = (value: unknown): Said | null =>
  stopSequences(typeof value === "string" ? [value] : value)

/** Sampling in the words of most who write in camel case. */
export const sampling: SettingTable = { temperature, topP, stopSequences }

export const word =
  (name: "serviceTier" | "verbosity" | "reasoningSummary" | "cacheKey") =>
  (value: unknown): Said | null =>
    typeof value === "string" && value !== "" ? { model: { [name]: value } } : null

export const parallelCalls = (value: unknown): Said | null =>
  typeof value === "boolean" ? { model: { parallelCalls: value } } : null

/** The reasoning for which the wire writes this. */
export const reasoning =
  (write: (reasoning: Reasoning) => unknown) =>
  (asked: unknown): Said | null => {
    const found = written<Reasoning>(
      [
        { kind: "off" },
        { kind: "adaptive" },
        ...valuesIn(asked, "string").flatMap((effort): readonly Reasoning[] => [
          { kind: "effort", effort },
          { kind: "adaptive", effort },
        ]),
        ...valuesIn(asked, "number").map((tokens): Reasoning => ({ kind: "budget", tokens })),
      ],
      write,
      asked,
    )
    return found === null ? null : { model: { reasoning: found } }
  }

/** The choice for which the wire writes this. */
export const toolChoice =
  (write: (choice: ToolChoice) => unknown) =>
  (asked: unknown): Said | null => {
    const named = valuesIn(asked, "string").map((tool) => ({ tool }))
    const found = written<ToolChoice>(["auto", "none", "required", ...named], write, asked)
    return found === null ? null : { generation: { toolChoice: found } }
  }

/** The structured answer for which the wire writes this; `schema` stands somewhere in it. */
export const structured =
  (write: (structured: StructuredOutput) => unknown, schema: unknown) =>
  (asked: unknown): Said | null => {
    if (!isFields(schema)) return null
    const names = ["answer", ...valuesIn(asked, "string")]
    const candidates = names.map((name) => ({ name, schema: schema as JsonObject }))
    const found = written<StructuredOutput>(candidates, write, asked)
    return found === null ? null : { generation: { structured: found } }
  }

const written = <A>(candidates: readonly A[], write: (one: A) => unknown, asked: unknown): A | null =>
  candidates.find((one) => findDifference(write(one), asked) === null) ?? null

interface Plain {
  readonly string: string
  readonly number: number
}

/** All values of a type, at any depth. */
function valuesIn<K extends keyof Plain>(value: unknown, type: K): readonly Plain[K][] {
  if (typeof value === type) return [value as Plain[K]]
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap((item) => valuesIn(item, type))
    : []
}
