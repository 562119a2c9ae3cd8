/**
 * A story: what happens to one Session, step by step, drawn from a seed. Each step has a seed of its own, so that
 * a shorter story does the same in the steps that it keeps.
 */
import { Draw } from "./draw.ts"

export const stepKinds = [
  "turn",
  "burst",
  "notice",
  "reduce",
  "trigger",
  "publish",
  "model",
  "tools",
  "agent",
  "context",
  "incompatible",
  "unreadable",
  "clock",
  "restart",
  "lost-commit",
  "crash",
  "second-writer",
  "overflow",
  "flush",
  "fold",
  "rebuild",
  "quarantine",
] as const
type StepKind = (typeof stepKinds)[number] | "memory"

export interface Step {
  readonly kind: StepKind
  readonly seed: number
}

export interface Story {
  readonly seed: number
  readonly steps: readonly Step[]
}

const stepsMin = 3
const stepsMax = 14
/** How often a step is one of those that make a history long; there is nothing to reduce without them. */
const growingShare = 0.55

export function drawStory(seed: number): Story {
  const draw = new Draw(seed)
  const count = stepsMin + draw.below(stepsMax - stepsMin)
  const steps = Array.from({ length: count }, (): Step => {
    const kind = draw.chance(growingShare) ? draw.of(["turn", "burst", "burst"] as const) : draw.of(stepKinds)
    return { kind, seed: draw.below(2 ** 31) }
  })
  return { seed, steps: remembering(new Draw(seed ^ memorySeeds), steps) }
}

const memorySeeds = 0x3e3041
const memoryShare = 0.4

/** From draws of its own, so that what else happens stays what it was. */
function remembering(draw: Draw, steps: readonly Step[]): readonly Step[] {
  if (draw.chance(1 - memoryShare)) return steps
  return steps.flatMap((step) =>
    draw.chance(0.4) ? [{ kind: "memory" as const, seed: draw.below(2 ** 31) }, step] : [step],
  )
}

/** The shortest story that a step at a time leads to and that fails in the same way. */
export function shorten(story: Story, failure: string, fails: (story: Story) => string | null): Story {
  let now = story
  for (let size = Math.ceil(now.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < now.steps.length;) {
      const shorter = { ...now, steps: now.steps.toSpliced(at, size) }
      if (fails(shorter) === failure) now = shorter
      else at += size
    }
  }
  return now
}
