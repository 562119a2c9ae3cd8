/** Whether a text shows nothing at all: blanks, and signs that have no width (MM1). */

const shown = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

export const showsNothing = (text: string): boolean => !shown.test(text)
