/** Words that a seed draws. */
import type { World } from "./scheduler.ts"

const vocabulary = ["log", "turn", "lease", "epoch", "prompt", "call", "store", "wire"]

export const words = (world: World, count: number): string =>
  Array.from({ length: count }, () => vocabulary[world.below(vocabulary.length)]).join(" ")
