/**
 * Generation: what to say about an observation, given what was said before.
 *
 * Pure. The caller commits the text and the snapshot together (EP5); a Result fails only with a
 * ContextDefect. Every function decides first and renders afterwards, so that a renderer runs only
 * when its text is part of the outcome (SC7).
 *
 *   observation ── initialize ──> ready | blocked
 *   observation + snapshot ── reconcile ──> unchanged | updated | replacement-ready | replacement-blocked
 *   observation + snapshot ── replace ────> replacement-ready | replacement-blocked
 *
 *   SC6   new key: baseline text; changed value: update text; all in one text.
 *   SC8   unavailable says nothing; a loaded absence says the stored removal text.
 *   SC9   so does a source that left; without stored removal text: replacement.
 *   SC10  a stored value that does not decode: replacement, whatever else was observed.
 *   SC11  replacement waits for every admitted source that is unavailable.
 *   SC13  a blank text is a ContextDefect naming source and renderer.
 */
import type { ContextSnapshot, SnapshotChanges, SnapshotEntry, SourceText } from "@holdfast/schema/context"
import type { Json } from "@holdfast/schema/json"
import { Option, Result } from "effect"
import { ContextDefect, describeThrown, type Observation, type ObservedSource } from "./observation.ts"
import { absent, unavailable, type LoadedValue, type Renderer } from "./system-context.ts"

/** A complete Baseline with the values it speaks for. */
export interface Generation {
  readonly text: string
  readonly snapshot: ContextSnapshot
}

export type Initialization =
  | { readonly kind: "ready"; readonly generation: Generation }
  | { readonly kind: "blocked"; readonly keys: readonly string[] }

export type Replacement =
  | { readonly kind: "replacement-ready"; readonly generation: Generation }
  | { readonly kind: "replacement-blocked"; readonly keys: readonly string[] }

export type Reconciliation =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "updated"
      readonly text: string
      /** Each key's own words, in the order of the text (EP12). */
      readonly texts: readonly SourceText[]
      readonly changes: SnapshotChanges
    }
  | Replacement

/** The first Baseline; blocked, with every key, while any source is unavailable (SC4). */
export function initialize(observation: Observation): Result.Result<Initialization, ContextDefect> {
  const keys = unavailableKeys(observation)
  if (keys.length > 0) return Result.succeed({ kind: "blocked", keys })
  return Result.map(generate(observation), (generation) => ({ kind: "ready", generation }))
}

/** What has to be said at this boundary; exactly one of four outcomes (SC5). */
export function reconcile(
  observation: Observation,
  snapshot: ContextSnapshot,
): Result.Result<Reconciliation, ContextDefect> {
  const plan = planUpdate(observation, snapshot)
  if (plan === incompatible) return replace(observation, snapshot)
  if (plan.length === 0) return Result.succeed({ kind: "unchanged" })
  return Result.map(renderAll(plan), (said) => ({
    kind: "updated",
    text: join(said),
    texts: said.map(({ key, text }) => ({ key, text })),
    changes: Object.fromEntries(said.map(({ key, entry }) => [key, entry])),
  }))
}

/** A fresh Baseline over an earlier snapshot; a source never admitted is left out until it loads (SC8). */
export function replace(
  observation: Observation,
  snapshot: ContextSnapshot,
): Result.Result<Replacement, ContextDefect> {
  const keys = unavailableKeys(observation).filter((key) => snapshot[key] !== undefined)
  if (keys.length > 0) return Result.succeed({ kind: "replacement-blocked", keys })
  return Result.map(generate(observation), (generation) => ({ kind: "replacement-ready", generation }))
}

function unavailableKeys(observation: Observation): string[] {
  return observation.entries.filter(({ loaded }) => loaded === unavailable).map(({ source }) => source.key)
}

