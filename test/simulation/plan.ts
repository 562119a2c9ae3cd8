/** What the clients of one seed do, drawn from the seed before anything runs. */
import type { Kill } from "./machine.ts"
import { World } from "../stage/scheduler.ts"
import { type AskingPlan, drawAsking } from "./people/asker.ts"
import { type BystanderStep, drawBystander } from "./people/bystander.ts"
import { type BudgetStep, drawBudgets, drawStubborn, type Stubborn } from "./limits.ts"
import type { Shapes } from "./script.ts"
import { words } from "../stage/words.ts"
import { drawJobs, type Jobs } from "./jobs.ts"
import { drawKnowledge, type KnowledgePlan } from "./knowledge/scholar.ts"
import { drawRecall, drawTalk, type RecallPlan } from "./recall/keeper.ts"
import { drawTravels, type Travel } from "./people/traveller.ts"
import { drawLineTroubles, drawTroubles, type Trouble } from "./trouble.ts"

export type Operation =
  | {
      readonly kind: "prompt"
      readonly id: string
      readonly text: string
      readonly delivery: "steer" | "queue"
    }
  | { readonly kind: "repeat" }
  | { readonly kind: "edit"; readonly text: string }
  | { readonly kind: "cancel" }
  | { readonly kind: "interrupt" }
  | { readonly kind: "resume" }
  | { readonly kind: "change-context" }
  | { readonly kind: "storm"; readonly prompts: readonly Extract<Operation, { kind: "prompt" }>[] }
  | { readonly kind: "step-clocks" }
  | { readonly kind: "fill-disk"; readonly forMs: number }

export interface Step {
  readonly afterMs: number
  readonly operation: Operation
}

export interface Plan {
  readonly sessions: readonly {
    readonly tag: string
    readonly policy: "settle" | "continue"
    readonly steps: readonly Step[]
  }[]
  readonly kills: readonly Kill[]
  readonly faultChance: number
  /** Deaths of a second runtime on the same store; null where there is none. */
  readonly second: readonly Kill[] | null
  readonly diskMs: number
  readonly troubles: readonly Trouble[]
  /** Whether a process can find out what became of another, or only its beat tells. */
  readonly owners: "known" | "unknown"
  readonly shapes: Shapes
  /** Small, so that histories meet the size gate. */
  readonly contextTokens: number
  /** How long a tool may take, at most. */
  readonly toolMs: number
  /** What somebody writes into a Session without the lease, each after a wait; none in older stories. */
  readonly bystander?: readonly BystanderStep[]
  /** Moves and forks, each after a wait; none in older stories. */
  readonly travels?: readonly Travel[]
  /** What Sessions may spend, each after a wait; none in older stories. */
  readonly budgets?: readonly BudgetStep[]
  /** Whether the model repeats its calls; not in older stories. */
  readonly stubborn?: Stubborn | null
  /** Which calls must be asked for, and who answers; nothing is asked in older stories. */
  readonly asking?: AskingPlan | null
  /** Which calls leave a command in the background; none in older stories. */
  readonly jobs?: Jobs | null
  /** Who writes history, and what somebody asks of it; nobody in older stories. */
  readonly recall?: RecallPlan | null
  /** Who tends memory, and what somebody does to it; nobody in older stories. */
  readonly knowledge?: KnowledgePlan | null
}

/** Without what a seed adds to it: one process after another on a sound disk, small answers. */
export const calm = {
  troubles: [],
  owners: "known",
  shapes: "small",
  contextTokens: 12_000,
  toolMs: 4_000,
} as const satisfies Partial<Plan>

const sessionsMax = 3
const stepsMax = 7
const killsMax = 5
const writesPerKillMax = 40

