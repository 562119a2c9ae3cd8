/**
 * `holdfast quarantine --find`: which message a provider refuses, by halves (LL7).
 *
 * Each step sends the next request without some messages, which may cost money: so it is told and asked
 * first how many requests that takes at most. Of several that are refused it finds one.
 */
import { formatModelRef } from "@holdfast/schema/model"
import { addedSinceTaken, isContentRefusal, type Removable } from "@holdfast/schema/state/added"
import type { Message, ModelInfo, ProbeResult, SessionsOperations } from "@holdfast/sdk"
import { clip, count, money } from "../figures.ts"
import { listItems } from "../list-items.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface ConfirmOptions {
  readonly json?: boolean
  readonly yes?: boolean
}

type Suspect = Removable<Message>

export interface FoundMessage {
  readonly id: string
  /** As a person knows it. */
  readonly name: string
}

/** Null if nobody wants it, or the cause is not in a message; then it has been said. */
export async function findRefused(
  terminal: Terminal,
  sessions: SessionsOperations,
  sessionID: string,
  options: ConfirmOptions,
): Promise<FoundMessage | null> {
  const suspects = await suspectsOf(sessions, sessionID)
  const told = await priceText(sessions, sessionID, suspects.length)
  if (!(await confirm(terminal, told, "Look for it?", options))) {
    terminal.complain("Nothing was sent.")
    return null
  }
  const search = await findByHalves(suspects, async (without) => {
    const result = await sessions.probe({ sessionID, without: idsOf(without) })
    const said = result.kind === "failed" ? result.reason.message : `${result.kind}.`
    terminal.complain(`Without ${without.length} of ${count(suspects.length, "message")}: ${said}`)
    return result.kind
  })
  if (search.kind === "found") return { id: search.item.id, name: nameOf(search.item) }
  terminal.complain(unfound[search.kind])
  return null
}

/** There is at least one: by halves, never nothing is left out. */
const idsOf = (suspects: readonly Suspect[]) => suspects.map(({ id }) => id) as [string, ...string[]]

const unfound = {
  elsewhere: "The provider refuses the request without these messages as well: the cause is elsewhere.",
  failed: "The search cannot go on, and nothing was taken out. Try again later.",
}

export type Search<A> =
  | { readonly kind: "found"; readonly item: A }
  | { readonly kind: "elsewhere" }
  | { readonly kind: "failed" }

/** The one that is refused, or one of several: what was left out in vain stays left out, so that a second one cannot mislead. */
export async function findByHalves<A>(
  all: readonly A[],
  probe: (without: readonly A[]) => Promise<ProbeResult["kind"]>,
): Promise<Search<A>> {
  const whole = await probe(all)
  if (whole !== "taken") return { kind: whole === "failed" ? "failed" : "elsewhere" }
  let inVain: readonly A[] = []
  let suspects = all
  while (suspects.length > 1) {
    const half = suspects.slice(0, Math.ceil(suspects.length / 2))
    const without = [...inVain, ...half]
    const answer = await probe(without)
    if (answer === "failed") return { kind: "failed" }
    if (answer === "taken") suspects = half
    else [inVain, suspects] = [without, suspects.slice(half.length)]
  }
  return { kind: "found", item: suspects[0] as A }
}

/** How many requests it takes at most. */
export const probesMax = (suspects: number): number => 1 + Math.ceil(Math.log2(suspects))

/** Asks a person; where nobody can be asked, `--yes` has to be given. */
export async function confirm(
  terminal: Pick<Terminal, "ask">,
  told: string,
  question: string,
  { yes, json }: ConfirmOptions,
): Promise<boolean> {
  if (yes === true) return true
  const answer = json === true ? null : await terminal.ask(`${told} ${question} [y/N] `)
  if (answer === null) throw new UsageError(`${told} Add --yes if that is meant.`)
  return /^\s*y(es)?\s*$/i.test(answer)
}

async function suspectsOf(sessions: SessionsOperations, sessionID: string): Promise<readonly Suspect[]> {
  const { status } = await sessions.get({ sessionID })
  if (status.state !== "failed" || status.reason === null || !isContentRefusal(status.reason.code))
    throw new UsageError(
      "The last request of this Session was not refused for what is in it, so there is no message to find.",
    )
  const added = addedSinceTaken(await listItems((page) => sessions.context({ sessionID, ...page })))
  if (added === null)
    throw new UsageError(
      "No request of this Session was taken yet, so nothing tells which message is refused. Check the model and its settings: holdfast doctor",
    )
  if (added.length === 0)
    throw new UsageError("Nothing was added since the last request that was taken: no message is to blame.")
  return added
}

async function priceText(sessions: SessionsOperations, sessionID: string, suspects: number): Promise<string> {
  const { tokens } = await sessions.request({ sessionID })
  const model = await sessions.model({ sessionID })
  const requests = probesMax(suspects)
  return `${count(suspects, "message")} came since the last request that was taken. To find the one that is refused takes at most ${count(requests, "request")} of about ${count(tokens)} tokens to ${formatModelRef(model)}, which ${probesCost(model, requests * tokens)}.`
}

/** A local model with a price is counted, as its runs are. */
export function probesCost({ paid, price }: Pick<ModelInfo, "paid" | "price">, tokens: number): string {
  if (price === null) return paid ? "costs money" : "costs nothing"
  return !paid && price.input === 0 && price.output === 0
    ? "costs nothing"
    : `costs up to ${money((tokens * price.input) / 1_000_000)}, and a little for what is answered`
}

const shownCharactersMax = 60

function nameOf(message: Suspect): string {
  if (message.kind !== "assistant")
    return `message ${message.id} (${clip(printable(message.text), shownCharactersMax)})`
  const tools = new Set(message.parts.flatMap(({ part }) => (part.type === "call" ? [part.name] : [])))
  return `answer ${message.id}${tools.size === 0 ? "" : ` with the results of ${[...tools].join(" and ")}`}`
}
