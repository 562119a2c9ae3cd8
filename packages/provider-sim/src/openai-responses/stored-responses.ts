/**
 * Stored responses: what the provider keeps of them unless it is told not to (documented).
 *
 * A later request may name a whole response or single items of one. It is put together here before
 * it is judged, so that the rules see one input. Reasoning that is named by its id alone comes back
 * with its seal.
 */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { invalid } from "../openai/error.ts"
import { sealReasoning } from "../signature.ts"
import type { StoredAnswers } from "../sim-wire.ts"
import type { ResponsesBody } from "./body.ts"
import { facts } from "./facts.ts"
import { itemObject } from "./response.ts"
import type { OutputItem, ResponseAnswer } from "./response.ts"

const responsesMax = 1_000

interface Kept {
  /** Everything up to the end of the response. */
  readonly items: readonly unknown[]
  readonly output: readonly JsonObject[]
}

export function createStoredResponses(): StoredAnswers<ResponsesBody, ResponseAnswer> {
  const responses = new Map<string, Kept>()
  const findItem = (id: unknown) => {
    for (const { output } of responses.values()) {
      const found = output.find((item) => item["id"] === id)
      if (found !== undefined) return found
    }
    return undefined
  }
  const wholeItem = (item: unknown): unknown => {
    if (!isObject(item)) return item
    const isNamed =
      item["type"] === "item_reference" ||
      (item["type"] === "reasoning" && (item["encrypted_content"] ?? null) === null)
    return isNamed ? (findItem(item["id"]) ?? item) : item
  }

  return {
    complete(body) {
      const own = itemsIn(body["input"]).map(wholeItem)
      const previous = body["previous_response_id"] ?? undefined
      const kept = typeof previous === "string" ? responses.get(previous) : undefined
      if (typeof previous === "string" && kept === undefined) {
        const message = facts.previousUnknown(previous)
        return { refusal: invalid(message, "previous_response_id", "previous_response_not_found") }
      }
      if (kept === undefined) return { body: Array.isArray(body["input"]) ? { ...body, input: own } : body }
      return { body: { ...body, input: [...kept.items, ...own] } }
    },

    keep({ body }, answer) {
      if (body.store === false) return
      const output = answer.output.map(keptItem)
      responses.set(answer.id, { items: [...itemsIn(body.input), ...output], output })
      for (const oldest of responses.keys()) {
        if (responses.size <= responsesMax) break
        responses.delete(oldest)
      }
    },
  }
}

/** The input as items; what is no input has none. */
function itemsIn(input: unknown): readonly unknown[] {
  if (typeof input === "string") return [{ role: "user", content: input }]
  return Array.isArray(input) ? input : []
}

function keptItem(item: OutputItem): JsonObject {
  const shown = itemObject(item, "completed")
  return item.type === "reasoning" ? { ...shown, encrypted_content: sealReasoning(item.id) } : shown
}
