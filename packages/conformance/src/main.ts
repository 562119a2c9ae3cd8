/** The program behind `holdfast-conformance`: exit 0 where every case passed, 1 where one failed, 2 where none could be run. */
import { runConformance } from "./command.ts"

process.exitCode = await runConformance(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  environment: process.env,
})
