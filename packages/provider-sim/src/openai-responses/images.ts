/** Images: where a Responses request holds them: in what the user says, and in outputs of calls. */
import type { ImagePlace, SimModel } from "../model.ts"
import { invalid } from "../openai/error.ts"
import { checkImages, imageOf } from "../openai/image.ts"
import type { SentImage } from "../image/sent.ts"
import type { Refusal, Verdict } from "../sim-wire.ts"
import { itemsOf } from "./body.ts"
import type { ContentPart, ResponsesBody } from "./body.ts"
import { facts } from "./facts.ts"

/** recorded: the text; the two other fields are assumed. */
export const imageBroken: Refusal = invalid(facts.imageBroken, "input", "invalid_value")

/** The image of a part, or nothing if it is another part. */
export function imageOfPart(part: ContentPart, place: ImagePlace, path = "") {
  if (part.type !== "input_image") return undefined
  const url = part.image_url ?? part.file_id ?? ""
  return imageOf(part, { url, detail: part.detail ?? null }, place, path)
}

export function checkOwnImages(body: ResponsesBody, model: SimModel): Verdict {
  return checkImages(imagesOf(body), model, {
    unsupported: () => invalid(facts.imagesUnsupported(body.model), "input"),
    broken: imageBroken,
  })
}

function imagesOf(body: ResponsesBody): readonly SentImage[] {
  return itemsOf(body).flatMap((item, index) => {
    const [content, place, field]: readonly [unknown, ImagePlace, string] =
      "role" in item
        ? [item.content, "prompt", "content"]
        : ["output" in item ? item.output : [], "result", "output"]
    return (Array.isArray(content) ? content : []).flatMap(
      (part: ContentPart, at) => imageOfPart(part, place, `input[${index}].${field}[${at}]`) ?? [],
    )
  })
}
