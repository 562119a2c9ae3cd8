/**
 * Measures one group of rows in this process and prints what it found as one line of JSON.
 *
 *   driver <group> [--quick]
 */
import { measureAdmission, measureAdmissionHttp } from "../measure/admission.ts"
import { measureColdRun, measureServer } from "../measure/cold.ts"
import { measureReencode } from "../measure/reencode.ts"
import { measureDeltas, measureStall, measureWireDeltas } from "../measure/stream.ts"
import { measureMemory, measureMemorySlope } from "../measure/memory.ts"
import { measureSessions, measureStoreBytes } from "../measure/sessions.ts"
import { measureFirstByteLong, measureFirstByteShort, measureToolTurn } from "../measure/turns.ts"
import { measureWorkload } from "../measure/workload.ts"
import type { Readings } from "../report.ts"
import type { Group } from "../rows.ts"
import { type Amount, amountOf } from "../sample.ts"

const measures: Readonly<Record<Group, (amount: Amount) => Promise<Readings>>> = {
  admission: measureAdmission,
  "admission-http": measureAdmissionHttp,
  "first-byte-short": measureFirstByteShort,
  "first-byte-long": measureFirstByteLong,
  "tool-turn": measureToolTurn,
  deltas: measureDeltas,
  "deltas-responses": (amount) => measureWireDeltas("openai-responses", "responses", amount),
  "deltas-chat": (amount) => measureWireDeltas("openai-chat", "chat", amount),
  "deltas-gemini": (amount) => measureWireDeltas("gemini", "gemini", amount),
  "deltas-bedrock": (amount) => measureWireDeltas("bedrock-converse", "bedrock", amount),
  reencode: measureReencode,
  stall: measureStall,
  memory: measureMemory,
  "memory-slope": measureMemorySlope,
  "cold-run": measureColdRun,
  server: measureServer,
  sessions: measureSessions,
  "store-bytes": measureStoreBytes,
  workload: measureWorkload,
}

const [group = "", ...options] = process.argv.slice(2)
if (!Object.hasOwn(measures, group)) throw new Error(`There is no group ${group}.`)
const readings = await measures[group as Group](amountOf(options.includes("--quick")))
process.stdout.write(`${JSON.stringify(readings)}\n`)
