/**
 * Transcript: a Session as it is read by a person while it happens.
 *
 * Two streams feed it. Live events bring text as it arrives and may be lost; durable events bring
 * complete parts and are never lost. A part is shown as far as live events brought it, and
 * completed by its durable event; what is already shown is not shown again, and what was shown of an
 * attempt that came to nothing is left standing as a piece of its own. Attempts whose failure no live
 * event told are told from the ledger of the turn.
 *
 * System messages are shown on request only (EP11), and so are the words of prompts; reasoning is not.
 */
import { formatModelRef } from "@holdfast/schema/model"
import type { CallRequest, Event, FactOf, Media } from "@holdfast/sdk"
import type { PriceExpected } from "@holdfast/schema/fact/turn"
import type { LiveActivity } from "./following.ts"
import { callLine } from "./call-line.ts"
import { makeSlowCalls } from "./slow-calls.ts"
import { makeWordWrap } from "./word-wrap.ts"
import { count } from "../figures.ts"
import { imageLine } from "../images/image-line.ts"
import { leftOutText } from "./left-out.ts"
import { printable, type Terminal } from "../terminal.ts"
import { wrap } from "../text-width.ts"

export interface Transcript {
  readonly takeLive: (event: LiveActivity) => void
  readonly takeDurable: (event: Event) => void
  /** Calls that were made before, and may settle from now on. */
  readonly expect: (open: readonly CallRequest[]) => void
  /** A line of its own, after whatever stands there. */
  readonly line: (text: string) => void
  /** Tells what is due by the clock; called now and then. */
  readonly look: () => void
}

export interface TranscriptOptions {
  /** Shows the words of prompts, for readers who did not send them. */
  readonly prompts?: boolean
  /** Shows what Holdfast tells the model in between. */
  readonly system?: boolean
  /** Tells calls that take long before they settle. */
  readonly slowCalls?: boolean
  /** Breaks lines between words, at the width of the terminal. */
  readonly wraps?: boolean
}

