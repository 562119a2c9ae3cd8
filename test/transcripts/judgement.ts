/** What must hold when a script has been played. Each problem cites the rule it breaks. */
import { Effect } from "effect"
import type { Event, FactOf, FactType } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Store, StoredTurn } from "@holdfast/store/port"
import { verifyTurns } from "@holdfast/core/session/request/rebuild"
import { outputLimitsDefault } from "@holdfast/core/tools/index"
import { callsOf, type RecordedAnswer } from "./recording.ts"
import { lastWords, type Script } from "./script.ts"
import type { Outside, Sent } from "./stage.ts"

export interface Figures {
  readonly turns: number
  readonly requests: number
  readonly calls: number
  readonly truncated: number
  readonly reductions: number
  /** Requests that do not extend the one before. */
  readonly breaks: number
  /** Of these, the ones that lost a cache: it had not expired, and the settings were the same. */
  readonly breaksWarm: number
}

interface Judgement {
  readonly problems: readonly string[]
  readonly figures: Figures
}

const eventsMax = 100_000

export const judge = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
  script: Script,
  outside: Outside,
) {
  const { events, damage } = yield* store.events(session, 0, eventsMax)
  const turns = yield* store.turns(session)
  const messages = yield* store.messages(session, { afterSeq: 0, limit: eventsMax, system: true })
  const window = yield* store.window(session)
  const report = yield* store.inspect()
  const problems: string[] = []
  if (damage.length > 0 || report.damage.length > 0) problems.push("[ST3] damaged rows")
  if (report.stale.length > 0) problems.push(`[EP5] a rebuild differs in ${report.stale.join(", ")}`)
  if ((yield* store.lease(session)) !== null) problems.push("[DR1] the lease is still held")
  if ((yield* store.unsettled()).length > 0) problems.push("[DR4] a Session is not settled")
  if (window === null || window.state.summary.owing || window.state.summary.pending > 0)
    problems.push("[PR8] the Session is still owing")
  if (window === null || window.scratch.length > 0) problems.push("[TU3] scratch is left behind")
  for (const { turn, verdict } of yield* verifyTurns(store, session)) {
    if (verdict.kind !== "same") problems.push(`[TU1] ${turn} rebuilds as ${JSON.stringify(verdict)}`)
  }
  for (const { status, error } of outside.provider.log) {
    if (status !== 200) problems.push(`[LL3] the provider answered ${status}: ${error?.message}`)
  }
  if (window !== null) problems.push(...checkPlaces(window.state, messages))
  const prefixes = checkRequests(outside.sent, turns, messages)
  problems.push(...prefixes.problems, ...checkInputs(events, messages, script))
  problems.push(...checkCalls(events, outside.executions))
  const settled = factsOf(events, "call.settled")
  const figures: Figures = {
    turns: turns.length,
    requests: outside.sent.length,
    calls: settled.length,
    truncated: settled.filter(({ outcome }) => outcome.truncated !== null).length,
    reductions: factsOf(events, "pass.applied").filter(({ reason }) => reason.startsWith("cut_")).length,
    breaks: prefixes.breaks,
    breaksWarm: prefixes.breaksWarm,
  }
  return { problems, figures } satisfies Judgement
})

/** Raw in the window, or in one compartment. */
const checkPlaces = (
  { messages: raw, items }: SessionState,
  messages: readonly Message[],
): readonly string[] =>
  messages.flatMap(({ seq, kind }) => {
    const covering = [...items.compartments.values()].filter((one) => seq >= one.fromSeq && seq <= one.toSeq)
    const places = covering.length + Number(raw.some((one) => one.seq === seq))
    return kind === "system" || places === 1 ? [] : [`[HB4] message ${seq} stands in ${places} places`]
  })

/** Without a crash the record holds what was recorded, neither more nor less nor otherwise. */
export const checkFaithful = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
  answers: readonly RecordedAnswer[],
) {
  const messages = yield* store.messages(session, { afterSeq: 0, limit: eventsMax, system: false })
  const recorded = answers.flatMap((answer) => [
    ...answer.inputs.map((text) => `user ${text}`),
    ...answer.blocks.map((block) =>
      block.type === "call" ? callLine(block.call.name, block.call.input) : `${block.type} ${block.text}`,
    ),
  ])
  const stored = messages.flatMap(linesOf)
  // A prefix that ends in calls makes the model due once more.
  const open = callsOf(answers.at(-1) ?? { inputs: [], blocks: [] }).length > 0
  const wanted = open ? [...recorded, `text ${lastWords}`] : recorded
  const at = wanted.findIndex((line, index) => line !== stored[index])
  if (at < 0 && stored.length === wanted.length) return []
  return [`[TU2] the record parts from the recording at ${at}: ${stored[at]?.slice(0, 80)}`]
})

const callLine = (name: string, input: unknown): string => `call ${name} ${JSON.stringify(input)}`

function linesOf(message: Message): readonly string[] {
  if (message.kind === "system") return []
  if (message.kind === "user") return [`user ${message.text}`]
  if (message.kind === "notice") return [`notice ${message.text}`]
  return message.parts.map(({ part }) => {
    if (part.type === "call") return callLine(part.name, part.input)
    if (part.type === "text") return `text ${part.text}`
    return part.type === "reasoning" ? `thinking ${part.text}` : part.type
  })
}

