/** Which of the user's words are chosen where they do not all have room. */
import { expect, test } from "vitest"
import { chooseKept } from "../../src/historian/kept.ts"

const room = { fewest: 1_000, all: 1_000, said: 1_000, whole: 1_000, head: 0, packed: true }

test("[HI1] of what differs by a number alone the first stays, and the last three", () => {
  const days = Array.from({ length: 9 }, (_, n) => ({ mark: "U" as const, seq: n + 1, text: `Day ${n + 1}` }))
  const [lines] = chooseKept([days], room)
  expect(lines).toEqual(["U #1 Day 1", "U #7 Day 7", "U #8 Day 8", "U #9 Day 9"])
})

test("[HI1] how a message begins is chosen before what else it says", () => {
  const said = (seq: number) =>
    ["It begins here", "It goes on there"].map((text) => ({ text: `${text} ${"abcdefghijkl"[seq]}`, seq }))
  const words = Array.from({ length: 40 }, () => ({ mark: "U" as const, seq: 0, text: "" }))
  const talk = [3, 4, 5].flatMap(said).map((one) => ({ mark: "U" as const, ...one }))
  const [lines] = chooseKept([[...words, ...talk]], { ...room, said: 27, whole: 0 })
  expect(lines?.filter((line) => line.includes("begins"))).toHaveLength(3)
})
