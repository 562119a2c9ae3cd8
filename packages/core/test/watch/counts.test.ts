/** What each commit adds to the counters, and that their labels stay few. */
import { Context, Metric } from "effect"
import { expect, test } from "vitest"
import type { Fact, FactOf } from "@holdfast/schema/event"
import { type CommitEvent, makeCommitHub } from "../../src/watch/commits.ts"
import { counters, countsOf } from "../../src/watch/counts.ts"
import { countCommits } from "../../src/watch/metrics.ts"

const session = "ses_1" as never

const event = (type: CommitEvent["type"], command: object, outcome: object): CommitEvent =>
  ({ type, command: { kind: type, session, ...command }, outcome }) as unknown as CommitEvent

const appended = (...facts: readonly object[]): CommitEvent =>
  event("append", { facts: facts as readonly Fact[] }, { kind: "appended" })

const settled = (more: Partial<FactOf<"turn.settled">["ledger"]> = {}, status = "done") => ({
  type: "turn.settled",
  status,
  reason: null,
  ledger: {
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    cost: 0.5,
    attempts: [{ failure: null, waitMs: 0 }],
    durationMs: 5,
    finish: "stop",
    ...more,
  },
})

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const failure = { code: "overloaded", message: "It is overloaded." }

const table: readonly (readonly [what: string, event: CommitEvent, adds: readonly string[]])[] = [
  ["an admission", event("admit", {}, { kind: "admitted", repeated: false }), ["admissions_total 1"]],
  ["an admission again", event("admit", {}, { kind: "admitted", repeated: true }), []],
  ["a conflict", event("admit", {}, { kind: "conflict" }), []],
  ["a free lease", event("acquire", { dead: null }, { kind: "granted" }), []],
  ["a dead one's lease", event("acquire", { dead: {} }, { kind: "granted" }), ["lease_takeovers_total 1"]],
  ["a lease that lives", event("acquire", { dead: {} }, { kind: "held" }), []],
  [
    "a turn",
    appended(settled()),
    [
      "turns_total{status=done} 1",
      "tokens_total{kind=input} 1",
      "tokens_total{kind=output} 2",
      "tokens_total{kind=cache_read} 3",
      "tokens_total{kind=cache_write} 4",
      "cost_dollars_total 0.5",
    ],
  ],
  [
    "a turn of unknown cost that was tried twice",
    appended(
      settled(
        {
          usage,
          cost: null,
          attempts: [
            { failure, waitMs: 9 },
            { failure: null, waitMs: 0 },
          ],
        },
        "failed",
      ),
    ),
    ["turns_total{status=failed} 1", "attempts_failed_total{code=overloaded} 1", "cost_unknown_total 1"],
  ],
  ["a turn of a drain that lost its lease", event("append", { facts: [settled()] }, { kind: "lost" }), []],
  [
    "a request that breaks",
    appended({ type: "turn.started", break: { block: 1, segment: "tools", reason: "tools_changed" } }),
    ["breaks_total{reason=tools_changed} 1"],
  ],
  ["a request that does not", appended({ type: "turn.started", break: null }), []],
  [
    "a call",
    appended({ type: "call.settled", outcome: { state: "failed" } }),
    ["calls_total{state=failed} 1"],
  ],
  [
    "a probe",
    event(
      "contribute",
      { fact: { type: "request.probed", usage: { ...usage, input: 7 }, cost: 0.1 } },
      { kind: "contributed", repeated: false },
    ),
    ["tokens_total{kind=input} 7", "cost_dollars_total 0.1"],
  ],
]

const shown = (counted: CommitEvent): readonly string[] =>
  countsOf(counted)
    .filter(({ counter, by }) => by > 0 && counter !== "holdfast_commits_total")
    .map(({ counter, labels, by }) => {
      const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
      return `${counter.slice("holdfast_".length)}${label.length === 0 ? "" : `{${label.join()}}`} ${by}`
    })

test.each(table)("%s adds what it is", (_, counted, adds) => expect(shown(counted)).toEqual(adds))

test("every commit counts by the kind of its command, and one that fails by its code alone", () => {
  expect(countsOf(event("renew", {}, { kind: "renewed" }))).toEqual([
    { counter: "holdfast_commits_total", labels: { kind: "renew" }, by: 1 },
  ])
  const failed = { type: "failed", command: { kind: "renew" }, failure: { code: "full" } } as never
  expect(countsOf(failed)).toEqual([
    { counter: "holdfast_commits_failed_total", labels: { code: "full" }, by: 1 },
  ])
})

test("a label that takes ever new values ends in other", () => {
  const hub = makeCommitHub()
  const registry = countCommits(hub)
  for (let at = 0; at < 1_000; at++)
    hub.publish(
      appended({ type: "turn.started", break: { block: 0, segment: "tail", reason: `reason-${at}` } }),
    )
  const breaks = Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)).filter(
    ({ id }) => id === "holdfast_breaks_total",
  )
  expect(breaks).toHaveLength(41)
  expect(breaks.at(-1)).toMatchObject({ attributes: { reason: "other" }, state: { count: 960 } })
})

test("counters are shown from the start, where their labels are known", () => {
  const shownAtStart = new Set([...countCommits(makeCommitHub()).values()].map(({ id }) => id))
  expect([...shownAtStart].toSorted()).toEqual([
    "holdfast_admissions_total",
    "holdfast_cost_dollars_total",
    "holdfast_cost_unknown_total",
    "holdfast_lease_takeovers_total",
    "holdfast_tokens_total",
    "holdfast_turns_total",
  ])
  for (const id of shownAtStart) expect(Object.keys(counters)).toContain(id)
})
