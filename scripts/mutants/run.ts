/**
 * Plants mutants one after another and looks whether the tests notice.
 *
 *   unfit     its source text or its tests are not there
 *   caught    for each of its rules, a test that cites the rule failed
 *   survived  the tests passed, or only tests of other rules failed
 *   broken    a test file did not load, or the run took too long: that proves nothing
 *
 * Before the first mutant the tests run on the unchanged copy: what fails there proves nothing.
 */
import type { Mutant } from "../../test/mutants/mutants.ts"
import { citedRules } from "../../test/tidy/citations.ts"
import type { VitestResult } from "../vitest.ts"
import { runVitest } from "../vitest.ts"
import type { WorkingCopy } from "./copy.ts"
import { judgeMutant, makeCopy } from "./copy.ts"

export interface MutantResult {
  readonly mutant: Mutant
  readonly verdict: "caught" | "survived" | "broken" | "unfit"
  /** The title that caught it, or why it was not caught. */
  readonly detail: string
  readonly seconds: number
}

const secondsMaxDefault = 120
const baselineSecondsMax = 900

export async function runMutants(
  repository: string,
  mutants: readonly Mutant[],
  workers: number,
  note: (result: MutantResult) => void = () => {},
): Promise<MutantResult[]> {
  const copies = Array.from({ length: Math.min(workers, mutants.length) }, () => makeCopy(repository))
  try {
    const [first] = copies
    if (first === undefined) return []
    const baseline = await runBaseline(first, mutants)
    const waiting = [...mutants]
    const results: MutantResult[] = []
    const work = async (copy: WorkingCopy) => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const result = await runMutant(copy, mutant, baseline)
        results.push(result)
        note(result)
      }
    }
    await Promise.all(copies.map(work))
    return results
  } finally {
    for (const copy of copies) copy.remove()
  }
}

async function runMutant(copy: WorkingCopy, mutant: Mutant, baseline: VitestResult): Promise<MutantResult> {
  const unfit = judgeMutant(copy.root, mutant) ?? judgeBaseline(mutant, baseline)
  if (unfit !== null) return { mutant, verdict: "unfit", detail: unfit, seconds: 0 }
  const restore = copy.plant(mutant)
  try {
    const { files, title, env, secondsMax = secondsMaxDefault } = mutant.run
    const result = await runVitest({
      root: copy.root,
      files,
      isolate: true,
      workers: 1,
      timeoutMs: secondsMax * 1000,
      ...(title === undefined ? {} : { title }),
      ...(env === undefined ? {} : { env }),
    })
    return { mutant, ...judgeRun(mutant, result), seconds: result.seconds }
  } finally {
    restore()
  }
}

function judgeRun(mutant: Mutant, result: VitestResult): Pick<MutantResult, "verdict" | "detail"> {
  if (result.timedOut) return { verdict: "broken", detail: "took too long" }
  if (result.broken.length > 0)
    return { verdict: "broken", detail: `did not load: ${result.broken.join(", ")}` }
  const catching = mutant.rules.map((rule) => result.failed.find((title) => cites(title, rule)))
  const missed = mutant.rules.filter((_, index) => catching[index] === undefined)
  if (missed.length === 0) return { verdict: "caught", detail: [...new Set(catching)].join(" · ") }
  const others = result.failed.length === 0 ? "all tests passed" : `only "${result.failed[0]}" failed`
  return { verdict: "survived", detail: `no test of ${missed.join(", ")} failed: ${others}` }
}

/** The tests of all fit mutants, together, on the unchanged copy. */
function runBaseline(copy: WorkingCopy, mutants: readonly Mutant[]): Promise<VitestResult> {
  const fit = mutants.filter((mutant) => judgeMutant(copy.root, mutant) === null)
  const files = [...new Set(fit.flatMap((mutant) => mutant.run.files))]
  const env = Object.assign({}, ...fit.map((mutant) => mutant.run.env)) as Record<string, string>
  if (files.length === 0) return Promise.resolve(nothingRun)
  return runVitest({ root: copy.root, files, isolate: true, timeoutMs: baselineSecondsMax * 1000, env })
}

const nothingRun: VitestResult = {
  ok: true,
  passed: [],
  failed: [],
  skipped: [],
  broken: [],
  output: "",
  seconds: 0,
  timedOut: false,
}

function judgeBaseline(mutant: Mutant, baseline: VitestResult): string | null {
  if (!baseline.ok) {
    const first = baseline.failed[0] ?? baseline.broken[0] ?? baseline.output.trim().split("\n").at(-1)
    return `the tests fail without it: ${first}`
  }
  const uncited = mutant.rules.filter((rule) => !baseline.passed.some((title) => cites(title, rule)))
  return uncited.length === 0 ? null : `its tests do not cite ${uncited.join(", ")}`
}

/** A full title is those of the groups and of the test, so a citation may stand inside it. */
function cites(title: string, rule: string): boolean {
  const heads = title.match(/\[[A-Z]{2}\d[^\]]*\]/g) ?? []
  return heads.some((head) => citedRules(head).includes(rule))
}
