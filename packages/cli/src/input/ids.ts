/**
 * Ids as people type them: a beginning suffices where only one id has it, and the kind (`ses_`) may
 * be left out.
 *
 * A whole id is taken at its word, and so is what fits none: whoever is asked for it says that it
 * is not there.
 */
import { type Ask, everyItem, type SessionsOperations } from "@holdfast/sdk"
import { clip } from "../figures.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable } from "../terminal.ts"

export interface Candidate {
  readonly id: string
  /** What a person knows it by. */
  readonly label: string
}

export async function findSession(
  { list }: Pick<SessionsOperations, "list">,
  given: string,
): Promise<string> {
  if (isWhole(given, "ses")) return given
  return findId("ses", given, allSessions(list), ({ id, title }) => ({ id, label: title ?? "no title" }))
}

async function* allSessions(list: SessionsOperations["list"]) {
  yield* everyItem((page) => list(page))
  yield* everyItem((page) => list(page), { archived: true })
}

export async function findMessage(
  { messages }: Pick<SessionsOperations, "messages">,
  sessionID: string,
  given: string,
): Promise<string> {
  if (isWhole(given, "msg")) return given
  const all = everyItem((page) => messages({ sessionID, ...page }), { system: true })
  return findId("msg", given, all, ({ id, kind }) => ({ id, label: kind }))
}

export async function findTurn(
  { turns }: Pick<SessionsOperations, "turns">,
  sessionID: string,
  given: string,
): Promise<string> {
  if (isWhole(given, "trn")) return given
  const all = everyItem((page) => turns({ sessionID, ...page }))
  return findId("trn", given, all, ({ started }) => ({ id: started.turn, label: started.model.model }))
}

/** Of prompts that wait: others can be named by their whole id. */
export async function findPrompt(
  { inbox }: Pick<SessionsOperations, "inbox">,
  sessionID: string,
  given: string,
): Promise<string> {
  const all = everyItem((page) => inbox({ sessionID, ...page }))
  return findId("prm", given, all, ({ id, text }) => ({ id, label: text }))
}

/** Of asks that are open; what fits none is given back. */
export const pickAsk = (given: string, open: readonly Ask[]): string =>
  oneOf(
    "ask",
    given,
    open.map(({ id, question }) => ({ id, label: question })),
  )

/** So few characters are rather a slip than the beginning of an id. */
const beginningMin = 4
const randomLength = 20

const isWhole = (given: string, prefix: string): boolean =>
  given.startsWith(`${prefix}_`) && given.length >= prefix.length + 1 + randomLength

async function findId<Item>(
  prefix: string,
  given: string,
  items: AsyncIterable<Item>,
  describe: (item: Item) => Candidate,
): Promise<string> {
  const candidates: Candidate[] = []
  for await (const item of items) candidates.push(describe(item))
  return oneOf(prefix, given, candidates)
}

function oneOf(prefix: string, given: string, candidates: readonly Candidate[]): string {
  const found = pickId(prefix, given, candidates)
  if (found.kind === "one") return found.id
  if (found.kind === "none") return given
  const named = found.ids.slice(0, shownMax).map(({ id, label }) => `${id} (${clip(printable(label), 30)})`)
  const more = found.ids.length > shownMax ? ", …" : ""
  throw new UsageError(
    `${found.ids.length} ids begin with ${given}: ${named.join(", ")}${more}. Give more of the one that is meant.`,
  )
}

const shownMax = 5

export type Picked =
  | { readonly kind: "one"; readonly id: string }
  | { readonly kind: "none" }
  | { readonly kind: "several"; readonly ids: readonly Candidate[] }

export function pickId(prefix: string, given: string, candidates: readonly Candidate[]): Picked {
  const exact = candidates.find(({ id }) => id === given)
  if (exact !== undefined) return { kind: "one", id: exact.id }
  const beginning = given.startsWith(`${prefix}_`) ? given : `${prefix}_${given}`
  if (beginning.length < prefix.length + 1 + beginningMin) return { kind: "none" }
  // An id that a caller chose has no kind before it.
  const ids = candidates.filter(
    ({ id }) => id.startsWith(beginning) || (given.length >= beginningMin && id.startsWith(given)),
  )
  const [only] = ids
  if (only === undefined) return { kind: "none" }
  return ids.length === 1 ? { kind: "one", id: only.id } : { kind: "several", ids }
}
