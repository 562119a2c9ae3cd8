/**
 * Linter and provider agree: what the one passes the other takes, and only that.
 *
 * A third, smaller judge, kept beside the repository for measuring other programs, joins in where
 * it is there.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import type { Target } from "@holdfast/llm/segments"
import type { Encoded } from "@holdfast/llm/wire"
import type { ProviderSim } from "@holdfast/provider-sim"
import { repositoryRoot } from "../../scripts/command.ts"
import { choices, isChoice } from "./choices.ts"
import { anyCase, type Case, readTool } from "./history.ts"
import { anyMutations, type Draft, draftOf, encodedOf, type Mutation } from "./mutation.ts"
import { bodyOf, judge, makeJudge, targetOf } from "./provider.ts"
import { numRuns, timeoutMs } from "./runs.ts"

const { encode, lint } = anthropicMessages

const anyHistory = fc.boolean().chain(anyCase)

const anyLie: fc.Arbitrary<readonly [Case, readonly Mutation[]]> = anyCase(true).chain((one) =>
  fc.tuple(fc.constant(one), anyMutations(one.target)),
)

const lieAbout = ({ segments, target }: Case, mutations: readonly Mutation[]): Encoded =>
  encodedOf(mutations.reduce<Draft>((draft, { change }) => change(draft), draftOf(encode(segments, target))))

/** Empty if linter and provider agree; otherwise what each of them says. */
function disagreement(sim: ProviderSim, encoded: Encoded, target: Target): string {
  const faults = lint(encoded, target)
  const { accepted, message } = judge(sim, bodyOf(encoded, target))
  // recorded: the provider answers a conversation that begins with the assistant.
  const isTaken = accepted || /first message must use the "user" role/.test(message)
  if (faults.length === 0) return isTaken ? "" : `the linter passes it, the provider says: ${message}`
  if (!accepted || faults.every(isChoice)) return ""
  return `the provider takes it, the linter says: ${faults.map((fault) => `${fault.rule}: ${fault.message}`).join("; ")}`
}

describe("the linter and the provider", { timeout: timeoutMs }, () => {
  test("[LL3 LL2] agree on every encoded history, whatever it holds and wherever", () => {
    const sim = makeJudge()
    fc.assert(
      fc.property(anyHistory, ({ segments, target }) => {
        expect(disagreement(sim, encode(segments, target), target)).toBe("")
      }),
      { numRuns },
    )
  })

  test("[LL3] agree that a history which the user begins and ends is legal", () => {
    const sim = makeJudge()
    fc.assert(
      fc.property(anyCase(true), ({ segments, target }) => {
        const encoded = encode(segments, target)
        expect(lint(encoded, target)).toEqual([])
        expect(judge(sim, bodyOf(encoded, target)).message).toBe("")
      }),
      { numRuns },
    )
  })

  test("[LL3] agree on every request that was changed behind the encoder's back", () => {
    const sim = makeJudge()
    const seen = { accepted: 0, refused: 0 }
    fc.assert(
      fc.property(anyLie, ([one, mutations]) => {
        const encoded = lieAbout(one, mutations)
        expect(disagreement(sim, encoded, one.target)).toBe("")
        seen[sim.log.at(-1)?.status === 200 ? "accepted" : "refused"] += 1
      }),
      { numRuns },
    )
    // A generator that makes only one kind of request compares nothing.
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(numRuns / 20)
  })

  for (const { rule, message, example } of choices) {
    test(`[LL3] part on purpose where the linter says ${rule}: ${message.source}`, () => {
      const target = targetOf({ systemRole: true })
      const legal = encode({ ...emptySegments, tools: [readTool] }, target)
      const encoded = encodedOf({ ...draftOf(legal), messages: example })
      const faults = lint(encoded, target)
      expect(faults.map((fault) => [fault.rule, message.test(fault.message)])).toEqual([[rule, true]])
      expect(judge(makeJudge(), bodyOf(encoded, target)).message).toBe("")
    })
  }
})

const emptySegments = {
  tools: [],
  system: "",
  agent: "",
  historyBaseline: [],
  historyDelta: [],
  tail: [{ kind: "user", text: "Begin." }],
} as const

const otherJudge = join(repositoryRoot, "../shared/peers/lib/mock.mjs")

describe("another judge", { timeout: timeoutMs }, () => {
  test("[LL3] accepts every body that the provider accepts", async ({ skip }) => {
    if (!existsSync(otherJudge)) skip("there is no ../shared/peers/lib/mock.mjs beside this repository")
    const { validateAnthropic } = (await import(/* @vite-ignore */ pathToFileURL(otherJudge).href)) as {
      validateAnthropic: (body: unknown) => null | { readonly body: unknown }
    }
    const sim = makeJudge()
    const agrees = (encoded: Encoded, target: Target) => {
      const { accepted, body } = judge(sim, bodyOf(encoded, target))
      if (accepted) expect(validateAnthropic(body)).toBeNull()
    }
    fc.assert(
      fc.property(anyLie, ([one, mutations]) => {
        agrees(encode(one.segments, one.target), one.target)
        agrees(lieAbout(one, mutations), one.target)
      }),
      { numRuns },
    )
  })
})
