/** Faults of the Responses API: an overflow, and errors in the middle of a stream. */
import { errorOf, invalid } from "../openai/error.ts"
import { sharedForms } from "../openai/faults.ts"
import type { FaultForms, Refusal } from "../sim-wire.ts"
import { textEvent } from "../stream.ts"
import { facts } from "./facts.ts"
import { imageBroken } from "./images.ts"
import { responseObject } from "./response.ts"
import type { ResponseAnswer } from "./response.ts"
import { event } from "./stream.ts"

/** recorded. */
export const overflow: Refusal = invalid(facts.overflow, "input", "context_length_exceeded")

export const faultForms: FaultForms<ResponseAnswer> = {
  ...sharedForms,
  imageBroken,
  overflow: () => overflow,

  errorEvents(refusal, { answer, sent, form }) {
    const error = errorOf(refusal)
    const code = error.code ?? refusal.type
    // documented: the fields stand beside the type.
    if (form === "flat") {
      return [event("error", "other", { code, message: error.message, param: error.param }, sent)]
    }
    const response = responseObject(answer, "failed", { code, message: error.message })
    if (form === "failed") return [event("response.failed", "other", { response }, sent)]
    // recorded: the error stands inside, and the failed response follows.
    return [
      event("error", "other", { error }, sent),
      event("response.failed", "other", { response }, sent + 1),
    ]
  },

  broken: textEvent(
    "broken",
    "other",
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"a\n\n',
  ),

  endless(events) {
    const id = "msg_endless"
    const item = { id, type: "message", status: "in_progress", content: [], role: "assistant" }
    const place = { item_id: id, output_index: 0, content_index: 0 }
    return {
      head: [
        ...events.slice(0, 2),
        event("response.output_item.added", "start", { item, output_index: 0 }, 2),
      ],
      more: event("response.output_text.delta", "delta", { ...place, delta: "and so on, ", logprobs: [] }, 3),
    }
  },
}
