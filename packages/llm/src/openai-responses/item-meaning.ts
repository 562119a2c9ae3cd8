/**
 * Input items in one form, so that two bodies can be compared by what they say.
 *
 *   instructions and leading system messages    the first, and the others joined as this project does
 *   content in shorthand, in several texts       images first, then one text
 *   an item's state and defaults                left out
 *   arguments                                   compared as values
 *   results of calls that were made together    in the order of their calls
 *   ids of calls                                by their order: they only bind a result to its call
 *
 * Reasoning, what the provider's own tools did and whatever is not known stay as they came (LL8).
 */
import { parseInput } from "../answer/call-input.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import { plainImage } from "../recording/written-form.ts"
import { isBlank, textOfNothing } from "../request/runtime-words.ts"
import { answerOf } from "./answer-content.ts"

/** Everything that is said to the model, with the instructions that stand outside of the input. */
export function givenItems({ instructions, input }: Fields): readonly Fields[] {
  const first = typeof instructions === "string" ? [{ role: "developer", content: instructions }] : []
  const said = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input).map(fieldsOf)
  return [...first, ...said]
}

export const plainItems = (body: Fields): readonly Fields[] =>
  withCallsCounted(withResultsInOrder(withPromptsJoined(givenItems(body).flatMap(plainItem))))

/** Nothing for an item that says nothing. */
function plainItem(given: Fields): readonly Fields[] {
  const type = textOf(given["type"]) || "message"
  if (type === "message") return plainMessage(withoutState(given))
  if (type === "function_call") return [plainCall(withoutState(given))]
  if (type !== "function_call_output") return [given]
  const { id: _, output, ...rest } = withoutState(given)
  return [{ ...rest, output: plainContent(output, true) }]
}

/** documented: an item that comes back is complete, and says so or not. */
const withoutState = (item: Fields): Fields =>
  Object.fromEntries(
    Object.entries(item).filter(
      ([name, value]) => value !== null && !(name === "status" && value === "completed"),
    ),
  )

function plainMessage({ role, content, ...item }: Fields): readonly Fields[] {
  if (role === "assistant") return plainAnswer({ role, ...item }, content)
  const { id: _, ...rest } = item
  const isUser = role === "user"
  const parts = plainContent(content, isUser)
  if (parts.length === 0) return []
  const one = role === "system" ? "developer" : role
  return [{ ...rest, type: "message", role: one, content: parts }]
}

function plainAnswer(item: Fields, content: unknown): readonly Fields[] {
  const { text, annotations, refused, strange } = answerOf(content)
  if (strange !== null) return [{ ...item, type: "message", content }]
  if (isBlank(text)) return []
  const cited = annotations.length === 0 ? {} : { annotations }
  const part = refused ? { type: "refusal", refusal: text } : { type: "output_text", text, ...cited }
  return [{ ...item, type: "message", content: [part] }]
}

/** Images, whatever else there is, and one text. `words`: this project writes some where there are none. */
function plainContent(content: unknown, words: boolean): readonly Fields[] {
  const parts = (
    typeof content === "string" ? [{ type: "input_text", text: content }] : listOf(content).map(fieldsOf)
  ).map(withoutMarks)
  const texts = parts.filter(({ type }) => type === "input_text")
  const images = parts.filter(({ type }) => type === "input_image")
  const others = parts.filter((part) => !texts.includes(part) && !images.includes(part))
  const shown = [...images.map(plainImage), ...others]
  const text = texts.map((part) => textOf(part["text"])).join("\n")
  if (!isBlank(text)) return [...shown, { type: "input_text", text }]
  return words && shown.length === 0 ? [{ type: "input_text", text: textOfNothing }] : shown
}

/** Marks of a cache are no part of what is said (LL5). */
export const withoutMarks = (part: Fields): Fields => {
  const { prompt_cache_breakpoint: _, cache_control: __, ...said } = part
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null))
}

function plainCall(item: Fields): Fields {
  const input = argumentsOf(item)
  return isFields(input) ? { ...item, arguments: input } : item
}

/** What a call was given: a model that gives nothing means an empty object. Null if it is no JSON. */
export function argumentsOf(item: Fields): unknown {
  const raw = textOf(item["arguments"])
  return parseInput(isBlank(raw) ? "{}" : raw)
}

function withPromptsJoined(items: readonly Fields[]): readonly Fields[] {
  const said = items.findIndex(({ role }) => role !== "developer")
  const from = said < 0 ? items.length : said
  if (from <= 2) return items
  const [first, ...others] = items.slice(0, from) as [Fields, ...Fields[]]
  const texts = others.map(({ content }) => textOf(fieldsOf(listOf(content).at(-1))["text"]))
  const joined = { ...others[0], content: [{ type: "input_text", text: texts.join("\n\n") }] }
  return [first, joined, ...items.slice(from)]
}

function withResultsInOrder(items: readonly Fields[]): readonly Fields[] {
  const callAt = new Map<unknown, number>()
  const ordered: Fields[] = []
  let results: Fields[] = []
  const place = ({ call_id: id }: Fields): number => callAt.get(id) ?? -1
  for (const [at, item] of items.entries()) {
    if (item["type"] === "function_call_output") {
      results.push(item)
      continue
    }
    ordered.push(...results.sort((a, b) => place(a) - place(b)))
    results = []
    if (item["type"] === "function_call") callAt.set(item["call_id"], at)
    ordered.push(item)
  }
  return [...ordered, ...results.sort((a, b) => place(a) - place(b))]
}

function withCallsCounted(items: readonly Fields[]): readonly Fields[] {
  const counted = new Map<unknown, number>()
  return items.map((item) => {
    const { type, call_id: id } = item
    if (type !== "function_call" && type !== "function_call_output") return item
    if (!counted.has(id)) counted.set(id, counted.size)
    return { ...item, call_id: counted.get(id) }
  })
}
