/**
 * The answer's frames to canonical events (LL1, LL6).
 *
 *   before ──message_start──▶ open ──message_stop──▶ done
 *      └──────── anything impossible, unreadable or too large ────────▶ failed
 *
 * What a provider may add later is passed over: events, fields, delta types, block types and stop
 * reasons that are not known here. What cannot be true is a failure: unreadable JSON, a delta for
 * a block that is not open, a stop while a block is open, an end before the stop.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { decodeEventStream } from "../answer/event-stream.ts"
import { isNone, noParts, type OpenParts, partAt, withoutPart, withPart } from "../answer/open-parts.ts"
import { broken, cutOff, type Delta, failed, type Frame, type Reading, type Step } from "../answer/reading.ts"
import { countOf, type Fields, fieldsOf, lookUp, parseFields, textOf } from "../json-fields.ts"
import type { Finish, StreamDecoder } from "../wire.ts"
import { grow, type OpenBlock, openBlock, saidAtEnd, saidAtStart } from "./content-block.ts"
import { failureOfEvent } from "./failure.ts"

interface State {
  readonly started: boolean
  readonly usage: Usage
  readonly stopReason: string
  readonly open: OpenParts<number, OpenBlock>
}

export const reading: Reading<State> = {
  start: { started: false, usage: usageNone, stopReason: "", open: noParts },
  step,
  end: () => cutOff("the stream ended before message_stop"),
  repeated: { varying: [], add },
}

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, reading)

function step(state: State, { name, data }: Frame): Step<State> {
  const frame = parseFields(data)
  if (frame === null)
    return broken(state, "malformed_stream", `a frame that is not a JSON object: ${data.slice(0, 80)}`)
  const { type } = frame
  switch (typeof type === "string" ? type : name) {
    case "content_block_delta":
      return addDelta(state, frame)
    case "content_block_start":
      return startBlock(state, frame)
    case "content_block_stop":
      return endBlock(state, frame)
    case "message_start":
      return startMessage(state, fieldsOf(frame["message"]))
    case "message_delta":
      return updateMessage(state, frame)
    case "message_stop":
      return endMessage(state)
    case "error": {
      const error = fieldsOf(frame["error"])
      return failed(state, failureOfEvent(textOf(error["type"]), textOf(error["message"])))
    }
    default:
      // `ping`, and whatever the provider adds.
      return [state, []]
  }
}

function add(state: State, { index, text }: Delta): State {
  const block = partAt(state.open, index)
  if (block?.kind !== "text" && block?.kind !== "thinking") return state
  return { ...state, open: withPart(state.open, index, { ...block, text: block.text + text }) }
}

function startMessage(state: State, message: Fields): Step<State> {
  if (state.started) return broken(state, "malformed_stream", "a second message_start")
  const usage = mergeUsage(state.usage, message["usage"])
  return [{ ...state, started: true, usage }, [{ type: "start", nativeId: textOf(message["id"]), usage }]]
}

function startBlock(state: State, frame: Fields): Step<State> {
  const { index } = frame
  if (!state.started || typeof index !== "number" || partAt(state.open, index) !== undefined)
    return broken(state, "malformed_stream", `content_block_start out of order at ${String(index)}`)
  const block = openBlock(fieldsOf(frame["content_block"]))
  return [{ ...state, open: withPart(state.open, index, block) }, saidAtStart(index, block)]
}

function addDelta(state: State, frame: Fields): Step<State> {
  const [index, block] = blockOf(state, frame)
  if (block === undefined)
    return broken(state, "malformed_stream", `a delta for block ${String(index)}, which is not open`)
  const grown = grow(index, block, fieldsOf(frame["delta"]))
  if (grown === null) return broken(state, "malformed_stream", `a delta that block ${index} cannot have`)
  return [{ ...state, open: withPart(state.open, index, grown[0]) }, grown[1]]
}

function endBlock(state: State, frame: Fields): Step<State> {
  const [index, block] = blockOf(state, frame)
  if (block === undefined)
    return broken(state, "malformed_stream", `the end of block ${String(index)}, which is not open`)
  return [{ ...state, open: withoutPart(state.open, index) }, saidAtEnd(index, block)]
}

function blockOf(
  { open }: State,
  { index }: Fields,
): readonly [number, OpenBlock] | readonly [unknown, undefined] {
  const block = typeof index === "number" ? partAt(open, index) : undefined
  return block === undefined ? [index, undefined] : [index as number, block]
}

function updateMessage(state: State, frame: Fields): Step<State> {
  if (!state.started) return broken(state, "malformed_stream", "message_delta before message_start")
  const reason = fieldsOf(frame["delta"])["stop_reason"]
  const stopReason = typeof reason === "string" ? reason : state.stopReason
  return [{ ...state, usage: mergeUsage(state.usage, frame["usage"]), stopReason }, []]
}

function endMessage(state: State): Step<State> {
  const { started, open, usage, stopReason } = state
  if (!started || !isNone(open))
    return broken(state, "malformed_stream", "message_stop before everything was closed")
  const reason = lookUp(finishOf, stopReason) ?? "unknown"
  return [state, [{ type: "finish", reason, nativeReason: stopReason, usage }]]
}

/** documented: the stop reasons. */
const finishOf: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
  pause_turn: "pause",
}

/** documented: counts are cumulative; what a later report leaves out keeps its value. */
function mergeUsage(usage: Usage, report: unknown): Usage {
  const counts = fieldsOf(report)
  return {
    input: countOf(counts["input_tokens"], usage.input),
    output: countOf(counts["output_tokens"], usage.output),
    cacheRead: countOf(counts["cache_read_input_tokens"], usage.cacheRead),
    cacheWrite: countOf(counts["cache_creation_input_tokens"], usage.cacheWrite),
  }
}
