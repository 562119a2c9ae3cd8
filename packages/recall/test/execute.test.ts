/** What an execute does: when it is put off, what leaves with it, how it is told, and what rides on a break. */
import { describe, expect, test } from "vitest"
import { conversationOf } from "@holdfast/llm/request/cache-key"
import { moveBehind, type Published, render, usageShare } from "@holdfast/recall"
import { isOverfull } from "@holdfast/recall/condense"
import type { SignalId } from "@holdfast/schema/id"
import type { MemoryId } from "@holdfast/schema/memory/memory"
import { assistant, call, published, system, text, user, words } from "./history.ts"
import {
  ask,
  grown,
  historyOf,
  limits,
  planned,
  publishedTo,
  rounds,
  said,
  signal,
  type Talk,
  talk,
  tool,
} from "./talk.ts"

const usage = (asked: Talk) => usageShare(planned(asked, { mode: "job" }).encoded.tokens, limits)

const refusal = { words: "too long", refusedTokens: 40_000, acceptedTokens: 0 }

describe("at the threshold", () => {
  test("[PS5 HB3 EP7 MK1] older history is told in compartments, by a Fold that ends the Epoch", () => {
    const long = rounds(33)
    expect(usage(long)).toBeGreaterThan(0.8)
    const { pass, after } = ask(long)
    expect(pass).toMatchObject({ kind: "fold", endsEpoch: true, applied: { reason: "cut_threshold" } })
    expect(after.frozen.slots?.boundary).toBe(after.frozen.from)
    expect(historyOf(after).compartments.at(-1)?.toSeq).toBe(after.frozen.from - 1)
    expect(usage(after)).toBeLessThan(0.5)
  })

  test("[TU6 PS5] to ask for a cut never gives a longer request than not to ask", () => {
    const reasons = [30, 31, 36].map((count) => {
      const long = rounds(count)
      const asked = planned(long, { signals: ["sig_1" as SignalId] })
      expect(asked.encoded.tokens).toBeLessThanOrEqual(planned(long).encoded.tokens)
      expect(asked.applied?.consumes).toEqual(["sig_1"])
      return asked.applied?.reason
    })
    expect(reasons).toEqual(["cut_asked", "cut_threshold", "cut_forced"])
  })

  test("[LL5] every fold keeps what the conversation was called before the first", () => {
    const long = rounds(33)
    const name = conversationOf(planned(long, { mode: "job" }).encoded.blocks)
    const first = ask(long).after
    const more = Array.from({ length: 30 }, (_, n) => [
      assistant(1_000 + 2 * n, text(words(990))),
      user(1_001 + 2 * n),
    ]).flat()
    const second = ask(grown(first, ...more)).after
    expect(second.frozen.from).toBeGreaterThan(first.frozen.from)
    expect([first, second].map(({ frozen }) => render({ messages: [], frozen }).conversation)).toEqual([
      name,
      name,
    ])
  })

  test("[HB6] the pass behind it is a Hold, and so is that of another process", () => {
    const { after } = ask(rounds(33))
    expect(planned(after)).toMatchObject({ kind: "hold", records: [] })
  })

  test("[PS8] behind calls it is put off, stored once, and done once where they have ended", () => {
    const busy = grown(rounds(32), assistant(900, call(1, words(400))))
    const first = ask(busy)
    expect(first.pass).toMatchObject({ kind: "hold", applied: null })
    expect(first.pass.records).toMatchObject([{ type: "signal.raised", kind: "execute" }])
    const second = ask(grown(first.after, assistant(902, call(2, "seen"))))
    expect(second.pass).toMatchObject({ kind: "hold", records: [] })
    const done = ask(grown(second.after, assistant(904, text("Done.")), user(905)))
    const [raised] = [...second.after.items.signals.keys()]
    expect(done.pass).toMatchObject({ kind: "fold", applied: { consumes: [raised] } })
    expect(done.after.items.signals.size).toBe(0)
  })

  test("[TA1 TU6] what calls brought stays until the model has read it, however full the window is", () => {
    const output = words(6_000)
    for (const count of [28, 34, 37]) {
      const asking = grown(rounds(count), assistant(900, call(900, output)))
      const { pass } = ask(asking)
      expect(pass.kind).toBe("fold")
      expect(JSON.stringify(pass.encoded.blocks)).toContain(output.slice(0, 2_000))
    }
  })

  test("[MD1] nothing of it leaves in a subagent or a job", () => {
    expect(planned(rounds(33), { mode: "job" })).toMatchObject({ kind: "hold", records: [] })
    expect(planned(rounds(33), { mode: "child" })).toMatchObject({
      break: null,
      applied: { ops: [], slots: null },
    })
  })

  test("[TA1 MK1] of two boundaries it takes the one that is nearer to what is aimed at", () => {
    const file = (tokens: number) =>
      grown(rounds(20), assistant(900, call(1, words(tokens))), assistant(902, text("Read.")), user(903))
    const stays = (tokens: number) => ask(file(tokens)).after.messages.some(({ seq }) => seq === 900)
    expect([usage(file(11_000)), usage(file(14_500))].every((share) => share > 0.75)).toBe(true)
    expect([stays(11_000), stays(14_500)]).toEqual([true, false])
  })

  test("[PS5 PS7] what is hardly worth a break stays; that it was looked at is recorded once, and changes no byte", () => {
    const asked = grown(rounds(3), assistant(900, text("yes")), user(901, words(27_000)))
    expect(usage(asked)).toBeGreaterThan(0.75)
    const pass = planned(asked)
    const none = { ops: [], slots: null, consumes: [] }
    expect(pass).toMatchObject({
      kind: "refresh",
      break: null,
      applied: { reason: "execute_threshold", ...none },
    })
    const held = planned({ ...asked, items: { ...asked.items, executedSeq: 901 } })
    expect(held).toMatchObject({
      kind: "hold",
      records: [],
      encoded: { prefixHash: pass.encoded.prefixHash },
    })
  })

  test("[PS4 PS7 PS8] what was put off and finds nothing is done with, and tells no memory by a break of its own", () => {
    const begun = grown(rounds(3), assistant(900, text("yes")), user(901, words(27_000)))
    const memory = { id: "m1" as MemoryId, category: "NAMING" as const, text: "Use tabs.", changedSeq: 1 }
    const asked = { ...begun, memory: { seq: 1, epoch: 0, memories: [memory], profile: [] } }
    const pass = planned(asked, { waiting: [signal("sig_off", "execute")] })
    expect(pass).toMatchObject({
      kind: "refresh",
      break: null,
      applied: { ops: [], slots: null, consumes: ["sig_off"], tokensAfter: pass.encoded.tokens },
      encoded: { prefixHash: planned(asked, { mode: "job" }).encoded.prefixHash },
    })
    const flushed = planned(asked, { waiting: [signal("sig_off", "execute"), signal("sig_now", "flush")] })
    expect(flushed.encoded.prefixHash).not.toBe(pass.encoded.prefixHash)
  })
})

