/**
 * bash_output: what a background command has put out since the last look, and whether it still runs; without
 * an id, the commands that there are. bash_kill: ends one. A look at what runs is no loop (DR8).
 */
import { Effect, Schema } from "effect"
import { nearNames } from "@holdfast/schema/near-names"
import { type ToolContext, ToolFailure, type ToolResult, defineTool } from "../tool.ts"
import type { HeldCommand } from "./session-commands.ts"

const waitMaxMs = 120_000

const Look = Schema.Struct({
  id: Schema.optionalKey(Schema.NonEmptyString),
  waitMs: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: waitMaxMs }))),
})

export const bashOutputTool = defineTool({
  name: "bash_output",
  description:
    "Shows what a command that bash started in the background has put out since the last look, and whether it still runs. Without an id it lists these commands.",
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "string", minLength: 1, description: "The id that bash gave, as cmd_…" },
      waitMs: {
        type: "integer",
        minimum: 0,
        maximum: 120_000,
        description: "How long to wait for its end before looking; 0 unless given.",
      },
    },
    required: [],
    additionalProperties: false,
  },
  repeatable: false,
  readOnly: true,
  input: Look,
  run: ({ id, waitMs = 0 }, context) =>
    id === undefined ? listCommands(context) : look(id, waitMs, context),
})

export const bashKillTool = defineTool({
  name: "bash_kill",
  description: "Ends a command that bash started in the background, with all that it started.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string", minLength: 1, description: "The id that bash gave, as cmd_…" } },
    required: ["id"],
    additionalProperties: false,
  },
  repeatable: true,
  input: Schema.Struct({ id: Schema.NonEmptyString }),
  run: Effect.fnUntraced(function* ({ id }, context) {
    const command = yield* find(id, context)
    const before = command.exit()
    if (before === null) yield* command.end
    const text = before === null ? `Ended ${id}.` : `${id} had ended before: ${before.said}.`
    return { text, structured: { command: id } }
  }),
})

const listCommands = (context: ToolContext): Effect.Effect<ToolResult> =>
  Effect.sync(() => {
    const held = context.commands?.held() ?? []
    const elsewhere = context.commands?.elsewhere() ?? []
    const lines = [
      ...held.map((command) => `${command.id}  ${stateOf(command)}  ${oneLine(command.line)}`),
      ...elsewhere.map((id) => `${id}  runs in another process of Holdfast`),
    ]
    return {
      text: lines.length === 0 ? "(no background commands)" : lines.join("\n"),
      structured: held.map(({ id, line, exit }) => ({ command: id, line, running: exit() === null })),
      stillRunning: held.some(({ exit }) => exit() === null),
    }
  })

const look = Effect.fnUntraced(function* (
  id: string,
  waitMs: number,
  context: ToolContext,
): Effect.fn.Return<ToolResult, ToolFailure> {
  const command = yield* find(id, context)
  if (waitMs > 0) yield* Effect.raceFirst(command.ended, Effect.sleep(waitMs))
  const exit = command.exit()
  const { text, omitted } = command.takeOutput()
  const gap = text === "" || text.endsWith("\n") ? "" : "\n"
  const where = command.outputFile === null ? "" : `; all of its output is in the file ${command.outputFile}`
  const state = exit === null ? "still running" : `ended: ${exit.said}`
  return {
    text: `${text === "" ? "(no new output)\n" : text + gap}[${state}${where}]`,
    structured: { command: id, running: exit === null, exitCode: exit?.exitCode ?? null },
    omitted,
    stillRunning: exit === null,
  }
})

function find(id: string, { commands }: ToolContext): Effect.Effect<HeldCommand, ToolFailure> {
  const held = commands?.held() ?? []
  const found = held.find((command) => command.id === id)
  if (found !== undefined) return Effect.succeed(found)
  if (commands?.elsewhere().includes(id) === true) {
    const message = `${id} runs in another process of Holdfast, which alone can look at it or end it.`
    return Effect.fail(new ToolFailure({ code: "runs_elsewhere", message }))
  }
  const ids = held.map((command) => command.id)
  const [near] = nearNames(id, ids)
  const hint = near === undefined ? "Call bash_output without an id for a list" : `Did you mean ${near}`
  const message = `There is no background command ${id} in this process. ${hint}${near === undefined ? "." : "?"}`
  return Effect.fail(new ToolFailure({ code: "no_such_command", message }))
}

const stateOf = ({ exit }: HeldCommand): string => {
  const ended = exit()
  return ended === null ? "running" : `ended (${ended.said})`
}

const lineUnitsMax = 120

const oneLine = (line: string): string => {
  const flat = line.replaceAll(/\s+/g, " ").trim()
  return flat.length <= lineUnitsMax ? flat : `${flat.slice(0, lineUnitsMax).toWellFormed()} …`
}
