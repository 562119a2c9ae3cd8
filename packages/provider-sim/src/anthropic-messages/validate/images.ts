/** Image rules: what an image must be, how large it may be, and how many there may be. */
import type { SimModel } from "../../model.ts"
import type { SentImage } from "../../image/sent.ts"
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import { imagesOf } from "../images.ts"
import type { MessagesBody } from "../request-body.ts"
import { firstRefusal } from "../../shape.ts"
import type { Verdict } from "../../sim-wire.ts"

export function checkImages(body: MessagesBody, model: SimModel, contextTokens: number): Verdict {
  const images = imagesOf(body)
  if (images.length === 0) return undefined
  if (model.images === false) return invalid(facts.imagesUnsupported(body.model))
  // documented: more for models whose window is wider than the usual one.
  const most = contextTokens > 200_000 ? facts.imagesMaxWide : facts.imagesMax
  if (images.length > most) return invalid(facts.imagesTooMany(images.length, most))
  return firstRefusal(images, (image) => checkImage(image, images.length))
}

function checkImage({ path, declared, encodedBytes, content }: SentImage, together: number): Verdict {
  // recorded: what is measured is the base64, not the image.
  const bytesMax = facts.imageBytesMax
  if (encodedBytes > bytesMax) return invalid(facts.imageTooLarge(path, encodedBytes, bytesMax))
  switch (content.kind) {
    case "address":
      return undefined
    case "not-base64":
      return invalid(facts.imageNotBase64(path))
    case "not-image":
      return invalid(facts.imageBroken)
    case "image": {
      const { mediaType, width, height } = content
      if (mediaType !== declared) return invalid(facts.imageMismatch(path, declared, mediaType))
      return checkSides(path, Math.max(width, height), together)
    }
  }
}

function checkSides(path: string, side: number, together: number): Verdict {
  const many = facts.imageSideManyMax
  if (side > facts.imageSideMax) return invalid(facts.imageSides(path, facts.imageSideMax))
  if (together <= facts.imagesFew || side <= many) return undefined
  return invalid(facts.imageSidesMany(path, many))
}
