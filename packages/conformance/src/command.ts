/** The command line: what was asked for, the run, the report, and the exit code. */
import { parseArgs } from "node:util"
import { CannotRun, conform } from "./conform.ts"
import { reportJson, reportText } from "./report.ts"
import { serverTarget } from "./target.ts"

export interface Surroundings {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether progress is shown on `err`. */
  readonly isTerminal: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

export const exitCodes = { conforms: 0, fails: 1, cannotRun: 2 } as const

const help = `Usage: holdfast-conformance --server URL [options]

Runs the conformance cases against a Holdfast server, and tells which rules it keeps.
Cases make Sessions of the title "holdfast-conformance" and delete them again.

  --server URL   address of the server, as http://127.0.0.1:4096
  --token TOKEN  its token; HOLDFAST_TOKEN unless given
  --only RULE    only the cases of a rule (PG1) or of a family of rules (PG)
  --paid         let a model answer even if it costs money
  --terminals    start terminals, and close them again
  --inputs N     generated inputs for each operation (10)
  --seed N       what they are generated from (1)
  --json         the report as JSON
  --help         this text

Exit codes: 0 every case passed, 1 a case failed, 2 the cases could not be run.
`

/** What was asked for cannot be understood. */
class Misuse extends Error {}

export async function runConformance(args: readonly string[], around: Surroundings): Promise<number> {
  try {
    const asked = readArguments(args, around.environment)
    if (asked === "help") {
      around.out(help)
      return exitCodes.conforms
    }
    const { server, token, json, ...options } = asked
    const conformance = await conform(serverTarget({ url: server, token }), {
      ...options,
      ...(around.isTerminal && { onResult: (_, done, total) => around.err(progress(done, total)) }),
    })
    around.out(json ? reportJson(conformance) : reportText(conformance))
    return conformance.results.some(({ outcome }) => outcome === "failed")
      ? exitCodes.fails
      : exitCodes.conforms
  } catch (failure) {
    if (!(failure instanceof Misuse || failure instanceof CannotRun)) throw failure
    around.err(`${failure.message}\n${failure instanceof Misuse ? "See holdfast-conformance --help.\n" : ""}`)
    return exitCodes.cannotRun
  }
}

interface Arguments {
  readonly server: string
  readonly token: string
  readonly json: boolean
  readonly paid: boolean
  readonly terminals: boolean
  readonly only?: string
  readonly inputs?: number
  readonly seed?: number
}

function readArguments(
  args: readonly string[],
  environment: Surroundings["environment"],
): Arguments | "help" {
  const values = parse(args)
  if (values.help === true) return "help"
  const { server, only, json = false, paid = false, terminals = false } = values
  if (server === undefined) throw new Misuse("Say which server is meant, with --server URL.")
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new Misuse(`${server} is no address. Give one like http://127.0.0.1:4096.`)
  const token = values.token ?? environment["HOLDFAST_TOKEN"]
  if (token === undefined || !/^\S+$/.test(token))
    throw new Misuse("Give the token of the server, with --token or in HOLDFAST_TOKEN.")
  const inputs = wholeOf("--inputs", values.inputs)
  const seed = wholeOf("--seed", values.seed)
  return {
    server,
    token,
    json,
    paid,
    terminals,
    ...(only !== undefined && { only: only.toUpperCase() }),
    ...(inputs !== undefined && { inputs }),
    ...(seed !== undefined && { seed }),
  }
}

function parse(args: readonly string[]) {
  try {
    const options = {
      server: { type: "string" },
      token: { type: "string" },
      only: { type: "string" },
      inputs: { type: "string" },
      seed: { type: "string" },
      paid: { type: "boolean" },
      terminals: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    } as const
    return parseArgs({ args: [...args], options }).values
  } catch (failure) {
    // It throws for a word that it does not know, and says which.
    throw new Misuse(failure instanceof Error ? failure.message : String(failure))
  }
}

const wholeMax = 1_000_000_000

function wholeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[0-9]{1,10}$/.test(text) || Number(text) > wholeMax)
    throw new Misuse(`${name} takes a whole number up to ${wholeMax}, not ${text}.`)
  return Number(text)
}

/** Over the line before; the last one leaves the line empty for the report. */
const progress = (done: number, total: number): string =>
  done === total ? `\r${" ".repeat(20)}\r` : `\r${done} of ${total}`
