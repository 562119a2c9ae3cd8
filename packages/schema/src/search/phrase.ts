/** Words that a text holds together (SE1), for who asks and for who compares. */
export interface Phrase {
  /** By `searchWords`, or chains of stop words: what the index knows of it. */
  readonly words: readonly string[]
  /** By `spokenWords`, where it is looked for as it stands; without it, stop words do not count. */
  readonly all?: readonly string[]
}
