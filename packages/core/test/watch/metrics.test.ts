/** What a runtime counts of its own work, from its opening on. */
import { Context, Metric } from "effect"
import { afterEach, expect, test } from "vitest"
import type { Runtime } from "@holdfast/core/runtime"
import { addUsage, type Usage, usageNone } from "@holdfast/schema/model"
import type { StoredTurn } from "@holdfast/store/port"
import { Stage, type StageOptions } from "../../../../test/session/harness.ts"
import { workTool } from "../../../../test/session/tools.ts"

let stage: Stage
const open = (options: StageOptions = {}) => {
  stage = new Stage(options)
  return stage.create()
}
afterEach(() => stage.close())

/** Counters above zero, as a scrape would name them. */
function counted(runtime: Runtime | null | undefined = stage.current.runtime): Record<string, number> {
  const registry = runtime?.metrics ?? new Map()
  const series = Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)).flatMap((snapshot) => {
    if (snapshot.type !== "Counter") return []
    const value = Number((snapshot.state as { readonly count: number | bigint }).count)
    const labels = Object.values(snapshot.attributes ?? {}).join()
    return value === 0 ? [] : [[`${snapshot.id.slice("holdfast_".length)}{${labels}}`, value] as const]
  })
  return Object.fromEntries(series.filter(([name]) => !name.startsWith("commits_total")))
}

const spentBy = ({ settled }: StoredTurn): Usage => settled?.ledger.usage ?? usageNone

test("a conversation is counted as its ledger has it", () => {
  const session = open({ tools: [workTool(() => {}, { ms: 10 })] })
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  stage.converse(session, "Hello")
  stage.prompt(session, "Once", { id: "mine", resume: false })
  stage.prompt(session, "Once", { id: "mine", resume: false })
  const usage = stage.turns(session).map(spentBy).reduce(addUsage)
  const numbers = counted()
  expect(numbers).toMatchObject({
    "admissions_total{}": 2,
    "turns_total{continue}": 1,
    "turns_total{done}": 1,
    "calls_total{done}": 1,
    "tokens_total{input}": usage.input,
    "tokens_total{output}": usage.output,
  })
  expect(numbers["tokens_total{cache_read}"] ?? 0).toBe(usage.cacheRead)
  expect(stage.ask((runtime) => runtime.pendingInputs())).toBe(1)
})

test("a Session that a dead process left is counted as taken over, and its turn as interrupted", () => {
  const session = open({ tools: [workTool((line) => stage.journal.push(line), { ms: 60_000 })] })
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  stage.kill()
  stage.boot()
  stage.settle(session)
  expect(counted()).toMatchObject({ "lease_takeovers_total{}": 1, "turns_total{interrupted}": 1 })
})

test("what the store refuses is counted by its code", () => {
  const session = open()
  stage.refuses = (command) => command.kind === "admit"
  stage.failure((runtime) => runtime.prompt({ sessionID: session, text: "Hello" }))
  expect(counted()).toEqual({ "commits_failed_total{unavailable}": 1 })
})

test("two runtimes of one process do not count for each other", () => {
  const session = open()
  const first = stage.current
  const second = stage.boot()
  stage.converse(session, "Hello")
  expect(counted(first.runtime)).toEqual({})
  expect(counted(second.runtime)).toMatchObject({ "admissions_total{}": 1 })
  first.process.dead = true
})
