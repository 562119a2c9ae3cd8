/**
 * A command whose output is a key. It is run without a shell, has a time limit, and its output is
 * bounded. What it writes to its standard error is not kept: it may hold what must not be shown.
 */
import { spawn } from "node:child_process"
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"
import { Effect } from "effect"
import { CredentialFault, type CredentialFaultCode } from "./fault.ts"
import type { Environment } from "../directories.ts"

/** Long enough for a person to unlock a password manager. */
const commandMsMax = 60_000

/** Whether it could be started, without doing so: a person may have to unlock something for its key. */
export const findKeyCommand = (
  [program = ""]: readonly string[],
  environment: Environment,
): Effect.Effect<void, CredentialFault> =>
  Effect.suspend(() => {
    const path = environment["PATH"]
    // Where the system looks without a path, and under which endings Windows finds a program, only a start tells.
    if (process.platform === "win32" || (path === undefined && !program.includes("/"))) return Effect.void
    const places = program.includes("/")
      ? [program]
      : (path ?? "").split(delimiter).map((folder) => join(folder, program))
    return places.some(isProgram) ? Effect.void : Effect.fail(notStarted(program, "ENOENT"))
  })

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    // Missing or forbidden: in no case could it be started.
    return false
  }
}

const notStarted = (program: string, code: string): CredentialFault => {
  const rest = `cannot be started (${code}). Check its name.`
  return new CredentialFault({ code: "command_not_started", message: saidOf(program, rest) })
}

const saidOf = (program: string, rest: string): string =>
  `takes its key from the command ${program}, which ${rest}`

export const runKeyCommand = (
  argv: readonly string[],
  environment: Environment,
  bytesMax: number,
  msMax = commandMsMax,
): Effect.Effect<string, CredentialFault> =>
  Effect.callback<string, CredentialFault>((resume) => {
    const [program = "", ...args] = argv
    const fail = (code: CredentialFaultCode, rest: string) =>
      resume(Effect.fail(new CredentialFault({ code, message: saidOf(program, rest) })))
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
      resume(Effect.fail(notStarted(program, error.code ?? "unknown error")))
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
