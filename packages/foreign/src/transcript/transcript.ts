/**
 * Wire transcripts: a session as the messages of its requests, `{id, api, model, segments}` (IM2).
 *
 * | field | here |
 * | --- | --- |
 * | `segments[].items` | messages of Anthropic, or items of OpenAI Responses, by `api` |
 * | `segments[].kind` | `compact` is a compaction, any other but the first is edited history |
 * | `segments[].calls[]` | requests: `prompt_len` items were sent, what follows is the answer; `usage` |
 * | `tools`, `system`, `instructions` of the document, its `meta`, a segment or a call | settings |
 *
 * The answer of a call is known once the whole segment is, so one segment is held at a time.
 */
import { createHash } from "node:crypto"
import type { Json } from "@holdfast/schema/json"
import { usageTokens as anthropicTokens } from "../claude-code/usage.ts"
import { usageTokens as openaiTokens } from "../codex/usage.ts"
import {
  tokenCount,
  isObject,
  type JsonFields,
  nameOf,
  objectOf,
  stringOf,
  timeOf,
} from "../reading/fields.ts"
import { readElements } from "../reading/elements.ts"
import { skipped } from "../reading/line-reader.ts"
import type { ForeignRecord, Reader, SettingRecord } from "../record.ts"
import { anthropicItem, type Holds, openaiItem } from "./items.ts"

const settingFields: Readonly<Record<string, SettingRecord["name"]>> = {
  tools: "tools",
  system: "system",
  instructions: "system",
}
const perSegment = ["kind", "items.*", "calls.*", ...Object.keys(settingFields)]
const wanted = {
  values: new Set([
    "id",
    "api",
    "model",
    "meta",
    ...Object.keys(settingFields),
    ...perSegment.map((field) => `segments.*.${field}`),
  ]),
  ends: new Set(["segments.*"]),
}

/** Items of one segment; what is beyond is not kept. */
const segmentItemsMax = 200_000

interface Segment {
  kind: string
  readonly items: JsonFields[]
  readonly calls: JsonFields[]
  readonly facts: Record<string, Json>
}

export const readTranscript: Reader = async function* (bytes) {
  const whole: Record<string, Json> = {}
  const emit = openSession(whole)
  let segment = emptySegment()
  let segments = false
  for await (const element of readElements(bytes, wanted)) {
    if ("why" in element) yield skipped(null, 0, element.why, element.detail)
    else if ("over" in element) {
      yield* emit(segment)
      segment = emptySegment()
      segments = true
    } else if (!element.path.startsWith("segments.")) whole[element.path] = element.value
    else keep(segment, element.path.slice("segments.*.".length), element.value)
  }
  // Cut off in mid-segment: what came of it still counts.
  if (segment.items.length > 0 || segment.calls.length > 0) yield* emit(segment)
  else if (!segments) yield skipped(null, 0, "wrong-shape", "no segment is in it")
}

const emptySegment = (): Segment => ({ kind: "", items: [], calls: [], facts: {} })

function keep(segment: Segment, field: string, value: Json): void {
  if (field === "kind") segment.kind = stringOf(value) ?? ""
  else if (field === "calls.*" && isObject(value)) segment.calls.push(value)
  else if (field !== "items.*") segment.facts[field] = value
  else if (segment.items.length < segmentItemsMax) segment.items.push(objectOf(value))
}

