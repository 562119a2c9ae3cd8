/**
 * The counters of one runtime, in a registry of their own: two runtimes of a process do not mix.
 *
 * They begin with the runtime, so that what it recovered while it opened is counted too. Whoever
 * shows or sends them reads the registry.
 */
import { Context, Metric } from "effect"
import type { CommitHub } from "./commits.ts"
import { type Count, counters, countsOf, startingCounts } from "./counts.ts"

/** Label values of one counter. The words are ours and few; a list that grows all the same ends in `other`. */
const labelValuesMax = 40

export function countCommits(hub: CommitHub): Metric.MetricRegistry {
  const registry: Metric.MetricRegistry = new Map()
  const add = makeAdd(registry)
  startingCounts.forEach(add)
  hub.subscribe((event) => countsOf(event).forEach(add))
  return registry
}

type Counter = Metric.Counter<number>

function makeAdd(registry: Metric.MetricRegistry): (count: Count) => void {
  const context = Context.make(Metric.MetricRegistry, registry)
  const known = new Map<string, Map<string, Counter>>()
  return ({ counter, labels, by }) => {
    const series = known.get(counter) ?? new Map<string, Counter>()
    known.set(counter, series)
    const given = Object.values(labels).join()
    const isRoom = series.has(given) || series.size < labelValuesMax
    const value = isRoom ? given : "other"
    const metric = series.get(value) ?? makeCounter(counter, isRoom ? labels : others(labels))
    series.set(value, metric)
    metric.updateUnsafe(by, context)
  }
}

const makeCounter = (name: Count["counter"], attributes: Count["labels"]): Counter =>
  Metric.counter(name, { description: counters[name], incremental: true, attributes })

const others = (labels: Count["labels"]): Count["labels"] =>
  Object.fromEntries(Object.keys(labels).map((label) => [label, "other"]))
