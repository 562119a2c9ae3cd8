/**
 * From readings to a verdict: every row of the table, beside the peers, against its target.
 *
 * Pure, so that the completeness of the table is a test: a row without a reading fails, a reading
 * without a row fails, and so does a row whose target says nothing.
 */
import { formatTable } from "../table.ts"
import { peers, peersSource, type PeerFigures } from "./peers.ts"
import type { Row, Target } from "./rows.ts"

/** What a group measured for one row; null where what it needs is not installed. */
export interface Reading {
  readonly value: number | null
  /** Of each round. */
  readonly samples: number
  readonly rounds: number
  readonly note?: string
}

export type Readings = Readonly<Record<string, Reading>>

interface Result {
  readonly name: string
  readonly value: number | null
  readonly unit: string
  /** Of each round. */
  readonly samples: number
  readonly rounds: number
  readonly peer?: PeerFigures
  readonly target?: string
  /** Absent where a row is only reported. */
  readonly pass?: boolean
  readonly note?: string
}

export interface Report {
  readonly results: readonly Result[]
  /** What is wrong, each as a sentence; empty when all is well. */
  readonly complaints: readonly string[]
}

export interface ReportOptions {
  /** Fewer samples are no fault. */
  readonly quick?: boolean
  /** Rows that need the official SDK may be missing: somebody said so. */
  readonly withoutSdk?: boolean
}

/** Of all rounds of a row together. */
const samplesMin = 200

export function reportOn(rows: readonly Row[], readings: Readings, options: ReportOptions = {}): Report {
  const results = rows.map((row) => resultOf(row, readings[row.name]))
  const names = new Set(rows.map((row) => row.name))
  const unknown = Object.keys(readings).filter((name) => !names.has(name))
  return {
    results,
    complaints: [
      ...findTableFaults(rows),
      ...rows.flatMap((row) => complaintsOf(row, readings[row.name], options)),
      ...unknown.map((name) => `${name} was measured but is no row of the table.`),
    ],
  }
}

/** Names stand for one row each, and every row says what is expected of it. */
export function findTableFaults(rows: readonly Row[]): readonly string[] {
  const twice = rows.filter((row, at) => rows.findIndex(({ name }) => name === row.name) !== at)
  return [
    ...twice.map(({ name }) => `${name} stands twice in the table.`),
    ...rows.filter(({ target }) => !isMeant(target)).map(({ name }) => `${name} has no target.`),
    ...Object.keys(peers)
      .filter((name) => !rows.some((row) => row.name === name) && rows.length > 1)
      .map((name) => `${name} has figures of peers but is no row.`),
  ]
}

export function formatReport(report: Report, titles: ReadonlyMap<string, string>): string {
  const lines = report.results.map(({ name, value, unit, samples, rounds, peer, target, pass, note }) => [
    titles.get(name) ?? name,
    name,
    value === null ? "not measured" : `${figure(value)} ${unit}`.trimEnd(),
    peer?.openCode ?? "–",
    peer?.pi ?? "–",
    target ?? "reported",
    pass === undefined ? "" : pass ? "ok" : "MISS",
    value === null ? "" : `${rounds} × ${samples.toLocaleString("en")}`,
    note ?? "",
  ])
  const head = ["what", "row", "Holdfast", "OpenCode", "Pi", "target", "", "rounds × samples", "note"]
  return `${formatTable(head, lines)}\n\nPeers: ${peersSource}.`
}

function keeps(value: number, target: Target): boolean | undefined {
  if ("atMost" in target) return value <= target.atMost
  if ("atLeast" in target) return value >= target.atLeast
  return undefined
}

function resultOf(row: Row, reading: Reading | undefined): Result {
  const value = reading?.value ?? null
  const pass = value === null ? undefined : keeps(value, row.target)
  const peer = peers[row.name]
  const target = targetText(row)
  return {
    name: row.name,
    value: value === null ? null : Number(value.toPrecision(6)),
    unit: row.unit,
    samples: reading?.samples ?? 0,
    rounds: reading?.rounds ?? 0,
    ...(peer === undefined ? {} : { peer }),
    ...(target === null ? {} : { target }),
    ...(pass === undefined ? {} : { pass }),
    ...(reading?.note === undefined ? {} : { note: reading.note }),
  }
}

function complaintsOf(row: Row, reading: Reading | undefined, options: ReportOptions): readonly string[] {
  if (reading === undefined || reading.value === null || !Number.isFinite(reading.value)) {
    if (reading !== undefined && mayBeMissing(row, options)) return []
    return [`${row.name} was not measured.${reading?.note === undefined ? "" : ` ${reading.note}`}`]
  }
  const all = reading.samples * reading.rounds
  const few = options.quick !== true && row.weighed !== true && all < samplesMin
  return [
    ...(few ? [`${row.name} has ${all} samples only.`] : []),
    ...(keeps(reading.value, row.target) === false
      ? [`${row.name} misses its target: ${figure(reading.value)} ${row.unit}, ${targetText(row)}.`]
      : []),
  ]
}

/** The workload lies beside us or not; the SDK is missing only where somebody asked for that. */
const mayBeMissing = ({ needs }: Row, { withoutSdk = false }: ReportOptions): boolean =>
  needs === "workload" || (needs === "sdk" && withoutSdk)

const isMeant = (target: Target | undefined): boolean => {
  if (target === undefined) return false
  if ("reported" in target) return target.reported.trim() !== ""
  return Number.isFinite("atMost" in target ? target.atMost : target.atLeast)
}

function targetText({ target, unit }: Row): string | null {
  if ("reported" in target) return null
  const [sign, bound] = "atMost" in target ? ["≤", target.atMost] : ["≥", target.atLeast]
  return `${sign} ${bound.toLocaleString("en")} ${unit}`.trimEnd()
}

/** Three digits are as many as a noisy machine can tell. */
const figure = (value: number): string =>
  Math.abs(value) >= 100
    ? Math.round(value).toLocaleString("en")
    : value.toLocaleString("en", { maximumSignificantDigits: 3 })
