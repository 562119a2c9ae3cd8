/**
 * Transcript: a Session as it is read by a person while it happens.
 *
 * Two streams feed it. Live events bring text as it arrives and may be lost; durable events bring
 * complete parts and are never lost. A part is shown as far as live events brought it, and
 * completed by its durable event; what is already shown is not shown again.
 *
 * System messages are not shown (EP11), nor is reasoning.
 */
import type { Event, FactOf } from "@holdfast/schema/event"
import type { Media } from "@holdfast/schema/media"
import type { CallRequest } from "@holdfast/schema/message"
import { formatModelRef } from "@holdfast/schema/model"
import type { LiveEvent } from "@holdfast/sdk"
import { callLine } from "./call-line.ts"
import { count } from "../figures.ts"
import { imageLine } from "../images/image-line.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface Transcript {
  readonly takeLive: (event: LiveEvent) => void
  readonly takeDurable: (event: Event) => void
  /** A line of its own, after whatever stands there. */
  readonly line: (text: string) => void
}

export function makeTranscript(
  terminal: Pick<Terminal, "write" | "paint" | "columns">,
  now: () => number = Date.now,
): Transcript {
  /** Characters of each part that are shown already, by turn and index. */
  const shown = new Map<string, number>()
  const closed = new Set<string>()
  const calls = new Map<string, CallRequest>()
  /** Images of prompts that are not shown to the model yet. */
  const waiting = new Map<string, readonly Media[]>()
  let atLineStart = true
  let last = "notice"

  const write = (text: string) => {
    const safe = printable(text)
    if (safe === "") return
    terminal.write(safe)
    atLineStart = safe.endsWith("\n")
  }
  const breakLine = () => {
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
    terminal.write(`${text}\n`)
  }
  const note = (text: string) => {
    begin("note")
    line(terminal.paint("dim", printable(text)))
  }

  /** A longer wait comes on both streams, in any order; whichever is first tells it. */
  let awaited = { message: "", until: 0 }
  const noteWait = (message: string, until: number, text: string) => {
    const same = message === awaited.message && Math.abs(until - awaited.until) < sameWaitMs
    awaited = { message, until }
    if (!same) note(text)
  }

  const showImages = (images: readonly Media[] = []) => {
    for (const image of images) line(terminal.paint("dim", imageLine(image)))
  }

  const takeText = (part: string, text: string) => {
    begin(part)
    write(text)
    shown.set(part, (shown.get(part) ?? 0) + text.length)
  }
  const takePart = ({ turn, index, part }: FactOf<"part.recorded">) => {
    if (part.type === "call") calls.set(part.call, part)
    if (part.type !== "text") return
    const key = `${turn}:${index}`
    const rest = part.text.slice(shown.get(key) ?? 0)
    closed.add(key)
    if (rest !== "") takeText(key, rest)
    breakLine()
  }
  const takeSettledCall = ({ call, outcome }: FactOf<"call.settled">) => {
    const request = calls.get(call)
    if (request === undefined) return
    begin("call")
    line(callLine(terminal, request, outcome))
    showImages(outcome.images)
  }
  const takePromoted = ({ prompt }: FactOf<"prompt.promoted">) => {
    const images = waiting.get(prompt) ?? []
    waiting.delete(prompt)
    if (images.length === 0) return
    begin("prompt")
    showImages(images)
  }

  return {
    line,
    takeLive: (event) => {
      if (event.type === "text-delta") {
        const key = `${event.turn}:${event.index}`
        if (!closed.has(key)) takeText(key, event.text)
      }
      if (event.type === "attempt-failed") {
        for (const key of shown.keys()) if (key.startsWith(`${event.turn}:`)) shown.delete(key)
        const { message } = event.reason
        const text = `${message} Trying again in ${(event.waitMs / 1000).toFixed(1)} s.`
        noteWait(message, now() + event.waitMs, text)
      }
    },
    takeDurable: ({ fact }) => {
      if (fact.type === "part.recorded") takePart(fact)
      if (fact.type === "call.settled") takeSettledCall(fact)
      if (fact.type === "prompt.admitted" || fact.type === "prompt.edited") {
        waiting.set(fact.prompt, fact.images ?? [])
      }
      if (fact.type === "prompt.promoted") takePromoted(fact)
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
        noteWait(reason.message, until, `Waiting until ${time}: ${reason.message}`)
      }
    },
  }
}

/** Ends of one wait, as both streams tell it, lie closer together than this. */
const sameWaitMs = 1_000

const cutCauses: Readonly<Record<string, string>> = {
  cut_asked: "The conversation was cut as asked",
  cut_refusal:
    "The provider refused the request, which was larger than the last one it took. It is tried once more, shortened",
}

/** What leaves the window; a pass that only breaks the cache says so in the ledger. */
function passTexts({ reason, ops }: FactOf<"pass.applied">): readonly string[] {
  const cut = ops.find(({ op }) => op === "cut")
  if (reason.startsWith("cut_") && cut?.op === "cut") {
    const why = cutCauses[reason] ?? "The context window was full"
    return [`${why}: ${count(cut.messages, "older message")} will not be sent any more.`]
  }
  if (reason === "cut_images")
    return ["There were many images: older ones are named to the model, not shown."]
  return []
}