describe("a cold cache", () => {
  const cold = { ms: 400_000, lifetimeMs: 300_000 }

  test("[HB3] is a Fold, once, and takes nothing out of a short conversation", () => {
    const { pass, after } = ask(rounds(5), { idle: cold })
    expect(pass).toMatchObject({
      kind: "fold",
      endsEpoch: false,
      break: null,
      applied: { reason: "execute_idle" },
    })
    expect(planned(after)).toMatchObject({ kind: "hold" })
  })

  test("[MD2] drops no output of a short one", () => {
    const calls = Array.from({ length: 25 }, (_, n) =>
      assistant(200 + n, { ...call(n + 1, words(100)), seq: 200 + n }),
    )
    const asked = grown(rounds(2), ...calls, assistant(300, text("Done.")), user(301))
    const flush = { waiting: [signal("sig_flush", "flush")] }
    expect(planned(asked, flush).applied?.ops.map(({ op }) => op)).toContain("drop")
    expect(planned(asked, { idle: cold }).applied).toMatchObject({ reason: "execute_idle", ops: [] })
  })

  test("[HB3 PS5] condenses a long one before it is sent", () => {
    const asked = rounds(24)
    expect(planned(asked)).toMatchObject({ kind: "hold" })
    expect(planned(asked, { idle: cold })).toMatchObject({ kind: "fold", applied: { reason: "cut_idle" } })
  })
})

