/** The benchmark's table is complete: every row has its target, and a row left out is noticed. */
import { expect, test } from "vitest"
import { peers } from "../../scripts/bench/peers.ts"
import { findTableFaults, type Readings, reportOn } from "../../scripts/bench/report.ts"
import { groups, type Row, rows } from "../../scripts/bench/rows.ts"

const sampled = { value: 1, samples: 200 }
const readings: Readings = Object.fromEntries(rows.map(({ name }) => [name, sampled]))

test("every row says what is expected of it", () => expect(findTableFaults(rows)).toEqual([]))

test("every group measures a row, and every row has a group", () => {
  expect(groups.filter((group) => !rows.some((row) => row.group === group))).toEqual([])
  expect(rows.filter((row) => !groups.includes(row.group))).toEqual([])
})

test("the targets are those that were set", () => {
  const bounds = rows.flatMap(({ name, target }) =>
    "reported" in target ? [] : [[name, "atMost" in target ? target.atMost : -target.atLeast] as const],
  )
  expect(Object.fromEntries(bounds)).toEqual({
    "admit-1-share": -0.5,
    "admit-64-gain": -5,
    "first-byte-10": 2,
    "first-byte-1000": 3,
    "first-byte-3000": 4,
    "first-byte-10000": 1.5,
    "first-byte-100000": 1.5,
    "body-3000": 10,
    "settle-10": 2,
    "settle-3000": 2,
    "tool-turn-3000": 15,
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
    "stall-load": 20,
    "stall-slow-disk": 20,
    "memory-10": 120,
    "memory-3000": 140,
    "memory-sessions": 250,
    "memory-slope": 5,
    "cold-run": 350,
    "server-listening": 300,
    "server-first-byte": 50,
    "sessions-50": -200,
    "store-bytes": 2_048,
  })
})

test("a row without a reading fails", () => {
  const { "first-byte-10": _, ...others } = readings
  expect(reportOn(rows, others, false).complaints).toContain("first-byte-10 was not measured.")
  const unread = { ...readings, "first-byte-10": { value: null, samples: 0 } }
  expect(reportOn(rows, unread, false).complaints).toContain("first-byte-10 was not measured.")
})

test("an optional row may say that it could not be measured, but may not be left out", () => {
  const absent = { ...readings, "workload-cost": { value: null, samples: 0, note: "not there" } }
  expect(reportOn(rows, absent, false).complaints.filter((text) => text.startsWith("workload"))).toEqual([])
  const { "workload-cost": _, ...others } = readings
  expect(reportOn(rows, others, false).complaints).toContain("workload-cost was not measured.")
})

test("a row without its target fails", () => {
  const bare = { ...rows[0], target: undefined } as unknown as Row
  expect(findTableFaults([bare])).toEqual([`${bare.name} has no target.`])
  const silent = { ...rows[0], target: { reported: " " } } as Row
  expect(findTableFaults([silent])).toEqual([`${silent.name} has no target.`])
})

test("a miss, too few samples and an unknown reading are told", () => {
  const slow = { ...readings, "first-byte-10": { value: 2.1, samples: 20 }, other: sampled }
  const { complaints } = reportOn(rows, slow, false)
  expect(complaints).toContain("first-byte-10 has 20 samples only.")
  expect(complaints).toContain("first-byte-10 misses its target: 2.1 ms, ≤ 2 ms.")
  expect(complaints).toContain("other was measured but is no row of the table.")
  expect(reportOn(rows, slow, true).complaints).not.toContain("first-byte-10 has 20 samples only.")
})

test("figures of the peers stand beside a row", () => {
  const names = new Set(rows.map(({ name }) => name))
  expect(Object.keys(peers).filter((name) => !names.has(name))).toEqual([])
})
