import { expect, test } from "vitest"
import { probesCost, confirm, findByHalves, probesMax } from "../../src/sessions/find-refused.ts"

/** A provider that refuses these, and how often it was asked. */
function provider(...refused: readonly number[]) {
  let asked = 0
  const probe = async (without: readonly number[]) => {
    asked += 1
    return refused.every((item) => without.includes(item)) ? "taken" : "refused"
  }
  return { probe, asked: () => asked }
}
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

test("[LL7] finds the one message that is refused, wherever it stands, in as few requests as it said", async () => {
  for (const count of [1, 2, 3, 5, 8, 13]) {
    for (const item of upTo(count)) {
      const { probe, asked } = provider(item)
      expect(await findByHalves(upTo(count), probe)).toEqual({ kind: "found", item })
      expect(asked()).toBeLessThanOrEqual(probesMax(count))
    }
  }
})

test("[LL7] of several that are refused it finds one, and never one that is not", async () => {
  for (const one of upTo(8))
    for (const other of upTo(8)) {
      const found = await findByHalves(upTo(8), provider(one, other).probe)
      expect(found.kind === "found" && [one, other]).toContain(found.kind === "found" && found.item)
    }
})

test("[LL7] says where no message is the cause, and stops where the provider cannot answer", async () => {
  expect(await findByHalves(upTo(4), async () => "refused")).toEqual({ kind: "elsewhere" })
  expect(await findByHalves(upTo(4), async () => "failed")).toEqual({ kind: "failed" })
  let asked = 0
  expect(await findByHalves(upTo(4), async () => (++asked === 1 ? "taken" : "failed"))).toEqual({
    kind: "failed",
  })
})

test("[LL7] asks before it sends anything, and goes on without a person only with --yes", async () => {
  const said: string[] = []
  const answering = (answer: string | null) => ({
    ask: async (question: string) => {
      said.push(question)
      return answer
    },
  })
  expect(await confirm(answering("y"), "It costs money.", "Look?", {})).toBe(true)
  expect(await confirm(answering(""), "It costs money.", "Look?", {})).toBe(false)
  expect(said).toEqual(["It costs money. Look? [y/N] ", "It costs money. Look? [y/N] "])
  await expect(confirm(answering(null), "It costs money.", "Look?", {})).rejects.toThrow(
    "It costs money. Add --yes if that is meant.",
  )
  await expect(confirm(answering("y"), "It costs money.", "Look?", { json: true })).rejects.toThrow("--yes")
  expect(await confirm(answering(null), "It costs money.", "Look?", { yes: true, json: true })).toBe(true)
})

test("[LL7] what the requests cost is told as runs of that model are counted", () => {
  const price = (input: number, output: number) => ({ input, output, cacheRead: 0, cacheWrite: 0 })
  expect(probesCost({ paid: true, price: null }, 9_000)).toBe("costs money")
  expect(probesCost({ paid: false, price: null }, 9_000)).toBe("costs nothing")
  expect(probesCost({ paid: false, price: price(0, 0) }, 9_000)).toBe("costs nothing")
  for (const paid of [true, false])
    expect(probesCost({ paid, price: price(3, 15) }, 1_000_000)).toContain("costs up to $3.00")
})
