/**
 * The bytes of an answer, whatever frames them: their type, their limit and their end (LL6).
 *
 * An answer of another type is refused before its bytes are read as frames.
 */
import type { StreamDecoder } from "../wire.ts"
import type { DeltaReader } from "./delta-reader.ts"

/** Largest answer. */
const answerBytesMax = 64 * 1024 * 1024

export function decodeBytes(
  contentType: { readonly given: string; readonly wanted: string },
  answer: DeltaReader,
  feed: (bytes: Uint8Array) => void,
): StreamDecoder {
  const { given, wanted } = contentType
  const isStream = given.split(";")[0]?.trim().toLowerCase() === wanted
  const refuse = () => answer.fail("not_a_stream", `content-type ${given === "" ? "missing" : given}`)
  let bytesSeen = 0
  return {
    push: (bytes) => {
      if (answer.closed) return []
      bytesSeen += bytes.length
      if (!isStream) refuse()
      else if (bytesSeen > answerBytesMax)
        answer.fail("answer_too_large", `more than ${answerBytesMax} bytes`)
      else feed(bytes)
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
