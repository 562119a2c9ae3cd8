/** Ids of commits among the words of a question (SE1): whole, or as Git abbreviates them. */

const commitId = /^[0-9a-f]{7,64}$/

export const mayBeCommit = (word: string): boolean => commitId.test(word)

export const namesCommit = (words: readonly string[], hash: string): boolean =>
  words.some((word) => mayBeCommit(word) && hash.startsWith(word))
