/**
 * `npm run mutants`: plants each mutant of test/mutants/mutants.ts in a copy and runs its tests.
 *
 *   --only <name>   one mutant
 *   --sample [n]    n of them, or as many as HOLDFAST_MUTANTS says, chosen by --seed
 *   --seed <s>      which ones; the commit decides if it is left out, so that they rotate
 */
import { createHash } from "node:crypto"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import type { Mutant } from "../test/mutants/mutants.ts"
import { mutants } from "../test/mutants/mutants.ts"
import { currentCommit, repositoryRoot } from "./command.ts"
import { runMutants } from "./mutants/run.ts"
import { formatTable } from "./table.ts"

const workersMax = 2

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    sample: { type: "boolean", default: false },
    seed: { type: "string" },
  },
})
const seed = values.seed ?? currentCommit()
const chosen = choose()
if (values.only !== undefined && chosen.length === 0) {
  console.error(
    `There is no mutant "${values.only}". Mutants: ${mutants.map((each) => each.name).join(", ")}.`,
  )
  process.exit(1)
}
// Also told at the start: a run that is ended for its time does not come to its figure.
const which = `${chosen.length} of ${mutants.length} mutants${values.sample ? `, seed ${seed}` : ""}`
console.log(which)

const results = await runMutants(
  repositoryRoot,
  chosen,
  Math.min(workersMax, availableParallelism()),
  ({ mutant, verdict, seconds }) => console.log(`${mutant.name}: ${verdict}, ${seconds.toFixed(1)} s`),
)
const rows = results
  .toSorted((a, b) => a.mutant.name.localeCompare(b.mutant.name, "en"))
  .map((result) => [
    result.mutant.name,
    result.mutant.rules.join(" "),
    result.verdict,
    result.seconds.toFixed(1),
    result.detail,
  ])
console.log(`\n${formatTable(["mutant", "rules", "result", "seconds", "by"], rows)}`)
const caught = results.filter((result) => result.verdict === "caught").length
const names = chosen.length < mutants.length ? `: ${rows.map(([name]) => name).join(", ")}` : ""
console.log(`figure: ${which}, ${caught} caught${names}`)
console.log(`tests: ${results.length}`)
process.exitCode = caught === results.length ? 0 : 1

function choose(): Mutant[] {
  if (values.only !== undefined) return mutants.filter((mutant) => mutant.name === values.only)
  if (!values.sample) return [...mutants]
  const count = Number(positionals[0] ?? process.env["HOLDFAST_MUTANTS"] ?? 3)
  const rank = (mutant: Mutant) => createHash("sha256").update(`${seed} ${mutant.name}`).digest("hex")
  return mutants.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count)
}
