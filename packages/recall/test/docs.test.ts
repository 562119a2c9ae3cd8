/** Documents of the project before the history: within their share, first, and no reason for anything. */
import { expect, test } from "vitest"
import type { MemoryId } from "@holdfast/schema/memory/memory"
import { docsBudget, docsText } from "../src/docs.ts"
import { tokensOf } from "../src/historian/words.ts"
import { assistant, text, user, words } from "./history.ts"
import { ask, grown, planned, said, talk, tool } from "./talk.ts"

const doc = (body: string, name = "ARCHITECTURE.md") => ({ name, text: body })
const lines = (count: number) => Array.from({ length: count }, (_, n) => `Line ${n} of it.`).join("\n")

test("[HB2] what fits stands as it is, in the order of the names", () => {
  const told = docsText([doc("One."), doc("Two.", "STRUCTURE.md")], 1_000)
  expect(told).toBe(
    'Documents of this project, as they were when this history was stated; the files say what holds now.\n<document name="ARCHITECTURE.md">\nOne.\n</document>\n<document name="STRUCTURE.md">\nTwo.\n</document>',
  )
  expect(docsText([], 1_000)).toBe("")
  expect(docsText([doc("One.")], 10)).toBe("")
})

test("[HB2] what is too long ends at the end of a line, and says so; what a short one leaves is another's", () => {
  const told = docsText([doc("Short."), doc(lines(2_000), "STRUCTURE.md")], 1_000)
  expect(tokensOf(told)).toBeLessThanOrEqual(1_000)
  expect(tokensOf(told)).toBeGreaterThan(800)
  expect(told).toContain("Short.")
  expect(told).toMatch(
    /\nLine \d+ of it\.\n\[the rest of STRUCTURE\.md is not shown; read the file for it\]\n<\/document>$/,
  )
  expect(docsBudget(10_000)).toBe(4_000)
})

const limits = { contextTokens: 42_000, outputTokens: 2_000, answered: null }
const begun = ask(talk([user(3, words(40))], { limits, docs: [doc("The store is SQLite.")] }))

test("[HB1 HB2 HB6] they stand in the Baseline of the first request, and an unchanged pass after it is a Hold", () => {
  const { pass, after } = begun
  expect(pass.kind).toBe("fold")
  expect(after.frozen.slots?.baseline).toContain("The store is SQLite.")
  expect(after.frozen.slots?.delta).not.toBe("")
  expect(planned(after)).toMatchObject({ kind: "hold" })
})

test("[PS6 HB2] an edit of them changes no byte and causes nothing; the next Fold shows it, a Refresh does not", () => {
  const edited = { ...begun.after, docs: [doc("The store is Postgres.")] }
  const more = grown(edited, assistant(4, text("Yes.")), user(5))
  expect(planned(more)).toMatchObject({ kind: "hold", records: [] })
  const refreshed = ask({ ...more, tools: [tool("work")] })
  expect(refreshed.pass.kind).toBe("refresh")
  expect(said(refreshed.pass.encoded)).toContain("The store is SQLite.")
  const folded = ask(more, { idle: { ms: 4_000_000, lifetimeMs: 300_000 } })
  expect(folded.pass.kind).toBe("fold")
  expect(said(folded.pass.encoded)).toContain("The store is Postgres.")
  expect(said(folded.pass.encoded)).not.toContain("The store is SQLite.")
})

test("[PS6] a memory that is added and a profile that changes cause nothing either", () => {
  const known = { seq: 5, epoch: 0, memories: [], profile: ["Wants tests."] }
  const { after } = ask(talk([user(3, words(40))], { limits, memory: known }))
  const memories = [
    { id: "m1" as MemoryId, category: "NAMING" as const, text: "Ports are numbers.", changedSeq: 6 as never },
  ]
  const memory = { ...known, seq: 6, memories, profile: ["Wants proofs."] }
  const more = grown({ ...after, memory }, assistant(4, text("Yes.")), user(5))
  expect(planned(more)).toMatchObject({ kind: "hold", records: [] })
})
