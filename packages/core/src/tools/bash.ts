/**
 * bash: runs a shell command in the Location (TL3).
 *
 * The command sees the environment of the runtime without anything that looks like a secret. Its
 * output goes to the sink as it comes, and the result is what the sink kept. How the process tree
 * is started and ended is the launcher's matter.
 */
import { resolve } from "node:path"
import { Effect, Schema } from "effect"
import { commandResources } from "../permission/shell/command-resources.ts"
import { backgroundMaxMs, startInBackground } from "./background/bash-background.ts"
import { callMark } from "./call-processes.ts"
import { chooseContainment } from "./containment.ts"
import { type CommandOutcome, runCommand } from "./launcher.ts"
import { type Tool, type ToolContext, ToolFailure, type ToolResult, defineTool } from "./tool.ts"

const timeoutDefaultMs = 120_000
const timeoutMaxMs = 600_000

const Input = Schema.Struct({
  command: Schema.NonEmptyString,
  timeoutMs: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: timeoutMaxMs }))),
  background: Schema.optionalKey(Schema.Boolean),
})
type Input = typeof Input.Type

interface Circumstances {
  readonly timeoutMs: number
  /** Whether the command runs in a PID namespace of its own. */
  readonly apart: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Makes the bash tool; its commands inherit the given environment without secrets. */
export function createBashTool(environment: Environment): Tool {
  return defineTool({
    name: "bash",
    description:
      "Runs a shell command in the working directory and returns its output, standard error included. Standard input is empty. The command and all it started are ended at the timeout.",
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "The command line." },
        timeoutMs: {
          type: "integer",
          minimum: 1,
          maximum: 600_000,
          description: "Time limit in milliseconds; 120000 unless given.",
        },
        background: {
          type: "boolean",
          description: "Returns an id at once and lets the command run on, as for a server or a long build.",
        },
      },
      required: ["command"],
      additionalProperties: false,
    },
    repeatable: false,
    input: Input,
    resources: ({ command }, place) => commandResources(command, place),
    run: (input, context) => runInput(input, context, environment),
  })
}

/** The environment of a command: what it inherits, marked with the call. */
export const commandEnvironment = (environment: Environment, callId: string): Record<string, string> => ({
  ...inheritedEnvironment(environment),
  [callMark]: callId,
  TERM: "dumb",
})

/** What programs that we start may see of an environment: no secrets, and of the settings of the runtime where it keeps its files. */
export function inheritedEnvironment(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [key, value] of Object.entries(environment)) {
    if (value === undefined || isSecretKey(key) || key.startsWith("HOLDFAST_")) continue
    kept[key] = value
  }
  // A command of Holdfast in there reads the same store. An empty value names none, and a relative one would name another.
  for (const key of ownFolders) if (environment[key]) kept[key] = resolve(environment[key])
  return kept
}

const ownFolders = ["HOLDFAST_DATA_DIR", "HOLDFAST_CONFIG_DIR"]

const runInput = Effect.fnUntraced(function* (
  input: Input,
  context: ToolContext,
  environment: Environment,
): Effect.fn.Return<ToolResult, ToolFailure> {
  const { command, background = false } = input
  const { callId, directory } = context
  const env = withoutSecrets(commandEnvironment(environment, callId), context)
  const timeoutMs = input.timeoutMs ?? (background ? backgroundMaxMs : timeoutDefaultMs)
  if (background) return yield* startInBackground({ command, directory, env, timeoutMs }, context)
  const outcome = yield* runCommand({
    command,
    directory,
    env,
    callId,
    timeoutMs,
    onOutput: (text) => context.output.write(text),
    caughtUp: context.output.caughtUp,
  }).pipe(Effect.mapError((failure) => new ToolFailure({ code: "launch_failed", message: failure.message })))
  const { kind } = yield* Effect.promise(() => chooseContainment())
  const { text: output, omitted } = context.output
  const afterOutput = notesBehind(output, outcome, { timeoutMs, apart: kind === "namespace" })
  return { text: output + afterOutput, afterOutput, omitted, structured: { ...outcome } }
})

function notesBehind(output: string, outcome: CommandOutcome, { timeoutMs, apart }: Circumstances): string {
  const notes = [exitNote(outcome, timeoutMs), backgroundNote(outcome, apart)].filter((note) => note !== null)
  if (notes.length === 0) return output === "" ? "(no output)" : ""
  const gap = output === "" || output.endsWith("\n") ? "" : "\n"
  return gap + notes.join("\n")
}

function exitNote(outcome: CommandOutcome, timeoutMs: number): string | null {
  if (outcome.timedOut)
    return `[timed out after ${timeoutMs} ms; the command and all it started were ended; what takes longer can run with background: true]`
  if (outcome.exitCode === null) return `[ended by ${outcome.signal ?? "a signal"}]`
  if (outcome.exitCode === 0) return null
  return outcome.signal === null
    ? `[exit code ${outcome.exitCode}]`
    : `[exit code ${outcome.exitCode}, ${outcome.signal}]`
}

/** Out of a PID namespace of their own, later commands can neither see nor signal what is left. */
export function backgroundNote({ background }: CommandOutcome, apart: boolean): string | null {
  if (background === 0) return null
  const reach = apart ? "out of reach of later commands, " : ""
  return `[still running in the background: ${background}; ${reach}ended when the runtime stops]`
}

const isSecretKey = (key: string): boolean =>
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|PRIVATE|(?:^|_)(?:AUTH|PAT|PWD)$/i.test(key) &&
  !folderKeys.has(key)

/** What shells keep in them are folders. */
const folderKeys = new Set(["PWD", "OLDPWD"])

/** Without variables whose value is, or holds, a secret that is known or has the shape of one (AU1). */
function withoutSecrets(
  env: Record<string, string>,
  { maskStream }: Pick<ToolContext, "maskStream">,
): Record<string, string> {
  if (maskStream === undefined) return env
  const isPlain = (value: string) => {
    const stream = maskStream()
    return stream.push(value) + stream.end() === value
  }
  return Object.fromEntries(Object.entries(env).filter(([, value]) => isPlain(value)))
}
