/** `npm run check`: types, lint, format, dead code, tidy. One line each; a failure shows its output. */
import { runStage, stages } from "./stages.ts"
import { isFailure, runSuite } from "./suite-run.ts"
import { assignFiles, findTestFiles, suites } from "./suites.ts"

let failures = 0

for (const stage of stages) {
  const ended = await runStage(stage)
  report(stage.name, ended.ok, ended.seconds, ended.output, stage.remedy)
}

const tidy = suites.find((suite) => suite.name === "tidy")
if (tidy !== undefined) {
  const files = assignFiles(suites, findTestFiles()).files.get(tidy.name) ?? []
  const result = await runSuite({ suite: tidy, files, prove: false, cores: 1 })
  report(tidy.name, !isFailure(result.verdict), result.seconds, result.output, "each failure says what to do")
  if (!isFailure(result.verdict)) console.log(/^rules done .*$/m.exec(result.output)?.[0] ?? "")
}

process.exitCode = failures === 0 ? 0 : 1

function report(name: string, ok: boolean, seconds: number, output: string, remedy: string): void {
  if (!ok) {
    failures += 1
    console.log(output.trimEnd())
  }
  console.log(
    `${ok ? "ok    " : "FAILED"}  ${name.padEnd(10)} ${seconds.toFixed(1)} s${ok ? "" : `  → ${remedy}`}`,
  )
}
