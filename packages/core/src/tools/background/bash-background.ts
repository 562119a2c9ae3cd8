/**
 * A command that runs beside the turn: its output goes to a file as it comes, and a part of what is new
 * to whoever looks (bash_output). It is started and ended by the launcher like any other. Secrets are masked
 * before either has them (AU1).
 */
import { Effect } from "effect"
import { type CommandOutcome, type CommandRequest, runCommand } from "../launcher.ts"
import type { MaskStream } from "../../secrets/mask.ts"
import type { OutputFile } from "../output/output-file.ts"
import { createOutputSink } from "../output-sink.ts"
import { type ToolContext, ToolFailure, type ToolResult } from "../tool.ts"
import type { BackgroundCommand, CommandExit } from "./session-commands.ts"

/** A command is ended after this time at the latest. */
export const backgroundMaxMs = 86_400_000
/** What is kept of the output between two looks: so much of its beginning, and of its end. */
const lookUnitsMax = 16_000

type Launch = Omit<CommandRequest, "callId" | "onOutput" | "caughtUp">

export const startInBackground = Effect.fnUntraced(function* (
  launch: Launch,
  context: ToolContext,
): Effect.fn.Return<ToolResult, ToolFailure> {
  const { callId, commands, outputs, maskStream } = context
  if (commands === undefined) return yield* unavailable
  const file = outputs?.open() ?? null
  const command = commandOf(`cmd_${callId.slice(-8)}`, { ...launch, callId }, file, maskStream?.() ?? null)
  yield* commands.start(command).pipe(Effect.onError(() => Effect.promise(async () => file?.discard())))
  const { id, outputFile } = command
  const where = outputFile === null ? "" : ` All of its output goes to the file ${outputFile}.`
  return {
    text: `Started in the background as ${id}.${where} Look at it with bash_output, end it with bash_kill. You are told when it has ended.`,
    structured: { command: id, ...(outputFile !== null && { outputFile }) },
  }
})

function commandOf(
  id: string,
  launch: Launch & Pick<CommandRequest, "callId">,
  file: OutputFile | null,
  masked: MaskStream | null,
): BackgroundCommand {
  const emptySink = () => createOutputSink({ unitsMax: lookUnitsMax })
  let sink = emptySink()
  const take = (text: string) => {
    file?.write(text)
    sink.write(text)
  }
  const run = runCommand({
    ...launch,
    onOutput: (text) => take(masked === null ? text : masked.push(text)),
    caughtUp: () => file?.caughtUp() ?? null,
  })
  return {
    id,
    line: launch.command,
    outputFile: file?.path ?? null,
    run: run.pipe(
      Effect.map((outcome) => exitOf(outcome, launch.timeoutMs)),
      Effect.catch(({ message }) => Effect.succeed({ exitCode: null, said: `it did not start. ${message}` })),
      Effect.ensuring(
        Effect.promise(async () => {
          take(masked?.end() ?? "")
          await file?.end()
        }),
      ),
    ),
    takeOutput: () => {
      const taken = sink
      sink = emptySink()
      return taken
    },
  }
}

function exitOf({ exitCode, signal, timedOut }: CommandOutcome, timeoutMs: number): CommandExit {
  if (timedOut) return { exitCode, said: `its time limit of ${timeoutMs} ms was over` }
  if (exitCode === null) return { exitCode, said: `${signal ?? "a signal"} ended it` }
  return { exitCode, said: signal === null ? `exit code ${exitCode}` : `exit code ${exitCode}, ${signal}` }
}

const unavailable = new ToolFailure({
  code: "no_background",
  message: "Commands cannot run in the background here. Run it without background.",
})
