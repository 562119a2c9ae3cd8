/** The benchmark's table is complete: every row has its target, and a row left out is noticed. */
import { expect, test } from "vitest"
import { peers } from "../../scripts/bench/peers.ts"
import {
  findTableFaults,
  formatReport,
  type Reading,
  type Readings,
  type ReportOptions,
  reportOn,
} from "../../scripts/bench/report.ts"
import { groups, type Row, rows } from "../../scripts/bench/rows.ts"

const sampled = { value: 1, samples: 200, rounds: 3 }
const readings: Readings = Object.fromEntries(rows.map(({ name }) => [name, sampled]))

const absent: Reading = { value: null, samples: 0, rounds: 0, note: "It is not there." }

test("every row says what is expected of it", () => expect(findTableFaults(rows)).toEqual([]))

test("every group measures a row, and every row has a group", () => {
  expect(groups.filter((group) => !rows.some((row) => row.group === group))).toEqual([])
  expect(rows.filter((row) => !groups.includes(row.group))).toEqual([])
})

test("the rows are those that were named", () =>
  expect(rows.map(({ name }) => name)).toEqual([
    "driver-commits",
    "admit-1",
    "admit-1-share",
    "admit-inline-share",
    "writer-hop",
    "admit-64",
    "admit-64-gain",
    "admit-http-1",
    "admit-http-64",
    "client-admit-64",
    "client-admit-p99",
    "client-pages",
    "subscribers-memory",
    "subscribers-admit",
    "fan-out",
    "embedded-prompt",
    "embedded-page",
    "embedded-delta",
    "embedded-start",
    "pty-bytes",
    "grep-tree",
    "glob-tree",
    "search-lexical-100000",
    "search-fused-100000",
    "index-turn",
    "search-lexical-1000000",
    "search-fused-1000000",
    "index-turn-1000000",
    "store-1000000",
    "first-byte-10",
    "first-byte-1000",
    "first-byte-3000",
    "first-byte-10000",
    "first-byte-100000",
    "prompt-to-first-byte-10",
    "prompt-to-first-byte-1000",
    "prompt-to-first-byte-3000",
    "body-3000",
    "settle-10",
    "settle-3000",
    "tool-turn-3000",
    "dispatch-3000",
    "command-parse",
    "edit-1mb",
    "delta-frames",
    "delta-bursts",
    "delta-frames-floor",
    "delta-frames-10ms",
    "delta-frames-sdk",
    "delta-frames-against-sdk",
    "delta-bursts-against-sdk",
    ...["responses", "chat", "gemini", "bedrock"].flatMap((wire) => [
      `delta-frames-${wire}`,
      `delta-bursts-${wire}`,
    ]),
    ...["anthropic", "responses", "chat", "gemini", "bedrock", "share", "growth"].map(
      (word) => `reencode-${word}`,
    ),
    "plan-100000",
    "plan-growth",
    "stall-load",
    "stall-slow-disk",
    "memory-10",
    "memory-3000",
    "memory-3000-restarted",
    "memory-sessions",
    "memory-slope",
    "cold-run",
    "cold-run-floor",
    "server-listening",
    "server-first-byte",
    "sessions-50",
    "store-bytes",
    "import-3000",
    "audit-100mb",
    "audit-100mb-memory",
    ...["read-share", "cost", "breaks", "request", "wall"].map((word) => `workload-${word}`),
  ]))

test("the targets are those that were set", () => {
  const bounds = rows.flatMap(({ name, target }) =>
    "reported" in target ? [] : [[name, "atMost" in target ? target.atMost : -target.atLeast] as const],
  )
  expect(Object.fromEntries(bounds)).toEqual({
    "admit-1-share": -0.5,
    "admit-64-gain": -5,
    "subscribers-memory": 100,
    "subscribers-admit": 1.2,
    "embedded-prompt": 1.5,
    "embedded-page": 2,
    "embedded-delta": 3,
    "first-byte-10": 2,
    "first-byte-1000": 3,
    "first-byte-3000": 4,
    "first-byte-10000": 1.5,
    "first-byte-100000": 1.5,
    "body-3000": 10,
    "settle-10": 2,
    "settle-3000": 2,
    "tool-turn-3000": 15,
    "dispatch-3000": 2,
    "command-parse": 1,
    "edit-1mb": 50,
    "delta-frames": 10,
    "delta-frames-against-sdk": 1,
    "delta-bursts": 4,
    "delta-bursts-against-sdk": 1,
    "delta-frames-responses": 10,
    "delta-bursts-responses": 4,
    "delta-frames-chat": 10,
    "delta-bursts-chat": 4,
    "delta-frames-gemini": 10,
    "delta-bursts-gemini": 4,
    "delta-frames-bedrock": 10,
    "delta-bursts-bedrock": 4,
    "reencode-anthropic": 1_000,
    "reencode-responses": 1_000,
    "reencode-chat": 1_000,
    "reencode-gemini": 1_000,
    "reencode-bedrock": 1_000,
    "reencode-share": 0.02,
    "reencode-growth": 10,
    "plan-100000": 5,
    "plan-growth": 1.5,
    "stall-load": 20,
    "stall-slow-disk": 20,
    "grep-tree": 1.3,
    "glob-tree": 1.3,
    "search-lexical-100000": 5,
    "search-fused-100000": 20,
    "index-turn": 0.3,
    "memory-10": 120,
    "memory-3000": 140,
    "memory-sessions": 250,
    "memory-slope": 5,
    "cold-run": 350,
    "server-listening": 300,
    "server-first-byte": 50,
    "sessions-50": -200,
    "store-bytes": 2_048,
    "import-3000": 3_000,
    "audit-100mb": -20,
    "audit-100mb-memory": 200,
    "workload-read-share": -98.2,
    "workload-cost": 7.7,
    "workload-breaks": 9,
    "workload-request": -80_000,
  })
})

