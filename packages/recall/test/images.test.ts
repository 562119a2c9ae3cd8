/** Images in the window: which are shown, which are named, and what is left of a message taken out. */
import { describe, expect, test } from "vitest"
import { encodedBytes, handleOf, type Media } from "@holdfast/schema/media"
import type { Message, UserMessage } from "@holdfast/schema/message"
import { emptyFrozen, frozenOf } from "@holdfast/schema/state/frozen"
import { imageBytesShownMax, imagesShownMax, planImages } from "../src/images.ts"
import { quarantineNotice, render } from "../src/index.ts"
import { assistant, call, image, reads, reasoning, system, text, user, words } from "./history.ts"
import { ask, encodeTalk, grown, planned, talk } from "./talk.ts"

const shows = (seq: number, ...images: readonly Media[]) => ({ ...(user(seq) as UserMessage), images })
const many = (seq: number, count: number, bytes?: number) =>
  shows(seq, ...Array.from({ length: count }, (_, n) => image(seq * 100 + n, bytes)))

/** A little more than half of what may be shown, once it is base64. */
const half = Math.floor(imageBytesShownMax / 8) * 3 + 3

describe("planImages", () => {
  test.each<[string, readonly Message[], number, number | null]>([
    ["none", [user(1), system(2), assistant(3, text("hi"))], 0, null],
    ["as many as may be shown", [many(1, imagesShownMax)], 0, null],
    ["one more: the newest half stays", [many(1, 11), many(2, 5), many(3, 5)], 0, 2],
    ["the newest stays though it is more than half", [many(1, 6), many(2, 15)], 0, 2],
    ["images of results count", [many(1, 11), reads(2, ...many(9, 10).images)], 0, 2],
    ["those that are named already do not count", [many(1, 11), many(2, 15)], 2, null],
    ["too many bytes", [shows(1, image(1, half)), shows(2, image(2, half))], 0, 2],
    ["a message that is too large alone is named whole", [reads(1, image(1, 2 * half)), user(2)], 0, 3],
    [
      "a message taken out does not count",
      [{ ...many(1, 11), quarantined: 9 } as Message, many(2, 15)],
      0,
      null,
    ],
  ])("[LL7] %s", (_, messages, shownFrom, before) => {
    expect(planImages(messages, shownFrom)).toBe(before)
  })

  test("[LL7] leaves no more than the bound, whatever came", () => {
    for (let count = 1; count < 30; count++) {
      const messages = Array.from({ length: count }, (_, at) => many(at + 1, (at * 7) % 12))
      const before = planImages(messages, 0) ?? 0
      const shown = messages
        .filter(({ seq }) => seq >= before)
        .flatMap((message) => ("images" in message ? message.images : []))
      expect(shown.length).toBeLessThanOrEqual(imagesShownMax)
      expect(shown.reduce((sum, one) => sum + encodedBytes(one?.bytes ?? 0), 0)).toBeLessThanOrEqual(
        imageBytesShownMax,
      )
    }
  })
})

const tail = (messages: readonly Message[], frozen = emptyFrozen) => render({ messages, frozen }).tail
const named = (one: Media) =>
  `[image "${one.name}" (image/png, 800 × 600) no longer shown; its handle is ${handleOf(one)}]`

test("[LL7] shows images with the words they came with", () => {
  expect(tail([shows(1, image(1)), reads(2, image(2)), user(3)])).toMatchObject([
    { kind: "user", text: "ask 1", images: [image(1)] },
    { kind: "assistant", parts: [{ type: "call", result: "seen", images: [image(2)] }] },
    { kind: "user" },
  ])
})

test("[LL7] names an old image with its handle: beside the user's words, never as them", () => {
  const frozen = frozenOf([{ op: "name-images", below: 3 }], null)
  expect(tail([shows(1, image(1)), reads(2, image(2)), shows(3, image(3))], frozen)).toEqual([
    { kind: "user", text: "ask 1" },
    { kind: "notice", text: named(image(1)) },
    { kind: "assistant", parts: [expect.objectContaining({ result: `seen\n${named(image(2))}` })] },
    { kind: "user", text: "ask 3", images: [image(3)] },
  ])
})

