/** Which of the user's words are chosen where they do not all have room. */
import { expect, test } from "vitest"
import { chooseKept } from "../../src/historian/kept.ts"

const room = { fewest: 1_000, all: 1_000, said: 1_000, whole: 1_000, own: 1_000, head: 0, packed: true }

test("[HI1] of what differs by a number alone the first stays and the last three, of what there is room for more", () => {
  const days = Array.from({ length: 40 }, (_, n) => ({
    mark: "U" as const,
    seq: n + 1,
    text: `Day ${n + 1}`,
  }))
  const [lines] = chooseKept([days], { ...room, own: 0 })
  expect(lines).toEqual(["U #1 Day 1 · …", "U #38 Day 38", "U #39 Day 39", "U #40 Day 40"])
  expect(chooseKept([days], room)[0]).toHaveLength(21)
})

test("[HI1] where there is room for what somebody said, pasted logs and code do not take it", () => {
  const said = { mark: "U" as const, seq: 1, text: JSON.stringify(`Look at this, ${"it is odd ".repeat(9)}`) }
  const log = { mark: "U" as const, seq: 2, text: JSON.stringify(`2026-02-08 |DEBU| ${"hook ".repeat(20)}`) }
  const [lines = []] = chooseKept([[said, log]], { ...room, whole: 0 })
  expect(lines).toContain(`U #1 ${said.text}`)
  expect(lines.join("\n")).not.toContain(log.text)
})

test("[HI1] how a message begins is chosen before what else it says", () => {
  const said = (seq: number) =>
    ["It begins here", "It goes on there"].map((text) => ({ text: `${text} ${"abcdefghijkl"[seq]}`, seq }))
  const words = Array.from({ length: 40 }, () => ({ mark: "U" as const, seq: 0, text: "" }))
  const talk = [3, 4, 5].flatMap(said).map((one) => ({ mark: "U" as const, ...one }))
  const [lines] = chooseKept([[...words, ...talk]], { ...room, said: 27, whole: 0, own: 0 })
  expect(lines?.filter((line) => line.includes("begins"))).toHaveLength(3)
})

test("[HI1] where sentences of a message are left out, a mark stands in their place, and their order is that of the message", () => {
  const said = (text: string, seq = 7) => ({ mark: "U" as const, seq, text: JSON.stringify(text) })
  const words = [
    "The first of them",
    "Ask shop 1",
    "Ask shop 2",
    "Ask shop 3",
    "Ask shop 4",
    "Ask shop 5",
    "The last one",
  ]
  const entries = [...words.map((one) => said(one)), said("It goes on.", 9)]
  expect(chooseKept([entries], { ...room, own: 0 })).toEqual([
    [
      'U #7 "The first of them" · "Ask shop 1" · … · "Ask shop 3" · "Ask shop 4" · "Ask shop 5" · "The last one"',
      'U #9 "It goes on."',
    ],
  ])
  const again = [said("Go on."), said("It is odd.", 8), said("Go on.", 9)]
  expect(chooseKept([again], room)).toEqual([['U #8 "It is odd."', 'U #9 "Go on."']])
})

test("[HI1] a sentence that is a rule by its words stands whole before others have more words than a few", () => {
  const held = (seq: number, text: string) => ({ mark: "D" as const, seq, text: JSON.stringify(text) })
  const rule =
    "Never publish the till to the old region in the south on a market day unless Ingrid from the warehouse has agreed to it."
  const others = Array.from({ length: 24 }, (_, n) =>
    held(
      n + 2,
      `Part ${n} of the big hall in the old town has the colour ochre and a blue door towards the yard.`,
    ),
  )
  const [lines = []] = chooseKept([[held(1, rule), ...others]], {
    ...room,
    fewest: 520,
    all: 350,
    said: 0,
    whole: 80,
    own: 0,
  })
  expect(lines[0]).toBe(`D #1 ${JSON.stringify(rule)}`)
  expect(lines).toHaveLength(25)
})

test("[HI1] what was said alone stands whole before a message that says much at once has more words than a few", () => {
  const held = (seq: number, text: string) => ({ mark: "D" as const, seq, text: JSON.stringify(text) })
  const early = Array.from({ length: 30 }, (_, n) => held(n + 1, `Never close hall ${n}.`))
  const rule = "Never open the old till in the south of the market on a day of rain unless Ingrid agrees."
  const written = Array.from({ length: 20 }, (_, n) =>
    held(90, `Each part of hall ${n} must always have the colour ochre and a blue door towards the yard.`),
  )
  const small = { ...room, fewest: 520, all: 520, said: 0, whole: 0, own: 0 }
  const [lines = []] = chooseKept([[...early, held(80, rule), ...written]], small)
  const shown = lines.join("\n")
  expect(shown).toContain(JSON.stringify(rule))
  const whole = (of: string) => written.filter(({ text }) => of.includes(text)).length
  expect(whole(shown)).toBeLessThan(written.length)
  expect(shown).toContain(written[0]?.text)
  expect(shown).toContain(written.at(-1)?.text)
  const [all = []] = chooseKept([[...early, held(80, rule), ...written]], { ...small, fewest: 2_000 })
  expect(whole(all.join("\n"))).toBe(written.length)
})

test("[HI1] where tasks do not all have room, what is left to do stands and what is done goes", () => {
  const task = (seq: number, status: string) => ({
    mark: "T" as const,
    seq,
    text: `${status}: Mend the ${seq}th cage`,
  })
  const tasks = [task(1, "pending"), task(2, "completed"), task(3, "in_progress"), task(4, "completed")]
  const [lines = []] = chooseKept([tasks], { ...room, fewest: 30, all: 30, said: 0, whole: 30, own: 0 })
  const shown = lines.join("\n")
  expect([1, 3].every((seq) => shown.includes(`Mend the ${seq}th cage`))).toBe(true)
  expect([2, 4].some((seq) => shown.includes(`Mend the ${seq}th cage`))).toBe(false)
})

test("[HI1] a task whose status changed stands there once, as it is now", () => {
  const task = (seq: number, status: string) => ({
    mark: "T" as const,
    seq,
    text: `${status}: Mend the cage`,
  })
  const lines = chooseKept([[task(1, "pending")], [task(9, "completed")]], room)
  expect(lines).toEqual([[], ["T #9 completed: Mend the cage"]])
})

test("[HI1] a task for whose words there is no room keeps its handle, as what was asked to hold does", () => {
  const words = "in the northern hall of the old aviary ".repeat(3)
  const kept = [
    { mark: "D" as const, seq: 4, text: JSON.stringify(`Never wake the canary ${words}`) },
    { mark: "T" as const, seq: 5, text: `pending: Mend the cage ${words}` },
  ]
  const [lines = []] = chooseKept([kept], { ...room, fewest: 11, all: 11, said: 0, whole: 11, own: 0 })
  expect(lines.join("\n")).not.toMatch(/canary|cage/)
  expect([...lines].sort()).toEqual(["D #4", "T #5"])
})

test("[HI1] a handle stands once, however many sentences of its message have no room", () => {
  const held = ["Never open the old till.", "Never close the new one."].map((text) => ({
    mark: "D" as const,
    seq: 7,
    text: JSON.stringify(`${text} ${"Ask Ingrid from the warehouse before that ".repeat(3)}`),
  }))
  expect(chooseKept([held], { ...room, fewest: 10, all: 0, said: 0, whole: 0, own: 0 })).toEqual([["D #7"]])
})
