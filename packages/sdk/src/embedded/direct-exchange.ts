/** A client's exchange with the router of this process: no bytes, no socket, no web Response (EM1). */
import { strict as assert } from "node:assert"
import type { Answer, Exchange } from "@holdfast/client"
import { type DirectHandler, itemStreamOf, HeldRequest } from "@holdfast/server"

type Given = Awaited<ReturnType<DirectHandler>>

export const directExchange =
  (answer: DirectHandler): Exchange =>
  async (address, { method, headers, body, signal }) =>
    answerOf(await answer(new HeldRequest(address, method, headers, body, signal)))

function answerOf(given: Given): Answer {
  const stream = itemStreamOf(given)
  return {
    status: given.status,
    headers: given.headers,
    text: async () => textOf(given),
    bytes: async () => wholeOf(given).body,
    chunks: () => stream?.bytes() ?? null,
    ...(stream && { items: () => ({ [Symbol.asyncIterator]: () => stream.items() }) }),
  }
}

const textOf = (given: Given): string => {
  const { text, body } = wholeOf(given)
  return text ?? new TextDecoder().decode(body)
}

const nothing = { text: "", body: new Uint8Array() }

function wholeOf({ body }: Given): { readonly text?: string | undefined; readonly body: Uint8Array } {
  if (body._tag === "Empty") return nothing
  assert(body._tag === "Uint8Array", "an answer that is no stream is there at once")
  return body
}
