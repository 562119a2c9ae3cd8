/** A runtime that starts one command and waits; the test kills it with SIGKILL. Arguments: call id, directory, command. */
import { Effect } from "effect"
import { runCommand } from "../../src/tools/launcher.ts"

const [callId = "", directory = "", command = ""] = process.argv.slice(2)
await Effect.runPromise(
  runCommand({
    command,
    directory,
    env: process.env,
    callId,
    timeoutMs: 60_000,
    onOutput: (text) => process.stdout.write(text),
  }),
)
