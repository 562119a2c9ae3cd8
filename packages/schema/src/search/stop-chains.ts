/**
 * Stop words in a row (SE1). None of them is indexed by itself; each four together are, as one word, by which a phrase is
 * found that has no other words. Fewer say too little: to index them too would make every text longer, and search worse.
 *
 *   To be, or not to be ──▶ to0be0or0not be0or0not0to or0not0to0be
 */
import { keyBits, keyedMax, keyMask, stopByKey, stopWords } from "./stop-words.ts"

/** All chains of a text in their order, a blank between them. Goes by characters: every commit comes by here. */
export function stopChains(text: string): string {
  const chains: string[] = []
  let [third, second, last] = [0, 0, 0] // keys of those in front of the next word; 0 where there is none
  for (let at = 0, from = 0, key = 0; at <= text.length; at++) {
    const code = at === text.length ? 0 : text.charCodeAt(at)
    if (isLetter(code | lowerBit)) {
      key = (key << keyBits) | (code & keyMask)
      continue
    }
    if (at > from) {
      const stop = at - from <= keyedMax && stopByKey.has(key) ? key : 0
      if (stop === 0) second = last = 0
      else if (third !== 0) chains.push([third, second, last, stop].map(wordOf).join(joint))
      third = second
      second = last
      last = stop
    }
    if (joins(code)) third = second = last = 0
    from = at + 1
    key = 0
  }
  return chains.join(" ")
}

/** Chains of a phrase that has stop words alone, enough of them; none of any other. */
export function phraseOfStops(text: string): readonly string[] {
  const words = allWords(text)
  return words.length >= chainWords && words.every(isStop) ? stopChains(text).split(" ") : []
}

/** The words of a phrase that is made of chains; null of any other. */
export function wordsOfChains(phrase: readonly string[]): readonly string[] | null {
  const chains = phrase.map((chain) => chain.split(joint))
  const [first] = chains
  if (first === undefined || !chains.every((words) => words.length === chainWords && words.every(isStop)))
    return null
  return [...first, ...chains.slice(1).map((words) => words.at(-1) ?? "")]
}

/** Words as they stand, in lower case. */
const allWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

const wordOf = (key: number): string => stopByKey.get(key) ?? ""
const chainWords = 4
const joint = "0"
const isStop = (word: string): boolean => stopWords.has(word)

const lowerBit = 0x20
const isLetter = (code: number): boolean => code >= 97 && code <= 122
/** A digit, or a letter that is not plain, is part of another word. */
const joins = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 0xc0 && !isSign(code))
/** Quotes, dashes and dots that are not plain. */
const isSign = (code: number): boolean => code >= 0x2000 && code <= 0x206f
