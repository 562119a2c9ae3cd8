/**
 * `npm run bench`: what Holdfast does on this machine, beside the peers and against its targets.
 *
 *   --only name      one row, or several with commas between them
 *   --quick          fewer samples, for a look; the numbers are noisier
 *   --json           an array of { name, value, unit, samples, rounds, peer?, target?, pass? }
 *   --without-sdk    leaves out the rows that need the official SDK; where it is missing, nothing else does
 *   --profile name   measures nothing: runs what the row measures and prints the functions that took most
 *
 * Each group of rows runs in a process of its own, from a bundle made for it. Everything is written
 * to a temporary folder that goes again; only loopback is used. Exits 1 where a row misses its
 * target or was not measured.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { build, type Built } from "./bench/build.ts"
import { awaitQuiet } from "./bench/machine.ts"
import { findSdkFile, sdkMissing } from "./bench/peer-folders.ts"
import { formatProfiles, readProfiles } from "./bench/profile.ts"
import { formatReport, type Readings, reportOn } from "./bench/report.ts"
import { type Group, groups, type Row, rows } from "./bench/rows.ts"
import { repositoryRoot, run } from "./command.ts"

/** The longest group takes a few minutes, and search in a million messages most of this; one that hangs must not hang the rest. */
const groupTimeoutMs = 60 * 60_000

/** How long a group waits for the machine to be quiet. */
const patienceMs = 10_000

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    profile: { type: "string" },
    "without-sdk": { type: "boolean", default: false },
  },
})
process.exitCode = await bench()

async function bench(): Promise<number> {
  const name = values.profile ?? values.only
  const wanted =
    name === undefined
      ? rows.filter((row) => row.named !== true)
      : rows.filter((row) => name.split(",").includes(row.name))
  const [first] = wanted
  if (first === undefined) {
    console.error(`There is no row ${name}. Rows: ${rows.map((row) => row.name).join(", ")}.`)
    return 2
  }
  const withoutSdk = values["without-sdk"]
  if (!withoutSdk && wanted.some(({ needs }) => needs === "sdk") && findSdkFile(repositoryRoot) === null) {
    console.error(sdkMissing)
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-build-"))
  try {
    const built = await build(folder)
    if (values.profile !== undefined) return await profile(first, built, folder)
    const readings = await measure(wanted, built, folder)
    const report = reportOn(wanted, readings, { quick: values.quick, withoutSdk })
    if (values.json) console.log(JSON.stringify(report.results, null, 2))
    else console.log(`\n${formatReport(report, new Map(rows.map((row) => [row.name, row.title])))}`)
    for (const complaint of report.complaints) console.error(complaint)
    return report.complaints.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** From the sources, so that a function is named by its file and line. */
async function profile({ name, group }: Row, built: Built, folder: string): Promise<number> {
  const profiles = mkdtempSync(join(tmpdir(), "holdfast-profile-"))
  const ended = await run({
    argv: [
      "--cpu-prof",
      "--cpu-prof-interval=250",
      `--cpu-prof-dir=${profiles}`,
      join(repositoryRoot, "scripts/bench/entry/driver.ts"),
      group,
      "--subject",
      name,
    ],
    cwd: repositoryRoot,
    timeoutMs: groupTimeoutMs,
    env: groupEnvironment(built, folder),
  })
  if (!ended.ok) {
    console.error(ended.output)
    return 1
  }
  const span = JSON.parse(ended.output.trim().split("\n").at(-1) ?? "{}") as {
    startNs?: number
    endNs?: number
  }
  const { startNs = 0, endNs = Infinity } = span
  console.log(startNs > 0 ? `${name} alone` : `${name} with its whole group ${group}`)
  console.log(formatProfiles(readProfiles(profiles, { root: repositoryRoot, startNs, endNs })))
  console.log(`Profiles of each thread: ${profiles}`)
  return 0
}

function groupEnvironment({ launcher }: Built, folder: string): Readonly<Record<string, string>> {
  // What a group leaves behind when it is ended goes with the folder.
  const home = join(folder, "tmp")
  mkdirSync(home, { recursive: true })
  return { TMPDIR: home, HOLDFAST_BENCH_LAUNCHER: launcher }
}

async function measure(wanted: readonly Row[], built: Built, folder: string): Promise<Readings> {
  const names = new Set(wanted.map(({ name }) => name))
  let readings: Readings = {}
  for (const group of groups.filter((each) => wanted.some((row) => row.group === each))) {
    const found = await measureGroup(group, built, folder)
    const asked = Object.entries(found).filter(([name]) => names.has(name) || values.only === undefined)
    readings = { ...readings, ...Object.fromEntries(asked) }
  }
  return readings
}

async function measureGroup(group: Group, built: Built, folder: string): Promise<Readings> {
  const busy = await awaitQuiet(values.quick ? 0 : patienceMs)
  const ended = await run({
    argv: [built.driver, group, ...(values.quick ? ["--quick"] : [])],
    cwd: repositoryRoot,
    timeoutMs: groupTimeoutMs,
    env: groupEnvironment(built, folder),
  })
  const lines = ended.output.trim().split("\n")
  console.error(
    `${group}: ${ended.ok ? "measured" : "failed"} in ${ended.seconds.toFixed(0)} s, others used ${Math.round(busy * 100)} % of the machine before`,
  )
  if (!ended.ok) {
    console.error(ended.output)
    return {}
  }
  const readings = JSON.parse(lines.at(-1) ?? "{}") as Readings
  // A whole run takes long: what is known already should not be lost with it.
  for (const [name, { value, note = "" }] of Object.entries(readings)) {
    console.error(`  ${name} ${value?.toPrecision(4) ?? "not measured"} ${note}`.trimEnd())
  }
  return readings
}
