/** Whatever a conversation is like: a pass fits or is stuck, and nothing leaves uncounted or unsaid. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Entry, EntryPart } from "@holdfast/llm/segments"
import { fits, imagesShownMax, type Pass, render } from "@holdfast/recall"
import { budgetOf } from "@holdfast/recall/cut"
import { addsHistory, slotTokens } from "@holdfast/recall/slots"
import type { Slots } from "@holdfast/schema/fact/recall"
import { emptyFrozen } from "@holdfast/schema/state/frozen"
import { newestInputs } from "@holdfast/schema/state/state"
import type { Message } from "@holdfast/schema/message"
import { assistant, call, image, notice, reads, system, text, user, words } from "./history.ts"
import { ask, grown, historyOf, planned, restarted, said, type Talk, talk, tool } from "./talk.ts"

const inputs = ["user", "notice", "system"] as const
const answers = ["answer", "calls", "images", "silent"] as const
type Kind = (typeof inputs)[number] | (typeof answers)[number]

const messageOf = <K extends Kind>(kinds: readonly K[]) =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    tokens: fc.oneof(fc.nat(60), fc.nat(2_500)),
    key: fc.nat(3),
  })

/** Every request opens a turn, so that an answer stands between any two, even one that is empty. */
const step = fc.record({
  answer: messageOf(answers),
  added: fc.array(messageOf([...inputs, ...answers]), { maxLength: 8 }),
  blocked: fc.boolean(),
  tools: fc.integer({ min: 0, max: 12 }),
  refused: fc.nat(9).map((n) => n === 0),
})

const limits = fc.record({
  contextTokens: fc.integer({ min: 1_500, max: 12_000 }),
  outputTokens: fc.integer({ min: 1, max: 500 }),
  answered: fc.option(
    fc.record({ reported: fc.integer({ min: 1, max: 9_000 }), estimated: fc.constant(4_000) }),
  ),
})

interface Given {
  readonly kind: Kind
  readonly tokens: number
  readonly key: number
}

function made(seq: number, { kind, tokens, key }: Given): Message {
  const content = `${seq}: ${words(tokens)}`
  const all: Readonly<Record<Kind, () => Message>> = {
    user: () => user(seq, content),
    notice: () => notice(seq, content),
    system: () => system(seq, `source ${key} in ${content}.`, `sim/fact-${key}`),
    answer: () => assistant(seq, text(content)),
    calls: () => assistant(seq, call(2 * seq, content), call(2 * seq + 1, "short")),
    images: () => reads(seq, ...Array.from({ length: 3 + key }, (_, at) => image(100 * seq + at))),
    silent: () => assistant(seq),
  }
  return all[kind]()
}

interface Played {
  readonly asked: Talk
  readonly pass: Pass
  readonly after: Talk
}

/** A conversation of several requests: each pass with what was asked before it and what stands after. */
const conversations = fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 7 }), limits })

function play({ steps, limits: window }: typeof conversations extends fc.Arbitrary<infer G> ? G : never) {
  const passes: Played[] = []
  let now = talk([user(1)], { limits: window })
  let seq = 1
  for (const { answer, added, blocked, tools, refused } of steps) {
    const asked = {
      ...grown(now, ...[answer, ...added].map((one) => made((seq += 1), one))),
      blocked,
      tools: tools > 2 ? now.tools : [tool("read"), tool("work"), tool("write")].slice(tools),
    }
    const refusal = { words: "too long", refusedTokens: 6_000, acceptedTokens: 2_000 }
    const { pass, after } = ask(asked, refused ? { refusal } : {})
    passes.push({ asked, pass, after })
    now = after
  }
  return passes
}

const holds = (check: (passes: readonly Played[]) => void): void =>
  fc.assert(
    fc.property(conversations, (given) => check(play(given))),
    { numRuns: 25 },
  )

test("[TU6] fits, or is stuck and names why", () =>
  holds((passes) => {
    for (const { asked, pass } of passes) {
      if (pass.kind === "stuck") {
        expect(pass.floor.length).toBeGreaterThan(0)
        continue
      }
      const contextTokens = pass.learned ?? asked.limits.contextTokens
      expect(fits(pass.encoded.tokens, { ...asked.limits, contextTokens })).toBe(true)
    }
  }))

test("[TU6] shows every message, or counts it below the cut; the newest input always", () =>
  holds((passes) => {
    for (const { asked, pass, after } of passes) {
      if (pass.kind === "stuck") continue
      const left = asked.messages.filter((one) => !after.messages.includes(one))
      const ended = pass.endsEpoch ? left.filter(({ kind }) => kind === "system").length : 0
      expect(after.frozen.messagesCut).toBe(asked.frozen.messagesCut + left.length - ended)
      expect(left.every(({ seq }) => seq < after.frozen.from || pass.endsEpoch)).toBe(true)
      expect(after.messages).toEqual(expect.arrayContaining(inputsOf(asked)))
      const spoken = after.messages.filter((one) => one.kind !== "assistant" || one.parts.length > 0)
      expect(render(after).tail.length).toBeGreaterThanOrEqual(spoken.length)
    }
  }))