const factsOf = <T extends FactType>(events: readonly Event[], type: T): readonly FactOf<T>[] =>
  events.flatMap(({ fact }) => (fact.type === type ? [fact as FactOf<T>] : []))

/**
 * A request extends the one sent before it, unless a turn since then names its reason (TU7), and it
 * always holds the newest input (TU6).
 */
function checkRequests(sent: readonly Sent[], turns: readonly StoredTurn[], messages: readonly Message[]) {
  const problems: string[] = []
  let breaks = 0
  let breaksWarm = 0
  let next = 0
  let previous: readonly string[] = []
  for (const [index, { body, turnSeq }] of sent.entries()) {
    const place = turns.findIndex(({ startedSeq }) => startedSeq === turnSeq)
    const turn = turns[place]
    // With those that ended before their request could leave.
    const passed = turns.slice(next, place + 1)
    next = place + 1
    if (turn?.started.request.bytes !== body.length)
      problems.push(`[TU1] request ${index} belongs to no turn`)
    const blocks = blocksOf(body)
    if (turn !== undefined && !blocks.includes(newestInput(messages, turn.startedSeq)))
      problems.push(`[TU6] request ${index} does not hold the newest input`)
    const extended = previous.every((block, at) => block === blocks[at])
    previous = blocks
    if (extended) continue
    breaks++
    if (!passed.some(({ started }) => /^params_|_idle$/.test(started.break?.reason ?? ""))) breaksWarm++
    if (passed.every(({ started }) => started.pass === "hold"))
      problems.push(`[TU7] request ${index} does not extend the one before, and no turn says why`)
  }
  for (const { started } of turns) {
    if (["unexplained", "previous_unknown"].includes(started.break?.reason ?? ""))
      problems.push(`[TU7] ${started.turn} breaks the prefix without a reason`)
  }
  return { problems, breaks, breaksWarm }
}

/** The newest of the user's words before a turn, as a block of its request. */
function newestInput(messages: readonly Message[], startedSeq: number): string {
  const newest = messages.findLast((message) => message.kind === "user" && message.seq < startedSeq)
  return plainBlock("user", { type: "text", text: newest?.kind === "user" ? newest.text : "" })
}

interface RequestBody {
  readonly tools?: readonly object[]
  readonly system?: readonly object[]
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[]
}

/** The blocks in provider order, without cache markers. */
function blocksOf(bytes: Buffer): readonly string[] {
  const body = JSON.parse(bytes.toString("utf8")) as RequestBody
  return [
    ...(body.tools ?? []).map((block) => plainBlock("tool", block)),
    ...(body.system ?? []).map((block) => plainBlock("system", block)),
    ...body.messages.flatMap(({ role, content }) => content.map((block) => plainBlock(role, block))),
  ]
}

function plainBlock(role: string, block: object): string {
  const { cache_control: _marker, ...plain } = block as { readonly cache_control?: object }
  return `${role} ${JSON.stringify(plain)}`
}

function checkInputs(
  events: readonly Event[],
  messages: readonly Message[],
  script: Script,
): readonly string[] {
  const problems: string[] = []
  const promoted = factsOf(events, "prompt.promoted").map(({ prompt }) => prompt as string)
  const texts = new Map(
    messages.flatMap((message) =>
      message.kind === "user" ? [[message.prompt as string, message.text]] : [],
    ),
  )
  for (const { id, text } of [...script.rounds, ...script.steers.values()].flat()) {
    const times = promoted.filter((prompt) => prompt === id).length
    if (times === 0) problems.push(`[PR1] ${id} was acknowledged and is lost`)
    else if (times > 1) problems.push(`[PR4] ${id} was promoted ${times} times`)
    else if (texts.get(id) !== text) problems.push(`[PR7] ${id} is not what the user said`)
  }
  return problems
}

function checkCalls(events: readonly Event[], executions: ReadonlyMap<string, number>): readonly string[] {
  const problems: string[] = []
  const settled = factsOf(events, "call.settled")
  const settledTimes = new Map<string, number>()
  for (const { call, outcome } of settled) {
    settledTimes.set(call, (settledTimes.get(call) ?? 0) + 1)
    const { linesMax, bytesMax } = outputLimitsDefault
    const within =
      Buffer.byteLength(outcome.output) <= bytesMax && outcome.output.split("\n").length <= linesMax + 1
    if (!within) problems.push(`[TO1] the output of ${call} is over the limit`)
  }
  const started = new Set(factsOf(events, "call.started").map(({ call }) => call as string))
  for (const call of started) {
    if (settledTimes.get(call) !== 1) problems.push(`[TU2] ${call} has not one settlement`)
  }
  for (const [call, times] of executions) {
    if (times > 1) problems.push(`[DR4] ${call} really ran ${times} times`)
    if (!started.has(call)) problems.push(`[TU2] ${call} ran without a record of its start`)
  }
  return problems
}
