/** A pass that a drain may write at this place: what it cuts was there, and cuts only grow. */
import type { FactOf } from "@holdfast/schema/event"
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { SessionState } from "@holdfast/schema/state/state"

export function passOf(state: SessionState, n: number, pick: number): FactOf<"pass.applied"> {
  const signals = [...state.items.signals.values()].map(({ signal }) => signal)
  return {
    type: "pass.applied",
    pass: pick % 3 === 0 ? "fold" : "refresh",
    reason: pick % 5 === 0 ? "execute" : `reason ${n}`,
    ops: [...dropOps(state, pick), ...cutOps(state, pick)],
    slots:
      pick % 4 === 0
        ? { baseline: `baseline ${n}`, delta: "", boundary: state.summary.historyEnd, markers: { n } }
        : null,
    consumes: signals.slice(0, pick % 3),
    tokensBefore: 9,
    tokensAfter: 3,
  }
}

function dropOps({ messages }: SessionState, pick: number): readonly PassOp[] {
  const message = messages[pick % Math.max(1, messages.length)]
  if (message === undefined || pick % 2 === 0) return []
  const parts = message.kind === "assistant" ? message.parts : []
  const call = parts.flatMap(({ part }) => (part.type === "call" ? [part.call] : []))[0] ?? null
  return [
    { op: "drop", unit: { message: message.id, call }, leaves: call === null ? "nothing" : "skeleton" },
    { op: "strip", message: message.id, what: "reasoning" },
    { op: "shorten", message: message.id, depth: pick },
    { op: "anchor-todo", message: message.id, todo: [pick] },
    { op: "name-images", below: message.seq },
  ]
}

function cutOps({ messages, summary }: SessionState, pick: number): readonly PassOp[] {
  const shown = messages.filter(({ seq }) => seq >= summary.windowFrom)
  const first = shown[Math.floor(shown.length / 2)]
  if (first === undefined || pick % 5 > 1) return []
  const below = pick % 5 === 0 ? first.seq : summary.seq + 1
  const kept = messages.filter(({ seq }) => seq < below && seq % 3 === 0).map(({ seq }) => seq)
  return [{ op: "cut", below, kept, messages: pick }]
}
