import { expect, test } from "vitest"
import type { Message } from "@holdfast/schema/message"
import { chunkOf } from "../../src/historian/chunk.ts"
import { assistant, call, image, notice, reasoning, system, text, user, words } from "../history.ts"

const all = { fromSeq: 1, toSeq: 100 }
const named = (n: number, name: string, input: object) => ({
  ...call(n, "the output"),
  name,
  input: input as never,
})

test("[HI10] a range is read with ordinals, consecutive messages of one speaker as one line", () => {
  const messages = [
    user(2, "Mend the\nparser."),
    assistant(4, text("I look."), named(1, "read", { path: "src/a.ts" })),
    assistant(6, text("Mended in 1a2b3c4, see also 7654321 and deadbeef.")),
    user(9, "Good."),
  ]
  const chunk = chunkOf(messages, all, 8_000)
  expect(chunk?.text).toBe(
    [
      "[1] U: Mend the parser.",
      "[2-3] A: I look. / Mended in 1a2b3c4, see also 7654321 and deadbeef. commits: 1a2b3c4",
      "[4] U: Good.",
    ].join("\n"),
  )
  expect(chunk?.entries.map(({ seq }) => seq)).toEqual([2, 4, 6, 9])
  expect(chunk).toMatchObject(all)
})

test("[HI10] calls are named only where nothing is said, and what they printed never", () => {
  const bare = assistant(3, named(1, "edit", { path: `src/${"x".repeat(90)}` }), {
    ...call(2, "no", "failed"),
    name: "bash",
  })
  const chunk = chunkOf([bare], all, 8_000)
  expect(chunk?.text).toBe(`[1] A: TC: edit(src/${"x".repeat(56)}) TC: bash() failed`)
  expect(chunk?.entries).toEqual([{ seq: 3, toolOnly: true }])
})

const planted = "The release key is 4711."
const synthetic: readonly (readonly [string, Message])[] = [
  ["a system message", system(5, planted)],
  ["a notice", notice(5, planted)],
  [
    "what stands beside the user's words",
    { ...user(5, "Go on."), added: [{ kind: "hint", text: planted }] } as never,
  ],
  [
    "a reminder behind an output",
    assistant(5, { ...call(1, "out"), added: [{ kind: "nudge", text: planted }] as never }),
  ],
  ["the output of a tool", assistant(5, call(1, planted))],
  ["reasoning", assistant(5, reasoning(planted))],
  ["what was quarantined", { ...user(5, planted), quarantined: 7 } as never],
]

test.each(synthetic)("[HI10 MM2] nothing synthetic is in the range: %s", (_, message) => {
  const chunk = chunkOf([user(2, "Begin."), message, user(8, "End.")], all, 8_000)
  expect(chunk?.text).toContain("Begin.")
  expect(chunk?.text).not.toContain("4711")
})

test("[HI10] what nobody said stands under no ordinal, and is covered all the same", () => {
  const chunk = chunkOf([system(1), user(3), notice(4), user(7)], all, 8_000)
  expect(chunk?.entries.map(({ seq }) => seq)).toEqual([3, 7])
  expect(chunk).toMatchObject({ fromSeq: 1, toSeq: 100 })
  expect(chunkOf([system(1), notice(4)], all, 8_000)).toBeNull()
})

test("[HI1] a chunk is bounded, ends between messages, and holds one at the least", () => {
  const messages = [user(1, words(400)), user(5, words(400)), user(9, words(400))]
  expect(chunkOf(messages, all, 900)).toMatchObject({
    fromSeq: 1,
    toSeq: 8,
    entries: [{ seq: 1 }, { seq: 5 }],
  })
  const huge = chunkOf([user(1, `begin ${words(90_000)} end`), user(4)], all, 8_000)
  expect(huge?.tokens).toBeLessThan(8_000)
  expect(huge?.text).toMatch(/begin .*\[left out here\].* end/)
  expect(chunkOf([user(1, words(900))], all, 10)).toMatchObject({ entries: [{ seq: 1 }] })
})

test("[HI10] an image is named", () => {
  expect(chunkOf([{ ...user(1, "See."), images: [image(3)] } as Message], all, 8_000)?.text).toBe(
    "[1] U: See. [image 3.png]",
  )
})
