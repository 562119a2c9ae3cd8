/**
 * Facts that an answer uses: what it names that was said before and is rare, what the user said of it, and errors that
 * programs put out. Written apart from the historian, so that it does not judge itself.
 */
import type { Message } from "@holdfast/schema/message"
import { type ErrorIndex, errorsUsed, makeErrorIndex, noteErrors } from "./errors.ts"

export interface UsedFact {
  readonly kind: "name" | "input" | "error"
  readonly words: string
  /** Messages that held it. */
  readonly seqs: readonly number[]
  /** Whether the user or the model had said it, or a call had asked for it; else only a tool had put it out. */
  readonly spoken: boolean
  /** Whether a text shows it as it was. */
  readonly shownIn: (text: string) => boolean
  /** Whether a compartment that holds it names it. */
  readonly namedIn: (part: string) => boolean
}

export interface FactIndex {
  messages: number
  /** Names and where they stood. */
  readonly names: Map<string, { readonly seqs: number[]; spoken: boolean }>
  /** Plain words and in how many messages they stood. */
  readonly words: Map<string, number>
  readonly inputs: { readonly seq: number; readonly words: ReadonlySet<string> }[]
  readonly errors: ErrorIndex
}

export const makeIndex = (): FactIndex => ({
  messages: 0,
  names: new Map(),
  words: new Map(),
  inputs: [],
  errors: makeErrorIndex(),
})

/** In at most this share of the messages before, or in this many. */
const rareShare = 0.05
const rareMin = 3
/** So many rare words in common make an answer use what the user said. */
const sharedWordsMin = 4

const texts = new WeakMap<Message, string>()

/** All that a model reads of a message. */
export function textOf(message: Message): string {
  const known = texts.get(message)
  if (known !== undefined) return known
  const text =
    message.kind !== "assistant"
      ? message.text
      : message.parts
          .map(({ part }) => {
            if (part.type === "text") return part.text
            if (part.type !== "call") return ""
            return `${part.name} ${inputText(part.input)} ${part.outcome?.output ?? ""}`
          })
          .join("\n")
  texts.set(message, text)
  return text
}

/** The strings of an input as they are, not as JSON writes them. */
function inputText(input: unknown): string {
  if (typeof input === "string") return input
  if (Array.isArray(input)) return input.map(inputText).join("\n")
  if (typeof input === "object" && input !== null) return Object.values(input).map(inputText).join("\n")
  return String(input)
}

/** What its calls asked for. */
export const calledIn = (message: Message): string =>
  message.kind !== "assistant"
    ? ""
    : message.parts.flatMap(({ part }) => (part.type === "call" ? [inputText(part.input)] : [])).join("\n")

/** What the model itself said and asked for. */
const saidIn = (message: Message): string =>
  message.kind !== "assistant"
    ? ""
    : message.parts
        .map(({ part }) =>
          part.type === "text" ? part.text : part.type === "call" ? inputText(part.input) : "",
        )
        .join("\n")

export function noteMessage(index: FactIndex, message: Message): void {
  index.messages += 1
  const text = textOf(message)
  const spoken = namesOf(message.kind === "assistant" ? saidIn(message) : text)
  for (const name of namesOf(text)) {
    const known = index.names.get(name)
    if (known === undefined) index.names.set(name, { seqs: [message.seq], spoken: spoken.has(name) })
    else {
      known.seqs.push(message.seq)
      known.spoken ||= spoken.has(name)
    }
  }
  const words = wordsOf(text)
  for (const word of words) index.words.set(word, (index.words.get(word) ?? 0) + 1)
  if (message.kind === "user") index.inputs.push({ seq: message.seq, words: wordsOf(message.text) })
  noteErrors(index.errors, message, text)
}

export function factsUsed(index: FactIndex, answer: Message): readonly UsedFact[] {
  const rareMax = Math.max(rareMin, index.messages * rareShare)
  const said = saidIn(answer)
  const names = [...namesOf(said)].flatMap((name): UsedFact[] => {
    const { seqs, spoken } = index.names.get(name) ?? unknown
    if (seqs.length === 0 || seqs.length > rareMax) return []
    const last = lastPart(name)
    return [
      {
        kind: "name",
        words: name,
        seqs,
        spoken,
        shownIn: (text) => text.includes(name) || showsPath(text, name),
        namedIn: (part) => last.length >= 4 && part.includes(last),
      },
    ]
  })
  const voiced = wordsOf(said)
  const inputs = index.inputs.flatMap(({ seq, words }): UsedFact[] => {
    const shared = [...words].filter((word) => voiced.has(word) && (index.words.get(word) ?? 0) <= rareMax)
    if (shared.length < sharedWordsMin) return []
    return [
      {
        kind: "input",
        words: `what the user said in #${seq}`,
        seqs: [seq],
        spoken: true,
        shownIn: (text) => {
          const shown = text.toLowerCase()
          return shared.every((word) => shown.includes(word))
        },
        namedIn: (part) => part.includes(`U #${seq} `) || part.includes(`D #${seq} `),
      },
    ]
  })
  return [...names, ...inputs, ...errorsUsed(index.errors, said, rareMax)]
}

const unknown = { seqs: [], spoken: false }

/** Paths, identifiers and numbers. */
function namesOf(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [raw] of text.matchAll(/[A-Za-z0-9_$@./~-]{4,160}/g)) {
    const name = raw.replaceAll(/^[^A-Za-z0-9_$@/~.]+|[^A-Za-z0-9_$]+$/g, "")
    if (name.length < 4) continue
    const isNumber = /^\d{4,12}$/.test(name)
    if (isNumber || /[A-Za-z0-9][_/.-][A-Za-z0-9]/.test(name) || /[a-z][A-Z]/.test(name) || isMixed(name))
      found.add(name)
  }
  return found
}

const isMixed = (name: string): boolean => /[A-Za-z]/.test(name) && /\d/.test(name)

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.toLowerCase().matchAll(/\p{L}{5,40}/gu)].map(([word]) => word))

/** A path is shown, too, where one line has its directory and its name. */
function showsPath(text: string, name: string): boolean {
  const end = name.lastIndexOf("/") + 1
  const folder = name.slice(0, end)
  if (end === 0 || !text.includes(folder)) return false
  const file = ` ${name.slice(end)}`
  return text
    .split("\n")
    .some((line) => line.includes(folder) && (line.includes(`${file} `) || line.endsWith(file)))
}

const lastPart = (name: string): string => name.split("/").at(-1) ?? name
