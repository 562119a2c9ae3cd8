/**
 * Text that a person has to judge before they allow it (PE5): what shows nothing, turns the direction
 * of reading or could move the cursor is named where it stands.
 *
 * Apart from `printable`, which leaves such characters out: of what is only read nothing is missed
 * then, but whoever allows a command must see all of it.
 */

/** Line breaks and tabs stay. */
export const nameHidden = (text: string): string =>
  text.replaceAll(hidden, (character) =>
    character === "\n" || character === "\t" ? character : named(character),
  )

/** As one line. */
export const nameHiddenInLine = (text: string): string => text.replaceAll(hidden, named)

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const named = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`
