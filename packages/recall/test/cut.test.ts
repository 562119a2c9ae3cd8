/** The cut as a plan: how deep, what stays, what it counts, and what it cannot take out. */
import { describe, expect, test } from "vitest"
import { ceilingTokens, fits, noHistory, type WindowLimits } from "@holdfast/recall"
import type { Block, Encoded } from "@holdfast/llm/wire"
import { condense } from "@holdfast/recall/condense"
import { budgetOf, cutShares, planCut, sizeTokens } from "@holdfast/recall/cut"
import { tailStart } from "@holdfast/recall/history/open-call"
import { messageTokens, rawTokens } from "@holdfast/recall/size"
import type { PassOp, Slots } from "@holdfast/schema/fact/recall"
import type { AssistantMessage, Message, SystemMessage } from "@holdfast/schema/message"
import { frozenOf } from "@holdfast/schema/state/frozen"
import { assistant, call, cutBelow, notice, skeleton, system, text, user, words } from "./history.ts"
import { ask, encodeTalk, talk } from "./talk.ts"

const limits: WindowLimits = { contextTokens: 10_000, outputTokens: 1_000, answered: null }

const asIs = { limits, history: noHistory, budgetTokens: budgetOf(limits), guarded: false }

/** The plan under earlier ops, where nothing but history weighs anything. */
const cutOf = (
  messages: readonly Message[],
  ops: readonly PassOp[] = [],
  { share = cutShares[0] as number, endsEpoch = true } = {},
) => planCut({ ...asIs, view: { messages, frozen: frozenOf(ops, null) }, blocks: [], endsEpoch }, share)

function frozenAfter(...asked: Parameters<typeof cutOf>) {
  const made = cutOf(...asked)
  if (made.kind === "stuck") throw new Error("nothing was cut")
  return made.frozen
}

/** Ten rounds of a prompt and an answer, 1,000 tokens each round. */
const rounds = Array.from({ length: 10 }, (_, n) => [
  user(10 * n + 1, words(500)),
  assistant(10 * n + 2, text(words(500))),
]).flat()

describe("the ceiling", () => {
  test("[TU6] counts the output that is reserved", () => {
    expect(ceilingTokens(limits)).toBe(9_000)
    expect(fits(9_000, limits)).toBe(true)
    expect(fits(9_001, limits)).toBe(false)
  })

  test("[TU6] corrects an estimate by what the model reported for the last request", () => {
    const answered = (reported: number, estimated: number) => ({
      ...limits,
      answered: { reported, estimated },
    })
    expect(fits(9_001, answered(8_000, 9_000))).toBe(true)
    expect(fits(8_001, answered(9_000, 8_000))).toBe(false)
    expect(fits(5_000, answered(16_000, 8_000))).toBe(false)
  })
})

test("[TU6] a shorter request never counts for more than the last one was reported with", () => {
  const answered = { reported: 8_000, estimated: 10_000 }
  const sizes = [10_500, 10_000, 9_900, 8_100, 7_900, 4_000].map((estimated) =>
    sizeTokens(estimated, { ...limits, answered }),
  )
  expect(sizes).toEqual([8_500, 8_000, 8_000, 8_000, 7_900, 4_000])
})

test("[TU6] cuts to 30 % of the window at once, the oldest first", () => {
  const { from, kept, messagesCut } = frozenAfter([...rounds, user(200, "now")])
  const stay = rounds.filter(({ seq }) => seq >= from)
  expect([stay.length, messagesCut, kept.size]).toEqual([3, 17, 0])
  const { pass } = ask(talk([...rounds, user(200, "now")]))
  expect(pass.encoded.tokens).toBeLessThanOrEqual(3_000 + 100)
  expect(pass.encoded.tokens).toBeGreaterThan(1_700)
})

