/**
 * The runner: every case against one target, one after another, each on a stage of its own.
 *
 * A case is skipped where the target lacks what it needs, and where a model that costs money would
 * have to answer and nobody allowed it. A case that takes too long fails.
 */
import { strict as assert } from "node:assert"
import { allCases } from "./cases/index.ts"
import { type Case, type Need, NotApplicable } from "./case.ts"
import type { ContractDocument } from "./contract.ts"
import { rejectionOf, show, showAnswer } from "./expect.ts"
import { changeBetween, type Reachable, readReachable } from "./reachable.ts"
import { ask, openStage } from "./stage.ts"
import type { Target } from "./target.ts"

export interface ConformOptions {
  /** Only cases of this rule, or of this family of rules, as `PG1` or `PG`. */
  readonly only?: string
  /** Lets a model answer that costs money. */
  readonly paid?: boolean
  /** Starts terminals, which are closed again. */
  readonly terminals?: boolean
  /** Generated inputs for each operation; 10 unless given. */
  readonly inputs?: number
  /** What they are generated from; 1 unless given. */
  readonly seed?: number
  /** Told of each case as it ends. */
  readonly onResult?: (result: CaseResult, done: number, total: number) => void
}

export type Outcome = "passed" | "failed" | "skipped"

export interface CaseResult {
  readonly rule: string
  readonly title: string
  readonly outcome: Outcome
  /** What was expected and what came, or why it was skipped; null for one that passed. */
  readonly detail: string | null
  readonly durationMs: number
}

export interface Conformance {
  readonly target: string
  readonly results: readonly CaseResult[]
}

/** The target does not answer as a Holdfast does, so that no case can be run. */
export class CannotRun extends Error {
  override readonly name = "CannotRun"
}

const inputsDefault = 10
const seedDefault = 1
/** A case of a model's answer may take as long as a slow model. */
const caseMsMax = 60_000
const promptCaseMsMax = 300_000

export async function conform(target: Target, options: ConformOptions = {}): Promise<Conformance> {
  const chosen = casesOf(options.only)
  if (chosen.length === 0) throw new CannotRun(`There is no case of the rule ${options.only}.`)
  const run = await prepare(target, options)
  const results: CaseResult[] = []
  for (const one of chosen) {
    const result = await run(one)
    results.push(result)
    options.onResult?.(result, results.length, chosen.length)
  }
  return { target: target.name, results }
}

const casesOf = (only: string | undefined): readonly Case[] =>
  only === undefined
    ? allCases
    : allCases.filter(({ rule }) => rule === only || rule.replace(/\d+$/, "") === only)

/** Looks whether the target answers at all, and what it lacks; gives what runs one case. */
export async function prepare(
  target: Target,
  options: Omit<ConformOptions, "only" | "onResult"> = {},
): Promise<(one: Case) => Promise<CaseResult>> {
  const silence = await rejectionOf(target.client.health.get())
  if (silence !== null) throw new CannotRun(`${target.name} does not answer as Holdfast: ${wordsOf(silence)}`)
  const lacks = await lackOf(target, options)
  const { inputs = inputsDefault, seed = seedDefault } = options
  let document: Promise<ContractDocument> | undefined
  const readDocument = () => (document ??= fetchDocument(target))
  /** As it was after the last case, where that one was to change nothing either. */
  let seen: Reachable | null = null
  return async (one) => {
    const began = performance.now()
    const lack = one.needs?.map((need) => lacks.get(need)).find((reason) => reason !== undefined)
    const told = lack === undefined ? await runWatched(one) : { outcome: "skipped" as const, detail: lack }
    return { rule: one.rule, title: one.title, ...told, durationMs: Math.round(performance.now() - began) }
  }

  async function runWatched(one: Case): Promise<Pick<CaseResult, "outcome" | "detail">> {
    if (one.changesNothing !== true) {
      seen = null
      return runOn(one)
    }
    try {
      const before = seen ?? (await readReachable(target.client))
      const told = await runOn(one)
      seen = await readReachable(target.client)
      const change = changeBetween(before, seen)
      return told.outcome !== "passed" || change === null
        ? told
        : { outcome: "failed", detail: `expected that nothing changes, but ${change}` }
    } catch (failure) {
      seen = null
      return { outcome: "failed", detail: wordsOf(failure) } // what can be read belongs to the case
    }
  }

  async function runOn(one: Case): Promise<Pick<CaseResult, "outcome" | "detail">> {
    const { stage, close } = openStage(target, readDocument, { inputs, seed })
    try {
      const msMax = one.needs?.includes("prompt") === true ? promptCaseMsMax : caseMsMax
      await within(msMax, one.run(stage))
      return { outcome: "passed", detail: null }
    } catch (failure) {
      // Whatever a case meets is its result.
      if (failure instanceof NotApplicable) return { outcome: "skipped", detail: failure.message }
      return { outcome: "failed", detail: wordsOf(failure) }
    } finally {
      await close()
    }
  }
}

async function lackOf(
  target: Target,
  { paid = false, terminals = false }: Pick<ConformOptions, "paid" | "terminals">,
): Promise<ReadonlyMap<Need, string>> {
  const lacks = new Map<Need, string>()
  if (target.raw === undefined) lacks.set("raw", "The target takes no requests as they are.")
  if (!terminals) lacks.set("terminals", "Terminals are started only where --terminals was given.")
  if (target.effect === undefined) lacks.set("effect", "The target has no Effect client.")
  try {
    const model = await target.client.models.get()
    if (model.paid && !paid)
      lacks.set("prompt", `${model.provider}/${model.model} costs money, and --paid was not given.`)
  } catch (failure) {
    lacks.set("prompt", `There is no model that could answer: ${wordsOf(failure)}`)
  }
  return lacks
}

async function fetchDocument({ raw }: Target): Promise<ContractDocument> {
  assert(raw !== undefined, "this target takes no requests as they are")
  const answer = await ask(raw, "/openapi.json", {})
  const isDocument = typeof answer.json === "object" && answer.json !== null && "paths" in answer.json
  assert(
    answer.status === 200 && isDocument,
    `/openapi.json: expected the document, got ${showAnswer(answer)}`,
  )
  return answer.json as ContractDocument
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`It took longer than ${ms / 1_000} seconds.`)), ms)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A failure in one line: its message, and its tag where it has one. */
function wordsOf(failure: unknown): string {
  if (typeof failure !== "object" || failure === null || !("message" in failure)) return show(failure)
  const tag = "_tag" in failure ? `${String(failure._tag)}: ` : ""
  return tag + String(failure.message)
}
