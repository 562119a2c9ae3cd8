/** Server-sent events to the JSON in their data. */
import { createParser } from "eventsource-parser"
import { ClientError } from "./client-error.ts"

/** Ends where the server ended the stream; a last event that is not whole is left out. */
export async function* itemsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const ready: unknown[] = []
  const parser = createParser({
    onEvent: ({ data }) => {
      try {
        ready.push(JSON.parse(data))
      } catch (cause) {
        throw new ClientError({ kind: "malformed" }, "An event of the stream is not JSON.", cause)
      }
    },
  })
  const text = new TextDecoder()
  for await (const chunk of chunks) {
    parser.feed(text.decode(chunk, { stream: true }))
    yield* ready.splice(0)
  }
}
