/**
 * Troubles of a seed: each strikes at a moment that counts, the n-th of its kind.
 *
 *   freeze        the process that reached the moment runs nothing for longer than a lease lives
 *   step-clocks   the wall clocks of all processes jump
 *   disk          commits or reads fail for a while, or wait for a lock that somebody else holds
 *   line          the way to the provider fails the request of the moment
 */
import type { World } from "../stage/scheduler.ts"
import type { LineTrouble } from "../stage/transport.ts"

/** About to commit, committed, sent a request, started a call, found a Session led by another. */
export type Moment = "commit" | "committed" | "send" | "start" | "held"

export type DiskTrouble = "io-error" | "busy"

const lineTroubles: readonly LineTrouble[] = ["refused", "reset", "silent"]

export interface Trouble {
  readonly moment: Moment
  readonly nth: number
  readonly delayMs: number
  readonly strikes:
    | { readonly kind: "freeze"; readonly forMs: number }
    | { readonly kind: "step-clocks" }
    | { readonly kind: "disk"; readonly how: DiskTrouble; readonly forMs: number }
    | { readonly kind: "line"; readonly how: LineTrouble }
}

const freezesMax = 3

export function drawTroubles(world: World, two: boolean): readonly Trouble[] {
  const troubles: Trouble[] = []
  if (two && world.chance(0.6)) {
    for (let left = 1 + world.below(freezesMax); left > 0; left--) {
      const forMs = 5_000 + world.below(25_000)
      troubles.push({ ...drawMoment(world), strikes: { kind: "freeze", forMs } })
    }
  }
  if (two && world.chance(0.5)) {
    const nth = 1 + world.below(12)
    troubles.push({ moment: "held", nth, delayMs: world.below(1_000), strikes: { kind: "step-clocks" } })
  }
  if (world.chance(0.1)) {
    const how = world.chance(0.5) ? "io-error" : "busy"
    const forMs = how === "busy" ? 1_000 + world.below(60_000) : 1 + world.below(15_000)
    troubles.push({ ...drawMoment(world), strikes: { kind: "disk", how, forMs } })
  }
  return troubles
}

/** Some requests in a row, at times more than a turn may try. */
export function drawLineTroubles(world: World): readonly Trouble[] {
  if (world.chance(0.75)) return []
  const first = 1 + world.below(8)
  return Array.from({ length: 1 + world.below(7) }, (_, at) => ({
    moment: "send",
    nth: first + at,
    delayMs: 0,
    strikes: { kind: "line", how: lineTroubles[world.below(lineTroubles.length)] ?? "refused" },
  }))
}

function drawMoment(world: World): Pick<Trouble, "moment" | "nth" | "delayMs"> {
  const draw = world.random()
  // In mid commit: before it takes effect, or before anybody hears of it.
  if (draw < 0.2) return { moment: "commit", nth: 1 + world.below(60), delayMs: 0 }
  if (draw < 0.4) return { moment: "committed", nth: 1 + world.below(60), delayMs: 0 }
  // In mid stream, in mid tool.
  if (draw < 0.7) return { moment: "send", nth: 1 + world.below(8), delayMs: world.below(600) }
  return { moment: "start", nth: 1 + world.below(8), delayMs: world.below(1_500) }
}
