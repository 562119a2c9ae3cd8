/** Images: the user alone sends them, and every server has its own words for one who may not. */
import type { ChatDialect, SimModel } from "../model.ts"
import { invalid } from "../openai/error.ts"
import { checkImages, imageOf } from "../openai/image.ts"
import type { SentImage } from "../image/sent.ts"
import type { Refusal, Verdict } from "../sim-wire.ts"
import { partsOf } from "./body.ts"
import type { ChatBody, ChatPart } from "./body.ts"
import { facts } from "./facts.ts"

/** recorded. */
export const imageBroken: Refusal = invalid(facts.imageBroken, null, "image_parse_error")

/** The image of a part, or nothing if it is another part. */
export function imageOfPart(part: ChatPart, path = "") {
  return part.image_url === undefined ? undefined : imageOf(part.image_url, part.image_url, "prompt", path)
}

export function checkOwnImages(body: ChatBody, model: SimModel, dialect: ChatDialect): Verdict {
  // recorded: DeepSeek's server takes no images, whatever the model.
  const able = dialect === "deepseek" ? { ...model, images: false } : model
  return checkImages(imagesOf(body), able, {
    unsupported: (image) => unsupported(image, body, dialect),
    broken: imageBroken,
  })
}

function imagesOf(body: ChatBody): readonly SentImage[] {
  return body.messages.flatMap((message, index) =>
    partsOf(message).flatMap((part, at) => imageOfPart(part, `messages.[${index}].content.[${at}]`) ?? []),
  )
}

/** recorded, each. */
function unsupported({ path }: SentImage, body: ChatBody, dialect: ChatDialect): Refusal {
  const index = Number(/\d+/.exec(path)?.[0])
  switch (dialect) {
    case "openai":
      return invalid(facts.imagesUnsupported, `${path}.type`)
    case "deepseek": {
      const column = JSON.stringify(body.messages.slice(0, index + 1)).length
      return invalid(facts.deepseekImage(index, column), null, "invalid_request_error")
    }
    case "groq":
      return invalid(facts.groqImage(index))
    case "openrouter":
      return { ...invalid(facts.openrouterImage, null, "404"), status: 404 }
  }
}