export function makeTranscript(
  terminal: Pick<Terminal, "write" | "paint" | "columns">,
  now: () => number = Date.now,
  options: TranscriptOptions = {},
): Transcript {
  /** What is shown already of each open part, by turn and index. */
  const shown = new Map<string, string>()
  /** Parts that are shown whole, and turns that have settled: live events of them come late. */
  const closed = new Set<string>()
  const calls = new Map<string, CallRequest>()
  const slow = makeSlowCalls(terminal, now)
  const wrapped = makeWordWrap(() => terminal.columns)
  /** Prompts that are not shown to the model yet. */
  const waiting = new Map<string, { readonly text: string; readonly images: readonly Media[] }>()
  let atLineStart = true
  let last = "notice"

  const put = (text: string) => {
    if (text === "") return
    terminal.write(text)
    atLineStart = text.endsWith("\n")
  }
  const write = (text: string) => {
    const safe = printable(text)
    put(options.wraps === true ? wrapped.take(safe) : safe)
  }
  const breakLine = () => {
    put(wrapped.flush())
    if (!atLineStart) terminal.write("\n")
    atLineStart = true
  }
  /** Different things stand apart by a blank line; calls in a row stand together. */
  const begin = (kind: string) => {
    if (last === kind) return
    breakLine()
    terminal.write("\n")
    last = kind
  }
  const line = (text: string) => {
    breakLine()
    const lines = options.wraps === true ? wrap(text, terminal.columns) : [text]
    terminal.write(`${lines.join("\n")}\n`)
  }
  const note = (text: string) => {
    begin("note")
    line(terminal.paint("dim", printable(text)))
  }
  const look = () => {
    if (options.slowCalls !== true) return
    for (const text of slow.take()) {
      begin("call")
      line(text)
    }
  }

  /** A longer wait comes on both streams, in any order; whichever is first tells it. */
  let awaited = { by: "", message: "", until: 0 }
  const noteWait = (by: "live" | "durable", message: string, until: number, text: string) => {
    const same =
      by !== awaited.by && message === awaited.message && Math.abs(until - awaited.until) < sameWaitMs
    awaited = { by, message, until }
    if (!same) note(text)
  }

  /** Waits before another attempt that live events told, by turn and length. */
  const heard = new Set<string>()
  /** Why the last turn broke off, where another may carry on. */
  let broken: string | null = null
  const takeSettledTurn = (fact: FactOf<"turn.settled">) => {
    for (const { failure, waitMs } of shortWaits(fact))
      if (failure !== null && !heard.has(`${fact.turn}:${waitMs}`))
        note(`${failure.message} It was tried again after ${seconds(waitMs)}.`)
    for (const leftOut of fact.leftOut ?? []) note(leftOutText(leftOut))
    closed.add(fact.turn)
    broken = breakOf(fact)
  }
  const takeStartedTurn = () => {
    if (broken !== null) note(`${broken} Another request goes on from what was kept.`)
    broken = null
  }

  const showImages = (images: readonly Media[] = []) => {
    for (const image of images) line(terminal.paint("dim", imageLine(image)))
  }

  const takeText = (part: string, text: string) => {
    begin(part)
    write(text)
    shown.set(part, (shown.get(part) ?? "") + text)
  }
  const takePart = ({ turn, index, part }: FactOf<"part.recorded">) => {
    if (part.type === "call") calls.set(part.call, part)
    if (part.type !== "text") return
    const key = `${turn}:${index}`
    const before = shown.get(key) ?? ""
    // What was shown may be longer, where only its beginning was kept, or another attempt's.
    const same = part.text.startsWith(before) || before.startsWith(part.text)
    if (!same) last = ""
    const rest = same ? part.text.slice(before.length) : part.text
    if (rest !== "") takeText(key, rest)
    closed.add(key)
    shown.delete(key)
    breakLine()
  }
  const takeStartedCall = ({ call }: FactOf<"call.started">) => {
    const request = calls.get(call)
    if (request !== undefined) slow.start(request)
  }
  const takeSettledCall = ({ call, outcome }: FactOf<"call.settled">) => {
    const request = calls.get(call)
    slow.settle(call)
    if (request === undefined) return
    begin("call")
    line(callLine(terminal, request, outcome))
    showImages(outcome.images)
  }
  const takePromoted = ({ prompt }: FactOf<"prompt.promoted">) => {
    broken = null
    const body = waiting.get(prompt)
    waiting.delete(prompt)
    const lines = options.prompts === true && body !== undefined ? promptLines(body.text) : []
    if (lines.length === 0 && (body?.images ?? []).length === 0) return
    begin("prompt")
    for (const each of lines) line(terminal.paint("cyan", each))
    showImages(body?.images)
  }

  return {
    line,
    look,
    expect: (open) => {
      for (const request of open) calls.set(request.call, request)
    },
    takeLive: (event) => {
      if (event.type === "text-delta") {
        const key = `${event.turn}:${event.index}`
        if (!closed.has(key)) takeText(key, event.text)
      }
      if (event.type === "attempt-failed" && !closed.has(event.turn)) {
        for (const key of shown.keys()) if (key.startsWith(`${event.turn}:`)) shown.delete(key)
        const { message } = event.reason
        const text = `${message} Trying again in ${seconds(event.waitMs)}.`
        noteWait("live", message, now() + event.waitMs, text)
        heard.add(`${event.turn}:${event.waitMs}`)
      }
      if (event.type === "output-delta") slow.output(event.call, event.text)
    },
    takeDurable: ({ fact }) => {
      if (fact.type === "part.recorded") takePart(fact)
      if (fact.type === "call.started") takeStartedCall(fact)
      if (fact.type === "call.settled") takeSettledCall(fact)
      if (fact.type === "prompt.admitted" || fact.type === "prompt.edited") {
        waiting.set(fact.prompt, { text: fact.text, images: fact.images ?? [] })
      }
      if (fact.type === "turn.started") {
        takeStartedTurn()
        const text = fact.priceExpected === undefined ? null : priceText(fact.priceExpected)
        if (text !== null) note(text)
      }
      if (fact.type === "turn.settled") takeSettledTurn(fact)
      if (fact.type === "prompt.promoted") takePromoted(fact)
      if (fact.type === "context.updated" && options.system === true) note(`(to the model) ${fact.text}`)
      if (fact.type === "message.quarantined") {
        note(`Message ${fact.message} is quarantined: models do not read it any more.`)
      }
      if (fact.type === "pass.applied") for (const text of passTexts(fact)) note(text)
      if (fact.type === "session.updated" && fact.fallback) {
        const { from, to, until, reason, paid } = fact.fallback
        const time = new Date(until).toLocaleTimeString("en-GB")
        const cost = paid === undefined ? "" : paid ? ", which costs money" : ", on this machine"
        note(
          `${reason.message} ${formatModelRef(from)} rests until ${time}; ${formatModelRef(to)} goes on${cost}.`,
        )
      }
      if (fact.type === "session.updated" && fact.waiting) {
        const { until, reason } = fact.waiting
        const time = new Date(until).toLocaleTimeString("en-GB")
        noteWait("durable", reason.message, until, `Waiting until ${time}: ${reason.message}`)
      }
    },
  }
}

