/**
 * Tells the model beside the words of a person what was said about them before (ND1): a few fragments, each with
 * where it is opened. Nothing that the window shows, and nothing where too little of the question is found. By words
 * alone: a vector would be waited for.
 */
import { Effect } from "effect"
import { droppedFrom, expandToolName, shownMemories } from "@holdfast/recall"
import type { FoundOther, FoundPlace } from "@holdfast/schema/search/found"
import { inOrder } from "@holdfast/schema/search/in-order"
import { searchWords } from "@holdfast/schema/search/words"
import { makeSearch } from "../../search/search.ts"
import { viewOf } from "../request/request.ts"
import { extraWithin } from "./extra.ts"
import type { BesideMaker } from "./beside.ts"

const fragmentsMax = 3
const fragmentCharactersMax = 80
/** A shorter prompt says too little to look for. */
const promptCharactersMin = 20
/** What is asked: a longer prompt says at its beginning what it is about. */
const questionCharactersMax = 400
/** Words of the prompt that a fragment has to hold, and of how many words a prompt is worth a look. */
const wordsMin = 3
const searchMs = 200

export const searchHint: BesideMaker = {
  name: "A hint of what was said before",
  applies: ({ sample }) => sample.searchHint === true && sample.tools.get(expandToolName) !== undefined,
  make: ({ lead, prompt }) =>
    Effect.suspend(() => {
      const { ports, session, loaded } = lead
      const text = prompt.text.slice(0, questionCharactersMax)
      const asked = new Set(searchWords(text))
      if (text.length < promptCharactersMin || asked.size < wordsMin) return Effect.succeed(null)
      const { summary, frozen } = loaded.state
      const found = makeSearch(
        ports.store,
        null,
        ports.project,
      )({
        text,
        limit: fragmentsMax * 2,
        projectRoot: summary.location.projectRoot,
        unless: { session, shown: frozen, dropped: droppedFrom(viewOf(loaded.state)) },
        shownMemories: new Set(shownMemories(frozen.slots)),
      })
      return extraWithin(
        lead,
        "A hint of what was said before",
        searchMs,
        Effect.map(found, ({ found: places, also = [] }) => {
          const fragments = inOrder(
            places,
            also,
            (place) => fragmentOf(place, asked, placeName(place, session)),
            (other) => fragmentOf(other, asked, `${other.kind} ${other.id.slice(0, 12)}`),
          ).filter((fragment) => fragment !== null)
          return fragments.length === 0 ? null : { kind: "hint" as const, text: textOf(fragments) }
        }),
      )
    }),
}

/** Around its first word that matched; null where it holds too little of what was asked, or nothing else. */
function fragmentOf(
  { text, marks }: FoundPlace | FoundOther,
  asked: ReadonlySet<string>,
  name: string,
): string | null {
  const words = searchWords(text)
  const held = new Set(words.filter((word) => asked.has(word)))
  if (held.size < wordsMin || words.every((word) => held.has(word))) return null
  const first = marks[0]?.[0] ?? 0
  const from = Math.max(0, Math.min(first - 10, text.length - fragmentCharactersMax))
  const piece = text
    .slice(from, from + fragmentCharactersMax)
    .toWellFormed()
    .trim()
  return `${name}: ${piece}`
}

const placeName = ({ session, part }: FoundPlace, own: string): string =>
  session === own ? `part ${part}` : `part ${part} of session ${session}`

const textOf = (fragments: readonly string[]): string =>
  [
    `Earlier in this project something was said that may belong to this. ${expandToolName} opens a part.`,
    ...fragments.slice(0, fragmentsMax).map((fragment) => `- ${fragment}`),
  ].join("\n")
