/** Text compression: which answers, how deep, and what of a text stays at every depth. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { reduce, render } from "@holdfast/recall"
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { MessageId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { depthAt, inFewerWords } from "../../src/reduce/shorten.ts"
import { assistant, call, reasoning, text, user } from "../history.ts"
import { asking, viewOf } from "./units.ts"

const said =
  "Great! I've now fixed the parser, and it is really small. The file src/the/a.ts is basically a copy of " +
  '"the old one", so I\'ll just remove it; it will not be missed.'

test.each([
  [0, said],
  [
    1,
    "I've now fixed the parser, and it is small. The file src/the/a.ts is a copy of " +
      '"the old one", so I\'ll remove it; it will not be missed.',
  ],
  [
    2,
    'fixed parser, and it small. file src/the/a.ts copy of "the old one", remove it; it will not be missed.',
  ],
  [3, 'fixed parser, and small. file src/the/a.ts copy "the old one", remove it; will not be missed.'],
])("[TG5] depth %i of one text", (depth, short) => expect(inFewerWords(said, depth)).toBe(short))

test.each([
  ["a fence", "```ts\nthe code is a value\n```"],
  ["a fence that is cut off", "~~~\nthe code is a value"],
  ["an indent", "    the code is a value"],
  ["code in a line", "`the code is a value`"],
  ["code over lines", "`the code\nis a value`, `and so is the rest`"],
  ["a table", "| the | is |"],
  ["a quotation", "> the code is a value"],
  ["words of the user", "U: the code is a value"],
  ["quotes", "“the code is” 'the code is' «the code is»"],
  ["a quote over lines", '"the code\nis a value'],
  ["an address", "https://the.is/a/the?is=the"],
  ["names in capitals", "IT THE A IS"],
  ["what touches a quote", 'the"code"is'],
  ["a path with its end", "src/a/the.ts, ./is/a"],
  ["what will be done, was done, must be done", "will would was must should not never no only"],
  ["a letter that is a name", "a = 1, a and b"],
])("[TG5] %s stays as it is", (_, kept) => expect(inFewerWords(kept, 3)).toBe(kept))

/** What the list may take, and what it may not, in any order. */
const loose = ["the", "a", "The", "is", "it", "just", "of", "Great!", "which", "actually,"]
const fixed = [
  "src/a.ts",
  "https://x.io/the",
  "9f2c1ab",
  "not",
  "`the is`",
  '"of it"',
  "fooBar()",
  "§12§",
  "42",
]

test("[TG5] at every depth all that is no listed word stays, in order; a deeper one is no longer", () => {
  const word = fc.oneof(fc.constantFrom(...loose), fc.constantFrom(...fixed), fc.constant("\n"))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (words) => {
      const whole = words.join(" ")
      const texts = [0, 1, 2, 3].map((depth) => inFewerWords(whole, depth))
      const stays = (one: string) => fixed.map((kept) => one.split(kept).length)
      for (const [at, one] of texts.entries()) {
        expect(stays(one)).toEqual(stays(whole))
        expect(one.length).toBeLessThanOrEqual(texts[at - 1]?.length ?? whole.length)
        expect(inFewerWords(one, at)).toBe(one)
      }
    }),
    { numRuns: 200, seed: 5 },
  )
})

const long = (seq: number) => assistant(seq, text(`${said} ${seq} `.repeat(4)))

/** Ten long answers, each behind a long prompt, and a prompt. */
const talk = (count = 10): readonly Message[] => [
  ...Array.from({ length: count }, (_, n) => [user(2 * n + 1, said.repeat(4)), long(2 * n + 2)]).flat(),
  user(2 * count + 1),
]

const depthsOf = (ops: readonly PassOp[]) =>
  ops.flatMap((op) => (op.op === "shorten" ? [[op.message as string, op.depth]] : []))
const plan = (messages: readonly Message[], ops: readonly PassOp[] = [], more = {}) =>
  depthsOf(reduce(asking(viewOf(messages, ops), { shortens: true, ...more })).ops)

const shorten = (seq: number, depth: number): PassOp => ({
  op: "shorten",
  message: `msg_${seq}` as MessageId,
  depth,
})

test("[TG5] the oldest fifth is the densest, the newest two fifths stay whole", () => {
  expect(Array.from({ length: 10 }, (_, at) => depthAt(at, 10))).toEqual([3, 3, 2, 2, 1, 1, 0, 0, 0, 0])
  expect([depthAt(0, 1), depthAt(0, 4), depthAt(1, 4), depthAt(2, 4)]).toEqual([0, 2, 1, 0])
  expect(plan(talk())).toEqual([
    ["msg_2", 3],
    ["msg_4", 3],
    ["msg_6", 2],
    ["msg_8", 2],
    ["msg_10", 1],
    ["msg_12", 1],
  ])
})

test("[TG5 MD1] nothing is shortened unless asked for, in a subagent, in a job, or of an answer that goes on", () => {
  expect(depthsOf(reduce(asking(viewOf(talk()))).ops)).toEqual([])
  expect(plan(talk(), [], { mode: "child" })).toEqual([])
  expect(plan(talk(), [], { mode: "job" })).toEqual([])
  expect(plan([user(1), ...talk().filter(({ kind }) => kind === "assistant")])).toEqual([])
})

test("[TG5] a depth only grows: what was dense stays so when what was older has left", () => {
  const ops = [shorten(14, 3), shorten(10, 1)]
  expect(plan(talk().slice(8), ops)).toEqual([
    ["msg_10", 3],
    ["msg_12", 2],
  ])
  const [dense, again] = [ops, [...ops, shorten(14, 1)]].map((one) => render(viewOf(talk(), one)).tail)
  expect(again).toEqual(dense)
})

test("[TG5 TG4] an answer bears its number, by which all of it can be read; what the user said stays", () => {
  const whole = render(viewOf(talk(1))).tail
  const short = render(viewOf(talk(1), [shorten(1, 3), shorten(2, 3)])).tail
  expect(short[0]).toEqual(whole[0])
  expect(short[1]).toMatchObject({
    parts: [{ type: "text", text: `[shortened #2] ${inFewerWords(`${said} 2 `.repeat(4), 3)}` }],
  })
})

test("[TG5] a text that would not get shorter stays, and is not named", () => {
  const code = assistant(2, text(`\`\`\`\n${said.repeat(4)}\n\`\`\``))
  expect(plan([user(1), code, ...talk().slice(2)]).map(([id]) => id)).not.toContain("msg_2")
  const messages = [user(1), assistant(2, text("The end.")), user(3)]
  expect(plan(messages)).toEqual([])
  expect(render(viewOf(messages, [shorten(2, 3)])).tail).toEqual(render(viewOf(messages)).tail)
})

test("[TG5 TG3] what a provider sealed goes back only with the very text; what a hosted tool did stays", () => {
  const native = { provider: "sim", model: "script", endpoint: "http://sim", opaque: "sig" }
  const sealed = assistant(
    2,
    reasoning("why"),
    { ...text(said.repeat(4)), native },
    { ...call(2, "out"), native },
  )
  const shown = JSON.stringify(render(viewOf([user(1), sealed, user(3)], [shorten(2, 3)])).tail)
  expect(shown).not.toContain("sig")
  const hosted = assistant(2, text(said.repeat(4)), { type: "hosted", name: "search", native })
  const [, ...rest] = talk()
  expect(plan([user(1), hosted, ...rest.slice(1)]).map(([id]) => id)).not.toContain("msg_2")
})