describe("what a historian published", () => {
  const begun = ask(rounds(6)).after
  const waiting = publishedTo(begun, published(1, 22))

  test("[PS6] changes no byte of the next pass", () => {
    expect(planned(waiting)).toMatchObject({ kind: "hold", records: [] })
    expect(said(planned(waiting).encoded)).toBe(said(planned(begun).encoded))
  })

  test("[PS6 PS7 MK1 MK2 HB3] leaves the tail with the next break, and once", () => {
    const { pass, after } = ask({ ...waiting, tools: [tool("work")] })
    expect(pass).toMatchObject({ kind: "fold", applied: { reason: "tools_changed" } })
    expect(after.frozen.from).toBe(23)
    expect(said(pass.encoded)).toContain("U told in full")
    expect(after.messages.every(({ seq }) => seq >= 23)).toBe(true)
    expect(planned(after)).toMatchObject({ kind: "hold" })
  })

  const move = (behind: Published) => moveBehind(behind, "sig_move" as SignalId)

  test("[MK2 HI5] the move that waits behind it is applied with the next break", () => {
    const { pass } = ask({ ...waiting, tools: [tool("work")] }, { waiting: [move(published(1, 22))] })
    expect(pass.applied).toMatchObject({
      consumes: ["sig_move"],
      moves: [{ signal: "sig_move", outcome: "applied", reason: null }],
    })
  })

  test("[MK2] one that was applied before is found so, and one whose history was replaced is discarded with a reason", () => {
    const { after } = ask({ ...waiting, tools: [tool("work")] })
    const flush = signal("sig_flush", "flush")
    const found = planned(after, { waiting: [flush, move(published(1, 22))] })
    expect(found.applied?.moves).toEqual([{ signal: "sig_move", outcome: "already", reason: null }])
    const replaced = planned(begun, { waiting: [flush, move(published(1, 22))] })
    expect(replaced.applied?.moves).toEqual([
      { signal: "sig_move", outcome: "stale", reason: "c1-22 stands no more" },
    ])
    expect(replaced.applied?.consumes).toEqual(["sig_flush", "sig_move"])
  })

  test("[MK2] it waits while nothing breaks the prefix", () => {
    expect(planned(waiting, { waiting: [move(published(1, 22))] })).toMatchObject({
      kind: "hold",
      records: [],
    })
  })

  test("[PS7 EP12] a flush renders it in the Delta with what the sources said, and never folds", () => {
    const told = grown(begun, system(700, "The sky is grey."), assistant(701, text("I see.")), user(702))
    const asked = publishedTo(ask(told).after, published(1, 701))
    const { pass, after } = ask(asked, { waiting: [signal("sig_flush", "flush")] })
    expect(pass).toMatchObject({
      kind: "refresh",
      endsEpoch: false,
      applied: { reason: "flush", consumes: ["sig_flush"] },
    })
    expect(after.frozen.slots?.baseline).toBe("")
    expect(after.frozen.slots?.delta).toMatch(/U told in full[^]*The sky is grey\./)
    expect(said(pass.encoded).split("The sky is grey.")).toHaveLength(2)
  })
})

