/** What embeds: an endpoint that must serve what was asked for, and vectors of one step of the queue. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { atEndpoint, readAnswer } from "../../src/embedding/embedder.ts"
import { piecesOf, vectorsOf } from "../../src/embedding/vectors.ts"

const data = [{ index: 0, embedding: [3, 4] }]

test("[SE2] a served model other than the requested one is refused", () => {
  expect(readAnswer({ model: "small", data }, "small", 1)).toEqual([Float32Array.of(0.6, 0.8)])
  expect(() => readAnswer({ model: "large", data }, "small", 1)).toThrow(
    /served "large" instead of the model small/,
  )
  expect(() => readAnswer({ data }, "small", 1)).toThrow(/instead of the model/)
  expect(() => readAnswer({ model: "small", data }, "small", 2)).toThrow(/one vector for each text/)
})

test("[SE2] vectors belong to the texts that their index names, in whatever order they come", () => {
  const mixed = [
    { index: 1, embedding: [0, 1] },
    { index: 0, embedding: [1, 0] },
  ]
  expect(readAnswer({ model: "small", data: mixed }, "small", 2)).toEqual([
    Float32Array.of(1, 0),
    Float32Array.of(0, 1),
  ])
})

test("[SE2] an endpoint gets the texts and the key, and nothing else", async () => {
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (body: string) => {
      asked.push(request.url, request.headers.authorization, JSON.parse(body))
      response.end(JSON.stringify({ model: "small", data }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
    const { embed } = atEndpoint({ kind: "endpoint", url, model: "small", key: "k" })
    expect(await embed(["hello"])).toHaveLength(1)
    const body = { model: "small", input: ["hello"], encoding_format: "float" }
    expect(asked).toEqual(["/v1/embeddings", "Bearer k", body])
  } finally {
    server.close()
  }
})

const embedder = {
  embed: async (texts: readonly string[]) => texts.map((text) => Float32Array.of(text.length, 0)),
}
const step = { key: 1, choice: { model: "m", chunkCharacters: 20 }, through: 9 }

test("[SE3] the vector of a message holds half of the one before it", async () => {
  const units = [
    { unit: 1, text: "aaaa" },
    { unit: 2, text: "bb" },
  ]
  const vectors = async (before: string | null) =>
    (await vectorsOf({ ...step, kind: "messages", units, before }, embedder)).map(({ vector }) => vector[0])
  expect(await vectors("cccccc")).toEqual([7, 4])
  expect(await vectors(null)).toEqual([6, 4])
})

test("[SE3] a text without a meaning has none of the one before it, and lends none to the one behind", async () => {
  const units = ["", "bb"].map((text, unit) => ({ unit, text }))
  const made = await vectorsOf({ ...step, kind: "messages", units, before: "cccccc" }, embedder)
  expect(made.map(({ vector }) => vector[0])).toEqual([0, 3])
})

test("[SE3] a compartment is embedded in pieces that lose no word", async () => {
  const text = "one two three four five six seven"
  const pieces = piecesOf(text, 20)
  expect(pieces.every(({ length }) => length <= 20)).toBe(true)
  expect(pieces.join(" ")).toBe(text)
  const made = await vectorsOf(
    { ...step, kind: "compartments", units: [{ unit: 5, text }], before: null },
    embedder,
  )
  expect(made.map(({ unit, chunk }) => [unit, chunk])).toEqual(pieces.map((_, at) => [5, at]))
})