test("[HB4] has every message in exactly one place: raw, or in one compartment", () =>
  holds((passes) => {
    const ever = new Map<number, Message>()
    for (const { asked, after } of passes) {
      for (const one of asked.messages) if (one.kind !== "system") ever.set(one.seq, one)
      const raw = new Set(after.messages.map(({ seq }) => seq))
      const { compartments } = historyOf(after)
      for (const seq of ever.keys()) {
        const covering = compartments.filter(({ fromSeq, toSeq }) => seq >= fromSeq && seq <= toSeq)
        expect([seq, Number(raw.has(seq)) + covering.length]).toEqual([seq, 1])
      }
    }
  }))

test("[DK1 PS2] changes the History Baseline and its tiers on a Fold, the Delta on a break, and nothing on a Hold", () =>
  holds((passes) => {
    for (const { asked, pass, after } of passes) {
      const [before, now] = [asked.frozen.slots, after.frozen.slots]
      if (pass.kind === "hold") expect(now).toBe(before)
      if (pass.kind !== "refresh") continue
      expect(now?.baseline ?? "").toBe(before?.baseline ?? "")
      expect(baselineTiers(now)).toEqual(baselineTiers(before))
    }
  }))

test("[HB3] property 27: behind a break a Delta with history in it has at most a fifth of the budget, or all was just folded", () =>
  holds((passes) => {
    for (const { asked, pass, after } of passes) {
      const { slots } = after.frozen
      if (pass.kind === "stuck" || pass.kind === "hold") expect(slots).toBe(asked.frozen.slots)
      else if (pass.kind === "fold") expect(addsHistory(slots)).toBe(false)
      else if (addsHistory(slots))
        expect(slotTokens(slots).delta).toBeLessThanOrEqual(0.2 * budgetOf(asked.limits))
    }
  }))

const baselineTiers = (slots: Slots | null) =>
  (slots?.markers as { readonly shown?: unknown } | null)?.shown ?? []

const inputsOf = ({ messages }: Talk) => {
  const newest = newestInputs(messages)
  return messages.filter(({ seq }) => newest.includes(seq))
}

test("[EP12] says the latest text of every source, in the tail, in the Delta or by a fresh Baseline", () =>
  holds((passes) => {
    const latest = new Map<string, string>()
    for (const { asked, pass } of passes) {
      for (const one of asked.messages)
        if (one.kind === "system") for (const { key, text: its } of one.texts) latest.set(key, its)
      if (pass.kind === "stuck") continue
      if (pass.endsEpoch) latest.clear()
      const all = said(pass.encoded)
      for (const its of latest.values()) expect(all.split(its)).toHaveLength(2)
    }
  }))

test("[PS2 PS3] is a Hold exactly where it repeats the previous request and freezes nothing", () =>
  holds((passes) => {
    for (const { asked, pass, after } of passes) {
      if (pass.kind === "stuck") continue
      expect(pass.applied === null).toBe(pass.kind === "hold")
      if (pass.kind === "hold") {
        const before = asked.last?.encoded.blocks.map(({ hash }) => hash) ?? []
        expect(pass.encoded.blocks.slice(0, before.length).map(({ hash }) => hash)).toEqual(before)
        expect(after.frozen).toBe(asked.frozen)
      } else expect(pass.applied?.reason).not.toBe("unexplained")
    }
  }))

test("[PS1 PS3] goes on behind a restart with the same bytes", () =>
  holds((passes) => {
    for (const { pass, after } of passes) {
      if (pass.kind === "stuck") continue
      const loaded = restarted(after)
      expect(render(loaded)).toEqual(render(after))
      const next = planned({ ...loaded, blocked: true })
      expect(next).toMatchObject({ break: null, encoded: { prefixHash: pass.encoded.prefixHash } })
      // An execute that finds nothing to do is recorded (PS7).
      if (next.kind !== "hold")
        expect(next).toMatchObject({ kind: "refresh", applied: { ops: [], slots: null } })
    }
    expect(restarted(talk([])).frozen).toBe(emptyFrozen)
  }))

test("[LL7] shows no more images than may be shown", () =>
  holds((passes) => {
    const partsOf = (entry: Entry): readonly EntryPart[] => (entry.kind === "assistant" ? entry.parts : [])
    for (const { pass, after } of passes) {
      if (pass.kind === "stuck") continue
      const shown = render(after)
        .tail.flatMap(partsOf)
        .flatMap((part) => (part.type === "call" ? (part.images ?? []) : []))
      expect(shown.length).toBeLessThanOrEqual(imagesShownMax)
    }
  }))
