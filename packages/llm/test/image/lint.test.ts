/** What every wire takes of images, and what its linter says of the rest. */
import { describe, expect, test } from "vitest"
import { imageEncodedBytesMax, type ImageType, type Media } from "@holdfast/schema/media"
import { makeBlock } from "../../src/blocks.ts"
import type { ModelTraits } from "../../src/options.ts"
import type { Block, Encoded, Wire } from "../../src/wire.ts"
import { wires } from "../../src/wires.ts"
import { imageOfBytes, pixel } from "../any-wire/images.ts"
import { targetOfWire } from "../any-wire/targets.ts"
import { answer, call, segmentsOf, showing, user } from "../requests.ts"

const names = Object.keys(wires)

/** tool, then one message with an image alone. */
function showingOne(name: string, media: Media): Encoded {
  const { encode } = wires[name] as Wire
  return encode(segmentsOf([showing("", media)], { system: "", agent: "" }), targetOfWire(name))
}

const rulesOf = (name: string, encoded: Encoded, traits: ModelTraits = {}): readonly string[] => [
  ...new Set((wires[name] as Wire).lint(encoded, targetOfWire(name, traits)).map(({ rule }) => rule)),
]

/** The request with its image block so many times. */
function times(encoded: Encoded, count: number): Encoded {
  const [tool, image] = encoded.blocks as [Block, Block]
  return { ...encoded, blocks: [tool, ...Array.from({ length: count }, () => ({ ...image }))] }
}

/** The image block with something else in it. */
function changed(encoded: Encoded, change: (block: Block) => Partial<Block>): Encoded {
  const [tool, image] = encoded.blocks as [Block, Block]
  return { ...encoded, blocks: [tool, { ...image, ...change(image) }] }
}

/** Bytes whose base64 is as long as an image may be. */
const largest = (imageEncodedBytesMax / 4) * 3

describe.each(names)("%s", (name) => {
  test("[LL3 LL7] takes an image of the largest size, and none that is larger", () => {
    expect(rulesOf(name, showingOne(name, imageOfBytes(largest)))).toEqual([])
    expect(rulesOf(name, showingOne(name, imageOfBytes(largest + 1)))).toEqual(["media-size"])
  })

  test("[LL3 LL7] refuses a type that is not allowed", () => {
    const legal = showingOne(name, pixel)
    const odd = changed(legal, ({ json, holes = [] }) => ({
      json: json.replaceAll("image/png", "image/bmp").replace('"format":"png"', '"format":"bmp"'),
      holes: holes.map(({ media, before }) => ({
        media: { ...media, mediaType: "image/bmp" as ImageType },
        before: before.replace("image/png", "image/bmp"),
      })),
    }))
    expect([rulesOf(name, legal), rulesOf(name, odd)]).toEqual([[], ["media-type"]])
  })

  test("[LL3 LL7] refuses an image whose type is not the one that stands beside it", () => {
    const other = changed(showingOne(name, pixel), ({ holes = [] }) => ({
      holes: holes.map(({ media, before }) => ({ media: { ...media, mediaType: "image/jpeg" }, before })),
    }))
    expect(rulesOf(name, other)).toEqual(["block-shape"])
  })

  test("[LL3 LL7] refuses a hole that no image fills", () => {
    const { blocks, ...rest } = showingOne(name, pixel)
    const [tool, image] = blocks as [Block, Block]
    const { holes: _, ...empty } = image
    expect(rulesOf(name, { ...rest, blocks: [tool, empty] })).toEqual(["block-shape"])
  })

  test("[LL3 LL7] refuses an image that the model would be shown as its own", () => {
    const json = (block: Block) => block.json.replace('"role":"user"', '"role":"assistant"')
    const own = changed(showingOne(name, pixel), (block) => ({ role: "assistant", json: json(block) }))
    // What a model object's provider takes from its model cannot be known.
    expect(rulesOf(name, own)).toContain(name === "ai-sdk" ? "role-last" : "block-shape")
  })

  test("[LL3 LL7] refuses to show an image to a model without sight", () => {
    expect(rulesOf(name, showingOne(name, pixel), { withoutImages: true })).toEqual(["media-unread"])
  })
})

