/**
 * npm run sim -- --seeds N [--from S] | --seed S [--trace] [--keep]
 *
 * Runs seeds of the whole-system simulation and prints every failure with the seed that shows it.
 * `--keep` stores what the seed came down to, so that it is told again by every run of the suite.
 */
import { parseArgs } from "node:util"
import { runSeed } from "./seed.ts"
import { keepStory } from "./stories/stories.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "500" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
})

const from = Number(values.seed ?? values.from)
const count = values.seed === undefined ? Number(values.seeds) : 1
const started = performance.now()
const failed: number[] = []
let virtualMs = 0
let writes = 0
let requests = 0
const facts = new Map<string, number>()

for (let seed = from; seed < from + count; seed++) {
  const report = runSeed(seed)
  virtualMs += report.virtualMs
  writes += report.writes
  requests += report.requests
  for (const [name, times] of report.facts) facts.set(name, (facts.get(name) ?? 0) + times)
  if (values.trace) process.stdout.write(`${report.trace.join("\n")}\n`)
  if (report.problems.length > 0) {
    failed.push(seed)
    process.stdout.write(
      `seed ${seed} failed\n${report.problems.map((problem) => `  ${problem}\n`).join("")}`,
    )
  }
  if (values.seed !== undefined && values.keep) keepStory(report.story)
  if (values.seed !== undefined) process.stdout.write(`seed ${seed} trace ${report.hash}\n`)
}

for (const [name, times] of [...facts].sort()) process.stdout.write(`${String(times).padStart(8)} ${name}\n`)

const seconds = (performance.now() - started) / 1000
process.stdout.write(
  `${count} seeds, ${failed.length} failed, ${writes} durable writes, ${requests} requests; ` +
    `${(count / seconds).toFixed(1)} seeds/s, ${(virtualMs / 1000 / seconds).toFixed(0)} × real time\n`,
)
if (failed.length > 0) {
  process.stdout.write(`repeat one with: npm run sim -- --seed ${failed[0]} --trace\n`)
  process.exitCode = 1
}
