import { hash } from "node:crypto"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { type NormaliseImage, promptImages } from "../../src/media/prompt-images.ts"

const given = { bytes: new Uint8Array([1, 2, 3]), name: "a.png" }

/** An image engine that stores these bytes, whatever it is given. */
const makes =
  (bytes: Uint8Array): NormaliseImage =>
  ({ name }) =>
    Effect.succeed({
      bytes,
      media: {
        hash: hash("sha256", bytes),
        mediaType: "image/png",
        bytes: bytes.length,
        width: 1,
        height: 1,
        name,
      },
    })

test("[PR2] says what was given where other bytes are stored, so that a repeat is known", () => {
  const images = [[4], [5, 6], [1, 2, 3]].map(
    (made) => Effect.runSync(promptImages([given], makes(new Uint8Array(made)))).images?.[0],
  )
  const original = hash("sha256", given.bytes)
  expect(images.map((image) => image?.given ?? image?.hash)).toEqual([original, original, original])
  expect(images[2]).not.toHaveProperty("given")
})
