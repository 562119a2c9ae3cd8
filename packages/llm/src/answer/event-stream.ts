/** Bytes to frames of an event stream, the same for every wire that speaks one (LL6). */
import { createParser } from "eventsource-parser"
import type { StreamDecoder } from "../wire.ts"
import { decodeBytes, type Framing, frameCharsMax } from "./byte-stream.ts"
import type { Reading } from "./reading.ts"

export const decodeEventStream = <Own, Note>(
  contentType: string,
  reading: Reading<Own, Note>,
): StreamDecoder => decodeBytes({ given: contentType, wanted: "text/event-stream" }, reading, framing)

const framing: Framing = (reader) => {
  const tooLarge = () => reader.fail("answer_too_large", "one frame is too large")
  const text = new TextDecoder()
  const parser = createParser({
    maxBufferSize: frameCharsMax,
    onEvent: ({ data, event }) => {
      if (data.length > frameCharsMax) tooLarge()
      else reader.read({ name: event ?? "", data })
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") tooLarge()
    },
  })
  return (bytes) => parser.feed(text.decode(bytes, { stream: true }))
}
