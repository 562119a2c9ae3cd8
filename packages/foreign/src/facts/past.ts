/** What an answer of the past was asked with and cost, as far as the file tells. */
import { hash } from "node:crypto"
import { findModel, priceFor } from "@holdfast/llm/catalog"
import { plainOptions } from "@holdfast/llm/options"
import type { ModelRef } from "@holdfast/schema/model"
import type { LedgerRow } from "@holdfast/schema/turn"
import type { UsageRecord } from "../record.ts"
import type { TurnItem } from "./items.ts"

/** Bytes that a fact names by their hash. */
export interface Blob {
  readonly hash: string
  readonly bytes: Uint8Array
}

export interface Past {
  readonly model: ModelRef
  readonly endpoint: string
  readonly tools: Blob
  readonly options: Blob
}

export function pastOf({ record, usage }: TurnItem): Past {
  const provider = record.provider || usage.at(-1)?.provider || unknown
  const model = record.model || usage.at(-1)?.model || unknown
  const { endpoint, wire } = findModel({ provider, model })
  return { model: { provider, model }, endpoint: endpoint ?? "", tools: noTools, options: optionsFor(wire) }
}

const unknown = "unknown"

const blobOf = (value: unknown): Blob => {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return { hash: hash("sha256", bytes), bytes }
}

/** Tools and settings are not in the file: what stands here only says which wire it was, and that nothing else is known. */
const noTools = blobOf([])

const optionsByWire = new Map<string, Blob>()

function optionsFor(wire: string): Blob {
  const known = optionsByWire.get(wire)
  if (known !== undefined) return known
  const made = blobOf({ wire, render: "import", options: plainOptions(1), agentPrompt: "" })
  optionsByWire.set(wire, made)
  return made
}

export function ledgerOf({ usage, finish }: TurnItem, { model }: Past, durationMs: number): LedgerRow {
  if (usage.length === 0) return { ...noCount, durationMs, finish }
  const counted = usage.map((record) => ({ record, cost: costOf(record, model) }))
  return {
    usage: {
      input: sum(usage, ({ input }) => input),
      output: sum(usage, ({ output }) => output),
      cacheRead: sum(usage, ({ cacheRead }) => cacheRead),
      cacheWrite: sum(usage, ({ cacheWrite5m, cacheWrite1h }) => cacheWrite5m + cacheWrite1h),
    },
    cost: counted.reduce<number | null>(
      (total, { cost }) => (total === null || cost === null ? null : total + cost),
      0,
    ),
    attempts: counted.map(({ record }) => ({
      failure: null,
      waitMs: 0,
      usage: {
        input: record.input,
        output: record.output,
        cacheRead: record.cacheRead,
        cacheWrite: record.cacheWrite5m + record.cacheWrite1h,
      },
    })),
    durationMs,
    finish,
  }
}

const noCount = {
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  accuracy: "incomplete",
  cost: null,
  attempts: [{ failure: null, waitMs: 0 }],
} as const

const sum = (records: readonly UsageRecord[], count: (record: UsageRecord) => number): number =>
  records.reduce((total, record) => total + count(record), 0)

/** Dollars by the catalog; null where it has no price. */
function costOf(record: UsageRecord, asked: ModelRef): number | null {
  const facts = findModel({ provider: record.provider, model: record.model || asked.model })
  const short = priceFor(facts, "5m")
  const long = priceFor(facts, "1h")
  if (short === null || long === null) return null
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = record
  return (
    (input * short.input +
      output * short.output +
      cacheRead * short.cacheRead +
      cacheWrite5m * short.cacheWrite +
      cacheWrite1h * long.cacheWrite) /
    1_000_000
  )
}
