/**
 * Jobs: some calls leave a command running beside their turn, for a while of virtual time. It ends by
 * itself, with an interrupt, or with its runtime, and the model is told once.
 *
 *   TL3  a command has one end on record, which is its runtime's at the latest, and one notice of it
 *   PE3  a call that waits for an answer starts none
 */
import { Effect } from "effect"
import type { ToolContext } from "@holdfast/core/tools/index"
import type { Event } from "@holdfast/schema/event"
import type { World } from "../stage/scheduler.ts"
import { oneIn } from "./pictures.ts"

export interface Jobs {
  /** One in so many calls leaves a command. */
  readonly every: number
  readonly msMax: number
}

/** A third of the seeds have some. */
export const drawJobs = (world: World): Jobs | null =>
  world.chance(0.67) ? null : { every: 1 + world.below(3), msMax: 1 + world.below(9_000) }

/** By its id alone, so that what a seed draws stays what it was. */
export const startJob = (jobs: Jobs | null | undefined, { callId, commands }: ToolContext) =>
  Effect.suspend(() => {
    if (!jobs || commands === undefined || oneIn(callId, jobs.every) > 0) return Effect.void
    return Effect.ignore(
      commands.start({
        id: `cmd_${callId.slice(-8)}`,
        line: "make all",
        outputFile: null,
        run: Effect.as(Effect.sleep(oneIn(`ms ${callId}`, jobs.msMax)), { exitCode: 0, said: "exit code 0" }),
        takeOutput: () => ({ text: "", omitted: { lines: 0, bytes: 0 } }),
      }),
    )
  })

/** No further one is left, and those that are have come to their end. */
export const endJobs = (weather: { jobs: Jobs | null }) =>
  Effect.suspend(() => {
    const { jobs } = weather
    weather.jobs = null
    return Effect.sleep(jobs?.msMax ?? 0)
  })

/** Where no process can tell that another is gone, what that left stays on record. */
export function judgeJobs(
  events: readonly Event[],
  { owners }: { readonly owners: string },
): readonly string[] {
  const problems: string[] = []
  const calls = new Set<string>()
  const running = new Set<string>()
  const notices = new Map<string, number>()
  for (const { fact } of events) {
    if (fact.type === "call.started") calls.add(fact.call)
    if (fact.type === "command.started") {
      if (!calls.has(fact.call)) problems.push(`[PE3] ${fact.command} runs before its call started`)
      running.add(fact.command)
    }
    if (fact.type === "notice.admitted" && fact.source.kind === "command" && running.has(fact.source.id))
      notices.set(fact.source.id, (notices.get(fact.source.id) ?? 0) + 1)
    if (fact.type === "command.ended" && !running.delete(fact.command))
      problems.push(`[TL3] ${fact.command} ended twice`)
  }
  for (const [command, count] of notices)
    if (count !== 1) problems.push(`[TL3] ${count} notices tell the end of ${command}`)
  if (owners !== "unknown") problems.push(...[...running].map((command) => `[TL3] ${command} has no end`))
  return problems
}
