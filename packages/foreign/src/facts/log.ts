/**
 * The log of a Session from what was said along one chain (IM1).
 *
 *   PR7  words of a person are prompts; what the agent put in, and a summary, are notices
 *   TU1  an imported turn names an encoder that no wire has: its request cannot be built again, and is said to be of another version
 *   TU2  a call without a result is interrupted
 *   LL4  sealed reasoning keeps the tag of who sealed it
 *
 * A compaction becomes a cut: what went before stays stored and is not shown, its summary is a notice.
 */
import { inputTokens, outcomeTokens, partTokens, textTokens } from "@holdfast/llm/size"
import type { Fact } from "@holdfast/schema/event"
import { summarySource } from "@holdfast/schema/fact/input"
import type { CallId, MessageId, NoticeId, PromptId } from "@holdfast/schema/id"
import type { CallOutcome, Native, RecordedPart } from "@holdfast/schema/message"
import { promptBytesMax } from "@holdfast/schema/prompt"
import type { CompactionRecord, PromptRecord, ResultRecord } from "../record.ts"
import { cleanJson, cleanText } from "./clean.ts"
import { importTime, type ImportedImages } from "./images.ts"
import {
  answerMessageIdOf,
  callIdOf,
  type ForeignSession,
  inputMessageIdOf,
  noticeIdOf,
  promptIdOf,
  turnIdOf,
} from "./identity.ts"
import type { Item, TurnItem, TurnPart } from "./items.ts"
import { type Past, ledgerOf, pastOf } from "./past.ts"

/** One event to be; its place in the list is its sequence. */
export interface Entry {
  readonly time: number
  readonly fact: Fact
}

/** What an item must know of the log in front of it. */
export interface Standing {
  /** Events there are. */
  readonly seq: number
  readonly time: number
  /** Turns since a person spoke. */
  readonly allowance: number
  /** Sequence of each message. */
  readonly messages: ReadonlyMap<MessageId, number>
  /** Everything below it is not shown. */
  readonly shownFrom: number
  /** What stands in the log, for the counts of a cut. */
  readonly said: readonly Said[]
}

export interface Said {
  readonly seq: number
  readonly kind: "inputs" | "notices" | "answers"
  readonly calls: number
}

export interface Writing {
  readonly of: ForeignSession
  /** It is a side chain of another session. */
  readonly aside: boolean
  readonly images: ImportedImages
  /** Which message a native id belongs to: an answer comes in several records, and results are its own. */
  readonly owners: ReadonlyMap<string, MessageId>
}

export function itemEntries(item: Item, standing: Standing, writing: Writing): readonly Entry[] {
  const time = importTime(item.record.at, standing.time)
  switch (item.kind) {
    case "prompt":
      return item.record.by === "person"
        ? promptEntries(item.record, time, standing.seq, writing)
        : noticeEntries(item.record, time, standing.seq, writing)
    case "turn":
      return turnEntries(item, time, standing, writing)
    case "compaction": {
      const fact = cutFact(item.record, standing, writing)
      return fact === null ? [] : [{ time, fact }]
    }
  }
}

function promptEntries(record: PromptRecord, time: number, seq: number, writing: Writing): readonly Entry[] {
  const prompt: PromptId = promptIdOf(writing.of, record.id)
  const text = fitting(cleanText(record.text))
  const images = writing.images.of(record.images)
  // Its only image could not be taken, which was told.
  if (text.trim() === "" && images.length === 0) return []
  const admitted: Fact = {
    type: "prompt.admitted",
    prompt,
    text,
    ...(images.length === 0 ? {} : { images }),
    delivery: "queue",
  }
  const promoted: Fact = {
    type: "prompt.promoted",
    prompt,
    message: inputMessageIdOf(writing.of, record.id),
    bodySeq: seq + 1,
    tokens: inputTokens(text, images),
    added: [],
  }
  return [
    { time, fact: admitted },
    { time, fact: promoted },
  ]
}

/** A prompt has a limit; what is longer was told as skipped (`items.ts`). */
function fitting(text: string): string {
  if (Buffer.byteLength(text) <= promptBytesMax) return text
  // A character that is cut in two is not kept.
  return Buffer.from(text)
    .subarray(0, promptBytesMax - 3)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")
}

function noticeEntries(record: PromptRecord, time: number, seq: number, { of }: Writing): readonly Entry[] {
  const id = noticeIdOf(of, record.id)
  const source = `${record.by === "summary" ? summarySource : agentSource}${record.id.slice(0, 100)}`
  const message = inputMessageIdOf(of, record.id)
  return noticeOf({ id, source, message, text: cleanText(record.text), time, seq })
}

const agentSource = "import:"

interface NoticeParts {
  readonly id: NoticeId
  readonly source: string
  readonly message: MessageId
  readonly text: string
  readonly time: number
  readonly seq: number
}

export function noticeOf({ id, source, message, text, time, seq }: NoticeParts): readonly Entry[] {
  const wakes = false
  const admitted: Fact = {
    type: "notice.admitted",
    notice: id,
    source: { kind: "runtime", id: source },
    text,
    delivery: "queue",
    wakes,
  }
  const promoted: Fact = {
    type: "notice.promoted",
    notice: id,
    wakes,
    message,
    bodySeq: seq + 1,
    tokens: textTokens(text),
    added: [],
  }
  return [
    { time, fact: admitted },
    { time, fact: promoted },
  ]
}

