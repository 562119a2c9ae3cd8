/** What a seed is run with, and what it comes to. */
import type { Kill } from "../machine.ts"
import type { Plan } from "../plan.ts"

export interface SeedReport {
  readonly seed: number
  readonly hash: string
  readonly problems: readonly string[]
  readonly trace: readonly string[]
  readonly steps: number
  readonly writes: number
  readonly virtualMs: number
  readonly requests: number
  /** How often each kind of fact, with its outcome, and each rare event came up: what the seed really exercised. */
  readonly facts: ReadonlyMap<string, number>
  readonly story: Story
}

/** What a seed came down to, kept where drawing it anew would give another plan. */
export interface Story {
  readonly seed: number
  /** Where the draws were when the plan was drawn. */
  readonly state: number
  readonly plan: Plan
}

export interface SeedOptions {
  /** In place of what the seed draws. */
  readonly plan?: Plan
  /** Where the draws go on behind that plan. */
  readonly state?: number
  /** Only this kill, in place of the plan's. */
  readonly kills?: readonly Kill[]
}
