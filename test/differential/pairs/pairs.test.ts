/**
 * Every pair of wires: what one model left behind is continued on another, and back again.
 *
 * All properties of one pair are asked of the same played conversation, because playing it, through
 * the real decoders, is what costs.
 */
import * as fc from "fast-check"
import { afterAll, describe, expect, test } from "vitest"
import { type Answered, play, rendered, unrendered } from "./conversation.ts"
import { anyPlan } from "./plan.ts"
import { compared, holds } from "./request.ts"
import { speakerOf, wireNames } from "./speakers.ts"

const numRuns = Math.max(1, Number(process.env["HOLDFAST_PAIR_RUNS"] ?? 5))

/** Each pair has plans of its own: those of one seed alone may happen to be poor in something. */
const seedOf = (pair: number): { readonly seed?: number } => {
  const { seed } = fc.readConfigureGlobal()
  return seed === undefined ? {} : { seed: seed + pair }
}

const pairs = wireNames.flatMap((from) => wireNames.map((to) => [from, to] as const))

describe("a conversation that moves", { timeout: 30_000 + numRuns * 1_000 }, () => {
  afterAll(() => {
    const least = Math.min(...Object.values(compared))
    expect({ ...compared, enough: least > pairs.length }).toEqual({ ...compared, enough: true })
  })

  test.each(pairs)("[LL1 LL3 LL4 LL6 LL7] from %s to %s and back is understood by both", (from, to) => {
    const pair = wireNames.indexOf(from) * wireNames.length + wireNames.indexOf(to)
    const [first, second] = [speakerOf(from, 0), speakerOf(to, 1)]
    const sims = new Map([first, second].map((speaker) => [speaker, speaker.judge?.() ?? null]))
    fc.assert(
      fc.property(anyPlan, fc.boolean(), (plan, asRendered) => {
        const { stretches, seals } = play(plan, first, second)
        for (const answer of stretches.at(-1)?.answers ?? []) inventsNothing(answer)
        for (const [i, played] of stretches.entries()) {
          const speaker = i === 1 ? first : second
          const entries = (asRendered ? rendered : unrendered)(played)
          holds({ speaker, sim: sims.get(speaker) ?? null, entries, asRendered, played, seals })
        }
      }),
      { ...seedOf(pair), numRuns, endOnFailure: true },
    )
  })
})

/** However a stream breaks off and is cut into pieces, what is kept is the beginning of what was said. */
function inventsNothing({ speaker, plan, parts }: Answered): void {
  if (plan.end.kind === "damaged") return
  const kept = (type: "text" | "reasoning") =>
    parts.map(({ part }) => (part.type === type ? part.text : "")).join("")
  const said = (kind: "text" | "thought") =>
    plan.said.map((one) => (one.kind === kind ? one.text : "")).join("")
  const [words, thoughts] = [said("text"), speaker.shows ? said("thought") : ""]
  const isWhole = plan.end.kind === "whole"
  expect(kept("text")).toBe(isWhole ? words : words.slice(0, kept("text").length))
  expect(kept("reasoning")).toBe(isWhole ? thoughts : thoughts.slice(0, kept("reasoning").length))
}