test("[LL7] names the images before the newest input when history is cut for its size", () => {
  const messages = [
    user(1, "x".repeat(50_000)),
    shows(2, image(1)),
    shows(3, image(2)),
    assistant(4, text("hi")),
    shows(5, image(3)),
  ]
  const limits = { contextTokens: 12_000, outputTokens: 1_000, answered: null }
  const { pass, after } = ask(talk(messages, { limits }))
  expect(pass.kind === "fold" && pass.frozen).toMatchObject({ imagesBefore: 5, from: 2 })
  expect(tail(after.messages, after.frozen).filter((entry) => "images" in entry)).toEqual([
    { kind: "user", text: "ask 5", images: [image(3)] },
  ])
})

describe("a pass over the bound", () => {
  const limits = { contextTokens: 100_000, outputTokens: 1_000, answered: null }

  test("[LL7 PS3] names images that were shown, many at once, and records it", () => {
    const sent = ask(talk([many(1, 11), many(2, 9)], { limits })).after
    const { pass, after } = ask(grown(sent, assistant(3, text("hi")), many(4, 1)))
    expect(pass).toMatchObject({ kind: "refresh", applied: { reason: "cut_images", slots: null } })
    expect(pass.kind === "refresh" && pass.applied?.ops).toEqual([{ op: "name-images", below: 2 }])
    expect(planned(grown(after, assistant(5, text("ok")), many(6, 2)))).toMatchObject({ kind: "hold" })
  })

  test("[LL7 PS3] records it where no image that is named was ever shown", () => {
    const sent = ask(talk([user(1)], { limits })).after
    const { pass, after } = ask(grown(sent, many(2, 21), user(3)))
    expect(pass).toMatchObject({ kind: "refresh", applied: { reason: "cut_images" }, break: null })
    expect(pass.kind === "refresh" && pass.applied?.ops).toEqual([{ op: "name-images", below: 4 }])
    expect(ask(after).pass).toMatchObject({ kind: "hold", applied: null })
  })

  test("[LL7] names them in a cut that ends the Epoch too", () => {
    const results = Array.from({ length: 25 }, (_, at) => reads(at + 4, image(at)))
    const messages = [user(1, words(120_000)), assistant(2, text("hi")), user(3), ...results]
    const { pass, after } = ask(talk(messages, { limits }))
    expect(pass).toMatchObject({ kind: "fold", endsEpoch: true, applied: { reason: "cut_ceiling" } })
    const shown = tail(after.messages, after.frozen).flatMap((entry) =>
      entry.kind === "assistant" ? entry.parts.filter((part) => "images" in part) : [],
    )
    expect(shown).toHaveLength(imagesShownMax / 2)
  })

  test("[TU1] tells what the log holds where the newest input leaves no room: nothing was named", () => {
    const messages = [many(1, 11), many(2, 10), user(3, words(120_000))]
    const asked = talk(messages, { limits })
    const pass = planned(asked)
    expect(pass).toMatchObject({ kind: "stuck", records: [] })
    expect(pass.encoded).toEqual(encodeTalk(asked))
  })

  test("[LL7] states what was named again with every Fold", () => {
    const sent = ask(talk([many(1, 11), many(2, 10), user(3)], { limits })).after
    const { pass } = ask({ ...sent, model: "claude-other" })
    expect(pass).toMatchObject({ kind: "fold", applied: { ops: [{ op: "name-images", below: 2 }] } })
  })
})

test("[LL7] leaves of a message taken out only what keeps calls and results together", () => {
  const poisoned = { ...shows(2, image(1)), quarantined: 9 } as Message
  const answer = { ...assistant(3, reasoning("hm"), text("bad"), call(1, "out")), quarantined: 9 }
  const silent = { ...assistant(4, text("bad")), quarantined: 9 }
  expect(tail([user(1), poisoned, answer, silent, user(5)])).toEqual([
    { kind: "user", text: "ask 1" },
    { kind: "notice", text: quarantineNotice },
    {
      kind: "assistant",
      parts: [
        {
          type: "call",
          call: "call_1",
          name: "work",
          input: {},
          result: "[taken out of the conversation]",
          failed: true,
        },
      ],
    },
    { kind: "user", text: "ask 5" },
  ])
})
