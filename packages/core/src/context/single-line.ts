/**
 * Single line: a path or name made safe to stand on one line of rendered text.
 *
 * A directory name may hold line breaks; unfiltered, it could write lines of its own into a text
 * that the model trusts.
 */
export function singleLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "\u{FFFD}")
}
