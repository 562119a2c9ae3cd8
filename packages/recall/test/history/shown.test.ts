/** What a window is said to show of its history. */
import { expect, test } from "vitest"
import { recallStatus, shownCompartments } from "@holdfast/recall"
import type { SignalRaised } from "@holdfast/schema/fact/recall"
import { frozenOf } from "@holdfast/schema/state/frozen"
import { tokensOf } from "../../src/historian/words.ts"
import { assistant, call, skeleton, user } from "../history.ts"

test("[SU2 PG3] a part counts what the window shows of it, not all that is kept of it", () => {
  const kept = `U #1 Mend the cage.\nN ${"src/cage.ts ".repeat(200)}`
  const part = (fromSeq: number) => ({
    id: `c${fromSeq}-${fromSeq + 8}`,
    fromSeq,
    toSeq: fromSeq + 8,
    title: "Mend the cage.",
    tiers: [kept, kept, kept, kept] as const,
    importance: 40,
    episode: "talk",
  })
  const slots = {
    baseline:
      "Older messages:\n## c1-9\nU #1 Mend the cage.\n## c10-18 Mend the cage.\n\nWhat is known of this project:\n- Much.",
    delta: "Nothing.",
    boundary: 19,
    markers: { shown: [1, 10].map((at) => ({ id: part(at).id, tier: at === 1 ? 1 : 4 })) },
  }
  const shown = shownCompartments(
    { slots } as unknown as Parameters<typeof shownCompartments>[0],
    [part(1), part(10)] as unknown as Parameters<typeof shownCompartments>[1],
  )
  expect(shown.map(({ tokens }) => tokens)).toEqual([
    tokensOf("## c1-9\nU #1 Mend the cage.\n"),
    tokensOf("## c10-18 Mend the cage.\n"),
  ])
})

test("[SU2 TG1] of a drop that was asked for, only what still stands there is said to wait", () => {
  const tagged = (n: number) => ({ ...call(n, "seen"), seq: n })
  const messages = [user(1), assistant(2, tagged(3), tagged(4), tagged(5))]
  const units = [3, 4].map((n) => ({ message: "msg_2", call: `call_${n}` }))
  const asked = { type: "signal.raised", signal: "sig_1", kind: "drop", detail: { units } }
  const signals = new Map([["sig_1", asked as unknown as SignalRaised]])
  const waiting = (gone: readonly number[]) => {
    const frozen = frozenOf(
      gone.map((n) => skeleton(2, n)),
      null,
    )
    const limits = { contextTokens: 10_000, outputTokens: 1_000, answered: null }
    return recallStatus({ messages, frozen }, { signals }, limits, 900).waiting
  }
  expect([[], [3], [3, 4]].map(waiting)).toEqual([
    [{ kind: "drop", count: 2 }],
    [{ kind: "drop", count: 1 }],
    [],
  ])
})

test("[SU2] what is used and what is left are in what the provider counts, as the window is", () => {
  const answered = { reported: 20_000, estimated: 10_000 }
  const limits = { contextTokens: 42_000, outputTokens: 2_000, executeShare: 0.65, answered }
  const view = { messages: [user(1)], frozen: frozenOf([], null) }
  expect(recallStatus(view, { signals: new Map() }, limits, 6_000)).toMatchObject({
    usage: 0.3,
    tokensLeft: 14_000,
  })
})