describe("with a model that writes the history", () => {
  const idle = { inline: false, running: false, waited: false }
  const long = rounds(33)

  test("[PS5 HI1] a pass that is due finds none at work and nothing published, and writes it without one", () => {
    const pass = planned(long, { historian: idle })
    expect(pass).toMatchObject({ kind: "fold", applied: { reason: "cut_threshold" } })
    expect(pass.encoded.tokens).toBeLessThan(0.5 * 40_000)
  })

  test("[PS4 HI1] what one at work is about to publish is left to it", () => {
    const pass = planned(long, { historian: { ...idle, running: true } })
    expect(pass.applied?.ops.filter(({ op }) => op === "cut") ?? []).toEqual([])
  })

  test("[HB6 HI1] what was published alone breaks the prefix only where enough of the request leaves with it", () => {
    const cut = (toSeq: number) => {
      const asked = publishedTo(long, published(1, toSeq))
      return planned(asked, { historian: { ...idle, running: true } })
    }
    expect(cut(2)).toMatchObject({
      break: null,
      applied: { reason: "execute_threshold", ops: [], slots: null },
    })
    expect(cut(32).applied?.ops).toContainEqual(expect.objectContaining({ op: "cut", below: 33 }))
  })

  test("[HI1 MK1] what was published leaves alone where that is worth a break, else with more", () => {
    const cut = (toSeq: number) =>
      ask(publishedTo(long, published(1, toSeq)), { historian: idle }).after.frozen.from
    expect(cut(152)).toBe(153)
    expect(cut(22)).toBeGreaterThan(200)
  })
})

test("[HB4] what a historian wrote over the newest input is made anew around it", () => {
  const ahead = publishedTo(grown(ask(rounds(6)).after, assistant(60, text("Yes."))), published(1, 60))
  const { after } = ask(ahead, { waiting: [signal("sig_flush", "flush")] })
  expect(after.messages.map(({ seq }) => seq)).toEqual([53])
  const spans = historyOf(after).compartments.map(({ fromSeq, toSeq }) => [fromSeq, toSeq])
  expect(spans.some(([from = 0, to = 0]) => from <= 53 && to >= 53)).toBe(false)
  expect(spans.some(([, to]) => to === 60)).toBe(true)
})

test("[HB4] a Refresh tells no part over an input that stays raw, before the boundary passes it", () => {
  const cut = ask(grown(rounds(6), assistant(70, call(70, words(36_000)))), { refusal }).after
  const [input] = cut.frozen.kept
  expect(cut.messages.some(({ seq }) => seq === input)).toBe(true)
  const ahead = publishedTo(cut, published(input ?? 0, input ?? 0))
  const { pass, after } = ask({ ...ahead, tools: [tool("work")] }, { mode: "child" })
  expect(pass).toMatchObject({ kind: "refresh", applied: { reason: "tools_changed" } })
  expect(after.frozen.kept.has(input ?? 0)).toBe(true)
  expect(said(pass.encoded)).not.toContain("U told in full")
})

test("[PS4] queued drops wait while a historian is at work, unless the pass is a Fold", () => {
  const calls = Array.from({ length: 25 }, (_, n) =>
    assistant(200 + n, { ...call(n + 1, words(100)), seq: 200 + n }),
  )
  const asked = grown(rounds(2), ...calls, assistant(300, text("Done.")), user(301))
  const unit = { message: asked.messages.find(({ seq }) => seq === 200)?.id ?? "", call: "call_1" }
  const drop = { ...signal("sig_drop", "drop"), detail: { units: [unit] } }
  const ends = (more: Partial<Talk>, running: boolean) =>
    planned(
      { ...asked, ...more },
      {
        waiting: [drop],
        historian: { inline: !running, running, waited: false },
      },
    ).applied
  const tools = [tool("work")]
  expect(ends({ tools }, false)).toMatchObject({ pass: "refresh", consumes: ["sig_drop"] })
  expect(ends({ tools }, true)).toMatchObject({ pass: "refresh", ops: [], consumes: [] })
  expect(ends({ model: "other" }, true)).toMatchObject({ pass: "fold", consumes: ["sig_drop"] })
})

test("[PS7] a flush that finds nothing is on record", () => {
  const asked = { waiting: [signal("sig_flush", "flush")] }
  expect(planned(rounds(3), asked)).toMatchObject({
    kind: "refresh",
    break: null,
    applied: { reason: "flush", ops: [], slots: null },
  })
})

