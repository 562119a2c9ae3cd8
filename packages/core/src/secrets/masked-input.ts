/** Input as it is stored: what people and other programs say, without the secrets in it (AU1). */
import { hashBody } from "@holdfast/store/admission"
import type { Admit, ContributedFact } from "@holdfast/store/port"
import type { Masks } from "./masks.ts"

/** PR2: a repeat is known by what was given, whatever is masked of it by then. */
export function maskedBody(
  masks: Masks,
  given: Pick<Admit, "text" | "images" | "calls">,
): Pick<Admit, "text" | "images" | "calls" | "given"> {
  const text = masks.text(given.text)
  const calls = given.calls?.map((call) => ({ ...call, argument: masks.text(call.argument) }))
  const same = calls?.every(({ argument }, at) => argument === given.calls?.[at]?.argument) ?? true
  if (text === given.text && same) return given
  return { ...given, text, ...(calls && { calls }), given: hashBody(given) }
}

export function maskedFact(masks: Masks, fact: ContributedFact): ContributedFact {
  switch (fact.type) {
    case "notice.admitted":
      return { ...fact, text: masks.text(fact.text) }
    case "ask.answered":
      return fact.text === null ? fact : { ...fact, text: masks.text(fact.text) }
    default:
      return fact
  }
}
