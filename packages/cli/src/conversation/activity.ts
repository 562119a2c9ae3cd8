/**
 * Activity: what a Session does just now, in a few lines that are drawn anew all the time.
 *
 * Pure: events and the time of their arrival go in, lines come out. Nothing here lasts; what does is
 * the transcript's. Figures of settled turns are exact, those of the answer that streams are
 * estimated and marked by `~`.
 */
import type { CallRequest, Event } from "@holdfast/sdk"
import type { LiveActivity } from "./following.ts"
import { clip, count } from "../figures.ts"
import { printable } from "../terminal.ts"
import { fit } from "../text-width.ts"
import { namesOf } from "./call-line.ts"

export interface Activity {
  readonly beganAt: number
  /** The turn that was heard of last, on either stream. */
  readonly turn: string | null
  readonly doing: string | null
  /** Calls that were asked for, and since when those run that have started. */
  readonly calls: ReadonlyMap<string, OpenCall>
  /** Prompts that are not taken up yet, and since when. */
  readonly waiting: ReadonlyMap<string, number>
  readonly inputTokens: number
  readonly outputTokens: number
  /** Characters of the answer that streams. */
  readonly streamed: number
}

interface OpenCall {
  readonly request: CallRequest
  readonly startedAt: number | null
  /** The end of its output so far. */
  readonly output: string
}

export const makeActivity = (now: number): Activity => ({
  beganAt: now,
  turn: null,
  doing: null,
  calls: new Map(),
  waiting: new Map(),
  inputTokens: 0,
  outputTokens: 0,
  streamed: 0,
})

export function takeLive(before: Activity, event: LiveActivity): Activity {
  const activity = "turn" in event ? inTurn(before, event.turn) : before
  switch (event.type) {
    case "text-delta":
      return { ...activity, doing: "the model writes", streamed: activity.streamed + event.text.length }
    case "reasoning-delta":
      return { ...activity, doing: "the model thinks", streamed: activity.streamed + event.text.length }
    case "call-delta":
      return { ...activity, doing: `the model prepares ${clip(printable(event.name), 32)}` }
    case "output-delta":
      return withOutput(activity, event.call, event.text)
    case "attempt-failed":
      return { ...activity, doing: "waiting to try again", streamed: 0 }
    case "drain-end":
      return { ...activity, doing: null }
  }
}

export function takeDurable(activity: Activity, { fact }: Event, now: number): Activity {
  switch (fact.type) {
    case "prompt.admitted":
      return { ...activity, waiting: new Map([...activity.waiting, [fact.prompt, now]]) }
    case "prompt.promoted":
    case "prompt.cancelled":
      return { ...activity, waiting: new Map([...activity.waiting].filter(([id]) => id !== fact.prompt)) }
    case "turn.started":
      return inTurn(activity, fact.turn)
    case "part.recorded":
      return fact.part.type === "call"
        ? withCall(activity, fact.part.call, { request: fact.part, startedAt: null, output: "" })
        : activity
    case "call.started": {
      const call = activity.calls.get(fact.call)
      return call === undefined ? activity : withCall(activity, fact.call, { ...call, startedAt: now })
    }
    case "call.settled":
      return withCall(activity, fact.call, null)
    case "turn.settled": {
      const { input, cacheRead, cacheWrite, output } = fact.ledger.usage
      return {
        ...activity,
        doing: null,
        calls: new Map(),
        inputTokens: activity.inputTokens + input + cacheRead + cacheWrite,
        outputTokens: activity.outputTokens + output,
        streamed: 0,
      }
    }
    default:
      return activity
  }
}

/** Live events of a turn may come before the record of its start. */
const inTurn = (activity: Activity, turn: string): Activity =>
  activity.turn === turn ? activity : { ...activity, turn, doing: "waiting for the model", streamed: 0 }

function withCall({ calls, ...rest }: Activity, id: string, call: OpenCall | null): Activity {
  const next = new Map(calls)
  if (call === null) next.delete(id)
  else next.set(id, call)
  return { ...rest, calls: next }
}

/** As much of the end of an output as can be shown. */
const outputKept = 4_000

function withOutput(activity: Activity, id: string, text: string): Activity {
  const call = activity.calls.get(id)
  if (call === undefined) return activity
  return withCall(activity, id, { ...call, output: (call.output + text).slice(-outputKept) })
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameMs = 120
const callsShown = 4
const outputLinesShown = 5

/** At most ten lines, none wider than the terminal; none where nothing happens. */
export function activityLines(activity: Activity, now: number, columns: number): readonly string[] {
  const running = [...activity.calls.values()].filter(({ startedAt }) => startedAt !== null)
  const doing = activity.doing ?? waitingText(activity, now)
  if (doing === null && running.length === 0) return []
  const frame = frames[Math.floor(now / frameMs) % frames.length] ?? ""
  const lines = running
    .slice(0, callsShown)
    .flatMap((call, at) => [
      `${frame} ${callText(call, now, columns)}`,
      ...(at === 0 ? tailOf(call.output).map((line) => `  │ ${line}`) : []),
    ])
  if (running.length > callsShown) lines.push(`  and ${count(running.length - callsShown, "other call")}`)
  const what = running.length > 0 ? null : `${frame} ${doing ?? ""}`
  lines.push([what, duration(now - activity.beganAt), tokensOf(activity)].filter((part) => part).join(" · "))
  return lines.map((line) => keepIndent(line, columns - 1))
}

/** From when on a prompt that is not taken up is worth a line. */
const waitingShownMs = 1_000

function waitingText({ waiting }: Activity, now: number): string | null {
  const long = [...waiting.values()].filter((since) => now - since >= waitingShownMs)
  if (long.length === 0) return null
  return long.length === 1 ? "the prompt waits" : `${count(long.length)} prompts wait`
}

function callText({ request, startedAt }: OpenCall, now: number, columns: number): string {
  const { name, target } = namesOf(request, columns)
  return `${name} ${target} · ${duration(now - (startedAt ?? now))}`
}

const tailOf = (output: string): readonly string[] =>
  printable(output)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-outputLinesShown)

const keepIndent = (line: string, columns: number): string => {
  const indent = /^ */.exec(line)?.[0] ?? ""
  return indent + fit(line, columns - indent.length)
}

/** Characters of an answer for one token, on average. */
const charactersPerToken = 4

function tokensOf({ inputTokens, outputTokens, streamed }: Activity): string | null {
  const guessed = Math.round(streamed / charactersPerToken)
  if (inputTokens + outputTokens + guessed === 0) return null
  const out = `${guessed > 0 ? "~" : ""}${count(outputTokens + guessed)}`
  return inputTokens === 0 ? `${out} tokens out` : `${count(inputTokens)} tokens in, ${out} out`
}

/** `12 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