/** The records of each segment in turn; what the document says of itself is read when the first one comes. */
function openSession(whole: Readonly<Record<string, Json>>): (segment: Segment) => Iterable<ForeignRecord> {
  const settings = new Map<string, string>()
  let segments = 0
  let line = 0

  function* emit(segment: Segment): Iterable<ForeignRecord> {
    const session = nameOf(whole["id"]) ?? "unknown"
    const openai = (nameOf(whole["api"]) ?? "").startsWith("openai")
    const number = segments++
    const began = timeOf(segment.calls[0]?.["ts"])
    if (number === 0) {
      const none = { title: null, directory: null, parent: null }
      yield { type: "session", session, agent: "transcript", createdAt: began, ...none }
    } else {
      const placed = { session, at: began, line: line + 1 }
      const facts = { id: `${number}`, keptFrom: null, tokensBefore: null, cause: null }
      if (segment.kind === "compact") yield { type: "compaction", ...placed, ...facts }
      else yield { type: "branch", ...placed, after: null }
    }
    const calls = inOrder(segment.calls)
    const firsts = [...calls.map((call) => tokenCount(call["prompt_len"])), segment.items.length]
    let at = began
    /** The items from one request to the next: its answer, then what was added before the next. */
    function* between(
      from: number,
      until: number,
      message: string,
      call: JsonFields | null,
    ): Iterable<ForeignRecord> {
      const named = namesOf(call, whole, openai)
      const read = segment.items.slice(from, until).map(openai ? openaiItem : anthropicItem)
      const answered = call === null ? -1 : read.findLastIndex(({ answer }) => answer)
      if (call !== null && answered < 0) yield* usage(call, message, named)
      for (const [index, item] of read.entries()) {
        line++
        yield* recordsOf(item, { session, id: `${number}:${from + index}`, at, line }, message, named)
        if (index === answered && call !== null) yield* usage(call, message, named)
      }
    }

    function* usage(call: JsonFields, request: string, named: Names): Iterable<ForeignRecord> {
      const counts = objectOf(call["usage"])
      if (Object.keys(counts).length === 0) return
      const counted = openai ? openaiTokens(counts) : anthropicTokens(counts)
      yield { type: "usage", session, request, ...named, ...counted, at, line }
    }

    const summarised = number > 0 && segment.kind === "compact" && !openai
    yield* summaryFirst(between(0, firsts[0] ?? 0, "", null), summarised)
    for (const [index, call] of calls.entries()) {
      at = timeOf(call["ts"]) ?? at
      yield* changed(settings, [whole, objectOf(whole["meta"]), segment.facts, call], {
        session,
        at,
        line: line + 1,
      })
      const message = nameOf(call["id"]) ?? `${session}:${number}:${index}`
      yield* between(firsts[index] ?? 0, firsts[index + 1] ?? 0, message, call)
    }
  }

  return emit
}

interface Names {
  readonly provider: string
  readonly model: string
}

const namesOf = (call: JsonFields | null, whole: Readonly<Record<string, Json>>, openai: boolean): Names => ({
  provider: openai ? "openai" : "anthropic",
  model: nameOf(call?.["model"]) ?? nameOf(whole["model"]) ?? "unknown",
})

/** Requests of a segment grow; one that does not is put where its length says. */
const inOrder = (calls: readonly JsonFields[]): readonly JsonFields[] =>
  calls.toSorted((a, b) => tokenCount(a["prompt_len"]) - tokenCount(b["prompt_len"]))

function* recordsOf(
  item: Holds,
  placed: {
    readonly session: string
    readonly id: string
    readonly at: number | null
    readonly line: number
  },
  message: string,
  named: Names,
): Iterable<ForeignRecord> {
  if (item.parts.length > 0) {
    const own = message === "" ? placed.id : message
    yield { type: "assistant", ...placed, message: own, ...named, parts: item.parts, finish: null }
  }
  for (const [index, result] of item.results.entries()) {
    const id = index === 0 ? placed.id : `${placed.id}/${index}`
    yield { type: "result", ...placed, id, name: null, ...result }
  }
  if (item.prompt !== null) {
    const id = item.results.length === 0 ? placed.id : `${placed.id}/text`
    yield { type: "prompt", ...placed, id, ...item.prompt }
  }
  for (const kind of item.unknown) yield skipped(placed.session, placed.line, "unknown-kind", kind)
}

/** The first prompt behind a compaction is what the conversation was cut down to. */
function* summaryFirst(records: Iterable<ForeignRecord>, summarised: boolean): Iterable<ForeignRecord> {
  let due = summarised
  for (const record of records) {
    yield due && record.type === "prompt" ? { ...record, by: "summary" } : record
    if (record.type === "prompt") due = false
  }
}

/** The settings that a request is made with, where they differ from those of the one before; the narrowest holds. */
function* changed(
  settings: Map<string, string>,
  scopes: readonly JsonFields[],
  placed: { readonly session: string; readonly at: number | null; readonly line: number },
): Iterable<ForeignRecord> {
  for (const [field, name] of Object.entries(settingFields)) {
    const given = scopes.findLast((scope) => scope[field] !== undefined && scope[field] !== null)?.[field]
    if (given === undefined) continue
    const value = createHash("sha256").update(JSON.stringify(given)).digest("hex").slice(0, 16)
    if (settings.get(field) === value) continue
    settings.set(field, value)
    yield { type: "setting", ...placed, name, value }
  }
}
