/** Images: an address on the web, or base64 data of one of the known types. */
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"
import { wrongType } from "./shape.ts"
import type { Check } from "./shape.ts"

export const imageUrl: Check = (path, value) => {
  if (typeof value !== "string") return wrongType(path, "a string", value)
  if (/^https?:\/\/./.test(value)) return undefined
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(value)
  if (data === null) return invalid(facts.imageUrl.value(path), path, "invalid_value")
  return facts.imageTypes.value.includes(data[1] ?? "") && data[2] !== ""
    ? undefined
    : invalid(facts.imageFormat.value, null, "invalid_image_format")
}
