/**
 * `npm run bench`: what Holdfast does on this machine, beside the peers and against its targets.
 *
 *   --only name   one row
 *   --quick       fewer samples, for a look; the numbers are noisier
 *   --json        an array of { name, value, unit, peer?, target?, pass? }
 *   --profile     writes a CPU profile of each group into bench-profiles of the temporary folder
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
import { formatReport, type Readings, reportOn } from "./bench/report.ts"
import { type Group, groups, type Row, rows } from "./bench/rows.ts"
import { repositoryRoot, run } from "./command.ts"

/** The longest group takes a few minutes; one that hangs must not hang the rest. */
const groupTimeoutMs = 15 * 60_000

/** How long a group waits for the machine to be quiet. */
const patienceMs = 10_000

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
  },
})
process.exitCode = await bench()

async function bench(): Promise<number> {
  const wanted = values.only === undefined ? rows : rows.filter(({ name }) => name === values.only)
  if (wanted.length === 0) {
    console.error(`There is no row ${values.only}. Rows: ${rows.map(({ name }) => name).join(", ")}.`)
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-build-"))
  try {
    const readings = await measure(wanted, await build(folder), folder)
    const report = reportOn(wanted, readings, values.quick)
    if (values.json) console.log(JSON.stringify(report.results, null, 2))
    else console.log(`\n${formatReport(report, new Map(rows.map(({ name, title }) => [name, title])))}`)
    for (const complaint of report.complaints) console.error(complaint)
    return report.complaints.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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
  const home = join(folder, "tmp")
  mkdirSync(home, { recursive: true })
  const profiles = join(tmpdir(), "bench-profiles", group)
  const busy = await awaitQuiet(values.quick ? 0 : patienceMs)
  const ended = await run({
    argv: [
      ...(values.profile ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : []),
      built.driver,
      group,
      ...(values.quick ? ["--quick"] : []),
    ],
    cwd: repositoryRoot,
    timeoutMs: groupTimeoutMs,
    // What a group leaves behind when it is ended goes with the folder.
    env: { TMPDIR: home, HOLDFAST_BENCH_LAUNCHER: built.launcher },
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
