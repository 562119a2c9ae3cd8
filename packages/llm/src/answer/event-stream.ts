/**
 * Bytes to frames of an event stream, the same for every wire (LL6).
 *
 * The framing owns the limits, the content type and the end; what a frame says is the wire's. A
 * reader that is closed has finished or failed and says nothing more.
 */
import { createParser } from "eventsource-parser"
import type { StreamDecoder } from "../wire.ts"
import type { DeltaReader } from "./delta-reader.ts"

/** Largest answer, and largest single frame of it. */
const answerBytesMax = 64 * 1024 * 1024
export const frameCharsMax = 8 * 1024 * 1024

export function decodeEventStream(contentType: string, answer: DeltaReader): StreamDecoder {
  const text = new TextDecoder()
  let bytesSeen = 0
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
  const isStream = /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType)
  const refuse = () =>
    answer.fail("not_a_stream", `content-type ${contentType === "" ? "missing" : contentType}`)
  return {
    push: (bytes) => {
      if (answer.closed) return []
      bytesSeen += bytes.length
      if (!isStream) refuse()
      else if (bytesSeen > answerBytesMax)
        answer.fail("answer_too_large", `more than ${answerBytesMax} bytes`)
      else parser.feed(text.decode(bytes, { stream: true }))
      return answer.take()
    },
    end: () => {
      if (answer.closed) return []
      if (!isStream) refuse()
      else answer.cut()
      return answer.take()
    },
  }
}
