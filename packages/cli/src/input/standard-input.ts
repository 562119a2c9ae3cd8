/** A prompt from standard input: text as it is, or a refusal. Bytes that are no text are not guessed at. */
import { isUtf8 } from "node:buffer"
import { UsageError } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"

/** The text of an argument; `-` stands for standard input. */
export const readText = async (terminal: Pick<Terminal, "readInput">, argument: string): Promise<string> =>
  argument === "-" ? decodeInput(await terminal.readInput()) : argument

export function decodeInput(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  throw new UsageError(
    `Standard input is not UTF-8: line ${firstBadLine(bytes)} holds bytes that are no text. ` +
      "Convert it first, such as with iconv -f latin1 -t utf-8, or name the file in the prompt.",
  )
}

/** A line feed is never part of a longer character, so each line can be judged alone. */
function firstBadLine(bytes: Uint8Array): number {
  let line = 1
  for (let start = 0; start <= bytes.length; line++) {
    const end = bytes.indexOf(lineFeed, start)
    const stop = end === -1 ? bytes.length : end
    if (!isUtf8(bytes.subarray(start, stop))) return line
    start = stop + 1
  }
  return line
}

const lineFeed = 0x0a
