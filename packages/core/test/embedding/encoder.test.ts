/** The embedding model against what the graph in its package computes, and its kernel against plain sums. */
import { expect, test } from "vitest"
import { openEncoder } from "../../src/embedding/model/encoder.ts"
import { makeRoom } from "../../src/embedding/model/room.ts"

/** Texts with the first and the last numbers of the vector that TensorFlow.js makes of them with the same weights. */
const known: readonly (readonly [string, readonly number[], readonly number[]])[] = [
  [
    "Which port does the server listen on?",
    [0.00251, -0.0588, 0.04871, 0.05832],
    [-0.01344, 0.03704, -0.0045, 0.0599],
  ],
  [
    "parseHTTPHeader fails in src/wire/head.ts 漢字 🎉🎉",
    [-0.04063, -0.06045, 0.04652, 0.03007],
    [0.01542, -0.02173, 0.05908, 0.01054],
  ],
  [
    "word ".repeat(200).trim(),
    [-0.05235, -0.04062, -0.04102, 0.05131],
    [0.05235, 0.02602, 0.03398, -0.02536],
  ],
]

test("[SE2] the model that comes with the program gives the vectors that its weights were made for", async () => {
  const encode = await openEncoder()
  for (const [text, first, last] of [...known, ...known]) {
    const vector = encode(text)
    expect(vector).toHaveLength(512)
    for (const [at, value] of [...first, ...last].entries())
      expect(vector[at < 4 ? at : 504 + at]).toBeCloseTo(value, 4)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
  }
  expect(encode("").every(Number.isFinite)).toBe(true)
})

test("[SE2] what the model cannot read is near nothing: other scripts and pictures, unless most is Latin", async () => {
  const encode = await openEncoder()
  for (const text of [
    "",
    "== != >=",
    "日本語のエラー",
    "Привет, исправь ошибку",
    "🎉🚀",
    "修正してください API",
  ])
    expect(Math.hypot(...encode(text))).toBe(0)
  for (const text of ["Ship it 🎉🚀", "4000", "crème brûlée", "fix the ошибка"])
    expect(Math.hypot(...encode(text))).toBeCloseTo(1, 5)
})

test("a product of matrices is what plain sums give", () => {
  const room = makeRoom(200_000)
  const kernel = Float32Array.from({ length: 12 * 16 }, (_, at) => Math.sin(at))
  const bias = Float32Array.from({ length: 16 }, (_, at) => at / 10)
  const matrix = room.matrix(kernel, bias)
  const from = room.rows(8, 20)
  from.data.set(Float32Array.from({ length: 8 * 20 }, (_, at) => Math.cos(3 * at)))
  const into = room.rows(8, 24)
  for (const floor of [undefined, 0]) {
    room.multiply({ ...from, column: 5 }, matrix, { ...into, column: 3 }, 7, floor)
    for (let row = 0; row < 7; row++)
      for (let column = 0; column < 16; column++) {
        let sum = bias[column] ?? 0
        for (let at = 0; at < 12; at++)
          sum += (from.data[row * 20 + 5 + at] ?? 0) * (kernel[at * 16 + column] ?? 0)
        expect(into.data[row * 24 + 3 + column]).toBeCloseTo(Math.max(sum, floor ?? -Infinity), 4)
      }
  }
})
