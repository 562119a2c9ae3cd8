/**
 * `holdfast doctor`: looks at everything that Holdfast needs and says what is wrong and what to do.
 *
 * It opens nothing for writing and makes nothing that stays, so that it can be asked where nothing
 * else works.
 * Only `--rebuild`, asked for by name, writes: the projections, from a log that is sound.
 */
import { configDirectoryOf, dataDirectoryOf, examineHoldfast, rebuildStore } from "@holdfast/sdk"
import { pasteable } from "../hint.ts"
import { offlineReserve } from "../offline/offline.ts"
import { UsageError } from "../outcome/outcome.ts"
import { elsewhereNotice, startLine } from "../server/place.ts"
import { readServerRecord } from "../server/record.ts"
import { askHealth } from "../server/health.ts"
import type { Terminal } from "../terminal.ts"
import { wrapFor } from "../text-width.ts"
import { version } from "../version.ts"
import type { Degraded } from "./degraded.ts"
import {
  diagnose,
  type Diagnosis,
  type Facts,
  type Reach,
  type RuntimeFacts,
  type ServerFacts,
} from "./diagnosis.ts"
import { formatDiagnosis } from "./report.ts"
import { reach } from "./reach.ts"

export interface DoctorOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly offline?: boolean
  readonly rebuild?: boolean
}

export async function examineEverything(terminal: Terminal, options: DoctorOptions): Promise<number> {
  if (options.rebuild === true) await rebuild(terminal, options)
  const facts = await gather(terminal, options)
  const diagnosis = spell(diagnose(facts), options)
  if (options.json === true) {
    const { examination, server } = facts
    terminal.write(`${JSON.stringify({ ...diagnosis, examination, server })}\n`)
  } else await terminal.page([wrapFor(terminal, formatDiagnosis(terminal, diagnosis))])
  return diagnosis.problems === 0 ? 0 : 1
}

async function gather(terminal: Terminal, options: DoctorOptions): Promise<Facts> {
  const { environment, directory } = terminal
  const where = { environment, ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }) }
  const examination = await examineHoldfast({ ...where, directory, reserve: offlineReserve })
  const { providers } = examination.configuration
  const asked = options.offline === true ? [] : providers
  const [answers, { server, degraded }] = await Promise.all([
    Promise.all(
      asked.map(async ({ name, baseUrl }): Promise<[string, Reach]> => [name, await reach(baseUrl)]),
    ),
    lookForServer(dataDirectoryOf(where), configDirectoryOf({ environment })),
  ])
  return {
    now: Date.now(),
    runtime: runtimeFacts(),
    examination,
    reach: new Map(answers),
    server,
    // A server tells what stands in the records too.
    degraded: [
      ...degraded,
      ...examination.degraded.filter((one) => degraded.every(({ part }) => part !== one.part)),
    ],
  }
}

/** Commands in findings can be pasted as they are. */
const spell = (diagnosis: Diagnosis, options: DoctorOptions): Diagnosis => ({
  ...diagnosis,
  sections: diagnosis.sections.map(({ name, findings }) => ({
    name,
    findings: findings.map((finding) => ({
      ...finding,
      text: pasteable(finding.text, options),
      remedy: finding.remedy === null ? null : pasteable(finding.remedy, options),
    })),
  })),
})

async function lookForServer(
  dataDirectory: string,
  configDirectory: string,
): Promise<{ readonly server: ServerFacts; readonly degraded: readonly Degraded[] }> {
  const found = readServerRecord(dataDirectory)
  if (found.kind === "none" || found.kind === "unreadable") return { server: found, degraded: [] }
  const { url, process } = found.record
  if (found.kind === "gone") {
    return { server: { kind: "gone", file: found.file, pid: process.pid }, degraded: [] }
  }
  const answer = await askHealth(url, found.token)
  return answer.kind === "answers"
    ? {
        server: {
          kind: "answers",
          url,
          pid: process.pid,
          version: answer.version,
          elsewhere: elsewhereNotice(found.record, configDirectory),
        },
        degraded: answer.degraded,
      }
    : {
        server: {
          kind: "silent",
          url,
          pid: process.pid,
          problem: answer.problem,
          start: startLine(found.record),
        },
        degraded: [],
      }
}

/** A log with damage would lose more by it than it gains. */
async function rebuild(terminal: Terminal, options: DoctorOptions): Promise<void> {
  const { environment, directory } = terminal
  const where = { environment, ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }) }
  const { store } = await examineHoldfast({ ...where, directory })
  if (store.failure !== null || store.integrity.length + store.damage.length > 0) {
    throw new UsageError(
      "The log itself is damaged, and a rebuild would leave out what cannot be read. See holdfast doctor.",
    )
  }
  if (store.stale.length + store.index.length > 0) await rebuildStore(where)
}

function runtimeFacts(): RuntimeFacts {
  return {
    version: version(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    program: import.meta.url.endsWith(".ts") ? "sources" : "bundle",
  }
}
