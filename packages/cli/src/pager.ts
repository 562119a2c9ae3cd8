/**
 * The pager: long texts on a terminal go through the program that the person reads with.
 *
 *   a terminal ─ HOLDFAST_PAGER, PAGER, else less ─▶ the pager; a text of one screen it prints and leaves
 *   anything else, or no such program ─────────────▶ standard output as it is
 *
 * A pager that is left early ends the reading; nothing is wrong then.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import type { WriteStream } from "node:tty"

/** A text in the pieces that it comes in. */
export type Pieces = Iterable<string> | AsyncIterable<string>

type Environment = Readonly<Record<string, string | undefined>>

export async function showPaged(
  pieces: Pieces,
  stdout: WriteStream,
  environment: Environment,
): Promise<void> {
  const command = stdout.isTTY === true ? pagerOf(environment) : null
  const pager = command === null ? null : await startPager(command, environment)
  if (pager === null) {
    for await (const piece of pieces) stdout.write(piece)
    return
  }
  // Ctrl-C is the pager's: it stops a search there, and the pager stays.
  const ignore = () => {}
  process.on("SIGINT", ignore)
  try {
    await feed(pager, pieces)
  } finally {
    process.removeListener("SIGINT", ignore)
  }
}

/** The command line of the pager, or null where the person wants none. */
function pagerOf({ HOLDFAST_PAGER, PAGER, TERM }: Environment): string | null {
  if (TERM === "dumb") return null
  const command = (HOLDFAST_PAGER ?? PAGER ?? "less").trim()
  return command === "" || command === "cat" ? null : command
}

/** Of less: leave where one screen suffices, let colours through, keep the text on the screen. */
const lessOptions = "FRX"
/** What a shell answers for a command that it does not find. */
const notFoundCode = 127

async function startPager(command: string, environment: Environment): Promise<ChildProcess | null> {
  const env = { ...environment, LESS: environment["LESS"] ?? lessOptions }
  const probe = spawn("sh", ["-c", `command -v ${command.split(/\s/)[0]}`], { stdio: "ignore", env })
  const code = await new Promise<number>((resolve) => {
    probe.once("error", () => resolve(notFoundCode)) // no sh, as on Windows
    probe.once("exit", (exitCode) => resolve(exitCode ?? notFoundCode))
  })
  if (code !== 0) return null
  return spawn("sh", ["-c", command], { stdio: ["pipe", "inherit", "inherit"], env })
}

async function feed(pager: ChildProcess, pieces: Pieces): Promise<void> {
  const { stdin } = pager
  const ended = once(pager, "close")
  let left = false
  pager.once("exit", () => {
    left = true
  })
  stdin?.on("error", () => {
    left = true // it was left before the end
  })
  for await (const piece of pieces) {
    if (left) break
    if (stdin?.write(piece) === false) await Promise.race([once(stdin, "drain").catch(() => {}), ended])
  }
  stdin?.end()
  await ended
}
