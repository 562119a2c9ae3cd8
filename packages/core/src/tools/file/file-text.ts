/**
 * File text: the text of a file apart from how it is written down, so that a change keeps both its
 * byte order mark and its line ends.
 */

export interface FileText {
  /** Without the byte order mark, with the line ends as they are. */
  readonly text: string
  readonly mark: boolean
  /** That of most lines. */
  readonly lineEnd: "\n" | "\r\n"
}

const byteOrderMark = "\uFEFF"

/** Null where the bytes are no text: not UTF-8, or with a NUL among them. */
export function decodeText(bytes: Uint8Array): FileText | null {
  if (bytes.includes(0)) return null
  try {
    const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    const mark = whole.startsWith(byteOrderMark)
    const text = mark ? whole.slice(1) : whole
    return { text, mark, lineEnd: lineEndOf(text) }
  } catch {
    return null // the decoder throws on bytes that are not UTF-8, and on nothing else
  }
}

/** The bytes of a text, written down as another was. */
export const encodeText = (text: string, like: Pick<FileText, "mark">): Uint8Array =>
  Buffer.from(like.mark && !text.startsWith(byteOrderMark) ? byteOrderMark + text : text)

/** A text from somebody who does not see line ends, with those of a file. */
export const withLineEnd = (text: string, lineEnd: FileText["lineEnd"]): string =>
  lineEnd === "\n" ? text : text.replaceAll(/\r?\n/g, "\r\n")

function lineEndOf(text: string): FileText["lineEnd"] {
  const returns = text.split("\r\n").length - 1
  const newlines = text.split("\n").length - 1
  return returns * 2 > newlines ? "\r\n" : "\n"
}
