/**
 * The answer's frames to canonical events (LL1, LL6).
 *
 *   open ──finishReason | blockReason──▶ finished ──end──▶ done
 *     └──── error, unreadable, too large, an end before the finish ────▶ failed
 *
 * Each chunk is a whole response with the next parts in it. Text and thoughts grow piece by piece and
 * are open one at a time; calls and hosted parts come whole. documented: a signed part is not joined
 * with others, so it is a part of its own (LL4).
 *
 * There is no last word and the counts may come behind the reason, so the finish waits for the end of
 * the stream. Fields, parts and reasons that are not known are passed over.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { parseInput } from "../answer/call-input.ts"
import { decodeEventStream } from "../answer/event-stream.ts"
import * as parts from "../answer/parts.ts"
import { readAs, type Reading } from "../answer/reading.ts"
import { countOf, type Fields, fieldsOf, isFields, listOf, parseFields, textOf } from "../json-fields.ts"
import type { Finish, StreamDecoder } from "../wire.ts"
import { failureOfError } from "./failure.ts"
import { hostedMember, signatureOf } from "./native.ts"

interface Own {
  readonly usage: Usage
  /** The latest chunk that was taken by its words, if its counts are the latest; read when needed. */
  readonly counted: string | null
  readonly finished: { readonly reason: Finish; readonly nativeReason: string } | null
}

type Answer = parts.Answer<Own, null>

export const reading: Reading<Own, null> = {
  start: parts.answerWith({ usage: usageNone, counted: null, finished: null }),
  // Some that pass the stream on end it in the way of another API.
  step: (answer, { data }) => (data.trim() === "[DONE]" ? answer : readAs(takeChunk, answer, data)),
  end,
  repeated: {
    // Counts that grow with the answer.
    varying: ["candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"],
    latest: (counted) => ({ counted }),
  },
}

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, reading)

function takeChunk(answer: Answer, chunk: Fields): Answer {
  if (isFields(chunk["error"])) return parts.failed(answer, failureOfError(chunk))
  const counts = { usage: usageAfter(answer.own, chunk), counted: null }
  return readChunk(parts.knowing(parts.begin(answer, textOf(chunk["responseId"])), counts), chunk)
}

function end(answer: Answer): Answer {
  const { finished } = answer.own
  if (finished === null) return parts.cutOff(answer, "the stream ended before a finish reason")
  return parts.finish(answer, finished.reason, finished.nativeReason, usageAfter(answer.own, {}))
}

function readChunk(answer: Answer, chunk: Fields): Answer {
  if (answer.own.finished !== null) return answer
  const nativeReason = textOf(fieldsOf(chunk["promptFeedback"])["blockReason"])
  if (nativeReason !== "") return finished(answer, "refusal", nativeReason)
  const candidate = listOf(chunk["candidates"]).find((item) => (fieldsOf(item)["index"] ?? 0) === 0)
  return readCandidate(answer, fieldsOf(candidate))
}

function readCandidate(answer: Answer, candidate: Fields): Answer {
  const given = listOf(fieldsOf(candidate["content"])["parts"]).map(fieldsOf)
  const unnamed = given.findIndex(({ functionCall: call }) => isFields(call) && textOf(call["name"]) === "")
  const grown = (unnamed < 0 ? given : given.slice(0, unnamed)).reduce(addPart, answer)
  if (unnamed >= 0) return parts.impossible(grown, "a call without a name")
  const nativeReason = textOf(candidate["finishReason"])
  if (nativeReason === "") return grown
  const reason = finishOf(nativeReason)
  return finished(grown, reason === "stop" && grown.called ? "calls" : reason, nativeReason)
}

const finished = (answer: Answer, reason: Finish, nativeReason: string): Answer =>
  parts.knowing(parts.end(answer, parts.spoken, unsigned), { finished: { reason, nativeReason } })

function addPart(answer: Answer, part: Fields): Answer {
  const { functionCall, thought } = part
  const signature = signatureOf(part)
  if (isFields(functionCall))
    return addCall(parts.end(answer, parts.spoken, unsigned), functionCall, signature)
  const hosted = hostedMember(part)
  if (hosted !== null) return addHosted(parts.end(answer, parts.spoken, unsigned), hosted, part)
  const kind = thought === true ? "reasoning" : "text"
  const text = textOf(part["text"])
  if (signature === null) return text === "" ? answer : addWords(answer, kind, text)
  const before = parts.end(answer, parts.spoken, unsigned)
  if (text !== "") return parts.end(addWords(before, kind, text), parts.spoken, signed(signature))
  // Nothing to read, but something to give back: reasoning without words.
  const opaque = { type: "signature", thoughtSignature: signature }
  const opened = parts.open(before, parts.spoken, { kind: "reasoning", note: null })
  return parts.end(opened, parts.spoken, () => ({ opaque }))
}

const addWords = (answer: Answer, kind: "text" | "reasoning", text: string): Answer =>
  parts.add(parts.takeTurn(answer, { kind, note: null }, unsigned), parts.spoken, text)

const signed =
  (signature: string | null) =>
  ({ kind, text }: parts.Part<null>): parts.Closing => {
    const seal = signature === null ? {} : { thoughtSignature: signature }
    if (kind === "reasoning") return { opaque: { type: "thought", text, ...seal } }
    return signature === null ? {} : { opaque: { type: "text", ...seal } }
  }

const unsigned = signed(null)

function addCall(answer: Answer, call: Fields, signature: string | null): Answer {
  const nativeId = textOf(call["id"])
  const seal = {
    ...(nativeId === "" ? {} : { id: nativeId }),
    ...(signature === null ? {} : { thoughtSignature: signature }),
  }
  const opened = parts.open(answer, "call", {
    kind: "call",
    nativeId,
    name: textOf(call["name"]),
    note: null,
  })
  const given = parts.add(opened, "call", JSON.stringify(call["args"] ?? {}))
  const opaque = Object.keys(seal).length === 0 ? null : { type: "call", ...seal }
  return parts.end(given, "call", () => ({ opaque }))
}

function addHosted(answer: Answer, name: string, part: Fields): Answer {
  const opaque = parseInput(JSON.stringify(part))
  return opaque === null ? answer : parts.hosted(answer, name, opaque)
}

/** documented: why an answer ended; what is missing here ended for a reason of its own. */
const finishOf = parts.finishesOf({
  stop: "STOP",
  length: "MAX_TOKENS",
  refusal:
    "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION MODEL_ARMOR",
})

/** A chunk without counts leaves those before it as they are. */
function usageAfter({ usage, counted }: Own, chunk: Fields): Usage {
  const latest = usageOf(chunk)
  if (latest !== null || counted === null) return latest ?? usage
  return usageOf(fieldsOf(parseFields(counted))) ?? usage
}

/** documented: the prompt counts what came from a cache; thoughts are counted beside the answer. */
function usageOf(chunk: Fields): Usage | null {
  const usage = chunk["usageMetadata"]
  if (!isFields(usage)) return null
  const prompt = countOf(usage["promptTokenCount"], 0) + countOf(usage["toolUsePromptTokenCount"], 0)
  const output = countOf(usage["candidatesTokenCount"], 0) + countOf(usage["thoughtsTokenCount"], 0)
  return parts.usageWithin(prompt, output, countOf(usage["cachedContentTokenCount"], 0))
}
