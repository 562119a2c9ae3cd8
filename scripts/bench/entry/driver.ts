/**
 * Measures one group of rows in this process and prints what it found as one line of JSON.
 *
 *   driver <group> [--quick]
 *   driver <group> --subject <row>   for a profile: what this row measures and nothing else, and from
 *                                    when to when; where that is not known, the group with few samples
 */
import { parseArgs } from "node:util"
import { measureAdmission, measureAdmissionHttp } from "../measure/admission.ts"
import { measureAudit } from "../measure/audit.ts"
import { measureClient, measureFanOut, measureSubscribers } from "../measure/client.ts"
import { measureColdRun, measureServer } from "../measure/cold.ts"
import { measureEmbedded } from "../measure/embedded.ts"
import { measurePty } from "../measure/pty.ts"
import { measurePlan } from "../measure/plan.ts"
import { measureReencode } from "../measure/reencode.ts"
import { measureDeltas, measureStall, measureWireDeltas } from "../measure/stream.ts"
import { measureMemory, measureMemorySlope } from "../measure/memory.ts"
import { measureSaid, measureSaidMillion } from "../measure/said.ts"
import { measureSearch } from "../measure/search.ts"
import { measureImport } from "../measure/bundle.ts"
import { measureSessions, measureStoreBytes } from "../measure/sessions.ts"
import { measureDispatch, measureEdit, measureParse } from "../measure/tools.ts"
import { measureFirstByteLong, measureFirstByteShort, measureToolTurn } from "../measure/turns.ts"
import { subjects } from "../measure/subjects.ts"
import { measureWorkload } from "../measure/workload.ts"
import type { Readings } from "../report.ts"
import type { Group } from "../rows.ts"
import { type Amount, amountOf } from "../sample.ts"

const measures: Readonly<Record<Group, (amount: Amount) => Promise<Readings>>> = {
  admission: measureAdmission,
  "admission-http": measureAdmissionHttp,
  client: measureClient,
  subscribers: measureSubscribers,
  "fan-out": measureFanOut,
  embedded: measureEmbedded,
  pty: measurePty,
  search: measureSearch,
  said: measureSaid,
  "said-million": measureSaidMillion,
  "first-byte-short": measureFirstByteShort,
  "first-byte-long": measureFirstByteLong,
  "tool-turn": measureToolTurn,
  dispatch: measureDispatch,
  "command-parse": measureParse,
  edit: measureEdit,
  deltas: measureDeltas,
  "deltas-responses": (amount) => measureWireDeltas("openai-responses", "responses", amount),
  "deltas-chat": (amount) => measureWireDeltas("openai-chat", "chat", amount),
  "deltas-gemini": (amount) => measureWireDeltas("gemini", "gemini", amount),
  "deltas-bedrock": (amount) => measureWireDeltas("bedrock-converse", "bedrock", amount),
  reencode: measureReencode,
  plan: measurePlan,
  stall: measureStall,
  memory: measureMemory,
  "memory-slope": measureMemorySlope,
  "cold-run": measureColdRun,
  server: measureServer,
  sessions: measureSessions,
  "store-bytes": measureStoreBytes,
  import: measureImport,
  audit: measureAudit,
  workload: measureWorkload,
}

const { values, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false }, subject: { type: "string" } },
  allowPositionals: true,
})
const [group = ""] = positionals
if (!Object.hasOwn(measures, group)) throw new Error(`There is no group ${group}.`)
const subject = subjects[values.subject ?? ""]
const found =
  subject === undefined
    ? await measures[group as Group](amountOf(values.quick || values.subject !== undefined))
    : await subject()
process.stdout.write(`${JSON.stringify(found)}\n`)
