/** Bytes to frames of JSON lines: a value a line, empty ones passed over (LL6). */
import type { StreamDecoder } from "../wire.ts"
import { decodeBytes, type Framing, frameCharsMax } from "./byte-stream.ts"
import type { Reading } from "./reading.ts"

export const jsonLines = "application/jsonl"

export const decodeJsonLines = <Own, Note>(contentType: string, reading: Reading<Own, Note>): StreamDecoder =>
  decodeBytes({ given: contentType, wanted: jsonLines }, reading, framing)

const framing: Framing = (reader) => {
  const text = new TextDecoder()
  let rest = ""
  return (bytes) => {
    const lines = (rest + text.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const data of lines) if (data !== "") reader.read({ name: "", data })
    if (rest.length > frameCharsMax) reader.fail("answer_too_large", "one frame is too large")
  }
}
