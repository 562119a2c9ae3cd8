/** The planner: which pass follows from what changed, what it records, and what a cut leaves behind. */
import { describe, expect, test } from "vitest"
import { outputCutText, render } from "@holdfast/recall"
import { nothingNew } from "@holdfast/recall/slots"
import { paramsHash } from "@holdfast/llm/blocks"
import type { SignalId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { assistant, call, image, notice, reads, system, text, user, words } from "./history.ts"
import {
  ask,
  type Asking,
  encodeTalk,
  freshBaseline,
  grown,
  historyOf,
  planned,
  restarted,
  said,
  type Talk,
  talk,
  tool,
} from "./talk.ts"

const hashes = ({ blocks }: { readonly blocks: readonly { readonly hash: string }[] }) =>
  blocks.map(({ hash }) => hash)

/** A conversation that was answered once, and says something of its surroundings. */
const begun = (more: Partial<Talk> = {}): Talk =>
  ask(talk([user(1), system(2), assistant(3, text("yes")), user(4)], more)).after

interface Row {
  readonly asked: Talk
  readonly asking?: Asking
  readonly kind: string
  readonly reason: string | null
  readonly segment: string | null
}

const images = Array.from({ length: 21 }, (_, at) => reads(at + 5, image(at)))

const rows: Readonly<Record<string, Row>> = {
  "the first request": { asked: talk([user(1)]), kind: "fold", reason: "first", segment: null },
  "no change": { asked: begun(), kind: "hold", reason: null, segment: null },
  "more at the end": {
    asked: grown(begun(), assistant(5, call(1, "done")), system(6), user(7)),
    kind: "hold",
    reason: null,
    segment: null,
  },
  "one more tool": {
    asked: { ...begun(), tools: [tool("read"), tool("work")] },
    kind: "refresh",
    reason: "tools_changed",
    segment: "tools",
  },
  "a tool that went": {
    asked: { ...begun({ tools: [tool("read"), tool("work")] }), tools: [tool("read")] },
    kind: "refresh",
    reason: "tools_changed",
    segment: "tools",
  },
  "the last tool that went": {
    asked: { ...begun(), tools: [] },
    kind: "refresh",
    reason: "tools_changed",
    segment: "tools",
  },
  "other options": {
    asked: { ...begun(), thinkingTokens: 2_000 },
    kind: "refresh",
    reason: "options_changed",
    segment: "params",
  },
  "other settings by the same options": {
    asked: begun(),
    asking: { causes: { previousParams: paramsHash("{}") } },
    kind: "refresh",
    reason: "params_changed",
    segment: "params",
  },
  "a message taken out": {
    asked: takenOut(begun(), 3),
    asking: { causes: { quarantined: true } },
    kind: "refresh",
    reason: "quarantine",
    segment: "tail",
  },
  "images over the bound": {
    asked: grown(
      ask(grown(begun({ limits: roomy() }), ...images.slice(0, 20))).after,
      ...images.slice(20),
      user(30),
    ),
    kind: "refresh",
    reason: "cut_images",
    segment: "tail",
  },
  "another form of a record": {
    asked: grown(ask(talk([user(1), system(2)], { systemRole: true })).after, user(3)),
    kind: "refresh",
    reason: "system_role_unanswered",
    segment: "tail",
  },
  "a change in a turn that sent nothing": {
    asked: { ...begun(), baseline: "Something else." },
    asking: { causes: { unsent: "epoch_incompatible" } },
    kind: "fold",
    reason: "epoch_incompatible",
    segment: "system",
  },
  "another model": {
    asked: { ...begun(), model: "claude-other" },
    kind: "fold",
    reason: "model_changed",
    segment: "params",
  },
  "a new Baseline": {
    asked: { ...begun(), baseline: "Something else." },
    asking: { causes: { epochCause: "incompatible" } },
    kind: "fold",
    reason: "epoch_incompatible",
    segment: "system",
  },
  "another agent prompt": {
    asked: { ...begun(), agent: "Review what was built." },
    kind: "fold",
    reason: "options_changed",
    segment: "agent",
  },
  "another agent prompt and other tools": {
    asked: { ...begun(), agent: "Review what was built.", tools: [tool("work")] },
    kind: "fold",
    reason: "tools_changed",
    segment: "tools",
  },
  "a request over the ceiling": {
    asked: grown(begun(), assistant(5, text(words(9_000))), user(6)),
    kind: "fold",
    reason: "cut_ceiling",
    segment: "system",
  },
  "a request over the ceiling while replacement is blocked": {
    asked: grown(begun({ blocked: true }), assistant(5, text(words(9_000))), user(6)),
    kind: "fold",
    reason: "cut_ceiling",
    segment: "history-baseline",
  },
  "a request that was refused": {
    asked: grown(begun(), assistant(5, text(words(4_000))), user(6)),
    asking: { refusal: { words: "too long", refusedTokens: 4_200, acceptedTokens: 100 } },
    kind: "fold",
    reason: "cut_overflow",
    segment: "system",
  },
}

describe.each(Object.entries(rows))("%s", (_, { asked, asking, kind, reason, segment }) => {
  const { pass, after } = ask(asked, asking)
  const applied = pass.kind === "stuck" ? null : pass.applied

  test(`[PS2 PS7] is a ${kind}, ${reason === null ? "and writes nothing" : `told as ${reason}`}`, () => {
    expect(pass.kind).toBe(kind)
    expect([applied?.pass ?? "hold", applied?.reason ?? null]).toEqual([kind, reason])
    expect(pass.break?.segment ?? null).toBe(segment)
    expect([pass.break?.reason ?? reason]).toEqual([reason])
    if (kind === "hold") expect(pass.kind === "hold" && pass.frozen).toBe(asked.frozen)
  })

  test("[PS3] is followed by a Hold of the same bytes, also behind a restart", () => {
    for (const next of [after, restarted(after)]) {
      const again = planned(next)
      expect(again).toMatchObject({ kind: "hold", applied: null, break: null })
      expect(hashes(again.encoded)).toEqual(hashes(pass.encoded))
      const more = planned(grown(next, assistant(90, text("hm")), user(91)))
      expect(hashes(more.encoded).slice(0, pass.encoded.blocks.length)).toEqual(hashes(pass.encoded))
    }
  })
})

/** Room for many images. */
function roomy() {
  return { contextTokens: 100_000, outputTokens: 1_000, answered: null }
}

function takenOut(asked: Talk, seq: number): Talk {
  const messages = asked.messages.map((message) =>
    message.seq === seq ? ({ ...message, quarantined: 9 } as Message) : message,
  )
  return { ...asked, messages }
}

describe("a Fold that cuts nothing", () => {
  const cut = ask(talk([user(1, words(9_500)), assistant(2, call(1, words(9_000))), user(3)])).after

  test("[PS3] states all of the frozen state again", () => {
    expect(cut.frozen.ops.map(({ op }) => op)).toEqual(["cut", "drop"])
    const { pass, after } = ask({ ...cut, model: "claude-other" })
    expect(pass).toMatchObject({ kind: "fold", applied: { ops: cut.frozen.ops, slots: cut.frozen.slots } })
    expect(restarted(after).frozen).toEqual(cut.frozen)
  })

  test("[PS3] stands though a Refresh added nothing in between", () => {
    const { pass, after } = ask({ ...cut, tools: [] })
    expect(pass).toMatchObject({ kind: "refresh", applied: { ops: [], slots: null } })
    expect(after.frozen).toBe(cut.frozen)
    expect(restarted(after).frozen).toEqual(cut.frozen)
  })
})

describe("a cut", () => {
  test("[TU6] is one pass that ends the Epoch: the fresh Baseline says what system messages said", () => {
    const asked = grown(begun(), assistant(5, text(words(9_000))), user(6))
    const { pass, after } = ask(asked)
    expect(pass).toMatchObject({ kind: "fold", endsEpoch: true, learned: null })
    expect(pass.kind === "fold" && pass.applied?.tokensBefore).toBe(encodeTalk(asked).tokens)
    expect(pass.kind === "fold" && pass.applied?.tokensAfter).toBe(pass.encoded.tokens)
    expect(said(pass.encoded)).toContain(freshBaseline)
    expect(said(pass.encoded)).not.toContain("fact 2")
    expect(after.frozen.slots?.baseline).toMatch(/up to message #5,[^]*\n## c1-5\nU #1 "ask 1"\n/)
    expect(after.frozen.slots?.delta).toBe(nothingNew)
  })

  test("[TU6] may take out nothing but system messages", () => {
    const told = Array.from({ length: 7 }, (_, at) => system(at + 2, "s".repeat(13_000), `sim/fact-${at}`))
    const limits = { contextTokens: 30_000, outputTokens: 8_000, answered: null }
    const asked = talk([user(1, "short"), ...told], { limits })
    const { pass, after } = ask(asked)
    expect(encodeTalk(asked).tokens).toBeGreaterThan(22_000)
    expect(pass).toMatchObject({ kind: "fold", endsEpoch: true, applied: { reason: "cut_ceiling" } })
    expect(pass.encoded.tokens).toBeLessThan(1_000)
    expect(after.messages).toEqual([user(1, "short")])
    expect([after.frozen.messagesCut, after.frozen.slots]).toEqual([0, null])
  })

  test("[TU6] goes deeper where a provider refused less than it was believed to take", () => {
    const asked = grown(
      begun({ blocked: true }),
      ...[5, 6, 7, 8].map((seq) => assistant(seq, text(words(300)))),
      user(9),
    )
    const refusal = { words: "x > 10000 maximum", refusedTokens: 1_400, acceptedTokens: 100 }
    const { pass } = ask(asked, { refusal })
    expect(pass).toMatchObject({ kind: "fold", learned: null, applied: { reason: "cut_overflow" } })
    expect(pass.encoded.tokens).toBeLessThan(encodeTalk(asked).tokens)
  })

  test("[TU5] takes all old history where a provider refused for size what is far below any share", () => {
    const first = ask(talk([user(1, words(300)), assistant(2, text("yes")), user(3)], { limits: roomy() }))
    const asked = grown(first.after, assistant(4, text("short")), user(6))
    const refusal = { words: "x > 100000 maximum", refusedTokens: 400, acceptedTokens: 300 }
    const { pass, after } = ask(asked, { refusal })
    expect(pass).toMatchObject({ kind: "fold", learned: null, applied: { reason: "cut_overflow" } })
    expect(after.messages.map(({ seq }) => seq)).toEqual([6])
    // A guess does not take what is hardly anything beside the newest input.
    const mostlyNew = grown(first.after, assistant(4, text("short")), user(6, words(3_000)))
    expect(ask(mostlyNew, { refusal }).pass.kind).toBe("fold")
    expect(ask(mostlyNew, { refusal: { ...refusal, suspected: true } }).pass.kind).toBe("stuck")
  })

  test("[TU6 PS3] leaves the outputs that an earlier cut took out where they are", () => {
    const first = ask(talk([user(1), assistant(2, call(1, words(9_000)))])).after
    expect(first.frozen.skeletons).toEqual(new Set(["call_1"]))
    const { pass, after } = ask(grown(first, system(3, words(9_000))))
    expect(pass).toMatchObject({ kind: "fold", applied: { reason: "cut_ceiling" } })
    expect(after.frozen.skeletons).toEqual(new Set(["call_1"]))
    expect(said(pass.encoded)).toContain(outputCutText)
    expect(pass.encoded.tokens).toBeLessThan(1_000)
  })

  test("[TU6] that a person asks for takes at least half, ends the Epoch and the signal", () => {
    const asked = grown(
      begun({ limits: roomy() }),
      ...[5, 6, 7, 8].map((seq) => assistant(seq, text(words(1_000)))),
      user(9),
    )
    const signals = ["sig_1" as SignalId]
    const { pass, after } = ask(asked, { signals })
    expect(pass).toMatchObject({
      kind: "fold",
      endsEpoch: true,
      learned: null,
      applied: { reason: "cut_asked", consumes: signals },
    })
    expect(pass.encoded.tokens).toBeLessThanOrEqual(encodeTalk(asked).tokens / 2)
    expect(said(pass.encoded)).toContain("ask 9")
    expect(ask(grown(after, user(10))).pass.kind).toBe("hold")
  })

  test("[TU6 PS7] that a person asks for in vain changes nothing, and is on record", () => {
    const asked = grown(begun({ limits: roomy() }), user(9, words(5_000)))
    const signals = ["sig_1" as SignalId]
    const { pass, after } = ask(asked, { signals })
    expect(pass).toMatchObject({
      kind: "refresh",
      endsEpoch: false,
      break: null,
      applied: { reason: "asked", consumes: signals, ops: [] },
    })
    expect(after.frozen).toBe(asked.frozen)
    expect(pass.encoded.blocks).toEqual(encodeTalk(asked).blocks)
  })

  test("[TU5] for a refusal that did not speak of size is told as that", () => {
    const asked = grown(begun(), ...[5, 6, 7].map((seq) => assistant(seq, text(words(1_000)))), user(9))
    const refusal = { suspected: true, words: "", refusedTokens: 3_200, acceptedTokens: 100 }
    expect(ask(asked, { refusal }).pass).toMatchObject({ kind: "fold", applied: { reason: "cut_refusal" } })
  })

  test("[TU5 TU6] leaves only the newest input where that alone is over what is aimed at, if it is worth it", () => {
    const older = (tokens: number) =>
      grown(
        begun({ limits: roomy() }),
        user(5, words(tokens)),
        assistant(6, text("yes")),
        user(7, words(9_000)),
      )
    const refusal = { suspected: true, words: "", refusedTokens: 18_000, acceptedTokens: 9_000 }
    const asking = { refusal: { refusal }, wish: { signals: ["sig_1" as SignalId] } }
    for (const [reason, asked] of [
      ["cut_refusal", asking.refusal],
      ["cut_asked", asking.wish],
    ] as const) {
      const { pass, after } = ask(older(8_000), asked)
      expect(pass).toMatchObject({ kind: "fold", learned: null, applied: { reason } })
      expect(after.messages.map(({ seq }) => seq)).toEqual([7])
    }
    expect(ask(older(1_000), asking.refusal).pass.kind).toBe("stuck")
    expect(ask(older(1_000), asking.wish).pass).toMatchObject({ kind: "refresh", applied: { ops: [] } })
  })

  test("[TU5] is planned under the window that the refusal named, and tells it", () => {
    const asked = grown(
      begun({ limits: roomy() }),
      ...[5, 6, 7, 8].map((seq) => assistant(seq, text(words(5_000)))),
      user(9),
    )
    const refusal = { words: "21000 > 20000 maximum", refusedTokens: 21_000, acceptedTokens: 0 }
    const { pass } = ask(asked, { refusal })
    expect(pass).toMatchObject({ kind: "fold", learned: 20_000 })
    expect(pass.encoded.tokens).toBeLessThanOrEqual(0.3 * 20_000 + 100)
  })

  test("[TU6 HB1 HB4 PR7] leaves all that ever went in compartments, which are nobody's words", () => {
    const rounds = [user(1, words(3_000)), assistant(2, call(1, "a"), call(2, "b")), notice(3, words(3_000))]
    const first = ask(talk([...rounds, assistant(4, text(words(3_000))), user(5)])).after
    expect(historyOf(first).compartments.map(({ id }) => id)).toEqual(["c1-4"])
    const second = ask(grown(first, assistant(6, call(3, "c"), text(words(9_000))), user(7))).after
    expect(historyOf(second).compartments.map(({ id }) => id)).toEqual(["c1-4", "c5-6"])
    expect(second.frozen.messagesCut).toBe(6)
    const { historyBaseline, historyDelta, tail } = render(second)
    expect(historyBaseline).toEqual([{ kind: "notice", text: second.frozen.slots?.baseline }])
    expect(historyDelta).toEqual([{ kind: "notice", text: nothingNew }])
    expect(tail).toEqual([{ kind: "user", text: "ask 7" }])
  })

  test("[TU6] keeps what an earlier one left of an output", () => {
    const first = ask(talk([user(1), assistant(2, call(1, words(9_500)))])).after
    expect([...first.frozen.skeletons]).toEqual(["call_1"])
    const second = ask(grown(first, assistant(3, call(2, words(9_500))))).after
    expect([...second.frozen.skeletons].sort()).toEqual(
      second.messages.flatMap((message) => (message.kind === "assistant" ? [`call_${message.seq - 1}`] : [])),
    )
    expect(second.messages.map(({ seq }) => seq)).toEqual([1, 3])
    const third = ask(grown(second, assistant(4, text(words(500))), assistant(5, text(words(9_500))))).after
    expect(third.messages.map(({ seq }) => seq)).toEqual([1])
  })

  test("[TU6] freezes nothing where it is stuck, and names what cannot be reduced", () => {
    const asked = grown(begun(), user(5, words(9_500)))
    const { pass, after } = ask(asked)
    expect(after).toBe(asked)
    expect(pass.kind === "stuck" && pass.floor.map(({ name }) => name)).toEqual([
      "tools",
      "Baseline",
      "agent prompt",
      "newest input",
    ])
    expect(hashes(pass.encoded)).toEqual(hashes(encodeTalk(asked)))
  })

  test("[TU7] a request that is too large for any cut says what it would have broken, for the next one", () => {
    const asked = grown(begun(), user(5, words(9_500)))
    expect(ask(asked).pass).toMatchObject({ kind: "stuck", break: null })
    const changed = ask({ ...asked, tools: [tool("work")] }).pass
    expect(changed).toMatchObject({ kind: "stuck", break: { reason: "tools_changed" } })
  })
})

describe("a cut while replacement is blocked", () => {
  const fact = (seq: number, key: string) => system(seq, `${key} says ${seq}`, `sim/${key}`)
  const long = (seq: number) => assistant(seq, text(words(9_000)))
  const first = ask(
    talk([user(1), fact(2, "a"), fact(3, "b"), fact(4, "a"), fact(5, "c"), long(6), user(7)], {
      blocked: true,
    }),
  )
  const texts = ({ frozen }: Talk) =>
    frozen.slots?.delta === nothingNew ? [] : frozen.slots?.delta.split("\n\n")

  test("[EP12 TU6] leaves the latest text of each source in the Delta, in admission order", () => {
    expect(first.pass).toMatchObject({ kind: "fold", endsEpoch: false })
    expect(texts(first.after)).toEqual(["b says 3", "a says 4", "c says 5"])
    expect(said(first.pass.encoded)).not.toContain("a says 2")
  })

  test("[EP12] goes on from the texts of the cut before", () => {
    const second = ask(grown(first.after, fact(8, "b"), fact(9, "d"), long(10), user(11)))
    expect(second.pass).toMatchObject({ kind: "fold", endsEpoch: false })
    expect(texts(second.after)).toEqual(["a says 4", "c says 5", "b says 8", "d says 9"])
    expect(texts(restarted(second.after))).toEqual(texts(second.after))
  })

  test("[EP12] does not repeat a text that still stands in the tail", () => {
    const second = ask(grown(first.after, long(8), user(9), fact(10, "b")))
    expect(texts(second.after)).toEqual(["b says 3", "a says 4", "c says 5"])
    expect(second.after.messages.map(({ seq }) => seq)).toEqual([9, 10])
  })

  test("[EP8] stays as it is while nothing breaks, though a replacement is ready", () => {
    expect(planned({ ...first.after, blocked: false })).toMatchObject({ kind: "hold", endsEpoch: false })
  })

  test("[TU6] has its replacement with the next break, and nothing is owed behind it", () => {
    const { pass, after } = ask({ ...first.after, blocked: false, tools: [] })
    expect(pass).toMatchObject({ kind: "fold", endsEpoch: true, applied: { reason: "tools_changed" } })
    expect(said(pass.encoded)).toContain(freshBaseline)
    expect(texts(after)).toEqual([])
    expect(after.frozen.slots?.baseline).toBe(first.after.frozen.slots?.baseline)
    expect(after.frozen.ops).toEqual(first.after.frozen.ops)
    expect(ask({ ...after, tools: [tool("work")] }).pass).toMatchObject({ kind: "refresh", endsEpoch: false })
  })

  test("[TU6] waits for a later break where the fresh Baseline does not fit", () => {
    const { pass } = ask({ ...first.after, blocked: false, tools: [], fresh: words(9_500) })
    expect(pass).toMatchObject({ kind: "refresh", endsEpoch: false })
  })

  test("[EP12] owes nothing under a Baseline that is fresh for another reason", () => {
    const moved = { ...first.after, baseline: "You are elsewhere." }
    const { pass, after } = ask(moved, { causes: { epochCause: "moved" } })
    expect(pass).toMatchObject({ kind: "fold", endsEpoch: false, applied: { reason: "epoch_moved" } })
    expect(texts(after)).toEqual([])
    expect(said(pass.encoded)).not.toContain("a says 4")
    const cut = ask(grown(moved, long(8), user(9)), { causes: { epochCause: "moved" } })
    expect(texts(cut.after)).toEqual([])
  })

  test("[TU6] names the Delta where the texts that it must say do not fit", () => {
    const keys = Array.from({ length: 10 }, (_, at) => system(at + 2, words(1_000), `sim/fact-${at}`))
    const asked = talk([user(1), ...keys, assistant(20, text("yes")), user(21)], { blocked: true })
    const { pass, after } = ask(asked)
    expect(pass.kind === "stuck" && pass.floor.at(-2)?.name).toBe("History Delta")
    expect(after.frozen).toBe(asked.frozen)
  })
})
