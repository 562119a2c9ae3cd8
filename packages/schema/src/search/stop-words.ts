/** Words that say nothing by themselves, and are left out (SE1). */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a an the and or but if of to in on at by for with from as is are was were be been being am do does did " +
    "done have has had having i you he she it we they me him her us them my your his its our their this that " +
    "these those what which who whom whose when where why how not no nor so too very can could will would " +
    "shall should may might must than then there here just about into over after before up down out off " +
    "again once all any both each few more most other some such own same s t d ll m re ve don"
  ).split(" "),
)

/** A stop word as a number, by which bytes are compared: five bits for each letter, of which none is zero. */
export const keyBits = 5
export const keyMask = 31
export const keyedMax = 6
export const stopByKey: ReadonlyMap<number, string> = new Map(
  [...stopWords].map((word) => [
    [...word].reduce((key, letter) => (key << keyBits) | (letter.charCodeAt(0) & keyMask), 0),
    word,
  ]),
)
