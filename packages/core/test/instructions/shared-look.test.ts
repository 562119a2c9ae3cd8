/** Looks that are shared: few at a time, and never one that began before the question. */
import { expect, test } from "vitest"
import { shareLooks } from "../../src/instructions/shared-look.ts"

/** Looks that end when the test says so, each answering with its number. */
function heldLooks() {
  const ends: (() => void)[] = []
  const ask = shareLooks<number>((_path, answer) => {
    const number = ends.length + 1
    ends.push(() => answer(number))
  })
  const got: string[] = []
  const asks = (who: string, path = "/a") => ask(path, (found) => got.push(`${who} ${found}`))
  return { asks, got, begun: () => ends.length, end: (number: number) => ends[number - 1]?.() }
}

const breath = () => new Promise<void>((resume) => setImmediate(resume))

test("who asks in the same breath gets the same look", () => {
  const { asks, got, begun, end } = heldLooks()
  asks("one")
  asks("two")
  end(1)
  expect(begun()).toBe(1)
  expect(got).toEqual(["one 1", "two 1"])
})

test("[SC4] who asks while a look is under way gets the next one, all of them the same", async () => {
  const { asks, got, begun, end } = heldLooks()
  asks("one")
  await breath()
  asks("two")
  asks("three")
  await breath()
  asks("four")
  expect(begun()).toBe(1)
  end(1)
  expect(got).toEqual(["one 1"])
  await breath()
  asks("five")
  expect(begun()).toBe(2)
  end(2)
  expect(got).toEqual(["one 1", "two 2", "three 2", "four 2"])
  end(3)
  expect(got.at(-1)).toBe("five 3")
  await breath()
  asks("six")
  expect(begun()).toBe(4)
})

test("a look at one path waits for no look at another", async () => {
  const { asks, begun } = heldLooks()
  asks("one")
  await breath()
  asks("two", "/b")
  expect(begun()).toBe(2)
})
