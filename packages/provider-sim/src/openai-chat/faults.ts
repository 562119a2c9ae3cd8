/** Faults of Chat Completions: an overflow, and errors in the middle of a stream. */
import type { ChatDialect } from "../model.ts"
import { errorBody, invalid } from "../openai/error.ts"
import { sharedForms } from "../openai/faults.ts"
import type { FaultForms, Refusal } from "../sim-wire.ts"
import { textEvent } from "../stream.ts"
import type { CompletionAnswer } from "./completion.ts"
import { facts } from "./facts.ts"
import { imageBroken } from "./images.ts"
import { chunkEvent, dataEvent } from "./stream.ts"

/** recorded. */
export function overflow(tokens: number, tokensMax: number, dialect: ChatDialect): Refusal {
  // recorded: OpenRouter's code is the status.
  return dialect === "openrouter"
    ? invalid(facts.openrouterOverflow(tokensMax, tokens), null, "400")
    : invalid(facts.overflow(tokensMax, tokens), "messages", "context_length_exceeded")
}

export const faultForms: FaultForms<CompletionAnswer> = {
  ...sharedForms,
  imageBroken,
  overflow: (tokens, tokensMax) => overflow(tokens, tokensMax, "openai"),

  errorEvents(refusal, { answer, sent }) {
    if (answer.dialect === "openrouter") {
      // documented: the error stands beside a choice that ends with it.
      const end = { finish_reason: "error", native_finish_reason: "error" }
      const choices = [{ index: 0, delta: { content: "" }, ...end }]
      const error = { code: "server_error", message: facts.openrouterMidStream }
      return [chunkEvent(answer, "other", { error, choices }, sent)]
    }
    // recorded: a chunk that is an error body, and then nothing, not even `[DONE]`.
    return [dataEvent("error", "other", errorBody(refusal))]
  },

  broken: textEvent("broken", "other", 'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"conte\n\n'),

  endless: (events) => ({
    head: events.slice(0, 1),
    more: dataEvent("chunk", "delta", {
      id: "chatcmpl-endless",
      object: "chat.completion.chunk",
      created: 0,
      model: "sim",
      choices: [{ index: 0, delta: { content: "and so on, " }, logprobs: null, finish_reason: null }],
    }),
  }),
}
