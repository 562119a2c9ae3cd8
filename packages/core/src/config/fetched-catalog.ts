/**
 * The fetched catalog: facts of models that a refresh brought, beneath the user's settings and above
 * the embedded copy (CA1).
 *
 * It comes in the shape of models.dev: providers by id, each with its models. Only facts of models
 * are taken, and only of providers that are known here: an address or a wire from elsewhere could
 * lead a key astray. Entries are judged one by one; a bad one is counted and left out.
 */
import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { findModel, type CatalogModel, type CatalogOverride } from "@holdfast/llm"
import type { Price } from "@holdfast/schema/model"
import { knownNames } from "./known-providers.ts"

/** By `provider/model`. */
export type FetchedCatalog = ReadonlyMap<string, CatalogOverride>

export const noCatalog: FetchedCatalog = new Map()

export interface ReadCatalog {
  readonly catalog: FetchedCatalog
  /** Entries of known providers that could not be read. */
  readonly leftOut: number
  /** The entries that were taken, in the shape in which they came: this is what is stored. */
  readonly kept: object
}

export const catalogBytesMax = 32 * 1024 ** 2
const modelsMax = 20_000
const tokensMax = 100_000_000
const nameMax = 200

export const catalogFile = (dataDirectory: string): string => join(dataDirectory, "catalog.json")

/** What the last refresh stored; none if there was none, or if it cannot be read: the embedded copy is there. */
export const loadCatalog = (dataDirectory: string): Effect.Effect<FetchedCatalog> =>
  Effect.sync(() => {
    let descriptor: number | null = null
    try {
      descriptor = openSync(catalogFile(dataDirectory), "r")
      const stats = fstatSync(descriptor)
      if (!stats.isFile() || stats.size > catalogBytesMax) return noCatalog
      return readCatalog(JSON.parse(readFileSync(descriptor, "utf8"))).catalog
    } catch {
      return noCatalog // absent, unreadable or no JSON: the next refresh writes it anew
    } finally {
      if (descriptor !== null) closeSync(descriptor)
    }
  })

/** The catalog as it lies there when somebody looks. */
export interface CatalogInForce {
  /** As of the last look. */
  readonly now: () => FetchedCatalog
  /** Reads it anew where the file is another one by now. */
  readonly look: Effect.Effect<void>
}

/** It lies beside the store, so that to ask for its state is as quick as the store is. */
export const openCatalog = Effect.fnUntraced(function* (
  dataDirectory: string,
): Effect.fn.Return<CatalogInForce> {
  const file = catalogFile(dataDirectory)
  let seen = stampOf(file)
  let catalog = yield* loadCatalog(dataDirectory)
  const look = Effect.suspend(() => {
    const found = stampOf(file)
    // A refresh replaces the file: while there is none, what was read holds.
    if (found === null || found === seen) return Effect.void
    return Effect.map(loadCatalog(dataDirectory), (read) => {
      seen = found
      catalog = read
    })
  })
  return { now: () => catalog, look }
})

function stampOf(file: string): string | null {
  try {
    const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
    return stats === undefined ? null : `${stats.ino} ${stats.size} ${stats.mtimeNs}`
  } catch {
    return null // its directory cannot be entered any more: what was read holds
  }
}

/** Ids of models.dev that differ from the names here. */
const aliases: Readonly<Record<string, string>> = {
  togetherai: "together",
  "fireworks-ai": "fireworks",
  "amazon-bedrock": "bedrock",
}

export function readCatalog(document: unknown): ReadCatalog {
  const catalog = new Map<string, CatalogOverride>()
  const kept = new Map<string, Map<string, unknown>>()
  let leftOut = 0
  const known = new Set(knownNames())
  for (const [id, provider] of entriesOf(document)) {
    const name = aliases[id] ?? id
    if (!known.has(name)) continue
    for (const [model, entry] of entriesOf(fieldsOf(provider)["models"])) {
      const facts = catalog.size < modelsMax ? readModel(name, model, entry) : null
      if (facts === null) {
        leftOut++
        continue
      }
      catalog.set(`${name}/${model}`, facts)
      kept.set(name, (kept.get(name) ?? new Map<string, unknown>()).set(model, entry))
    }
  }
  const providers = [...kept].map(([name, models]) => [name, { models: Object.fromEntries(models) }])
  return { catalog, leftOut, kept: Object.fromEntries(providers) as object }
}

/** The facts of one entry; null if it is not one. */
function readModel(provider: string, model: string, entry: unknown): CatalogOverride | null {
  const fields = fieldsOf(entry)
  const limit = fieldsOf(fields["limit"])
  const { context, output } = limit
  if (!isName(model) || !isCount(context) || !isCount(output)) return null
  const price = readPrice(fields["cost"])
  if (price === null) return null
  const embedded = findModel({ provider, model })
  return {
    contextTokensMax: cheapWindow(context, fields["cost"]),
    // The output is part of the window; there are entries whose two limits are the same.
    outputTokensMax: output < context ? output : Math.max(1, Math.floor(context / 2)),
    ...(price === undefined ? {} : { price }),
    ...truth("tools", fields["tool_call"]),
    ...truth("structuredOutput", fields["structured_output"]),
    ...imagesOf(fields["modalities"]),
    ...reasoningOf(fields["reasoning"], embedded),
  }
}

/** Null if it is none, undefined if nothing is said. */
function readPrice(cost: unknown): Price | null | undefined {
  if (cost === undefined || cost === null) return undefined
  const { input, output, cache_read: cacheRead = input, cache_write: cacheWrite = input } = fieldsOf(cost)
  const amounts = [input, output, cacheRead, cacheWrite]
  if (!amounts.every((amount) => typeof amount === "number" && Number.isFinite(amount) && amount >= 0))
    return null
  return { input, output, cacheRead, cacheWrite } as Price
}

const cheapTokensMax = 200_000

/** Where a longer prompt costs more, the window stops before, so that the price holds for what fits. */
const cheapWindow = (context: number, cost: unknown): number =>
  fieldsOf(cost)["context_over_200k"] === undefined ? context : Math.min(context, cheapTokensMax)

const truth = (name: "tools" | "structuredOutput", value: unknown): CatalogOverride =>
  typeof value === "boolean" ? { [name]: value } : {}

function imagesOf(modalities: unknown): CatalogOverride {
  const { input } = fieldsOf(modalities)
  return Array.isArray(input) ? { images: input.includes("image") } : {}
}

/** How it is asked for is not told: as the embedded copy says, else as the wire has it. */
function reasoningOf(value: unknown, embedded: CatalogModel): CatalogOverride {
  if (typeof value !== "boolean") return {}
  if (!value) return { reasoning: "none" }
  if (embedded.reasoning !== "none") return {}
  return { reasoning: embedded.wire === "anthropic-messages" ? "budget" : "effort" }
}

const isName = (text: string): boolean => text !== "" && text.length <= nameMax && /^[\x21-\x7e]+$/.test(text)

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= tokensMax

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] => Object.entries(fieldsOf(value))
