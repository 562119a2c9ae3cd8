/**
 * The answer's frames to canonical events (LL1, LL6).
 *
 *   open ──messageStop──▶ stopped ──metadata | end──▶ done
 *     └──── exception, unreadable, too large, an end before the stop ────▶ failed
 *
 * The counts come behind the stop, so the finish waits for them or for the end. Events, fields,
 * deltas and stop reasons that are not known are passed over. What cannot be true is a failure: a
 * broken frame, unreadable JSON, a delta for a block of another kind or for one that has ended.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { HashSet } from "effect"
import { decodeBytes } from "../answer/byte-stream.ts"
import { allParts, noParts, type OpenParts, partAt, withoutPart, withPart } from "../answer/open-parts.ts"
import { broken, cutOff, type Delta, failed, type Frame, type Reading, type Step } from "../answer/reading.ts"
import { countOf, type Fields, fieldsOf, isFields, lookUp, parseFields, textOf } from "../json-fields.ts"
import type { Finish, StreamDecoder, StreamEvent } from "../wire.ts"
import {
  announcedBlock,
  blockOfDelta,
  grow,
  type OpenBlock,
  saidAtEnd,
  saidAtStart,
} from "./content-block.ts"
import { exceptionIn, framing } from "./event-frames.ts"
import { failureOfException } from "./failure.ts"

interface State {
  readonly started: boolean
  readonly stopReason: string | null
  readonly usage: Usage
  readonly open: OpenParts<number, OpenBlock>
  readonly ended: HashSet.HashSet<number>
}

export const reading: Reading<State> = {
  start: { started: false, stopReason: null, usage: usageNone, open: noParts, ended: HashSet.empty() },
  step,
  end: ({ stopReason, usage }) =>
    stopReason === null ? cutOff("the stream ended before messageStop") : [finish(stopReason, usage)],
  // recorded: padding.
  repeated: { varying: ["p"], add, allowed },
}

export const decoder = (contentType: string): StreamDecoder =>
  decodeBytes({ given: contentType, wanted: "application/vnd.amazon.eventstream" }, reading, framing)

function step(state: State, { name, data }: Frame): Step<State> {
  const exception = exceptionIn(name)
  if (exception !== null) return failed(state, failureOfException(exception, data))
  const event = parseFields(data)
  if (event === null)
    return broken(state, "malformed_stream", `${name} is not a JSON object: ${data.slice(0, 80)}`)
  switch (name) {
    case "messageStart":
      return [{ ...state, started: true }, saidFirst(state)]
    case "contentBlockStart":
      return announceBlock(state, event)
    case "contentBlockDelta":
      return addDelta(state, event)
    case "contentBlockStop":
      return endBlock(state, event)
    case "messageStop":
      return stopMessage(state, event)
    case "metadata":
      return takeUsage(state, event)
    default:
      // Some put an exception where an event is expected; others add events.
      return name.endsWith("Exception") ? failed(state, failureOfException(name, data)) : [state, []]
  }
}

function add(state: State, { index, text }: Delta): State {
  const block = partAt(state.open, index)
  if (block?.kind !== "text" && block?.kind !== "reasoning") return state
  return { ...state, open: withPart(state.open, index, { ...block, text: block.text + text }) }
}

/** Seals are gathered from every delta. */
function allowed(_state: State, { type }: Delta, data: string): boolean {
  return type === "text-delta" || !/"(?:signature|redactedContent)"/.test(data)
}

function saidFirst({ started }: State): readonly StreamEvent[] {
  return started ? [] : [{ type: "start", nativeId: "", usage: usageNone }]
}

function announceBlock(state: State, event: Fields): Step<State> {
  const index = indexOf(event)
  const { open, ended, stopReason } = state
  if (index === null || partAt(open, index) !== undefined || HashSet.has(ended, index) || stopReason !== null)
    return broken(state, "malformed_stream", `contentBlockStart out of order at ${String(index)}`)
  return openAt(state, index, announcedBlock(fieldsOf(event["start"])))
}

function openAt(state: State, index: number, block: OpenBlock): Step<State> {
  const open = withPart(state.open, index, block)
  return [{ ...state, started: true, open }, [...saidFirst(state), ...saidAtStart(index, block)]]
}

function addDelta(state: State, event: Fields): Step<State> {
  const index = indexOf(event)
  const delta = fieldsOf(event["delta"])
  if (index === null || HashSet.has(state.ended, index) || state.stopReason !== null)
    return broken(state, "malformed_stream", `a delta for block ${String(index)}, which is not open`)
  const known = partAt(state.open, index)
  const block = known ?? blockOfDelta(delta)
  if (block === null)
    return broken(state, "malformed_stream", `a piece of call ${index}, which was not begun`)
  const grown = grow(index, block, delta)
  if (grown === null) return broken(state, "malformed_stream", `a delta that block ${index} cannot have`)
  const [opened, first] = known === undefined ? openAt(state, index, block) : [state, []]
  return [{ ...opened, open: withPart(opened.open, index, grown[0]) }, [...first, ...grown[1]]]
}

function endBlock(state: State, event: Fields): Step<State> {
  const index = indexOf(event)
  const { open, ended, stopReason } = state
  if (index === null || HashSet.has(ended, index) || stopReason !== null)
    return broken(state, "malformed_stream", `the end of block ${String(index)}, which is not open`)
  // A block may end without ever having said anything.
  const block = partAt(open, index) ?? { kind: "unknown" }
  const next = { ...state, open: withoutPart(open, index), ended: HashSet.add(ended, index) }
  return [next, saidAtEnd(index, block)]
}

function stopMessage(state: State, event: Fields): Step<State> {
  if (state.stopReason !== null) return broken(state, "malformed_stream", "a second messageStop")
  const left = [...allParts(state.open)].sort(([a], [b]) => a - b)
  const said = left.flatMap(([index, block]) => saidAtEnd(index, block))
  const next = { ...state, started: true, stopReason: textOf(event["stopReason"]), open: noParts }
  return [next, [...saidFirst(state), ...said]]
}

function takeUsage(state: State, event: Fields): Step<State> {
  if (!isFields(event["usage"])) return [state, []]
  const usage = usageOf(event["usage"])
  return [{ ...state, usage }, state.stopReason === null ? [] : [finish(state.stopReason, usage)]]
}

function finish(nativeReason: string, usage: Usage): StreamEvent {
  return { type: "finish", reason: lookUp(finishOf, nativeReason) ?? "unknown", nativeReason, usage }
}

function indexOf(event: Fields): number | null {
  const index = event["contentBlockIndex"]
  return Number.isSafeInteger(index) && (index as number) >= 0 ? (index as number) : null
}

/** documented: the stop reasons. */
const finishOf: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
  refusal: "refusal",
  pause_turn: "pause",
}

/** documented: what was read from and written to a cache is not part of the input. */
const usageOf = (usage: Fields): Usage => ({
  input: countOf(usage["inputTokens"], 0),
  output: countOf(usage["outputTokens"], 0),
  cacheRead: countOf(usage["cacheReadInputTokens"], 0),
  cacheWrite: countOf(usage["cacheWriteInputTokens"], 0),
})