describe("[LL3 LL7] counts of images", () => {
  test.each([
    ["anthropic-messages", 100],
    ["openai-responses", 500],
    ["openai-chat", 500],
    ["gemini", 3_600],
    ["bedrock-converse", 20],
  ])("%s takes %i", (name, most) => {
    const one = showingOne(name, imageOfBytes(1))
    expect(rulesOf(name, times(one, most))).toEqual([])
    expect(rulesOf(name, times(one, most + 1))).toEqual(["media-count"])
  })

  test("bedrock-converse counts each message for itself, with what its results hold", () => {
    const wire = wires["bedrock-converse"] as Wire
    const target = targetOfWire("bedrock-converse")
    const many = Array.from({ length: 10 }, () => pixel)
    const made = wire.encode(
      segmentsOf([showing("a", ...many), answer(call(1, { images: many }), call(2, { images: many }))]),
      target,
    )
    expect(wire.lint(made, target)).toEqual([])
    const last = made.blocks.at(-1) as Block
    const crowded = {
      ...last,
      json: last.json.replace(/\[(\{"text".*?\}),(\{"image".*?\}\}\}\})/, "[$1,$2,$2"),
    }
    expect(crowded.json.length).toBeGreaterThan(last.json.length)
    const faults = wire.lint({ ...made, blocks: [...made.blocks.slice(0, -1), crowded] }, target)
    expect(faults.map(({ rule }) => rule)).toEqual(["media-count"])
  })
})

describe("[LL3 LL7] size of the whole request", () => {
  test.each([
    ["anthropic-messages", 6],
    ["openai-responses", 9],
    ["openai-chat", 9],
    ["gemini", 3],
  ])("%s takes %i of the largest images", (name, most) => {
    const one = showingOne(name, imageOfBytes(largest))
    expect(rulesOf(name, times(one, most))).toEqual([])
    expect(rulesOf(name, times(one, most + 1))).toEqual(["request-size"])
  })

  test("bedrock-converse, whose limit is only assumed, is not refused more", () => {
    const one = showingOne("bedrock-converse", imageOfBytes(largest))
    expect(rulesOf("bedrock-converse", times(one, 6))).toEqual([])
  })
})

test.each([
  ["anthropic-messages", '"tool_result",', '"tool_result","is_error":true,'],
  ["bedrock-converse", '{"toolUseId"', '{"status":"error","toolUseId"'],
])("[LL3] %s takes no image in a result that failed", (name, from, to) => {
  const { encode, lint } = wires[name] as Wire
  const target = targetOfWire(name)
  const legal = encode(segmentsOf([user("go"), answer(call(1, { images: [pixel] }))]), target)
  const last = legal.blocks.at(-1) as Block
  const failed = { ...last, json: last.json.replace(from, to) }
  const faults = lint({ ...legal, blocks: [...legal.blocks.slice(0, -1), failed] }, target)
  expect(faults.map(({ rule }) => rule)).toEqual(["media-place"])
})

test("[LL7] what a model says cannot stand for an image", () => {
  const { encode, place, lint } = wires["anthropic-messages"] as Wire
  const target = targetOfWire("anthropic-messages")
  const imitation = { $media: pixel.hash, $before: "" }
  const made = encode(
    segmentsOf([user("go"), answer(call(1, { input: imitation, images: [pixel] })), showing("x", pixel)]),
    target,
  )
  expect(lint(made, target)).toEqual([])
  const placed = place(made, target, 0)
  const before = Buffer.concat(placed.body.slice(0, placed.holes[0]?.piece)).toString("utf8")
  expect(before).toContain(`"input":${JSON.stringify(imitation)}`)
  expect(placed.holes).toHaveLength(2)
})

test("[LL7] a block with an image is as long as it will be, and costs what the image costs", () => {
  const { blocks } = showingOne("anthropic-messages", { ...imageOfBytes(300), width: 750, height: 100 })
  const { json, holes = [], bytes, tokens } = blocks[1] as Block
  const bare = makeBlock({
    segment: "tail",
    role: "user",
    kind: "image",
    unit: null,
    json: json.replace(/\{"\$media.*?\}/, '""'),
    tokens: 0,
    markable: true,
    native: null,
  })
  expect([holes.length, bytes - bare.bytes, tokens]).toEqual([1, 400, 105])
})
