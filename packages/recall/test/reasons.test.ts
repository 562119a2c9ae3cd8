/** What a break is told to be for where several things come together, and what each of them does to the Epoch and to a wait. */
import { describe, expect, test } from "vitest"
import type { SignalId } from "@holdfast/schema/id"
import type { MemoryId } from "@holdfast/schema/memory/memory"
import { noHistory } from "@holdfast/recall"
import { condense } from "@holdfast/recall/condense"
import { budgetOf } from "@holdfast/recall/cut"
import type { Encoded } from "@holdfast/llm/wire"
import { emptyFrozen } from "@holdfast/schema/state/frozen"
import { assistant, call, published, text, user, words } from "./history.ts"
import { ask, grown, historyOf, limits, planned, publishedTo, rounds, said, signal, tool } from "./talk.ts"

const flush = signal("sig_flush", "flush")
const cold = { ms: 400_000, lifetimeMs: 300_000 }

describe("the reason on record", () => {
  test("[TU7 PS8] what was put off and is done with another break is told as the threshold's, not as a full window's", () => {
    const busy = grown(rounds(32), assistant(900, call(1, words(400))))
    const { pass } = ask(busy, { causes: { optionsChanged: true } })
    expect(pass.applied?.ops.map(({ op }) => op)).toContain("cut")
    expect(pass.applied?.reason).toBe("cut_threshold")
  })

  test("[TU7 PS7] what a cold cache folds is not told as the flush that was asked for: that never folds", () => {
    const pass = planned(rounds(5), { idle: cold, waiting: [flush] })
    expect(pass).toMatchObject({ kind: "fold", applied: { reason: "execute_idle", consumes: ["sig_flush"] } })
  })

  test("[TU7 HB3] memory that somebody edited is told before the flush that it came with", () => {
    const memory = { id: "m1" as MemoryId, category: "NAMING" as const, text: "Use tabs.", changedSeq: 1 }
    const of = (epoch: number, told: string) => ({
      seq: epoch,
      epoch,
      memories: [{ ...memory, text: told, changedSeq: epoch }],
    })
    const begun = rounds(5, { memory: of(1, "Use tabs.") })
    const { pass } = ask({ ...begun, memory: of(9, "Use spaces.") }, { waiting: [flush] })
    expect(pass.applied?.reason).toBe("memory_changed")
  })
})

describe("the Epoch", () => {
  test("[EP7] a switch of model takes in what was published, and keeps the Epoch", () => {
    const waiting = publishedTo(ask(rounds(6)).after, published(1, 22))
    const { pass, after } = ask({ ...waiting, model: "other" })
    expect(pass).toMatchObject({ kind: "fold", endsEpoch: false, applied: { reason: "model_changed" } })
    expect(after.frozen.from).toBe(23)
    expect(said(pass.encoded)).toContain("U told in full")
  })
})

describe("a historian at work", () => {
  const running = { inline: false, running: true, waited: false }
  const refusal = { words: "too long", refusedTokens: 40_000, acceptedTokens: 0 }

  test("[EG1] a turn waits for it behind an overflow, too, however full the window seems", () => {
    expect(planned(rounds(10), { historian: running }).waits).toBe(false)
    expect(planned(rounds(10), { historian: running, refusal }).waits).toBe(true)
  })

  test("[EG1 HI1] once the turn has waited in vain, the pass writes what is due by itself", () => {
    const pass = planned(rounds(33), { historian: { inline: true, running: true, waited: true } })
    expect(pass).toMatchObject({ kind: "fold", applied: { reason: "cut_threshold" } })
    expect(pass.encoded.tokens).toBeLessThan(0.5 * 40_000)
  })

  test("[HB4] a cut takes the last message of what it published, which is not told twice", () => {
    const begun = publishedTo(
      grown(ask(rounds(6)).after, assistant(54, text("Done.")), user(55)),
      published(1, 52),
    )
    const { after } = ask(begun, { refusal: { ...refusal, words: "maximum context length is 12000" } })
    const covered = historyOf(after).compartments
    for (const { seq } of after.messages)
      expect(covered.some(({ fromSeq, toSeq }) => seq >= fromSeq && seq <= toSeq)).toBe(false)
  })
})

test("[HB1] the Delta says up to which message its parts go", () => {
  const told = publishedTo(ask(rounds(6)).after, published(1, 22))
  const { after } = ask(told, { waiting: [flush] })
  expect(after.frozen.slots?.delta).toMatch(/^Later parts of this conversation, up to message #22\.\n/)
})

test("[TA1] the boundary passes the newest input from 80 % on, and not before", () => {
  const answers = Array.from({ length: 30 }, (_, n) => assistant(10 + n, text(words(1_000))))
  const view = { messages: [user(1, "Do it all."), ...answers], frozen: emptyFrozen }
  const encoded = { blocks: [], tokens: 31_000 } as unknown as Encoded
  const below = (usage: number) =>
    condense({
      view,
      encoded,
      limits,
      budgetTokens: budgetOf(limits),
      usage,
      history: noHistory,
      extracts: "yes",
    })?.below ?? 0
  expect(below(0.78)).toBeLessThanOrEqual(1)
  expect(below(0.82)).toBeGreaterThan(10)
})

test("[SU4 TU6] a cut by hand is judged by what it can shorten: large tools keep nobody from it", () => {
  const tools = [{ ...tool("read"), description: words(20_000) }]
  const roomy = { ...limits, contextTokens: 200_000 }
  const pass = planned(rounds(8, { limits: roomy, tools }), { signals: ["sig_fold" as SignalId] })
  expect(pass).toMatchObject({ kind: "fold", applied: { reason: "cut_asked" } })
})

test("[HB4 MK1] a Fold that moves nothing keeps the newest of several boundaries", () => {
  const first = ask(publishedTo(ask(rounds(6)).after, published(1, 22)), { waiting: [flush] }).after
  const second = ask(publishedTo(first, published(23, 42)), { waiting: [flush] }).after
  expect(second.frozen.ops.filter(({ op }) => op === "cut")).toHaveLength(2)
  const { pass, after } = ask({ ...second, model: "other" })
  expect(pass).toMatchObject({ kind: "fold", applied: { reason: "model_changed" } })
  expect([second.frozen.from, after.frozen.from]).toEqual([43, 43])
})
