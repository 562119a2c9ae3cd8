/**
 * Five fixed scenarios, killed at each of their durable writes: before it took effect and right
 * after, by SIGKILL and by a power cut. Every point must come to rest with nothing broken.
 */
import { expect, test } from "vitest"
import { calm, type Operation, type Plan, type Step } from "../simulation/plan.ts"
import { runSeed } from "../simulation/seed.ts"
import type { SeedReport } from "../simulation/stories/story.ts"

const step = (afterMs: number, operation: Operation): Step => ({ afterMs, operation })
const prompt = (n: number, delivery: "steer" | "queue" = "steer"): Operation => ({
  kind: "prompt",
  id: `S0-p${n}`,
  text: `S0: prompt ${n}`,
  delivery,
})
const plan = (steps: readonly Step[], policy: "settle" | "continue" = "settle", faultChance = 0): Plan => ({
  ...calm,
  sessions: [{ tag: "S0:", policy, steps }],
  kills: [],
  faultChance,
  second: null,
  diskMs: 3,
})

interface Scenario {
  readonly plan: Plan
  /** The search for its seed begins here: one that makes the scenario what it says, in few writes. */
  readonly seedMin: number
  /** Facts without which the scenario would not be what it says. */
  readonly holds: Readonly<Record<string, number>>
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "one prompt with parallel calls": {
    seedMin: 157,
    plan: plan([step(0, prompt(0))]),
    holds: { "call.started": 8, "turn.settled done": 1 },
  },
  "a steer into a running drain": {
    seedMin: 154,
    plan: plan([step(0, prompt(0)), step(900, prompt(1))]),
    holds: { "call.started": 5, "prompt.promoted": 2 },
  },
  "a queue behind a running drain": {
    seedMin: 137,
    plan: plan([step(0, prompt(0)), step(20, prompt(1, "queue")), step(20, prompt(2, "queue"))]),
    holds: { "call.started": 9, "turn.settled done": 3 },
  },
  "a context change between two prompts": {
    seedMin: 146,
    plan: plan([step(0, prompt(0)), step(9_000, { kind: "change-context" }), step(10, prompt(1))]),
    holds: { "context.updated": 1, "call.started": 11 },
  },
  "an interrupt, an edit and a resume under policy continue": {
    seedMin: 75,
    plan: plan(
      [
        step(0, prompt(0)),
        step(1_200, { kind: "interrupt" }),
        step(10, prompt(1, "queue")),
        step(1, { kind: "edit", text: "S0: edited" }),
        step(2_000, { kind: "resume" }),
      ],
      "continue",
    ),
    holds: { "session.interrupted": 1, "call.settled interrupted": 1, "prompt.edited": 1 },
  },
}

/** Each costs a run: where the search takes longer, `seedMin` is out of date. */
const seedsMax = 120
const writesMax = 60

/** The seed decides what the model answers: the next one that makes the scenario what it says. */
function findRun(scenario: Scenario): { readonly seed: number; readonly clean: SeedReport } {
  for (let seed = scenario.seedMin; seed < scenario.seedMin + seedsMax; seed++) {
    const clean = runSeed(seed, { plan: scenario.plan, kills: [] })
    const fits = Object.entries(scenario.holds).every(
      ([fact, count]) => (clean.facts.get(fact) ?? 0) >= count,
    )
    if (fits && clean.writes <= writesMax) return { seed, clean }
  }
  throw new Error(`no seed from ${scenario.seedMin} on makes the scenario what it says: look for another`)
}

for (const [name, scenario] of Object.entries(scenarios)) {
  test(
    `[PR1 PR4 EP5 DR4 TU2] survives a crash at each durable write of ${name}`,
    { timeout: 240_000 },
    () => {
      const { seed, clean } = findRun(scenario)
      expect(clean.problems).toEqual([])
      const problems: string[] = []
      for (let write = 1; write <= clean.writes; write++) {
        for (const moment of ["before", "after"] as const) {
          for (const crash of ["kill", "power-cut"] as const) {
            const report = runSeed(seed, { plan: scenario.plan, kills: [{ crash, write, moment }] })
            problems.push(
              ...report.problems.map(
                (problem) => `seed ${seed}, ${crash} ${moment} write ${write}: ${problem}`,
              ),
            )
          }
        }
      }
      expect(problems).toEqual([])
    },
  )
}