export function drawPlan(world: World, seed: number): Plan {
  const sessions = Array.from({ length: 1 + world.below(sessionsMax) }, (_, at) => {
    const tag = `S${at}:`
    const count = 2 + world.below(stepsMax - 1)
    const first: Step = { afterMs: world.below(50), operation: drawPrompt(world, tag, 0) }
    const rest = Array.from({ length: count }, (_unused, n) => ({
      afterMs: world.chance(0.4) ? world.below(40) : world.below(9_000),
      operation: drawOperation(world, tag, n + 1),
    }))
    return {
      tag,
      policy: world.chance(0.3) ? ("continue" as const) : ("settle" as const),
      steps: [first, ...rest],
    }
  })
  const drawKills = (most: number) => Array.from({ length: 1 + world.below(most) }, () => drawKill(world))
  const drawn = {
    sessions,
    kills: drawKills(killsMax),
    faultChance: world.chance(0.3) ? 0 : 0.25,
    second: world.chance(0.3) ? drawKills(2) : null,
    diskMs: world.chance(0.1) ? 400 : 3,
  }
  const extras = drawExtras(new World(seed + extraSeeds), drawn.second !== null)
  const line = drawLineTroubles(new World(seed + lineSeeds))
  const bystander = drawBystander(new World(seed + bystanderSeeds), sessions.length)
  const travels = drawTravels(new World(seed + travelSeeds), sessions.length)
  const limits = new World(seed + limitSeeds)
  const budgets = drawBudgets(limits, sessions.length)
  const stubborn = drawStubborn(limits)
  const troubles = [...extras.troubles, ...line]
  const jobs = drawJobs(new World(seed + jobSeeds))
  const asking = drawAsking(new World(seed + askingSeeds))
  const long = new World(seed + recallSeeds)
  const recall = drawRecall(long, sessions.length)
  const talking = recall === null ? sessions : sessions.map((session) => longer(long, session))
  const knowledge = drawKnowledge(new World(seed + knowledgeSeeds))
  const others = { bystander, travels, budgets, stubborn, asking, jobs, recall, knowledge }
  return { ...drawn, ...extras, sessions: talking, troubles, ...others }
}

const extraSeeds = 0x5eed
const lineSeeds = 0x11e5eed
const bystanderSeeds = 0xb75eed
const travelSeeds = 0x7a5eed
const limitSeeds = 0x115eed
const askingSeeds = 0xa5c5eed
const jobSeeds = 0x70b5eed
const recallSeeds = 0x4eca115eed
const knowledgeSeeds = 0x4a0e1ed6e

const longer = (world: World, session: Plan["sessions"][number]): Plan["sessions"][number] => ({
  ...session,
  steps: [...session.steps, ...drawTalk(world, session.tag)],
})

/** From draws of their own, so that what the clients of a seed do stays what it was. */
function drawExtras(extra: World, two: boolean): Pick<Plan, keyof typeof calm> {
  const troubles = drawTroubles(extra, two)
  const size = extra.random()
  return {
    troubles,
    owners: extra.chance(two ? 0.4 : 0.05) ? "unknown" : "known",
    shapes: size < 0.03 ? "largest" : size < 0.13 ? "real" : "small",
    contextTokens: size < 0.06 ? 60_000 : calm.contextTokens,
    toolMs: two && extra.chance(0.3) ? 30_000 : calm.toolMs,
  }
}

const drawKill = (world: World): Kill => ({
  crash: world.chance(0.5) ? "kill" : "power-cut",
  // A fifth of the deaths meets the recovery of the one before.
  write: 1 + world.below(world.chance(0.2) ? 3 : writesPerKillMax),
  moment: world.chance(0.5) ? "before" : "after",
})

/** Many inputs at the same moment. */
function drawStorm(world: World, tag: string, n: number): Operation {
  const prompts = Array.from({ length: 2 + world.below(8) }, (_, at) => drawPrompt(world, tag, 100 * n + at))
  return { kind: "storm", prompts }
}

function drawPrompt(world: World, tag: string, n: number): Extract<Operation, { kind: "prompt" }> {
  const size = world.chance(0.08) ? 2_000 + world.below(4_000) : 1 + world.below(12)
  return {
    kind: "prompt",
    id: `${tag.slice(0, -1)}-p${n}`,
    text: `${tag} prompt ${n} ${words(world, size)}`,
    delivery: world.chance(0.7) ? "steer" : "queue",
  }
}

function drawOperation(world: World, tag: string, n: number): Operation {
  const draw = world.random()
  if (draw < 0.5) return drawPrompt(world, tag, n)
  if (draw < 0.58) return { kind: "repeat" }
  if (draw < 0.66) return { kind: "edit", text: `${tag} edited ${n} ${words(world, 3)}` }
  if (draw < 0.72) return { kind: "cancel" }
  if (draw < 0.82) return { kind: "interrupt" }
  if (draw < 0.87) return { kind: "resume" }
  if (draw < 0.94) return { kind: "change-context" }
  if (draw < 0.97) return drawStorm(world, tag, n)
  return world.chance(0.5) ? { kind: "step-clocks" } : { kind: "fill-disk", forMs: world.below(4_000) }
}