function generate(observation: Observation): Result.Result<Generation, ContextDefect> {
  const plan = observation.entries.flatMap(({ source, loaded }): Step[] =>
    loaded === absent || loaded === unavailable ? [] : [say(source.key, "baseline", loaded)],
  )
  return Result.map(renderAll(plan), (said) => ({
    text: join(said),
    snapshot: Object.fromEntries(said.flatMap(({ key, entry }) => (entry === null ? [] : [[key, entry]]))),
  }))
}

type Step =
  | {
      readonly kind: "say"
      readonly key: string
      readonly renderer: "baseline" | "update"
      readonly value: LoadedValue
    }
  | { readonly kind: "withdraw"; readonly key: string; readonly removal: string }

const incompatible = "incompatible"
type Incompatible = typeof incompatible

function say(key: string, renderer: "baseline" | "update", value: LoadedValue): Step {
  return { kind: "say", key, renderer, value }
}

/** Sources in composition order, then those that left the composition in key order. */
function planUpdate(observation: Observation, snapshot: ContextSnapshot): readonly Step[] | Incompatible {
  const plan: Step[] = []
  for (const observed of observation.entries) {
    const step = planSource(observed, snapshot[observed.source.key])
    if (step === incompatible) return incompatible
    if (step !== undefined) plan.push(step)
  }
  const present = new Set(observation.entries.map(({ source }) => source.key))
  for (const key of Object.keys(snapshot).sort()) {
    if (present.has(key)) continue
    const step = planWithdrawal(key, snapshot[key]!)
    if (step === incompatible) return incompatible
    plan.push(step)
  }
  return plan
}

function planSource(
  { source, loaded }: ObservedSource,
  entry: SnapshotEntry | undefined,
): Step | Incompatible | undefined {
  if (entry === undefined) {
    return loaded === absent || loaded === unavailable ? undefined : say(source.key, "baseline", loaded)
  }
  const stored = source.recode(entry.value)
  if (Option.isNone(stored)) return incompatible // SC10
  if (loaded === unavailable) return undefined
  if (loaded === absent) return planWithdrawal(source.key, entry)
  return equalJson(stored.value, loaded.encoded) ? undefined : say(source.key, "update", loaded)
}

function planWithdrawal(key: string, { removal }: SnapshotEntry): Step | Incompatible {
  return removal === undefined ? incompatible : { kind: "withdraw", key, removal }
}

interface Said {
  readonly key: string
  readonly text: string
  readonly entry: SnapshotEntry | null
}

function renderAll(plan: readonly Step[]): Result.Result<readonly Said[], ContextDefect> {
  return Result.all(plan.map(renderStep))
}

function renderStep(step: Step): Result.Result<Said, ContextDefect> {
  if (step.kind === "withdraw") return Result.succeed({ key: step.key, text: step.removal, entry: null })
  const { key, renderer, value } = step
  const { removal } = value.renderers
  return Result.gen(function* () {
    const text = yield* render(key, renderer, value.renderers[renderer])
    if (removal === undefined) return { key, text, entry: { value: value.encoded } }
    return { key, text, entry: { value: value.encoded, removal: yield* render(key, "removal", removal) } }
  })
}

/** A renderer comes from outside (a plugin's too), so a throw and a wrong answer are both expected here. */
function render(key: string, renderer: Renderer, call: () => unknown): Result.Result<string, ContextDefect> {
  const defect = (what: string) =>
    new ContextDefect({ key, renderer, message: `Context Source ${key}: its ${renderer} renderer ${what}` })
  const rendered = Result.try({ try: call, catch: (thrown) => defect(`threw: ${describeThrown(thrown)}`) })
  return Result.flatMap(rendered, (text) =>
    typeof text === "string" && text.trim() !== ""
      ? Result.succeed(text)
      : Result.fail(defect("returned an empty text")),
  )
}

function join(said: readonly Said[]): string {
  return said.map(({ text }) => text).join("\n\n")
}

/** Deep equality of JSON values; the order of object keys does not count (SC7). */
function equalJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, index) => equalJson(item, b[index]))
  }
  const left = a as { readonly [key: string]: Json }
  const right = b as { readonly [key: string]: Json }
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key]!, right[key]!))
}