/** Less is not worth a line. */
const costNotable = 0.05

/** What a request costs that pays again for what was sent before; null where that is little, or not known. */
function priceText(price: PriceExpected): string | null {
  const { cost, costWarm, tokensAgain, cause } = price
  if (cost === null || costWarm === null || cost - costWarm < costNotable) return null
  const why = cause === "cold" ? "The provider's cache has lapsed" : "The beginning of the request changed"
  return `${why}: ${count(tokensAgain, "token")} are paid for again. The input of this request costs about $${cost.toFixed(2)}${elseText(price)}.`
}

/** What would have been sent otherwise: without what was taken out, or with a cache that has not lapsed. */
function elseText({ costWarm, costOtherwise }: PriceExpected): string {
  if (costOtherwise === undefined) return costWarm === null ? "" : `, from the cache $${costWarm.toFixed(2)}`
  return costOtherwise === null ? "" : `; left as it was, it would cost $${costOtherwise.toFixed(2)}`
}

const promptLinesMax = 12

function promptLines(text: string): readonly string[] {
  const lines = printable(text.trim()).split("\n")
  const shown = lines.length > promptLinesMax ? [...lines.slice(0, promptLinesMax - 1), "…"] : lines
  return shown.map((each) => `> ${each}`)
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** Attempts that were made again after a wait that no durable event told: a longer one is told while it lasts. */
const shortWaits = ({ ledger }: FactOf<"turn.settled">) =>
  ledger.attempts.slice(0, -1).filter(({ waitMs }) => waitMs > 0 && waitMs < durableWaitMs)

const durableWaitMs = 2_000

/** By a person, or with the process: told otherwise. */
const stopped: ReadonlySet<string> = new Set(["interrupted", "process_ended"])

/** Why an answer broke off by itself; null where it did not. */
function breakOf({ status, reason, ledger }: FactOf<"turn.settled">): string | null {
  const failure = ledger.attempts.at(-1)?.failure ?? null
  const byItself = failure !== null && !stopped.has(failure.code) && failure.code === reason?.code
  return status === "interrupted" && byItself ? failure.message : null
}

/** Ends of one wait, as both streams tell it, lie closer together than this. */
const sameWaitMs = 1_000

const cutCauses: Readonly<Record<string, string>> = {
  cut_threshold: "The conversation grew long",
  cut_idle: "The provider's cache had expired",
  cut_asked: "A fold was asked for",
  model_changed: "The model changed, and what was said did not fit its window",
  cut_refusal:
    "The provider refused the request, which was larger than the last one it took. It is tried once more, shortened",
}

/** What leaves the window; a pass that only breaks the cache says so in the ledger. */
function passTexts({ reason, ops, tokensBefore, tokensAfter }: FactOf<"pass.applied">): readonly string[] {
  const cut = ops.find(({ op }) => op === "cut")
  // What a Fold for another reason repeats of earlier cuts takes nothing out.
  const shrinks = reason.startsWith("cut_") || tokensAfter < tokensBefore * 0.75
  if (cut?.op === "cut" && shrinks) {
    const why = cutCauses[reason] ?? "The context window was full"
    return [`${why}: older messages were summed up, ${cut.messages.toLocaleString("en-US")} by now.`]
  }
  if (reason === "cut_images")
    return ["There were many images: older ones are named to the model, not shown."]
  return []
}
