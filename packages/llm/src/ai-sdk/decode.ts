/**
 * Stream parts of an AI SDK model, one frame each, to canonical events (LL1, LL6).
 *
 *   open ──finish──▶ finished        (open parts are closed first)
 *     └──── error, unreadable, too large, an end before the finish ────▶ failed
 *
 * Metadata of a part is what the model wants back with it; the latest of a part's events counts.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Usage, usageNone } from "@holdfast/schema/model"
import { HashMap, Option } from "effect"
import { parseInput } from "../answer/call-input.ts"
import { decodeJsonLines } from "../answer/json-lines.ts"
import { allParts, noParts, type OpenParts, partAt, withoutPart, withPart } from "../answer/open-parts.ts"
import { broken, cutOff, failed, type Frame, type Reading, type Step } from "../answer/reading.ts"
import { countOf, type Fields, fieldsOf, isFields, lookUp, parseFields, textOf } from "../json-fields.ts"
import type { Finish, StreamDecoder, StreamEvent } from "../wire.ts"
import { failureOfDescribed } from "./failure.ts"

type Words = "text" | "reasoning"

interface OpenPart {
  readonly index: number
  readonly kind: Words
  readonly text: string
  readonly metadata: JsonObject | null
}

interface State {
  readonly started: boolean
  /** Index of the next part. */
  readonly next: number
  readonly calls: number
  /** Text and reasoning, by kind and id: the two may share an id. */
  readonly open: OpenParts<string, OpenPart>
  /** Index of calls whose input streams, by id. */
  readonly inputs: HashMap.HashMap<string, number>
}

export const reading: Reading<State> = {
  start: { started: false, next: 0, calls: 0, open: noParts, inputs: HashMap.empty() },
  step,
  end: () => cutOff("the stream ended before its finish"),
}

export const decoder = (contentType: string): StreamDecoder => decodeJsonLines(contentType, reading)

function step(state: State, { data }: Frame): Step<State> {
  const part = parseFields(data)
  if (part === null) return broken(state, "malformed_stream", "a part that is not a JSON object")
  const type = textOf(part["type"])
  const [, kind, at] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
  if (kind !== undefined) return begun(state, "", (open) => addWords(open, kind as Words, at, part))
  switch (type) {
    case "response-metadata":
      return begun(state, textOf(part["id"]), (open) => [open, []])
    case "error":
      return failed(state, failureOfDescribed(part["error"], "unknown", 0))
    case "tool-input-start":
      if (part["providerExecuted"] === true) return [state, []]
      return begun(state, "", (open) => openCall(open, textOf(part["id"]), textOf(part["toolName"])))
    case "tool-input-delta":
      return addInput(state, part)
    case "tool-call":
      return begun(state, "", (open) =>
        part["providerExecuted"] === true ? addHosted(open, part) : addCall(open, part),
      )
    case "tool-result":
      return part["preliminary"] === true ? [state, []] : begun(state, "", (open) => addHosted(open, part))
    case "finish":
      return begun(state, "", (open) => finish(open, part))
    default:
      // Warnings, sources, files, raw chunks and whatever comes later say nothing that is kept (LL6).
      return [state, []]
  }
}

/** A step of an answer that says its start first, if nothing was said yet. */
function begun(state: State, nativeId: string, next: (state: State) => Step<State>): Step<State> {
  if (state.started) return next(state)
  const [after, said] = next({ ...state, started: true })
  return [after, [{ type: "start", nativeId, usage: usageNone }, ...said]]
}

function addWords(state: State, kind: Words, at: string | undefined, part: Fields): Step<State> {
  const id = `${kind} ${textOf(part["id"])}`
  const known = partAt(state.open, id)
  const before = known ?? { index: state.next, kind, text: "", metadata: null }
  const { index } = before
  const text = at === "delta" ? textOf(part["delta"]) : ""
  const grown = { ...before, text: before.text + text, metadata: metadataOf(part) ?? before.metadata }
  const open = at === "end" ? withoutPart(state.open, id) : withPart(state.open, id, grown)
  const said: StreamEvent[] = known === undefined ? [{ type: `${kind}-start`, index }] : []
  if (text !== "") said.push({ type: `${kind}-delta`, index, text })
  if (at === "end") said.push(endOf(grown))
  return [{ ...state, open, next: known === undefined ? index + 1 : state.next }, said]
}

