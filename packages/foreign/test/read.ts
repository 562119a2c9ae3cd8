/** Readers in tests: texts and bytes as streams, in pieces of any size. */
import { readFileSync } from "node:fs"
import { Collector } from "../src/accounting/collect.ts"
import { type Choice, type Report, report } from "../src/accounting/report.ts"
import { sessionFormat, agentReaders } from "../src/detect.ts"
import type { ForeignRecord, Reader } from "../src/record.ts"

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

async function* pieces(bytes: Uint8Array, size = 65_536): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function readAll(reader: Reader, bytes: Uint8Array, size?: number): Promise<ForeignRecord[]> {
  const records: ForeignRecord[] = []
  for await (const record of reader(pieces(bytes, size))) records.push(record)
  return records
}

export const linesOf = (values: readonly unknown[]): Uint8Array =>
  bytesOf(values.map((value) => `${JSON.stringify(value)}\n`).join(""))

/** A file by whatever reader it is for; a store is read by its path. */
export async function readFile(path: string): Promise<ForeignRecord[]> {
  const bytes = readFileSync(path)
  const format = sessionFormat(bytes.subarray(0, 262_144))
  if (format === null || format === "opencode-store") throw new Error(`${path}: ${format}`)
  return readAll(agentReaders[format], bytes)
}

export function account(records: readonly ForeignRecord[], choice: Partial<Choice> = {}): Report {
  const collector = new Collector()
  for (const record of records) collector.add(record, "file")
  return report(collector.collected(), { session: null, since: null, ...choice })
}
