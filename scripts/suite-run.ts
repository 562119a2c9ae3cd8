/** Runs one suite of the table and judges it against its budget. */
import { repositoryRoot, run } from "./command.ts"
import { countsOf } from "./suites.ts"
import type { Suite } from "./suites.ts"
import { runVitest } from "./vitest.ts"

export type Verdict = "ok" | "slow" | "too slow" | "failed" | "no tests" | "none yet"

export interface SuiteResult {
  readonly suite: Suite
  readonly verdict: Verdict
  readonly tests: number
  readonly skipped: readonly string[]
  readonly seconds: number
  readonly budgetSeconds: number
  readonly output: string
}

/** Beyond this many budgets a suite is ended and fails. */
const budgetsMax = 3

export interface SuiteRun {
  readonly suite: Suite
  readonly files: readonly string[]
  readonly prove: boolean
  /** Cores that it may fill with test files. */
  readonly cores: number
}

export async function runSuite({ suite, files, prove, cores }: SuiteRun): Promise<SuiteResult> {
  const budgetSeconds = prove ? (suite.proveSeconds ?? suite.budgetSeconds) : suite.budgetSeconds
  if (suite.pending === true && files.length === 0) {
    return { suite, verdict: "none yet", tests: 0, skipped: [], seconds: 0, budgetSeconds, output: "" }
  }
  const timeoutMs = budgetSeconds * budgetsMax * 1000
  const env = countsOf(suite, prove)
  const ended =
    suite.command === undefined
      ? await runFiles(suite, files, cores, timeoutMs, env)
      : await runCommand(suite.command, timeoutMs, env)
  const { tests, skipped, seconds, output } = ended
  return {
    suite,
    verdict: judge(suite, ended, budgetSeconds),
    tests,
    skipped,
    seconds,
    budgetSeconds,
    output,
  }
}

export const isFailure = (verdict: Verdict): boolean =>
  verdict === "failed" || verdict === "too slow" || verdict === "no tests"

interface Measured {
  readonly ok: boolean
  readonly timedOut: boolean
  readonly tests: number
  readonly skipped: readonly string[]
  readonly seconds: number
  readonly output: string
}

function judge({ proveOnly }: Suite, ended: Measured, budgetSeconds: number): Verdict {
  if (ended.timedOut || ended.seconds > budgetSeconds * budgetsMax) return "too slow"
  if (!ended.ok) return "failed"
  const allSkipped = proveOnly === true && ended.skipped.length > 0
  if (ended.tests === 0 && !allSkipped) return "no tests"
  return ended.seconds > budgetSeconds ? "slow" : "ok"
}

async function runFiles(
  suite: Suite,
  files: readonly string[],
  cores: number,
  timeoutMs: number,
  env: Readonly<Record<string, string>>,
): Promise<Measured> {
  const result = await runVitest({
    root: repositoryRoot,
    files,
    isolate: suite.isolate === true,
    // What starts processes of its own fills the other cores with them.
    workers: suite.processes === true ? 1 : cores,
    timeoutMs,
    env,
  })
  return { ...result, tests: result.passed.length + result.failed.length }
}

async function runCommand(
  argv: readonly string[],
  timeoutMs: number,
  env: Readonly<Record<string, string>>,
): Promise<Measured> {
  const ended = await run({ argv, cwd: repositoryRoot, timeoutMs, env })
  const tests = Number(/^tests: (\d+)$/m.exec(ended.output)?.[1] ?? 0)
  return { ...ended, tests, skipped: [] }
}
