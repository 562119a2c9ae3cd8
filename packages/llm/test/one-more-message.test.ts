/** A long history that grew by one message: every wire does work for what is new, counted without a clock. */
import { expect, test, vi } from "vitest"
import { plainOptions } from "../src/options.ts"
import type { Entry, Target } from "../src/segments.ts"
import { wires } from "../src/wires.ts"
import { answer, call, segmentsOf, text, user } from "./requests.ts"

const messages = 3_000
/** Prompts, answers and tool results: a message that calls has three blocks at most. */
const blocksOfMessage = 3
/** The settings and the arguments of a call are read beside the blocks. */
const readsBesideBlocks = 3
/** Groups of a body that are written anew: the last one, those whose markers moved, what frames them. */
const piecesWrittenMax = 8

test.each(Object.values(wires))("[TU1 LL1] $name does work for the one new message of 3,001", (wire) => {
  const target: Target = {
    provider: "p",
    model: "claude-test",
    endpoint: "https://api.example",
    options: plainOptions(8_192),
  }
  const looks = new Set<number>()
  const entries = Array.from({ length: messages + 1 }, (_, at) => watched(messageAt(at), () => looks.add(at)))

  const before = wire.encode(segmentsOf(entries.slice(0, messages)), target)
  expect(wire.lint(before, target)).toEqual([])
  const sent = wire.place(before, target, 0)
  expect(looks.size).toBe(messages)
  looks.clear()

  const after = wire.encode(segmentsOf(entries), target)
  expect([...looks]).toEqual([messages])
  expect(before.blocks.every((block, at) => block === after.blocks[at])).toBe(true)
  const added = after.blocks.length - before.blocks.length
  expect(added).toBeGreaterThan(0)
  expect(added).toBeLessThanOrEqual(blocksOfMessage)

  const parse = vi.spyOn(JSON, "parse")
  expect(wire.lint(after, target)).toEqual([])
  const reads = parse.mock.calls.length
  parse.mockRestore()
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThanOrEqual(added + readsBesideBlocks)

  const placed = wire.place(after, target, before.blocks.length)
  const known = new Set(sent.body)
  expect(known.size).toBeGreaterThan(piecesWrittenMax * 2)
  expect(placed.body.filter((piece) => !known.has(piece)).length).toBeLessThanOrEqual(piecesWrittenMax)
  expect([...looks]).toEqual([messages])
})

/** A prompt, then answers that call: the last of them ends in the result that the model waits for. */
const messageAt = (at: number): Entry =>
  at % 4 === 0 && at < messages
    ? user(`${at} ${"Which part repeats? ".repeat(10)}`)
    : answer(text(`${at} ${"The prefix holds. ".repeat(10)}`), call(at, { result: "content ".repeat(20) }))

/** The same entry, which tells when somebody looks into it. */
const watched = (entry: Entry, onLook: () => void): Entry =>
  new Proxy(entry, {
    get: (of, name, receiver) => {
      onLook()
      return Reflect.get(of, name, receiver) as unknown
    },
  })

test.each(Object.values(wires))(
  "[TU1] $name keeps the blocks of prompts in use, however many others come",
  ({ encode }) => {
    const target: Target = {
      provider: "p",
      model: "claude-test",
      endpoint: "https://api.example",
      options: plainOptions(8_192),
    }
    const headOf = (system: string, agent: string) =>
      encode({ ...segmentsOf([user("Hello")]), system, agent }, target).blocks.filter(
        ({ segment }) => segment === "system" || segment === "agent",
      )
    const first = headOf("Used all the time.", "Used as often.")
    for (let at = 0; at < 200; at++) {
      headOf(`Used once, ${at}.`, "Used as often.")
      const again = headOf("Used all the time.", "Used as often.")
      expect(again.map((block, i) => block === first[i])).toEqual([true, true])
    }
  },
)
