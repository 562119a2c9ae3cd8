/** What holds for the linter of every wire: it passes what is legal and names what breaks it. */
import { expect, test } from "vitest"
import type { Entry, Target } from "../../src/segments.ts"
import type { Encoded, Wire } from "../../src/wire.ts"
import { answer, call, segmentsOf, user } from "../requests.ts"
import type { Corruptions } from "./corruptions.ts"

export interface LintSubject {
  readonly wire: Wire
  readonly target: Target
  readonly legal: Encoded
  /** How many blocks the legal request has: corruptions count them. */
  readonly blocks: number
  readonly corruptions: Corruptions
  /** What settings may not say. */
  readonly settings: readonly (readonly [what: string, from: string | RegExp, to: string])[]
}

export function findsWhatBreaks({ wire, target, legal, ...subject }: LintSubject): void {
  const rulesOf = (encoded: Encoded) => wire.lint(encoded, target).map((fault) => fault.rule)

  test("[LL3] finds nothing in a legal request", () => {
    expect(legal.blocks).toHaveLength(subject.blocks)
    expect(rulesOf(legal)).toEqual([])
  })

  test.each(Object.entries(subject.corruptions))(
    "[LL3] refuses a request in which %s",
    (_, [rule, corrupt]) => {
      const blocks = [...legal.blocks]
      corrupt(blocks)
      expect(rulesOf({ ...legal, blocks })).toContain(rule)
      expect(rulesOf(legal)).toEqual([])
    },
  )

  test.each(subject.settings)("[LL3] refuses settings with %s", (_, from, to) => {
    expect(rulesOf({ ...legal, params: legal.params.replace(from, to) })).toContain("params")
  })
}

/** What was found out about a beginning is kept, and must not be mixed up with what follows it. */
export function keepsRequestsApart(wire: Wire, target: Target): void {
  test("[LL3] keeps apart what two requests add to the same beginning", () => {
    const start = [user("a"), answer(call(1)), answer(call(2))]
    const check = (...more: readonly Entry[]) =>
      wire.lint(wire.encode(segmentsOf([...start, ...more]), target), target).map((fault) => fault.rule)
    expect(check()).toEqual([])
    expect(check(answer(call(3)))).toEqual([])
    expect(check(answer(call(3)), answer(call(4)))).toEqual([])
    expect(check(answer(call(2)))).toContain("call-unique")
    expect(check(answer(call(3)))).toEqual([])
  })
}