test("[TA1] leaves what the model has just asked for, where there is room, and nothing that it never fits", () => {
  const kept = (output: number) => {
    const { after } = ask(talk([...rounds, user(200, "read it"), assistant(201, call(1, words(output)))]))
    const [newest] = after.messages.slice(-1)
    return newest?.seq === 201 && after.frozen.skeletons.size === 0
  }
  expect([3_000, 5_000, 8_500].map(kept)).toEqual([true, true, false])
})

test("[TA1] of several outputs that the model has just asked for, the largest give way, and no more than has to", () => {
  const outputs = [2_000, 3_500, 2_500, 3_000]
  const calls = outputs.map((tokens, at) => call(at, words(tokens)))
  const { after } = ask(talk([...rounds, user(200, "read them"), assistant(201, ...calls)]))
  expect(after.messages.at(-1)?.seq).toBe(201)
  expect([...after.frozen.skeletons].sort()).toEqual(["call_1", "call_3"])
})

test("[TA1] leaves a protected tail where what cannot be cut is larger than what is aimed at", () => {
  const large = { baseline: words(3_500), fresh: words(3_500) }
  const { after } = ask(talk([...rounds, user(200, "now")], large))
  const stay = after.messages.filter(({ seq }) => seq < 200)
  expect(stay.length).toBeGreaterThanOrEqual(2)
  expect(stay.length).toBeLessThanOrEqual(4)
})

test("[TU6] takes a report that the model counts more into the depth of the cut", () => {
  const messages = [...rounds, user(200, "now")]
  const { limits: plain } = talk(messages)
  const doubled = { ...plain, answered: { reported: 16_000, estimated: 8_000 } }
  const cut = (with_: WindowLimits) => ask(talk(messages, { limits: with_ })).pass.encoded.tokens
  expect(cut(doubled)).toBeLessThan(0.8 * cut(plain))
})

test("[TU7] beside a cut that has to be nothing stands that would be sent otherwise", () => {
  const { pass } = ask(talk([...rounds, user(200, "now")]))
  expect(pass).toMatchObject({ kind: "fold", otherwise: null })
})

test("[TU6] keeps the newest input, wherever it stands, and takes system messages out", () => {
  const later = rounds.map((message) => ({ ...message, seq: message.seq + 10 }))
  const { from, kept } = frozenAfter([system(1), user(2, words(500)), system(3), ...asAnswers(later)])
  expect(from).toBeGreaterThan(3)
  expect([...kept]).toEqual([2])
})

test("[TU6] keeps all inputs that were promoted together, notices among them", () => {
  const inputs = [user(20), notice(21), user(22)]
  const { kept } = frozenAfter([user(1), assistant(2), ...inputs, assistant(30, text(words(9_000)))])
  expect([...kept]).toEqual([20, 21, 22])
})

test("[TU6] cuts outputs of the newest answer when it does not fit whole, and nothing smaller than the line", () => {
  const messages = [user(1, words(500)), assistant(2, call(1, words(6_000)), call(2, "ok"))]
  const frozen = frozenAfter(messages)
  expect([...frozen.skeletons]).toEqual(["call_1"])
  expect([frozen.from, frozen.messagesCut]).toEqual([2, 0])
})

test("[TU6 PS3] states the outputs that earlier passes cut again, each once, while they are shown", () => {
  const messages = [
    user(1, words(9_000)),
    assistant(2, call(1, words(9_000))),
    assistant(3, call(2, words(9_000))),
    user(4),
    assistant(5, call(3, words(9_000)), call(4, words(9_000))),
  ]
  const ops = [skeleton(2, 1), skeleton(3, 2), skeleton(5, 3)]
  const all = frozenAfter(messages, ops)
  expect(all.ops.filter(({ op }) => op === "drop")).toEqual([...ops.slice(2), skeleton(5, 4)])
  const shallow = frozenAfter(messages.slice(0, 4), ops.slice(0, 2))
  expect(shallow.ops.filter(({ op }) => op === "drop")).toEqual(ops.slice(0, 2))
})

