/**
 * Runs vitest on named files and answers with facts instead of text.
 *
 * Used for suites and for mutants, which both need to know which tests failed and whether a file
 * did not even load.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run, toolPath } from "./command.ts"

export interface VitestRun {
  readonly root: string
  /** Paths of test files, relative to the root. */
  readonly files: readonly string[]
  readonly isolate: boolean
  readonly timeoutMs: number
  /** Only tests whose full title matches this pattern. */
  readonly title?: string
  readonly workers?: number
  readonly env?: Readonly<Record<string, string>>
}

export interface VitestResult {
  readonly ok: boolean
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  readonly skipped: readonly string[]
  /** Files that failed without a failing test: they did not load, or a hook broke. */
  readonly broken: readonly string[]
  readonly output: string
  readonly seconds: number
  readonly timedOut: boolean
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly fullName: string; readonly status: string }>
  }>
}

export async function runVitest(request: VitestRun): Promise<VitestResult> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-vitest-"))
  const reportPath = join(folder, "report.json")
  try {
    const ended = await run({
      argv: [toolPath("vitest"), ...argumentsFor(request, reportPath)],
      cwd: request.root,
      timeoutMs: request.timeoutMs,
      ...(request.env === undefined ? {} : { env: request.env }),
    })
    const report = existsSync(reportPath) ? (JSON.parse(readFileSync(reportPath, "utf8")) as Report) : null
    return { ...factsOf(report), ...ended }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function argumentsFor(request: VitestRun, reportPath: string): string[] {
  const flags = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`]
  if (!request.isolate) flags.push("--no-isolate")
  if (request.workers !== undefined) flags.push(`--maxWorkers=${request.workers}`)
  if (request.title !== undefined) flags.push("--testNamePattern", request.title)
  return ["run", ...request.files.map((file) => join(request.root, file)), ...flags]
}

function factsOf(report: Report | null): Pick<VitestResult, "passed" | "failed" | "skipped" | "broken"> {
  const files = report?.testResults ?? []
  const tests = files.flatMap((file) => file.assertionResults)
  const titles = (...statuses: readonly string[]) =>
    tests.filter((test) => statuses.includes(test.status)).map((test) => test.fullName)
  const broken = files
    .filter(
      (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
    )
    .map((file) => file.name)
  return { passed: titles("passed"), failed: titles("failed"), skipped: titles("skipped", "pending"), broken }
}
