/**
 * The bytes of an answer, whatever frames them: their type, their limit and their end (LL6).
 *
 * An answer of another type is refused before its bytes are read as frames.
 */
import type { StreamDecoder } from "../wire.ts"
import { FrameReader } from "./frame-reader.ts"
import type { Reading } from "./reading.ts"

/** Largest answer. */
const answerBytesMax = 64 * 1024 * 1024

/** Largest single frame of an answer. */
export const frameCharsMax = 8 * 1024 * 1024

/** Gives the whole frames of these bytes, and of those before them, to the reader. */
export type Framing = (
  reader: Pick<FrameReader<never, never>, "read" | "fail">,
) => (bytes: Uint8Array) => void

export function decodeBytes<Own, Note>(
  contentType: { readonly given: string; readonly wanted: string },
  reading: Reading<Own, Note>,
  framing: Framing,
): StreamDecoder {
  const { given, wanted } = contentType
  const isStream = given.split(";")[0]?.trim().toLowerCase() === wanted
  const refuse = () => reader.fail("not_a_stream", `content-type ${given === "" ? "missing" : given}`)
  const reader = new FrameReader(reading)
  const feed = framing(reader)
  let bytesSeen = 0
  return {
    push: (bytes) => {
      if (reader.closed) return []
      bytesSeen += bytes.length
      if (!isStream) refuse()
      else if (bytesSeen > answerBytesMax)
        reader.fail("answer_too_large", `more than ${answerBytesMax} bytes`)
      else feed(bytes)
      return reader.take()
    },
    end: () => {
      if (!isStream) refuse()
      else reader.end()
      return reader.take()
    },
  }
}
