/**
 * Bytes to frames of an event stream, the same for every wire that speaks one (LL6).
 *
 * What a frame says is the wire's. A reader that is closed has finished or failed and says nothing
 * more.
 */
import { createParser } from "eventsource-parser"
import type { StreamDecoder } from "../wire.ts"
import { decodeBytes } from "./byte-stream.ts"
import type { DeltaReader } from "./delta-reader.ts"

/** Largest single frame of an answer. */
export const frameCharsMax = 8 * 1024 * 1024

export function decodeEventStream(contentType: string, answer: DeltaReader): StreamDecoder {
  const text = new TextDecoder()
  const parser = createParser({
    maxBufferSize: frameCharsMax,
    onEvent: ({ data, event }) => {
      if (answer.closed) return
      if (data.length > frameCharsMax) answer.fail("answer_too_large", "one frame is too large")
      else answer.read(data, event ?? "")
    },
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") answer.fail("answer_too_large", "one frame is too large")
    },
  })
  const feed = (bytes: Uint8Array) => parser.feed(text.decode(bytes, { stream: true }))
  return decodeBytes({ given: contentType, wanted: "text/event-stream" }, answer, feed)
}
