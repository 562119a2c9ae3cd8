/**
 * A command whose output is a key. It is run without a shell, has a time limit, and its output is
 * bounded. What it writes to its standard error is not kept: it may hold what must not be shown.
 */
import { spawn } from "node:child_process"
import { Effect } from "effect"
import { CredentialFault, type CredentialFaultCode } from "./fault.ts"
import type { Environment } from "../directories.ts"

/** Long enough for a person to unlock a password manager. */
const commandMsMax = 60_000

export const runKeyCommand = (
  argv: readonly string[],
  environment: Environment,
  bytesMax: number,
  msMax = commandMsMax,
): Effect.Effect<string, CredentialFault> =>
  Effect.callback<string, CredentialFault>((resume) => {
    const [program = "", ...args] = argv
    const fail = (code: CredentialFaultCode, rest: string) =>
      resume(
        Effect.fail(
          new CredentialFault({ code, message: `takes its key from the command ${program}, which ${rest}` }),
        ),
      )
    const child = spawn(program, args, {
      env: environment as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "ignore"],
      // A group of its own, so that nothing it started outlives it.
      detached: true,
    })
    const pieces: Buffer[] = []
    let bytes = 0
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      } catch {
        // ESRCH: the group is gone already, which is what was wanted.
      }
    }
    const late = setTimeout(() => {
      end()
      fail("command_slow", `did not end within ${msMax / 1_000} s. Run it yourself to see why.`)
    }, msMax)
    child.stdout.on("data", (piece: Buffer) => {
      bytes += piece.length
      if (bytes <= bytesMax) pieces.push(piece)
      else end()
    })
    child.once("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(late)
      fail("command_not_started", `cannot be started (${error.code ?? "unknown error"}). Check its name.`)
    })
    child.once("close", (code, signal) => {
      clearTimeout(late)
      if (bytes > bytesMax) return fail("key_malformed", "writes more than a key can be.")
      if (code === 0) return resume(Effect.succeed(Buffer.concat(pieces).toString("utf8")))
      fail("command_failed", `ended with ${code ?? signal}. Run it yourself to see why.`)
    })
    return Effect.sync(() => {
      clearTimeout(late)
      end()
    })
  })
