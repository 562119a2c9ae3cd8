/**
 * A runtime that starts one command, tells its outcome and ends with its input; a test may kill it
 * before.
 * Arguments: call id, directory, command, and by what its processes are found, if not the best way.
 */
import { Effect } from "effect"
import { type ContainmentKind, tryContainment } from "../../src/tools/containment.ts"
import { runCommand } from "../../src/tools/launcher.ts"

const [callId = "", directory = "", command = "", kind] = process.argv.slice(2)
const containment = kind === undefined ? null : await tryContainment(kind as ContainmentKind)
const outcome = await Effect.runPromise(
  runCommand({
    command,
    directory,
    env: process.env,
    callId,
    timeoutMs: 60_000,
    onOutput: (text) => process.stdout.write(text),
    ...(containment === null ? {} : { containment }),
  }),
)
process.stdout.write(`${JSON.stringify(outcome)}\n`)
process.stdin.resume()
