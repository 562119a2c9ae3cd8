import { describe, expect, test } from "@effect/vitest"
import { Schema } from "effect"
import { AskId, CallId, idFromBytes, MessageId, PromptId, SessionId, SignalId, TurnId } from "../src/id.ts"
import { addUsage, costOf, formatModelRef, parseModelRef, usageNone } from "../src/model.ts"
import { findTextFault, promptBytesMax } from "../src/prompt.ts"
import { applySnapshotChanges } from "../src/state/state.ts"

describe("findTextFault", () => {
  const sound = [
    "a",
    " a ",
    "\u{1f600}",
    "line\r\nline",
    "\ud83d\ude00x",
    "x".repeat(promptBytesMax),
    "\ufffd",
  ]
  for (const text of sound) {
    test(`accepts ${JSON.stringify(text.slice(0, 12))} of ${text.length}`, () => {
      expect(findTextFault(text)).toBeNull()
    })
  }
  const faults = [
    ["nothing", "", "empty", null],
    ["blanks", " \n\t\u00a0", "empty", null],
    ["a NUL", "ab\u0000c", "nul", 2],
    ["a first half alone", "ab\ud83d", "lone_surrogate", 2],
    ["a first half before a letter", "\ud83dx", "lone_surrogate", 0],
    ["a second half alone", "a\ude00", "lone_surrogate", 1],
    ["halves in the wrong order", "\ude00\ud83d", "lone_surrogate", 0],
    ["a lone half after a pair", "\u{1f600}\ud83d", "lone_surrogate", 2],
    ["two first halves and a second", "\ud83d\ud83d\ude00", "lone_surrogate", 0],
    ["a byte too many", "x".repeat(promptBytesMax + 1), "too_long", promptBytesMax + 1],
    [
      "few characters of many bytes",
      "\u{1f600}".repeat(promptBytesMax / 4 + 1),
      "too_long",
      promptBytesMax + 4,
    ],
  ] as const
  for (const [name, text, code, number] of faults) {
    test(`refuses ${name} and says where or how much`, () => {
      const fault = findTextFault(text)
      expect(fault?.code).toBe(code)
      if (number !== null) expect(fault?.message).toContain(` ${number} `.trimEnd())
    })
  }
})

describe("ids", () => {
  const bytes = Uint8Array.from({ length: 20 }, (_, at) => at * 13)
  test("made from bytes, each kind is accepted by its own schema alone", () => {
    const kinds = { ses: SessionId, msg: MessageId, trn: TurnId, call: CallId, ask: AskId, sig: SignalId }
    for (const [prefix, schema] of Object.entries(kinds)) {
      for (const other of ["ses", "msg", "trn", "call", "ask", "sig"] as const) {
        expect([prefix, Schema.is(schema)(idFromBytes(other, bytes))]).toEqual([prefix, other === prefix])
      }
    }
    expect(Schema.is(PromptId)(idFromBytes("prm", bytes))).toBe(true)
  })
  test("a prompt id may be anything short without blanks", () => {
    const cases = { a: true, "A.b_c:d-1": true, "": false, "-a": false, "a b": false, "a/b": false }
    for (const [value, accepted] of Object.entries(cases)) {
      expect([value, Schema.is(PromptId)(value)]).toEqual([value, accepted])
    }
    expect([128, 129].map((length) => Schema.is(PromptId)("a".repeat(length)))).toEqual([true, false])
  })
})

describe("values", () => {
  test("a model reference is split at its first slash", () => {
    expect(parseModelRef("a/b/c")).toEqual({ provider: "a", model: "b/c" })
    expect(["", "a", "/a", "a/"].map(parseModelRef)).toEqual([null, null, null, null])
    expect(formatModelRef({ provider: "a", model: "b/c" })).toBe("a/b/c")
  })
  test("usage adds up and costs what the price says", () => {
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
    expect(addUsage(usage, addUsage(usage, usageNone))).toEqual({
      input: 2,
      output: 4,
      cacheRead: 6,
      cacheWrite: 8,
    })
    expect(costOf(usage, { input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6 })).toBe(10)
    expect(costOf(usage, null)).toBeNull()
  })
  test("snapshot changes replace, add and remove whole entries", () => {
    const before = { "a/x": { value: { deep: 1 } }, "a/y": { value: 1, removal: "Gone." } }
    const changes = { "a/x": { value: { other: 2 } }, "a/y": null, "a/z": { value: 3 } }
    expect(applySnapshotChanges(before, changes)).toEqual({
      "a/x": { value: { other: 2 } },
      "a/z": { value: 3 },
    })
    expect(Object.keys(before)).toHaveLength(2)
  })
})