function endOf({ index, kind, text, metadata }: OpenPart): StreamEvent {
  const native = metadata === null ? {} : { providerMetadata: metadata }
  if (kind === "reasoning")
    return { type: "reasoning-end", index, text, opaque: { type: "reasoning", ...native } }
  const opaque = metadata === null ? {} : { opaque: { type: "text", ...native } }
  return { type: "text-end", index, text, ...opaque }
}

function openCall(state: State, nativeId: string, name: string): Step<State> {
  const index = state.next
  const inputs = HashMap.set(state.inputs, nativeId, index)
  return [{ ...state, next: index + 1, inputs }, [{ type: "call-start", index, nativeId, name }]]
}

function addInput(state: State, part: Fields): Step<State> {
  const index = Option.getOrUndefined(HashMap.get(state.inputs, textOf(part["id"])))
  if (index === undefined) return [state, []]
  return [state, [{ type: "call-delta", index, bytes: Buffer.byteLength(textOf(part["delta"])) }]]
}

function addCall(state: State, part: Fields): Step<State> {
  const nativeId = textOf(part["toolCallId"])
  const name = textOf(part["toolName"])
  const known = Option.getOrUndefined(HashMap.get(state.inputs, nativeId))
  const [opened, said] = known === undefined ? openCall(state, nativeId, name) : [state, []]
  const metadata = metadataOf(part)
  const raw = typeof part["input"] === "string" ? part["input"] : JSON.stringify(part["input"] ?? {})
  const end: StreamEvent = {
    type: "call-end",
    index: known ?? state.next,
    nativeId,
    name,
    input: raw.trim() === "" ? {} : parseInput(raw),
    raw,
    opaque: {
      type: "call",
      toolCallId: nativeId,
      ...(metadata === null ? {} : { providerMetadata: metadata }),
    },
  }
  return [{ ...opened, calls: opened.calls + 1 }, [...said, end]]
}

/** LL8: what the provider ran itself, as it said it; the input of its call as a value. */
function addHosted(state: State, part: Fields): Step<State> {
  const { input } = part
  const opaque = {
    ...(part as JsonObject),
    ...(typeof input === "string" ? { input: parseInput(input) ?? { unreadable: input } } : {}),
  }
  const index = state.next
  return [{ ...state, next: index + 1 }, [{ type: "hosted", index, name: textOf(part["toolName"]), opaque }]]
}

function finish(state: State, part: Fields): Step<State> {
  const open = allParts(state.open).map(([, each]) => each)
  const ends = open.toSorted((a, b) => a.index - b.index).map(endOf)
  const { finishReason } = part
  const native = isFields(finishReason) ? textOf(finishReason["unified"]) : textOf(finishReason)
  if (native === "error") {
    const [, failure] = broken(state, "server_error", "the answer ended in an error")
    return [state, [...ends, ...failure]]
  }
  const raw = isFields(finishReason) ? textOf(finishReason["raw"]) : ""
  const reason = lookUp(finishOf, native) ?? "unknown"
  const end: StreamEvent = {
    type: "finish",
    reason: state.calls > 0 && (reason === "stop" || reason === "unknown") ? "calls" : reason,
    nativeReason: raw === "" ? native : raw,
    usage: usageOf(fieldsOf(part["usage"])),
  }
  return [state, [...ends, end]]
}

const metadataOf = (part: Fields): JsonObject | null =>
  isFields(part["providerMetadata"]) ? (part["providerMetadata"] as JsonObject) : null

const finishOf: Readonly<Record<string, Finish>> = {
  stop: "stop",
  "tool-calls": "calls",
  length: "length",
  "content-filter": "refusal",
}

/** documented: an object of counts since version 3; before it, totals of which a part was cached. */
function usageOf(usage: Fields): Usage {
  const input = usage["inputTokens"]
  if (!isFields(input)) {
    const cacheRead = countOf(usage["cachedInputTokens"], 0)
    const total = countOf(input, 0)
    return {
      input: Math.max(0, total - cacheRead),
      output: countOf(usage["outputTokens"], 0),
      cacheRead,
      cacheWrite: 0,
    }
  }
  const cacheRead = countOf(input["cacheRead"], 0)
  const cacheWrite = countOf(input["cacheWrite"], 0)
  const fresh = Math.max(0, countOf(input["total"], 0) - cacheRead - cacheWrite)
  return {
    input: countOf(input["noCache"], fresh),
    output: countOf(fieldsOf(usage["outputTokens"])["total"], 0),
    cacheRead,
    cacheWrite,
  }
}
