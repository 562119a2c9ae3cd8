/**
 * Sessions, real and invented ones, replayed: the recorded answers are the model's, the recorded results the tools',
 * the recorded texts the user's, and the runtime is the real one. Every session is played as it
 * was; some are also killed at their durable writes.
 *
 *   HOLDFAST_TRANSCRIPT_CALLS   recorded answers played of each session (60)
 *   HOLDFAST_TRANSCRIPT_KILLS   durable writes of a session at which it is killed; `all` kills at
 *                               each of them, before and after, in four sessions (30, in one)
 */
import { expect, test } from "vitest"
import type { Death } from "../stage/virtual.ts"
import { checkFaithful, type Figures, judge } from "./judgement.ts"
import { inventedRecordings, realRecordings, type Recording } from "./recording.ts"
import { makeScript } from "./script.ts"
import { Stage } from "./stage.ts"

const invented = inventedRecordings()
const recordings = [...invented, ...realRecordings()]
const callsMax = Number(process.env["HOLDFAST_TRANSCRIPT_CALLS"] ?? 60)
const killsAsked = process.env["HOLDFAST_TRANSCRIPT_KILLS"] ?? "30"
/** More than any session has writes: the same as `all`. */
const killsEvery = 10_000
const kills = killsAsked === "all" || Number(killsAsked) >= killsEvery ? Infinity : Number(killsAsked)

/** Large enough for any prefix that is played, and small enough to be cut several times. */
const windowTokens = 2_000_000
const windowTokensSmall = 40_000

interface Run {
  readonly recording: Recording
  readonly answersMax: number
  readonly contextTokens: number
  readonly death: Death | null
}

interface Played extends Figures {
  readonly problems: readonly string[]
  readonly writes: number
}

function play({ recording, answersMax, contextTokens, death }: Run): Played {
  const script = makeScript(recording, answersMax)
  const stage = new Stage(script, { seed: 1, contextTokens, death })
  try {
    const session = stage.play()
    if (session === null) throw new Error("no Session was created")
    const outside = stage.outside()
    const { problems, figures } = stage.judge((store) => judge(store, session, script, outside))
    const faults = death === null ? stage.judge((store) => checkFaithful(store, session, script.answers)) : []
    return { ...figures, writes: outside.writes, problems: [...stage.problems, ...problems, ...faults] }
  } finally {
    stage.close()
  }
}

function report(
  name: string,
  { turns, requests, calls, truncated, reductions, breaks, writes }: Played,
): void {
  const window = `${reductions} reductions, ${breaks} breaks`
  console.log(
    `${name}: ${turns} turns, ${requests} requests, ${calls} calls, ${truncated} cut, ${window}, ${writes} writes`,
  )
}

for (const recording of recordings) {
  const answersMax = callsMax
  const { name } = recording

  test(`[LL3 TU1 TU2 TU7 PR4 PR7] plays ${name} as it was recorded`, { timeout: 600_000 }, () => {
    const played = play({ recording, answersMax, contextTokens: windowTokens, death: null })
    report(name, played)
    expect(played.problems).toEqual([])
    // Nothing leaves a window that is large enough, and the prefix breaks only where its cache is lost anyway.
    expect([played.reductions, played.breaksWarm]).toEqual([0, 0])
  })

  test(`[TU6 HB4 TU1 TU7 LL3] plays ${name} in a small window`, { timeout: 600_000 }, () => {
    const played = play({ recording, answersMax, contextTokens: windowTokensSmall, death: null })
    report(`${name}, small window`, played)
    expect(played.problems).toEqual([])
    expect(played.breaksWarm).toBeLessThanOrEqual(played.reductions)
    if (invented.includes(recording)) expect(played.reductions).toBeGreaterThan(0)
  })
}

/** Sessions that are killed, in the small window, and how much is played for every write to have its turn. */
const byLength = recordings.toSorted((a, b) => a.answers.length - b.answers.length)
const killed = byLength.slice(0, kills === Infinity ? 4 : 1)
const killedAnswersMax = kills === Infinity ? callsMax : Math.min(callsMax, 30)

for (const recording of killed) {
  test(
    `[DR4 PR1 PR4 TU1 TU2 TU6 HB4 TU7 LL3] survives a death at the durable writes of ${recording.name}`,
    { timeout: 7_200_000 },
    () => {
      const run = { recording, answersMax: killedAnswersMax, contextTokens: windowTokensSmall }
      const { writes, reductions } = play({ ...run, death: null })
      const deaths = pickDeaths(writes)
      const problems = deaths.flatMap((death) =>
        play({ ...run, death }).problems.map(
          (problem) => `${death.crash} ${death.moment} write ${death.write}: ${problem}`,
        ),
      )
      const clean = deaths.length - new Set(problems.map((problem) => problem.split(":")[0])).size
      console.log(
        `figure: ${recording.name}: ${clean} of ${deaths.length} deaths at ${writes} writes, ${reductions} reductions, end clean`,
      )
      expect(problems).toEqual([])
    },
  )
}

/** All of them, or so many spread over the whole run: by SIGKILL before, by a power cut after. */
function pickDeaths(writes: number): readonly Death[] {
  const all = Array.from({ length: writes }, (_, at) => at + 1).flatMap((write): readonly Death[] => [
    { write, moment: "before", crash: "kill" },
    { write, moment: "after", crash: "power-cut" },
  ])
  if (kills >= all.length) return all
  return Array.from({ length: kills }, (_, at) => all[Math.floor((at * all.length) / kills)] as Death)
}