function turnEntries(item: TurnItem, time: number, standing: Standing, writing: Writing): readonly Entry[] {
  const { of } = writing
  const past = pastOf(item)
  const ids = { turn: turnIdOf(of, item.record.message), message: answerMessageIdOf(of, item.record.message) }
  const entries: Entry[] = [{ time, fact: startedFact(ids, past, standing) }]
  const add = (at: number | null, fact: Fact): void => {
    entries.push({ time: importTime(at, entries.at(-1)?.time ?? time), fact })
  }
  for (const [index, turnPart] of item.parts.entries()) {
    const part = recordedPart(turnPart, past, of)
    add(turnPart.at, { type: "part.recorded", ...ids, index, part, tokens: partTokens(part) })
  }
  const missing = item.parts.some(({ call }) => call !== null && call.result === null)
  for (const { part, call } of item.parts) {
    if (part.type !== "call" || call === null) continue
    const outcome = outcomeOf(call.result, writing)
    const own = callIdOf(of, part.call, call.nth)
    add(call.result?.at ?? null, settledFact(ids, own, outcome))
  }
  const durationMs = Math.max(0, (entries.at(-1)?.time ?? time) - time)
  const calls = item.parts.some(({ call }) => call !== null)
  add(null, {
    type: "turn.settled",
    turn: ids.turn,
    status: missing ? "interrupted" : calls ? "continue" : "done",
    reason: missing ? resultMissing : null,
    ledger: ledgerOf(item, past, durationMs),
  })
  return entries
}

const resultMissing = {
  code: "result_missing",
  message: "The imported session holds no result of a call of this turn.",
}

/** Nobody knows any more what came of it. */
export const noResult = "No result of this call was recorded: whether it ran, and what it did, is not known."

type TurnIds = Pick<Extract<Fact, { type: "turn.started" }>, "turn" | "message">

const startedFact = (ids: TurnIds, past: Past, { seq, allowance }: Standing): Fact => ({
  type: "turn.started",
  ...ids,
  model: past.model,
  agent: "build",
  endpoint: past.endpoint,
  tools: past.tools.hash,
  options: past.options.hash,
  pass: "hold",
  request: {
    hash: "",
    prefixHash: "",
    encoder: importEncoder,
    blocks: 0,
    bytes: 0,
    tokensEstimated: 0,
    markers: [],
    params: "",
  },
  seenSeq: seq,
  allowanceUsed: allowance + 1,
  break: null,
  cacheExpected: 0,
})

/** No wire is of this name, so that verification says that another encoder wrote the request (TU1). */
export const importEncoder = "import/1"

function recordedPart({ part, call }: TurnPart, past: Past, of: ForeignSession): RecordedPart {
  const tag = (opaque: Native["opaque"]): Native => ({
    ...past.model,
    endpoint: past.endpoint,
    opaque: cleanJson(opaque),
  })
  switch (part.type) {
    case "text":
      return { type: "text", text: cleanText(part.text), interrupted: false }
    case "reasoning":
      return {
        type: "reasoning",
        text: cleanText(part.text),
        native: part.native === null ? null : tag(part.native),
        interrupted: false,
      }
    case "hosted":
      return { type: "hosted", name: cleanText(part.name), native: tag(part.native) }
    case "call":
      return {
        type: "call",
        call: callIdOf(of, part.call, call?.nth ?? 0),
        nativeId: part.call,
        name: cleanText(part.name),
        input: cleanJson(part.input),
      }
  }
}

function outcomeOf(result: ResultRecord | null, writing: Writing): CallOutcome {
  const plain = { truncated: null, errorCode: null }
  if (result === null) return { ...plain, state: "interrupted", output: noResult }
  const images = writing.images.of(result.images)
  return {
    ...plain,
    state: result.state,
    output: cleanText(result.text),
    ...(images.length === 0 ? {} : { images }),
  }
}

const settledFact = (ids: TurnIds, call: CallId, outcome: CallOutcome): Fact => ({
  type: "call.settled",
  ...ids,
  call,
  outcome,
  effects: [],
  added: [],
  tokens: outcomeTokens(outcome),
})

/** Null where nothing goes by it. */
function cutFact(record: CompactionRecord, standing: Standing, { owners }: Writing): Fact | null {
  const owner = owners.get(record.keptFrom ?? "")
  const kept = owner && standing.messages.get(owner)
  // The cut itself takes the next sequence.
  const below = Math.max(kept ?? standing.seq + 1, standing.shownFrom)
  const gone = standing.said.filter(({ seq }) => seq < below)
  if (!gone.some(({ seq }) => seq >= standing.shownFrom)) return null
  const count = (kind: Said["kind"]) => gone.filter((said) => said.kind === kind).length
  const markers = {
    inputs: count("inputs"),
    notices: count("notices"),
    answers: count("answers"),
    calls: gone.reduce((calls, said) => calls + said.calls, 0),
    updates: [],
  }
  return {
    type: "pass.applied",
    pass: "fold",
    reason: "compacted_elsewhere",
    ops: [{ op: "cut", below, kept: [], messages: gone.length }],
    slots: { baseline: "", delta: cutText, boundary: below, markers },
    consumes: [],
    tokensBefore: record.tokensBefore ?? 0,
    tokensAfter: 0,
  }
}

const cutText =
  "Earlier parts of this conversation are not shown: the program that held it then had summed them up. They are stored; ask the user where something from them matters."