test("[PS3] states what other passes did to a message again, while it is shown", () => {
  const strip = ({ id }: Message): PassOp => ({ op: "strip", message: id, what: "reasoning" })
  const messages = [user(1, words(9_000)), assistant(2, text("hi")), user(3)]
  const { ops } = frozenAfter(messages, messages.map(strip))
  expect(ops.filter(({ op }) => op === "strip")).toEqual(messages.slice(1).map(strip))
})

test("[TU6] names each thing that cannot be reduced when they alone exceed the ceiling", () => {
  const { blocks } = encodeTalk(talk([], { baseline: words(100) }))
  const tokensOf = (segment: string) =>
    blocks.filter((block) => block.segment === segment).reduce((sum, { tokens }) => sum + tokens, 0)
  const view = { messages: [system(1, words(400)), user(2, words(9_000))], frozen: frozenOf([], null) }
  expect(planCut({ ...asIs, view, blocks, endsEpoch: true }, 0.3)).toEqual({
    kind: "stuck",
    floor: [
      { name: "tools", tokens: tokensOf("tools") },
      { name: "Baseline", tokens: tokensOf("system") },
      { name: "agent prompt", tokens: tokensOf("agent") },
      { name: "newest input", tokens: rawTokens(user(2, words(9_000))) },
    ],
  })
})

describe("stored counts", () => {
  /** Rounds whose records say 500 tokens each, whatever the words are now. */
  const stored = (now: string): readonly Message[] =>
    rounds.map((message): Message => {
      if (message.kind === "user") return { ...message, text: now, tokens: 500 }
      if (message.seq % 20 !== 2) return assistantOf(message.seq, { index: 0, part: text(now), tokens: 500 })
      const part = { ...call(message.seq, now), input: { now }, tokens: 510 }
      return assistantOf(message.seq, { index: 0, part, tokens: 50 })
    })
  const assistantOf = (seq: number, indexed: AssistantMessage["parts"][number]): Message => ({
    ...assistant(seq),
    parts: [indexed],
  })
  const told = (now: string): Message => ({ ...(system(150, now) as SystemMessage), tokens: 300 })

  test.each(["", words(4_000)])("[TG6] decide what a cut leaves, and no text is weighed again", (now) => {
    const { from, messagesCut } = frozenAfter([...stored(now), told(now), user(200, "now")])
    expect([from, messagesCut]).toEqual([91, 18])
  })

  test.each(["", words(4_000)])("[TG6] decide where the protected tail begins", (now) => {
    expect(tailStart(stored(now), 2_600)).toBe(15)
  })

  test.each(["", words(4_000)])("[TG6] decide what is worth a break", (now) => {
    const view = { messages: [...stored(now), user(200, "now")], frozen: frozenOf([], null) }
    const encoded = { blocks: [], tokens: 9_000 } as unknown as Encoded
    const { below } = condense({ ...asIs, view, encoded, usage: 0.9, extracts: "yes" }) ?? {}
    expect(below).toBe(81)
  })

  test("[TG6] of what is not shown weigh no more than the line in its place", () => {
    const long = { ...call(1, words(6_000)), tokens: 6_100 }
    const answer = assistantOf(2, { index: 0, part: long, tokens: 100 })
    const weight = (...ops: readonly PassOp[]) => messageTokens(answer, frozenOf(ops, null))
    expect(weight()).toBeGreaterThan(5_000)
    expect(weight(skeleton(2, 1))).toBeLessThan(200)
    expect(weight({ ...skeleton(2, 1), leaves: "nothing" } as PassOp)).toBe(0)
  })
})

