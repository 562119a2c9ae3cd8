/** Properties of the reference that no other test shows, by their numbers. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fits, render } from "@holdfast/recall"
import { decide, type ExecuteQuestion, type Mode } from "@holdfast/recall/decide"
import type { SignalRaised } from "@holdfast/schema/fact/recall"
import type { CallId, Seq } from "@holdfast/schema/id"
import type { MemoryId } from "@holdfast/schema/memory/memory"
import type { Message } from "@holdfast/schema/message"
import { editorPrompt } from "../src/historian/editor.ts"
import { readOutput } from "../src/historian/output.ts"
import { judgeAnswer, prepareTask, writeExtract } from "../src/historian/task.ts"
import { todoPair } from "../src/reduce/todo-pair.ts"
import { assistant, call, text, user, words } from "./history.ts"
import { calls, history, viewOf } from "./reduce/units.ts"
import { ask, grown, planned, said, signal, talk } from "./talk.ts"

const shown = (...[view, tags]: Parameters<typeof render>): string => JSON.stringify(render(view, tags).tail)

test("[TG1] property 3: what is rendered again bears each tag once, whatever was said begins like one", () => {
  const messages = [user(1, "§1§ ask"), calls(2, { output: "§3§ out" }), user(4)]
  const view = viewOf(messages)
  const once = shown(view, true)
  expect(shown(view, true)).toBe(once)
  expect(shown(viewOf(structuredClone(messages)), true)).toBe(once)
  // The first is ours, the second is what was said.
  expect(once.split("§1§ §1§ ask")).toHaveLength(2)
  expect(once.split("§3§ §3§ out")).toHaveLength(2)
  expect(once.split("§4§")).toHaveLength(2)
})

test("[TG1 TG2] property 10: of two calls that a provider gave the same id, each is dropped alone", () => {
  const twice = (seq: number): Message =>
    assistant(seq, {
      ...call(seq, `out ${seq}`),
      nativeId: "same",
      call: `call_${seq}` as CallId,
      seq: seq + 1,
    })
  const messages = [user(1), twice(2), twice(4), user(6)]
  const unit = { message: twice(2).id, call: "call_2" as CallId }
  for (const leaves of ["nothing", "skeleton"] as const) {
    const [before, after] = [[], [{ op: "drop", unit, leaves } as const]].map((ops) =>
      render(viewOf(messages, ops), true).tail.map((entry) => JSON.stringify(entry)),
    )
    expect(after?.join()).not.toContain("out 2")
    expect(after?.slice(-2)).toEqual(before?.slice(-2))
    expect(after?.join()).toContain("§5§ out 4")
  }
})

test("[ND2] property 12: the same list of steps has the same call id wherever it is anchored, another has another", () => {
  const list = [{ content: "Mend it", status: "pending" }]
  const ids = [2, 4].map((seq) => {
    const op = { op: "anchor-todo", message: calls(seq).id, todo: list } as const
    return /call_todo[0-9a-f]{20}/.exec(shown(viewOf(history(2), [op])))?.[0]
  })
  expect(ids[0]).toBeDefined()
  expect(ids[1]).toBe(ids[0])
  const other = (content: string, status: string) => todoPair([{ content, status }])
  expect(other("Mend it", "pending")).toMatchObject({ call: ids[0] })
  expect(other("Mend it", "in_progress")).not.toMatchObject({ call: ids[0] })
  expect(other("Mend this", "pending")).not.toMatchObject({ call: ids[0] })
})

describe("[HB3 PS2] property 19: a Fold has a reason of its table, and what nobody could tell counts as unchanged", () => {
  const memory = {
    seq: 5,
    epoch: 3,
    memories: [
      { id: "m1" as MemoryId, category: "NAMING" as const, text: "Use tabs.", changedSeq: 1 as Seq },
    ],
  }
  const docs = [{ name: "ARCHITECTURE.md", text: "The store is SQLite." }]
  const limits = { contextTokens: 42_000, outputTokens: 2_000, answered: null }
  const begun = ask(talk([user(1, words(40))], { limits, memory, docs })).after
  const next = grown(begun, assistant(2, text("Yes.")), user(3))

  test("whatever of memory and documents is not known this time, and together", () => {
    for (const without of [{ memory: null }, { docs: [] }, { memory: null, docs: [] }]) {
      const { pass, after } = ask({ ...next, ...without })
      expect([without, pass.kind, pass.break]).toEqual([without, "hold", null])
      expect(after.frozen).toBe(begun.frozen)
      // It is known again: nothing has changed.
      const again = ask(grown({ ...after, memory, docs }, assistant(4, text("Yes.")), user(5)))
      expect([without, again.pass.kind]).toEqual([without, "hold"])
    }
  })

  test("over all combinations of what may fold", () => {
    const folding = [
      { model: "claude-other" },
      { agent: "Review what was built." },
      { memory: { ...memory, seq: 6, epoch: 6 } },
    ]
    const holding = [{ docs: [{ name: "ARCHITECTURE.md", text: "Another." }] }, { memory: null }]
    for (let set = 0; set < 2 ** (folding.length + holding.length); set++) {
      const chosen = [...folding, ...holding].filter((_, bit) => (set >> bit) % 2 === 1)
      // Of two that speak of memory the later one counts: it is not known then.
      const asked = Object.assign({ ...next }, ...chosen) as typeof next
      const folds =
        asked.model !== next.model || asked.agent !== next.agent || (asked.memory?.epoch ?? 3) > memory.epoch
      expect([chosen, ask(asked).pass.kind]).toEqual([chosen, folds ? "fold" : "hold"])
    }
  })
})

test("[PS5 PS8] property 34: what has no reason to execute is held, whatever else is true of the moment", () => {
  const kinds: readonly SignalRaised["kind"][] = ["drop", "move", "flush", "fold"]
  const asked: ExecuteQuestion[] = []
  for (const mode of ["primary", "child", "job"] as readonly Mode[])
    for (const midTurn of [true, false])
      for (const fresh of [true, false])
        for (const idleMs of [null, 0, 300_000])
          for (const usage of [0, 0.5, 0.649])
            for (let set = 0; set < 2 ** kinds.length; set++) {
              const signals = new Set(kinds.filter((_, bit) => (set >> bit) % 2 === 1))
              asked.push({
                usage,
                threshold: 0.65,
                idleMs,
                lifetimeMs: 300_000,
                midTurn,
                fresh,
                signals,
                mode,
              })
            }
  expect(asked.filter((question) => decide(question).kind !== "hold")).toEqual([])
})

test("[PS4 MK1] property 36: the boundary, the history and what is queued share one break", () => {
  const limits = { contextTokens: 42_000, outputTokens: 2_000, answered: null }
  const rounds = Array.from({ length: 30 }, (_, n) => [
    assistant(10 * n + 2, { ...call(10 * n + 2, words(300)), seq: 10 * n + 3 }),
    assistant(10 * n + 4, text(words(600))),
    user(10 * n + 6, `round ${n} ${words(60)}`),
  ]).flat()
  const asked = grown(ask(talk([user(1, "begin")], { limits })).after, ...rounds)
  const newest = rounds.at(-20 * 3)
  const unit = { message: newest?.id ?? "", call: `call_${newest?.seq}` }
  const waiting = [
    { ...signal("sig_drop", "drop"), detail: { units: [unit] } },
    signal("sig_execute", "execute"),
  ]
  const { pass, after } = ask(asked, { waiting })
  expect(pass).toMatchObject({ kind: "fold", applied: { consumes: ["sig_execute", "sig_drop"] } })
  expect(after.frozen.from).toBeGreaterThan(0)
  expect(after.frozen.slots?.baseline).not.toBe("")
  // Nothing of the cycle is left for another one.
  expect(planned(after)).toMatchObject({ kind: "hold", records: [] })
  expect(planned(grown(after, assistant(900, text("Yes.")), user(901)))).toMatchObject({ kind: "hold" })
  expect(said(planned(after).encoded)).toBe(said(pass.encoded))
})

describe("[HI1 HI6] property 42: each publication goes further than the one before", () => {
  const parts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 })

  test("by whatever draft, and without one", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 24 }),
        fc.array(fc.record({ parts, emergency: fc.boolean(), answers: fc.boolean() }), {
          minLength: 1,
          maxLength: 8,
        }),
        (count, runs) => {
          const all = Array.from({ length: count }, (_, at) =>
            at % 2 === 0 ? user(3 * at + 2, `Ask ${at}`) : assistant(3 * at + 2, text(`Say ${at}`)),
          )
          let end = 0
          for (const run of runs) {
            const messages = all.filter(({ seq }) => seq > end)
            const last = messages.at(-1)
            if (last === undefined) break
            const triggered = { reason: "length" as const, fromSeq: end + 1, toSeq: last.seq, messages }
            const task = prepareTask({
              session: "ses_1",
              triggered: { ...triggered, emergency: run.emergency },
              contextTokens: 200_000,
              compartments: [],
              memory: [],
              history: all,
            })
            if (task === null) break
            const judged = run.answers
              ? judgeAnswer(task, answerOf(run.parts, task.chunk.entries.length))
              : null
            const published = judged?.kind === "taken" ? judged.published : writeExtract(task)
            expect(published.fromSeq).toBe(end + 1)
            expect(published.toSeq).toBeGreaterThan(end)
            expect(published.compartments.at(-1)?.toSeq).toBe(published.toSeq)
            end = published.toSeq
          }
        },
      ),
      { numRuns: 60 },
    ))

  function answerOf(lengths: readonly number[], ordinals: number): string {
    const made: string[] = []
    let next = 1
    for (const length of lengths) {
      if (next > ordinals) break
      const to = Math.min(ordinals, next + length - 1)
      made.push(`<part from="${next}" to="${to}" title="t"><p1>Words.</p1></part>`)
      next = to + 1
    }
    return `<history>${made.join("")}<next>${next}</next></history>`
  }
})

test("[HI9] property 57: whatever a draft says, the editor is shown a form that reads back as the same", () => {
  const any = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom(
      "</p1><p1>",
      "</history>",
      "&lt;",
      "&amp;lt;",
      '"><part from="1"',
      "a & b",
      "<next>9</next>",
    ),
  )
  const someWords = any.map((some) => some.trim()).filter((some) => some !== "")
  fc.assert(
    fc.property(
      fc.array(fc.tuple(someWords, someWords, someWords, someWords), { minLength: 1, maxLength: 4 }),
      (lengths) => {
        const parts = lengths.map((tiers, at) => ({
          from: at + 1,
          to: at + 1,
          title: "t",
          importance: 50,
          kind: "work",
          tiers,
        }))
        const prompt = editorPrompt({ parts })
        const read = readOutput(prompt.slice(prompt.lastIndexOf("<history>")))
        expect(read).toMatchObject({ kind: "read", draft: { parts, facts: [], events: [], next: null } })
      },
    ),
    { numRuns: 100 },
  )
})

test("[PS5 TU6 EP10] property 63: a model with a smaller window is asked for no more than it takes, at once", () => {
  const rounds = Array.from({ length: 20 }, (_, n) => [
    user(10 * n + 1, words(1_500)),
    assistant(10 * n + 2, text(words(1_500))),
  ]).flat()
  const large = { contextTokens: 200_000, outputTokens: 1_000, answered: null }
  const { pass, after } = ask(talk([...rounds, user(300, "now")], { limits: large }))
  expect(pass.encoded.tokens).toBeGreaterThan(50_000)
  // What was reported is of the model before, and no word of the one that follows.
  const small = { contextTokens: 16_000, outputTokens: 1_000, answered: null }
  const asked = grown(
    { ...after, model: "claude-small", limits: small },
    assistant(301, text("yes")),
    user(302),
  )
  const switched = ask(asked)
  expect(switched.pass.kind).toBe("fold")
  expect(fits(switched.pass.encoded.tokens, small)).toBe(true)
  expect(ask(grown(switched.after, assistant(303, text("yes")), user(304))).pass.kind).toBe("hold")
})

test("[TG3 LL3] property 68: a text of nothing but blanks is in no request, whatever stands beside it", () => {
  const blanks = ["", " ", "\n\t"]
  for (const blank of blanks)
    for (const parts of [[text(blank)], [text(blank), call(2, "ok")], [text("yes"), text(blank)]] as const) {
      const { tail } = render(viewOf([user(1), assistant(2, ...parts), user(3)]))
      const kept = tail.flatMap((entry) => (entry.kind === "assistant" ? entry.parts : []))
      expect(kept.every((part) => part.type !== "text" || part.text.trim() !== "")).toBe(true)
      expect(kept.length).toBe(parts.filter((part) => part.type !== "text" || part.text === "yes").length)
      expect(tail.filter(({ kind }) => kind === "assistant").length).toBe(kept.length === 0 ? 0 : 1)
    }
})
