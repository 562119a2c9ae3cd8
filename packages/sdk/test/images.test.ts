/** Images of prompts and quarantine, embedded and behind a network: the same names, the same results. */
import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { mediaHeader } from "../../protocol/src/groups/sessions.ts"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { handleOf, isFailure, mediaOf, settled } from "../src/index.ts"
import { makePlace, surfaces } from "./place.ts"

/** PNG, 3 × 2. */
const bytes = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQImWMQiToBQQxwFgBEhAdFhXuAAQAAAABJRU5ErkJggg==",
    "base64",
  ),
)
const media = {
  hash: createHash("sha256").update(bytes).digest("hex"),
  mediaType: "image/png",
  bytes: bytes.length,
  width: 3,
  height: 2,
  name: "blue.png",
} as const
const handle = handleOf(media)

test("[LL7] what the client knows of images is the contract's", () => {
  const headers = { [mediaHeader]: encodeURIComponent(JSON.stringify(media)) }
  expect(mediaOf({ bytes, contentType: "image/png", headers })).toEqual(media)
})

describe.each(surfaces)("%s", (_, open) => {
  test("[LL7] an image goes with a prompt, stands in its message, and stays after quarantine", async () => {
    await using place = await makePlace(scripted(() => textReply("Blue.")))
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    const data = Buffer.from(bytes).toString("base64")
    const images = [{ data, name: "album/blue.png" }, { data }]
    await sessions.prompt({ sessionID, text: "Which colour?", images })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "done", text: "Blue." })
    const [message] = (await sessions.messages({ sessionID })).items
    expect(message).toMatchObject({ kind: "user", images: [media, { ...media, name: null }] })
    const image = await sessions.image({ sessionID, handle })
    expect(mediaOf(image)).toEqual(media)
    expect([image.bytes instanceof Uint8Array, Buffer.from(image.bytes).equals(bytes)]).toEqual([true, true])

    const messageID = message?.id ?? ""
    const { seq } = await sessions.get({ sessionID })
    expect(await sessions.request({ sessionID })).toMatchObject({ images: 2, quarantined: 0 })
    expect(await sessions.quarantine({ sessionID, messageID })).toBeUndefined()
    expect(await sessions.quarantine({ sessionID, messageID })).toBeUndefined()
    expect(await sessions.message({ sessionID, messageID })).toMatchObject({
      text: "Which colour?",
      quarantined: seq + 1,
    })
    expect(await sessions.request({ sessionID })).toMatchObject({ images: 0, quarantined: 1 })
    expect(Buffer.from((await sessions.image({ sessionID, handle })).bytes).equals(bytes)).toBe(true)
  })

  test("[LL7] what is no image, or is not there, is a typed failure", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    const refused = { data: Buffer.from("hello").toString("base64"), name: "hello.png" }
    const cases: readonly (readonly [tag: string, said: string, work: () => Promise<unknown>])[] = [
      [
        "PromptRefused",
        '"hello.png" is no image',
        () => sessions.prompt({ sessionID, text: "x", images: [refused] }),
      ],
      ["ImageNotFound", "has no image media:", () => sessions.image({ sessionID, handle })],
      ["ImageNotFound", "has no image ..", () => sessions.image({ sessionID, handle: "../.." })],
      ["SessionNotFound", "ses_none", () => sessions.image({ sessionID: "ses_none", handle })],
      ["MessageNotFound", "msg_none", () => sessions.quarantine({ sessionID, messageID: "msg_none" })],
      ["InvalidId", "no Session id", () => sessions.quarantine({ sessionID: "x", messageID: "msg_none" })],
    ]
    for (const [tag, said, work] of cases) {
      const failure = await work().catch((caught: unknown) => caught)
      expect([tag, isFailure(failure), failure]).toMatchObject([tag, true, { _tag: tag }])
      expect((failure as Error).message).toContain(said)
    }
    expect((await sessions.inbox({ sessionID })).items).toEqual([])
  })
})
