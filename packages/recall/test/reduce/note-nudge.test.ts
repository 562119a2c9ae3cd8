/** When a model hears of its notes. */
import { expect, test } from "vitest"
import { noteNudgeFor } from "@holdfast/recall"
import type { Message } from "@holdfast/schema/message"
import { emptyItems, type Items, type SessionNote } from "@holdfast/schema/state/items"
import { assistant, text, user } from "../history.ts"
import { calls } from "./units.ts"

const note = (id: string, changedSeq: number): SessionNote => ({
  note: id,
  text: "Ask about the port.",
  anchor: null,
  condition: null,
  state: "open",
  changedSeq,
})
const notes = new Map([["n4", note("n4", 5)]])
const committed: Message = assistant(8, text("Committed as 1a2b3c4."))
const minute = 60_000

const told = (messages: readonly Message[], items: Partial<Items> = {}, nowMs = 100 * minute) =>
  noteNudgeFor({ items: { ...emptyItems, notes, ...items }, messages, nowMs })?.text ?? null

const steps = (...states: readonly ("completed" | "cancelled" | "pending")[]): Items["todos"] => ({
  seq: 9,
  list: states.map((status) => ({ content: "A step", status })),
})

test("[ND1] a commit, a publication and a list of steps that is done tell of open notes, by their count", () => {
  const one = "You have an open note. Call context_note to read it, and dismiss it if it is done."
  expect(told([user(1), committed])).toBe(one)
  expect(told([user(1)], { publishedSeqs: new Map([["c1-3", 7]]) })).toBe(one)
  expect(told([user(1)], { todos: steps("completed", "cancelled") })).toBe(one)
  const two = new Map([...notes, ["n6", note("n6", 6)] as const])
  expect(told([user(1), committed], { notes: two })).toBe(
    "You have 2 open notes. Call context_note to read them, and dismiss those that are done.",
  )
})

test("[ND1] nothing is told without a note, or where nothing has come to an end", () => {
  expect(told([user(1), committed], { notes: new Map() })).toBeNull()
  expect(told([user(1), assistant(8, text("The number is 1234567."))])).toBeNull()
  expect(told([user(1)], { todos: steps("completed", "pending") })).toBeNull()
  const long = Array.from({ length: 5 }, (_, n) => assistant(9 + n, text("On it goes.")))
  expect(told([user(1), committed, ...long])).toBeNull()
})

test("[ND1] it is told once for each occasion, and not again within 15 minutes", () => {
  const at = (seq: number, time: number) => ({ noteNudged: { seq, time } })
  expect(told([user(1), committed], at(9, 0))).toBeNull()
  expect(told([user(1), committed], at(7, 86 * minute))).toBeNull()
  expect(told([user(1), committed], at(7, 85 * minute))).not.toBeNull()
})

test("[ND1] nothing is told while the window shows that the notes were read, and none was written since", () => {
  const read = calls(6, { name: "context_note", input: { action: "read" } })
  const wrote = calls(6, { name: "context_note", input: { action: "write", text: "x" } })
  const later: Message = assistant(10, text("Committed as 1a2b3c4."))
  expect(told([user(1), read, later])).toBeNull()
  expect(told([user(1), read, later], { notes: new Map([["n9", note("n9", 9)]]) })).not.toBeNull()
  // Any call of the tool answers what had come before it.
  expect(told([user(1), assistant(5, text("As 1a2b3c4.")), wrote])).toBeNull()
  expect(told([user(1), wrote, later])).not.toBeNull()
})
