/**
 * Options as a person gives them, in the shape of models.dev or the AI SDK, parted into the three
 * domains by the one adapter (CA2). What may never be an option (keys, headers, addresses) is a
 * fault with its line.
 */
import {
  ingestOptions,
  type GenerationControls,
  type ModelRequestOptions,
  type WireName,
} from "@holdfast/llm"
import { knownWires } from "@holdfast/llm/known-wires"
import type { JsonObject } from "@holdfast/schema/json"
import { faultBelow, type Fields, jsonIn, objectsIn } from "./document.ts"

export interface GivenOptions {
  readonly generation: Partial<GenerationControls>
  readonly model: ModelRequestOptions
  readonly body: JsonObject
}

const noOptions: GivenOptions = { generation: {}, model: {}, body: {} }

/** Whom options are for: the wire, and the names under which they stand in `providerOptions`. */
export interface OptionTarget {
  readonly wire: WireName
  readonly names: readonly string[]
}

export function optionsIn(fields: Fields, key: string, target: OptionTarget): GivenOptions | undefined {
  const given = jsonIn(fields, key)
  if (given === undefined) return undefined
  const { refused, ...options } = ingestOptions(given, target.names)
  for (const name of refused) {
    faultBelow(
      fields,
      key,
      name.split(".").at(-1) ?? name,
      "is not an option of a model, or has a value that it cannot have. Keys and addresses are settings of the provider.",
    )
  }
  const fault = hostedFault(target.wire, options.model.hostedTools ?? [])
  if (fault !== null) faultBelow(fields, key, "hostedTools", fault)
  return options
}

/** What is wrong with the tools that the provider shall run, or null (LL8). */
function hostedFault(wire: WireName, declared: readonly JsonObject[]): string | null {
  const find = knownWires[wire]?.hostedToolFault
  if (declared.length === 0) return null
  if (find === undefined) {
    const able = Object.entries(knownWires).flatMap(([name, { hostedToolFault }]) =>
      hostedToolFault ? [name] : [],
    )
    return `is not for the wire ${wire}, whose providers run no tools. Leave it out; these have it: ${able.join(", ")}.`
  }
  const faults = declared.flatMap((tool, at) => {
    const fault = find(tool)
    return fault === null ? [] : [`is wrong: number ${at + 1} ${fault}.`]
  })
  return faults[0] ?? null
}

/** Variants of a model: options by name, over those of the model. */
export function variantsIn(fields: Fields, target: OptionTarget): ReadonlyMap<string, GivenOptions> {
  const variants = objectsIn(fields, "variants", null)
  const outer = { ...fields, path: fields.path === "" ? "variants" : `${fields.path}.variants` }
  const byKey = new Map([...variants].map(([name, { node }]) => [name, node]))
  return new Map(
    [...variants.keys()].map((name) => [name, optionsIn({ ...outer, byKey }, name, target) ?? noOptions]),
  )
}

/** Later ones win, setting by setting. */
export const mergeOptions = (...layers: readonly (GivenOptions | undefined)[]): GivenOptions =>
  layers.reduce<GivenOptions>(
    (merged, layer = noOptions) => ({
      generation: { ...merged.generation, ...layer.generation },
      model: { ...merged.model, ...layer.model },
      body: { ...merged.body, ...layer.body },
    }),
    noOptions,
  )

/** Names by which the AI SDK calls the options of a wire. */
const sdkNames: Readonly<Record<string, readonly string[]>> = {
  "anthropic-messages": ["anthropic"],
  "openai-responses": ["openai"],
  "openai-chat": ["openai", "openaiCompatible"],
  gemini: ["google", "vertex"],
  "bedrock-converse": ["bedrock", "amazonBedrock"],
}

export const optionTarget = (provider: string, wire: WireName): OptionTarget => ({
  wire,
  names: [provider, ...(sdkNames[wire] ?? [])],
})
