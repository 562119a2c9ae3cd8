/**
 * `npm test` and `npm run prove`: the check stages, then every suite of scripts/suites.ts.
 *
 *   --prove         the full counts
 *   --suite <name>  this suite only, without the stages; may be repeated
 *
 * Goes on after a failure, so that one run shows all of them, and ends with a table. A line that a
 * test prints as `figure: …` or `SKIPPED: …` is shown in any case, and so is what was skipped.
 */
import { parseArgs } from "node:util"
import { bundle } from "./bundle.ts"
import { useScratch } from "./scratch.ts"
import { runStage, type Stage, stages, stagesBudgetSeconds } from "./stages.ts"
import { isFailure, runSuite } from "./suite-run.ts"
import { assignFiles, coresMax, findTestFiles, lanesMax, type Suite, suites } from "./suites.ts"
import { formatTable } from "./table.ts"

const { values } = parseArgs({
  options: { prove: { type: "boolean", default: false }, suite: { type: "string", multiple: true } },
})
const names = suites.map((suite) => suite.name)
const unknown = values.suite?.find((name) => !names.includes(name))
if (unknown !== undefined) {
  console.error(`There is no suite "${unknown}". Suites: ${names.join(", ")}.`)
  process.exit(1)
}
const chosen = suites.filter(
  ({ name, proveOnly }) => values.suite?.includes(name) ?? (values.prove === true || proveOnly !== true),
)

/** Titles of skipped tests that are told; the table has their number. */
const skippedShown = 5
const rows: string[][] = []
const assignment = assignFiles(suites, findTestFiles())
const complaints = values.suite === undefined ? assignment.complaints : []
let failures = complaints.length
const started = performance.now()
useScratch()

// What black-box suites start is the bundle of these sources, not of earlier ones.
await bundle()
// The full counts leave little to wait for.
const lanes = chosen.length === 1 ? 1 : values.prove ? coresMax : lanesMax
const isShared = (suite: Suite) => lanes > 1 && suite.alone !== true
const budgetOf = ({ budgetSeconds, proveSeconds = budgetSeconds }: Suite) =>
  values.prove ? proveSeconds : budgetSeconds
const shared = chosen.filter(isShared).toSorted((a, b) => budgetOf(b) - budgetOf(a))
await inLanes([
  ...(values.suite === undefined ? stages.map((stage) => () => doStage(stage)) : []),
  ...shared.map((suite) => () => doSuite(suite, 1)),
])
for (const suite of chosen) if (!isShared(suite)) await doSuite(suite, coresMax)

console.log(`\n${formatTable(["suite", "tests", "seconds", "budget", "result"], rows)}`)
for (const complaint of complaints) console.log(complaint)
const seconds = ((performance.now() - started) / 1000).toFixed(0)
console.log(
  failures === 0 ? `\nAll is well, after ${seconds} s.` : `\n${failures} failed, after ${seconds} s.`,
)
process.exitCode = failures === 0 ? 0 : 1

async function inLanes(jobs: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = [...jobs]
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await job()
  }
  await Promise.all(Array.from({ length: lanes }, work))
}

async function doSuite(suite: Suite, cores: number): Promise<void> {
  const files = assignment.files.get(suite.name) ?? []
  const result = await runSuite({ suite, files, prove: values.prove, cores })
  const { tests, skipped } = result
  for (const title of skipped.slice(0, skippedShown)) console.log(`skipped: ${title}`)
  if (skipped.length > skippedShown) console.log(`skipped: ${skipped.length - skippedShown} more`)
  const count = skipped.length === 0 ? String(tests) : `${tests} + ${skipped.length} skipped`
  note(suite.name, count, result.seconds, result.budgetSeconds, result.verdict, result.output)
  if (isFailure(result.verdict)) failures += 1
}

async function doStage(stage: Stage): Promise<void> {
  const ended = await runStage(stage)
  note(stage.name, "", ended.seconds, stagesBudgetSeconds, ended.ok ? "ok" : "failed", ended.output)
  if (ended.ok) return
  failures += 1
  console.log(`→ ${stage.remedy}`)
}

function note(
  name: string,
  tests: string,
  taken: number,
  budget: number,
  result: string,
  output: string,
): void {
  const quiet = result === "ok" || result === "none yet" || result === "slow"
  const shown = quiet ? (output.match(/^(rules done|figure:|SKIPPED:) .*$/gm) ?? []) : [output.trimEnd()]
  for (const text of shown) console.log(text)
  console.log(`${name}: ${result}, ${taken.toFixed(1)} s`)
  rows.push([name, tests, taken.toFixed(1), String(budget), result])
}
