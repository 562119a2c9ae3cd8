import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Fact } from "@holdfast/schema/event"
import { openInlineStore } from "../src/inline-store.ts"
import type { Command, SessionWindow, Store } from "../src/port.ts"
import { makePlace } from "./place.ts"
import * as records from "./records.ts"

const session = records.sessionId(1)
const token = 1

interface Step {
  readonly kind: keyof typeof steps
  readonly pick: number
}

/** Each step turns what stands into the next valid command, or null where it does not apply. */
const steps = {
  admit: ({ n, pick }) => records.admit(1, n, { delivery: pick % 2 === 0 ? "steer" : "queue" }),
  edit: ({ n, prompt }) =>
    prompt && { kind: "edit-prompt", session, time: n, prompt: prompt.id, text: `edit ${n}` },
  cancel: ({ n, prompt }) => prompt && { kind: "cancel-prompt", session, time: n, prompt: prompt.id },
  promote: ({ prompt }) =>
    prompt &&
    facts({
      type: "prompt.promoted",
      prompt: prompt.id,
      message: records.messageId(`p${prompt.admittedSeq}`),
      bodySeq: prompt.bodySeq,
    }),
  epoch: ({ n }) => facts(records.epochStarted(`Baseline ${n}`, `${n}`)),
  context: ({ n, window, pick }) =>
    window.epoch && facts(records.contextUpdated(n, pick % 3 === 0 ? null : `${n}`)),
  turn: ({ n, turn, pick }) =>
    turn === null
      ? facts(records.turnStarted(n))
      : facts(records.turnSettled(turn, pick % 2 === 0 ? "done" : "failed")),
  text: ({ n, turn }) => turn && facts(records.partRecorded(turn, n, records.textPart(`text ${n}`))),
  call: ({ n, turn }) => turn && facts(records.partRecorded(turn, n, records.callPart(n))),
  start: ({ turn, open }) =>
    turn && open?.state === "pending" ? facts(records.callStarted(turn, open.n)) : null,
  settle: ({ turn, open, pick }) =>
    turn && open && facts(records.callSettled(turn, open.n, pick % 2 === 0 ? "done" : "interrupted")),
  update: ({ n }) =>
    facts({ type: "session.updated", title: `Title ${n}`, blocked: { code: "x", message: "y" } }),
  move: ({ n }) =>
    facts({ type: "session.moved", location: { directory: `/srv/${n}`, projectRoot: "/work" } }),
  interrupt: ({ n }) => ({ kind: "interrupt", session, time: n }),
  reduce: ({ window }) => facts(records.reductionApplied(window.session.seq)),
} satisfies Record<string, (view: View) => Command | null | undefined | 0>

interface View {
  readonly n: number
  readonly pick: number
  readonly window: SessionWindow
  readonly prompt: SessionWindow["inbox"][number] | undefined
  readonly turn: number | null
  readonly open: { readonly n: number; readonly state: string } | undefined
}

const facts = (...list: readonly Fact[]): Command => records.append(1, token, list)

function viewOf(window: SessionWindow, n: number, pick: number): View {
  const openTurn = window.session.openTurn
  const calls = window.messages.flatMap((message) =>
    message.kind === "assistant" && message.turn === openTurn
      ? message.parts.flatMap(({ part }) => (part.type === "call" && part.outcome === null ? [part] : []))
      : [],
  )
  const call = calls[pick % Math.max(1, calls.length)]
  return {
    n,
    pick,
    window,
    prompt: window.inbox[pick % Math.max(1, window.inbox.length)],
    turn: openTurn === null ? null : Number(openTurn.slice("trn_".length)),
    open: call && { n: Number(call.call.slice("call_".length)), state: call.state },
  }
}

const play = Effect.fnUntraced(function* (store: Store, plan: readonly Step[]) {
  yield* store.commit(records.create(1))
  yield* store.commit(records.acquire(1))
  for (const [at, { kind, pick }] of plan.entries()) {
    const window = yield* store.window(session)
    if (window === null) continue
    const command = steps[kind](viewOf(window, at + 1, pick))
    if (command) yield* store.commit(command)
  }
})

const everything = Effect.fnUntraced(function* (store: Store) {
  return {
    window: yield* store.window(session),
    messages: yield* store.messages(session, { afterSeq: 0, limit: 1_000, system: true }),
    turns: yield* store.turns(session),
    lease: yield* store.lease(session),
    unsettled: yield* store.unsettled(),
  }
})

const step = fc.record({
  kind: fc.constantFrom(...(Object.keys(steps) as readonly (keyof typeof steps)[])),
  pick: fc.nat(20),
})

it("[EP5] a rebuild from the log equals the projections that the commits wrote", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (plan) => {
      const place = makePlace()
      const store = Effect.runSync(openInlineStore({ file: place.file }))
      try {
        Effect.runSync(play(store, plan))
        const before = Effect.runSync(everything(store))
        const report = Effect.runSync(store.inspect())
        expect([report.damage, report.stale]).toEqual([[], []])
        Effect.runSync(store.rebuild())
        expect(Effect.runSync(everything(store))).toEqual(before)
      } finally {
        Effect.runSync(store.close())
        place.dispose()
      }
    }),
    { numRuns: 60, seed: 7 },
  )
})