test("[ND2] the list of steps rides on a break and makes none, so that a flush of nothing changes no byte", () => {
  const todos = { list: [{ content: "Mend the cage", status: "pending" as const }], seq: 5 }
  const some = rounds(3)
  const anchored = ask({ ...some, items: { ...some.items, todos } }, { causes: { modelChanged: true } }).after
  expect(anchored.frozen.ops.map(({ op }) => op)).toContain("anchor-todo")
  const later = ask(grown(anchored, assistant(200, text("yes")), user(201))).after
  const pass = planned(grown(later, assistant(300, text("yes")), user(301)), {
    waiting: [signal("sig_flush", "flush")],
  })
  expect(pass).toMatchObject({ kind: "refresh", break: null, applied: { reason: "flush", ops: [] } })
})

test("[SU4 HI1] a Fold by hand leaves history its usual room, whatever the window has in use", () => {
  const rule = "Always use tabs in this project, and never touch legacy.ini."
  const outputs = Array.from({ length: 8 }, (_, n) => [
    assistant(10 * n + 12, { ...call(n + 1, words(400)), seq: 10 * n + 12 }),
    user(10 * n + 13, `round ${n} ${words(100)}`),
  ]).flat()
  const tools = [{ ...tool("read"), description: words(3_000) }]
  const roomy = { ...limits, contextTokens: 200_000 }
  const begun = ask(talk([user(1, rule)], { limits: roomy, tools })).after
  const asked = grown(begun, assistant(2, text("yes")), ...outputs)
  const { pass, after } = ask(asked, { signals: ["sig_fold" as SignalId] })
  expect(pass).toMatchObject({ kind: "fold", applied: { reason: "cut_asked" } })
  expect(pass.encoded.tokens).toBeLessThan(0.75 * (pass.applied?.tokensBefore ?? 0))
  expect(after.frozen.slots?.baseline).toContain(rule)
})

test("[EG1] a turn that is nearly full waits for a historian at work, once, and never in a subagent", () => {
  const full = grown(rounds(39), assistant(900, text("yes")), user(901))
  const running = { inline: false, running: true, waited: false }
  expect(usage(full)).toBeGreaterThan(0.95)
  expect(planned(full, { historian: running }).waits).toBe(true)
  expect(planned(full, { historian: { ...running, waited: true } }).waits).toBe(false)
  expect(planned(full, { historian: running, mode: "child" }).waits).toBe(false)
  expect(planned(rounds(10), { historian: running }).waits).toBe(false)
})

test("[HB3] a Delta is full at 15 % of a Baseline of 500 tokens, or at 20 % of the budget", () => {
  const full = (baseline: number, delta: number) => isOverfull({ baseline, delta }, 10_000)
  expect([full(1_000, 150), full(1_000, 151), full(499, 400), full(499, 2_000), full(499, 2_001)]).toEqual([
    false,
    true,
    false,
    false,
    true,
  ])
})

test("[PS4] while a historian is at work what is queued waits, unless the pass is a Fold", () => {
  const running = { inline: false, running: true, waited: false }
  const calls = Array.from({ length: 25 }, (_, n) =>
    assistant(200 + n, { ...call(n + 1, words(100)), seq: 200 + n }),
  )
  const asked = ask(grown(rounds(2), ...calls, assistant(300, text("Done.")), user(301))).after
  const [first] = calls
  const unit = { message: first?.id as string, call: "call_1" }
  const drop = { ...signal("sig_drop", "drop"), detail: { units: [unit] } }
  const waiting = [signal("sig_flush", "flush"), drop]
  expect(planned(asked, { waiting }).applied?.consumes).toContain("sig_drop")
  const held = planned(asked, { waiting, historian: running })
  expect(held).toMatchObject({ kind: "refresh", applied: { consumes: ["sig_flush"], ops: [] } })
  const cold = { ms: 400_000, lifetimeMs: 300_000 }
  const folded = planned(asked, { waiting, historian: running, idle: cold })
  expect(folded.kind).toBe("fold")
  expect(folded.applied?.consumes).toContain("sig_drop")
  // By itself it never forces a break.
  expect(planned(asked, { waiting: [drop] })).toMatchObject({ kind: "hold", records: [] })
})