test("a row without a reading fails", () => {
  const { "first-byte-10": _, ...others } = readings
  expect(reportOn(rows, others).complaints).toContain("first-byte-10 was not measured.")
  const unread = { ...readings, "first-byte-10": absent }
  expect(reportOn(rows, unread).complaints).toContain("first-byte-10 was not measured. It is not there.")
})

test("a row of the workload may say that it could not be measured, but may not be left out", () => {
  const silent = { ...readings, "workload-cost": absent }
  expect(reportOn(rows, silent).complaints.filter((text) => text.startsWith("workload-cost"))).toEqual([])
  const { "workload-cost": _, ...others } = readings
  expect(reportOn(rows, others).complaints).toContain("workload-cost was not measured.")
})

test("a missing SDK fails every row that needs it, unless that was asked for", () => {
  const names = ["delta-frames-sdk", "delta-frames-against-sdk", "delta-bursts-against-sdk"]
  const without = { ...readings, ...Object.fromEntries(names.map((name) => [name, absent])) }
  const told = (options: ReportOptions) =>
    reportOn(rows, without, options).complaints.filter((text) => text.includes("sdk"))
  expect(told({ quick: true })).toEqual(names.map((name) => `${name} was not measured. It is not there.`))
  expect(told({ withoutSdk: true })).toEqual([])
  const { "delta-frames-sdk": _, ...others } = without
  expect(reportOn(rows, others, { withoutSdk: true }).complaints).toContain(
    "delta-frames-sdk was not measured.",
  )
})

test("a row without its target fails", () => {
  const bare = { ...rows[0], target: undefined } as unknown as Row
  expect(findTableFaults([bare])).toEqual([`${bare.name} has no target.`])
  const silent = { ...rows[0], target: { reported: " " } } as Row
  expect(findTableFaults([silent])).toEqual([`${silent.name} has no target.`])
})

test("a miss, too few samples and an unknown reading are told", () => {
  const slow = { ...readings, "first-byte-10": { value: 2.1, samples: 66, rounds: 3 }, other: sampled }
  const { complaints } = reportOn(rows, slow)
  expect(complaints).toContain("first-byte-10 has 198 samples only.")
  expect(complaints).toContain("first-byte-10 misses its target: 2.1 ms, ≤ 2 ms.")
  expect(complaints).toContain("other was measured but is no row of the table.")
  expect(reportOn(rows, slow, { quick: true }).complaints).not.toContain(
    "first-byte-10 has 198 samples only.",
  )
})

test("what is weighed needs no samples, and no other row says that it is", () => {
  const weighed = { ...readings, "store-bytes": { value: 1, samples: 1, rounds: 3 } }
  expect(reportOn(rows, weighed).complaints.filter((text) => text.includes("store-bytes"))).toEqual([])
  expect(rows.filter((row) => row.weighed).map(({ name }) => name)).toEqual([
    "subscribers-memory",
    "store-1000000",
    "store-bytes",
    "import-3000",
    "audit-100mb",
    "audit-100mb-memory",
  ])
})

test("a table tells samples of a round and rounds", () => {
  const { results } = reportOn(rows, readings)
  expect(results.every(({ samples, rounds }) => samples === 200 && rounds === 3)).toBe(true)
  expect(formatReport({ results, complaints: [] }, new Map())).toContain("3 × 200")
})

test("figures of the peers stand beside a row", () => {
  const names = new Set(rows.map(({ name }) => name))
  expect(Object.keys(peers).filter((name) => !names.has(name))).toEqual([])
})

test("figures of the peers that were measured in one way stand in one row", () => {
  const told = Object.values(peers).flatMap(({ openCode, pi }) => [`${openCode} ${pi}`])
  expect(new Set(told).size).toBe(told.length)
})
