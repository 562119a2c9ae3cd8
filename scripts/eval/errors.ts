/**
 * Error texts as facts: a line that a program put out as an error, and that a later answer uses: it has its rare words. Written
 * apart from the historian, so that it does not judge itself.
 *
 * A line is an error by how programs begin or end such lines; of a call that only reads, just where it failed. An answer uses it
 * that says or asks for at least two of its rare words, and at least a third of them. It is shown where one line has all of these;
 * a list of names is no such line.
 */
import type { CallPart, Message } from "@holdfast/schema/message"
import type { UsedFact } from "./facts.ts"

export interface ErrorIndex {
  /** Words and in how many messages they stood. */
  readonly counts: Map<string, number>
  readonly lines: Map<string, ErrorLine>
  /** By their words. */
  readonly byWord: Map<string, Set<ErrorLine>>
}

interface ErrorLine {
  readonly line: string
  readonly words: ReadonlySet<string>
  readonly seqs: number[]
  /** Whether an answer has used it. */
  used: boolean
}

export const makeErrorIndex = (): ErrorIndex => ({ counts: new Map(), lines: new Map(), byWord: new Map() })

export function noteErrors({ counts, lines, byWord }: ErrorIndex, message: Message, text: string): void {
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  for (const line of errorLines(message)) {
    const known = lines.get(line)
    if (known !== undefined) {
      if (known.seqs.at(-1) !== message.seq) known.seqs.push(message.seq)
      continue
    }
    const made = { line, words: wordsOf(line), seqs: [message.seq], used: false }
    lines.set(line, made)
    for (const word of made.words) {
      const holding = byWord.get(word)
      if (holding === undefined) byWord.set(word, new Set([made]))
      else holding.add(made)
    }
  }
}

/** Of what shares the same words with an answer, the newest counts. */
export function errorsUsed(
  { counts, byWord }: ErrorIndex,
  said: string,
  rareMax: number,
): readonly UsedFact[] {
  const isRare = (word: string): boolean => (counts.get(word) ?? 0) <= rareMax
  const shared = new Map<ErrorLine, string[]>()
  for (const word of wordsOf(said))
    if (isRare(word))
      for (const one of byWord.get(word) ?? []) shared.set(one, [...(shared.get(one) ?? []), word])
  const facts = new Map<string, UsedFact>()
  for (const [one, words] of shared) {
    const rare = [...one.words].filter(isRare).length
    if (words.length < sharedMin || words.length < rare * sharedShareMin) continue
    facts.set(words.toSorted().join(" "), factOf(one, words))
    one.used = true
  }
  return [...facts.values()]
}

const sharedMin = 2
const sharedShareMin = 1 / 3

function factOf({ line, seqs, used }: ErrorLine, words: readonly string[]): UsedFact {
  return {
    kind: "error",
    words: `the error "${line.slice(0, 80)}" in #${seqs.at(-1) ?? 0}`,
    seqs: [...seqs],
    spoken: used,
    shownIn: (text) =>
      text.split("\n").some((each) => {
        if (each.startsWith("N ")) return false
        const shown = wordsOf(each)
        return words.every((word) => shown.has(word))
      }),
    namedIn: (part) => seqs.some((seq) => part.includes(`E #${seq} `)),
  }
}

const readsOnly = /read|view|open|list|grep|glob|search|fetch/i

/** As programs begin a line that says what went wrong, perhaps behind the place in a file, or end it. */
const errorLike =
  /^(?:[\w@./\\-]+[:(]\d+[:,)\d]*\s*(?:- )?)?(?:npm )?(?:(?:[A-Z]\w*)?(?:Error|Exception)\b|[Ee]rror(?: [A-Z]+\d+|\[\w+\])?:|ERR!|ERROR\b|[Ff]atal:|panic:|(?:--- )?FAIL(?:ED)?\b|Traceback)|: command not found|No such file or directory|Permission denied|Cannot find module/

function errorLines(message: Message): readonly string[] {
  if (message.kind !== "assistant") return []
  return message.parts.flatMap(({ part }) => (part.type === "call" ? linesOf(part) : []))
}

function linesOf({ name, outcome }: CallPart): readonly string[] {
  if (outcome === null || (outcome.state === "done" && readsOnly.test(name))) return []
  const lines = outcome.output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length <= lineUnitsMax && errorLike.test(line))
  return [...new Set(lines)].slice(0, linesMax)
}

const lineUnitsMax = 400
const linesMax = 100

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.toLowerCase().matchAll(/[\p{L}\p{N}_]{4,80}/gu)].map(([word]) => word))
