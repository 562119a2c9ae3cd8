/**
 * Visible: a text of a stranger's file with whatever could hide in it written out.
 *
 * Control characters move a cursor, bidirectional ones turn a line around, tag characters carry words
 * that nobody sees. Line breaks and tabs stay; joiners stay too, since emoji and scripts need them.
 */
const hidden = /[\p{Bidi_Control}\u2028\u2029\u200B\u2060-\u2064\uFEFF\u{E0000}-\u{E007F}]|(?![\n\t])\p{Cc}/gu

export const visible = (text: string): string =>
  text.replaceAll("\r\n", "\n").replaceAll(hidden, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`)

/** The same on one line, and no longer than so many characters. */
export function visibleLine(text: string, charactersMax: number): string {
  const line = visible(text).replaceAll(/\s+/g, " ").trim()
  return line.length <= charactersMax ? line : `${line.slice(0, charactersMax - 1)}…`
}