test("[TU6 SU4] what a person wants shorter shrinks to half beside what is told of history, however much that is", () => {
  const messages = [...rounds, user(200, "now")]
  const stays = (toldTokens: number) => {
    const markers = { shown: [], hidden: [], added: [], updates: [], owes: false }
    const slots = { baseline: words(toldTokens), delta: "", boundary: 1, markers } as unknown as Slots
    const view = { messages, frozen: frozenOf([], toldTokens === 0 ? null : slots) }
    const whole = { wholeTokens: 10_000 + toldTokens, budgetTokens: 20_000 }
    const wide = { ...limits, contextTokens: 100_000 }
    const made = planCut({ ...asIs, ...whole, limits: wide, view, blocks: [], endsEpoch: true }, 0.5)
    return made.kind === "cut" ? rounds.filter(({ seq }) => seq >= made.frozen.from).length : 0
  }
  const alone = stays(0)
  expect(alone).toBeGreaterThan(5)
  expect([2_000, 6_000].map(stays)).toEqual([alone, alone])
})

test("[TU6] is stuck where nothing is left to cut, unless the end of the Epoch is a cut", () => {
  expect(cutOf([user(1, "short")], [], { endsEpoch: false }).kind).toBe("stuck")
  expect(cutOf([user(1, "short")], [], { endsEpoch: true }).kind).toBe("cut")
})

describe("behind an earlier cut", () => {
  test("[TU6] builds on it without counting it again", () => {
    const left = rounds.filter(({ seq }) => seq >= 61)
    const earlier = [cutBelow(61, { messages: 12 })]
    const { from, messagesCut } = frozenAfter([...left, user(200, "now")], earlier, { share: 0.15 })
    expect(from).toBeGreaterThan(61)
    expect(messagesCut).toBe(rounds.filter(({ seq }) => seq < from).length)
  })

  test("[TU6] never reaches back, not even to what that one had kept", () => {
    const later = rounds.map((message) => ({ ...message, seq: message.seq + 100 }))
    const earlier = [cutBelow(100, { kept: [1], messages: 4 })]
    const asked = [user(1, "short"), ...later.slice(0, 4), user(300, "now")]
    const { from, kept, messagesCut } = frozenAfter(asked, earlier, { share: 0.9 })
    expect([from, [...kept], messagesCut]).toEqual([101, [], 5])
  })

  test("[TU6] keeps an input from below it as long as it is the newest", () => {
    const answers = asAnswers(rounds.map((message) => ({ ...message, seq: message.seq + 100 })))
    const earlier = [cutBelow(100, { kept: [1], messages: 4 })]
    const { from, kept } = frozenAfter([user(1, "short"), ...answers], earlier)
    expect(from).toBeGreaterThan(100)
    expect([...kept]).toEqual([1])
  })
})

/** The same sizes as answers alone: no input is newer than what stands before them. */
function asAnswers(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    message.kind === "user" ? assistant(message.seq, text(message.text)) : message,
  )
}

describe("a call that has not ended", () => {
  /** So many tokens behind the call, and little room beside what cannot be cut. */
  const held = (behind: number) => {
    const after = Array.from({ length: behind / 250 }, (_, n) => assistant(102 + n, text(words(250))))
    const messages = [...rounds, assistant(101, call(1, null)), ...after, user(200, "now")]
    return {
      view: { messages, frozen: frozenOf([], null) },
      blocks: [{ segment: "system", tokens: 6_000 }] as unknown as readonly Block[],
    }
  }

  test.each([
    [1_500, true],
    [3_000, false],
  ])("[TA1] with %i tokens behind it, it holds the boundary: %s", (behind, holds) => {
    const question = { ...asIs, ...held(behind), guarded: true, endsEpoch: true }
    const made = planCut(question, cutShares[0])
    expect(made.kind === "cut" && made.frozen.from <= 101).toBe(holds)
    const { view, blocks } = question
    const encoded = { blocks, tokens: 9_000 } as unknown as Encoded
    const condensed = condense({ ...question, view, encoded, usage: 0.9, extracts: "yes" })
    expect((condensed?.below ?? 0) <= 101).toBe(holds)
  })
})
