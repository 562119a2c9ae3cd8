/** Images that a model does not read, or a request has no room for, are told in words. */
import { describe, expect, test } from "vitest"
import type { Media } from "@holdfast/schema/media"
import { extendsRequest } from "../any-wire/prefix.ts"
import type { ModelTraits } from "../../src/options.ts"
import type { Entry } from "../../src/segments.ts"
import type { Encoded, Wire } from "../../src/wire.ts"
import { wires } from "../../src/wires.ts"
import { imageOfBytes, moving, photo, pixel } from "../any-wire/images.ts"
import { targetOfWire } from "../any-wire/targets.ts"
import { answer, call, segmentsOf, showing, text, user } from "../requests.ts"

function encoded(name: string, entries: readonly Entry[], traits: ModelTraits = {}): Encoded {
  const wire = wires[name] as Wire
  const target = targetOfWire(name, traits)
  const made = wire.encode(segmentsOf(entries, { system: "", agent: "" }), target)
  expect(wire.lint(made, target)).toEqual([])
  return made
}

const shownIn = ({ blocks }: Encoded): readonly Media[] =>
  blocks.flatMap(({ holes = [] }) => holes.map(({ media }) => media))
const wordsIn = ({ blocks }: Encoded): string => blocks.map(({ json }) => json).join("\n")

const names = Object.keys(wires)

describe.each(names)("%s", (name) => {
  const blind = { withoutImages: true }

  test("[LL7 PR7] a model without sight is told of each image, apart from what the user said", () => {
    const made = encoded(name, [showing("What is it?", pixel, photo)], blind)
    expect(shownIn(made)).toEqual([])
    const [, notice, words, ...rest] = made.blocks.map(({ json }) => json)
    expect(rest).toEqual([])
    expect(notice).toContain(
      JSON.stringify(
        '<notice from="runtime">\n' +
          '[image "pixel.png", image/png, 1 × 1, media:bc09c2590d25: this model reads no images]\n' +
          "[image image/jpeg, 800 × 600, media:6e568e1f67fb: this model reads no images]\n</notice>",
      ),
    )
    expect(words).toContain('"What is it?"')
    expect(words).not.toContain("notice")
  })

  test("[LL7] where the user said nothing else, the line is all that is said", () => {
    const made = encoded(name, [showing("", pixel)], blind)
    expect(made.blocks).toHaveLength(2)
    expect(wordsIn(made)).not.toContain("(no output)")
  })

  test("[LL7] what a tool gave ends in the line", () => {
    const made = encoded(name, [user("go"), answer(call(1, { result: "gave", images: [pixel] }))], blind)
    expect(wordsIn(made)).toContain(String.raw`"gave\n<notice from=\"runtime\">\n[image \"pixel.png\"`)
  })

  test("[TU1 LL7] sight is part of what blocks are found by", () => {
    const entries = [showing("x", pixel), answer(text("y"), call(1, { images: [photo] })), user("z")]
    const [seen, told, again] = [{}, blind, {}].map((traits) => encoded(name, entries, traits))
    expect(shownIn(seen as Encoded)).toEqual([pixel, photo])
    expect(shownIn(told as Encoded)).toEqual([])
    expect(again).toEqual(seen)
  })
})

test("[LL7] a server that takes no images is told of them in words", () => {
  const made = encoded("openai-chat", [showing("x", pixel)], { profile: "deepseek" })
  expect([shownIn(made), wordsIn(made).includes("this model reads no images")]).toEqual([[], true])
})

test("[LL7] of several images only those of a type that is not read are told in words", () => {
  const made = encoded("gemini", [showing("x", pixel, moving, photo)])
  expect(shownIn(made)).toEqual([pixel, photo])
  expect(wordsIn(made)).toContain("this model reads no images of the type image/gif")
})

test("[TU1 LL7] an entry that two models see differently is told to each in its own words", () => {
  const entries = [showing("x", moving, pixel)]
  const seen = [{}, { withoutImages: true }, {}].map((traits) => shownIn(encoded("gemini", entries, traits)))
  expect(seen).toEqual([[pixel], [], [pixel]])
})

describe("[LL3 LL7] what a request has no room for is told, and the request stays legal", () => {
  const many = (count: number, bytes = 10): readonly Media[] =>
    Array.from({ length: count }, (_, at) => imageOfBytes(bytes, "image/png", `${at}`))
  const largest = 3_932_160
  const apart = (images: readonly Media[]): readonly Entry[] =>
    images.flatMap((media) => [showing("x", media), answer(text("y"))])

  test.each<readonly [wire: string, entries: readonly Entry[], shown: number, told: number]>([
    ["anthropic-messages", [showing("x", ...many(101))], 100, 1],
    ["anthropic-messages", apart(many(7, largest)), 4, 3],
    ["openai-responses", [showing("x", ...many(501))], 500, 1],
    ["openai-chat", [showing("x", ...many(501))], 500, 1],
    ["openai-chat", apart(many(9, largest)), 8, 1],
    ["gemini", apart(many(4, largest)), 2, 2],
    ["bedrock-converse", [showing("x", ...many(15)), showing("y", ...many(15))], 20, 10],
    ["bedrock-converse", [showing("x", ...many(20)), answer(text("y")), showing("z", ...many(20))], 40, 0],
    [
      "bedrock-converse",
      [
        user("x"),
        answer(call(1, { images: many(15) }), call(2, { images: many(15) }), call(3, { images: many(1) })),
      ],
      20,
      11,
    ],
    ["ai-sdk", [showing("x", ...many(600))], 600, 0],
  ])("%s", (name, entries, shown, told) => {
    const made = encoded(name, [...entries, user("go on")])
    expect(shownIn(made)).toHaveLength(shown)
    expect(wordsIn(made).split("this request has no room for more images")).toHaveLength(told + 1)
  })

  test("[TU1] whatever is added, what was said stays", () => {
    const entries = apart(many(7, largest))
    const target = targetOfWire("gemini")
    const { encode } = wires["gemini"] as Wire
    const all = entries.map((_, at) => encode(segmentsOf(entries.slice(0, at + 1)), target))
    for (const [at, made] of all.slice(0, -1).entries()) {
      const hashes = made.blocks.map(({ hash }) => hash)
      expect(extendsRequest(hashes, (all[at + 1] as Encoded).blocks)).toBe(true)
    }
  })
})
