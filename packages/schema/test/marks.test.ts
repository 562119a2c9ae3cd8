/** Which events a window folds beside its messages: no more than what still matters. */
import { describe, expect, test } from "vitest"
import type { Fact, FactOf } from "../src/event.ts"
import { MessageId, SignalId } from "../src/id.ts"
import { type MarkKind, marksOf } from "../src/state/items.ts"

const pass = (kind: "refresh" | "fold", ...consumes: readonly SignalId[]): FactOf<"pass.applied"> => ({
  type: "pass.applied",
  pass: kind,
  reason: "r",
  ops: [],
  slots: null,
  consumes,
  tokensBefore: 0,
  tokensAfter: 0,
})
const signal = SignalId.make("sig_1")
const raised: Fact = { type: "signal.raised", signal, kind: "flush", detail: null }
const learned = (model: string): Fact => ({
  type: "limit.learned",
  model: { provider: "p", model },
  contextTokens: 9,
})
const note: Fact = { type: "note.written", note: "n", text: "t", anchor: null, condition: null }
const staged: Fact = {
  type: "revert.staged",
  revert: "r",
  message: MessageId.make("msg_1"),
  fromSeq: 1,
  files: [],
}

/** The positions whose marks are left, by what `marksOf` says alone. */
function marked(...facts: readonly Fact[]): readonly number[] {
  let marks: readonly { at: number; kind: MarkKind; id: string }[] = []
  for (const [at, fact] of facts.entries()) {
    const { marks: left, ends, keeps } = marksOf(fact)
    for (const end of ends) {
      if ("pairedBy" in end) continue
      marks = marks.filter(({ kind, id }) => kind !== end.kind || (end.id !== null && id !== end.id))
    }
    marks = [...marks, ...left.map((mark) => ({ at, ...mark }))]
    const of = (kind?: MarkKind) => marks.filter((mark) => mark.kind === kind)
    const oldest = of(keeps?.kind).at(-(keeps?.count ?? 0))?.at ?? 0
    marks = marks.filter((mark) => mark.kind !== keeps?.kind || mark.at >= oldest)
  }
  return marks.map(({ at }) => at)
}

describe("marksOf", () => {
  const cases: Readonly<Record<string, readonly [facts: readonly Fact[], left: readonly number[]]>> = {
    "a Fold ends the passes before it": [
      [pass("refresh"), pass("refresh"), pass("fold"), pass("refresh")],
      [2, 3],
    ],
    "a pass ends the signals that it consumes": [[raised, pass("refresh", signal)], [1]],
    "a model has one limit, the newest": [
      [learned("a"), learned("b"), learned("a")],
      [1, 2],
    ],
    "a note ends when it is dismissed": [
      [
        note,
        { type: "note.changed", note: "n", text: "u" },
        { type: "note.changed", note: "n", state: "dismissed" },
      ],
      [],
    ],
    "a revert ends when it is undone": [
      [
        staged,
        { type: "revert.applied", revert: "r", fromSeq: 1, withdraws: [], historyEnd: 0 },
        { type: "revert.undone", revert: "r" },
      ],
      [],
    ],
  }
  for (const [name, [facts, left]] of Object.entries(cases))
    test(name, () => expect(marked(...facts)).toEqual(left))
})
