/** Signs that differ, against counting them one by one. */
import { expect, test } from "vitest"
import { HeldSigns } from "../../src/sqlite/search/distances.ts"

test("[SE3] signs that differ are counted in vectors of every length, while their number grows", () => {
  let state = 1
  const byte = (): number => ((state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) >> 16) & 255
  for (const bytes of [4, 16, 36, 64, 1_024]) {
    const held = new HeldSigns(bytes)
    const asked = Uint8Array.from({ length: bytes }, byte)
    const expected: number[] = []
    for (let round = 0; round < 3; round++) {
      for (let one = 0; one < 300; one++) {
        const signs = Uint8Array.from({ length: bytes }, byte)
        held.add(signs)
        expected.push(differing(signs, asked))
      }
      expect([...held.distances(asked)]).toEqual(expected)
    }
  }
})

const differing = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((sum, byte, at) => sum + (byte ^ (other[at] ?? 0)).toString(2).replaceAll("0", "").length, 0)
