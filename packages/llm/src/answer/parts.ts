/**
 * An answer while it is read: which parts are open, what they hold, and what was said of them (LL1, TU3).
 *
 * A wire says what a frame means: a part opens, grows or ends. The events follow from that and are
 * the same on every wire. At its end a part gives the whole of itself, so that a reader of `*-end`
 * events needs no other.
 *
 * An answer is a value: nothing changes it in place, so it can be put aside and gone on from again.
 * What a frame says is put before what was said earlier, which costs the same however much there is.
 */
import type { Json } from "@holdfast/schema/json"
import { type Usage, usageNone } from "@holdfast/schema/model"
import { HashMap, HashSet, Option } from "effect"
import { failureOf } from "../failure/failure.ts"
import { meaningOf } from "../json-fields.ts"
import type { Finish, ProviderFailure, StreamEvent } from "../wire.ts"
import { parseInput } from "./call-input.ts"

export interface Part<Note> {
  /** A silent one is told at its end or never: a tool of the provider's own, or what is not known (LL6, LL8). */
  readonly kind: "text" | "reasoning" | "call" | "silent"
  readonly index: number
  /** Words, or the arguments of a call. */
  readonly text: string
  /** Of a call. */
  readonly nativeId: string
  readonly name: string
  /** What its wire keeps with it. */
  readonly note: Note
}

export interface Answer<Own, Note> {
  /** What its wire knows of the answer as a whole. */
  readonly own: Own
  readonly started: boolean
  /** A call has ended. */
  readonly called: boolean
  /** Index of the next part where the provider gives none. */
  readonly next: number
  /** By the key that the wire knows a part by. */
  readonly open: HashMap.HashMap<Key, Part<Note>>
  readonly ended: HashSet.HashSet<Key>
  /** The latest first. */
  readonly said: Said
}

type Key = string | number
type Said = { readonly event: StreamEvent; readonly before: Said } | null

export const answerWith = <Own>(own: Own): Answer<Own, never> => ({
  own,
  started: false,
  called: false,
  next: 0,
  open: HashMap.empty(),
  ended: HashSet.empty(),
  said: null,
})

/** The answer with what its wire has learnt. */
export const knowing = <Own, Note>(
  answer: Answer<Own, Note>,
  more: Partial<NoInfer<Own>>,
): Answer<Own, Note> => ({
  ...answer,
  own: { ...answer.own, ...more },
})

export const partAt = <Note>({ open: parts }: Answer<unknown, Note>, key: Key): Part<Note> | undefined =>
  Option.getOrUndefined(HashMap.get(parts, key))

export const hasEnded = ({ ended }: Answer<unknown, unknown>, key: Key): boolean => HashSet.has(ended, key)

/** Keys of the open parts, by the index of the parts. */
export const openKeys = ({ open: parts }: Answer<unknown, unknown>): readonly Key[] =>
  [...parts].toSorted(([, a], [, b]) => a.index - b.index).map(([key]) => key)

export const say = <Own, Note>(answer: Answer<Own, Note>, event: StreamEvent): Answer<Own, Note> => ({
  ...answer,
  said: { event, before: answer.said },
})

/** Whether the last word was said. */
export const isOver = ({ said }: Answer<unknown, unknown>): boolean =>
  said?.event.type === "finish" || said?.event.type === "failure"

/** Says that the answer has begun, if nobody said so before. */
export const begin = <Own, Note>(
  answer: Answer<Own, Note>,
  nativeId = "",
  usage: Usage = usageNone,
): Answer<Own, Note> =>
  answer.started ? answer : say({ ...answer, started: true }, { type: "start", nativeId, usage })

export function open<Own, Note>(
  answer: Answer<Own, Note>,
  key: Key,
  opening: Pick<Part<Note>, "kind" | "note"> & Partial<Part<Note>>,
): Answer<Own, Note> {
  const part: Part<Note> = { index: answer.next, text: "", nativeId: "", name: "", ...opening }
  const { kind, index, nativeId, name } = part
  const opened = { ...withPart(answer, key, part), next: Math.max(answer.next, index + 1) }
  if (kind === "silent") return opened
  return say(
    opened,
    kind === "call" ? { type: "call-start", index, nativeId, name } : { type: `${kind}-start`, index },
  )
}

/** More words, or more arguments; empty ones say nothing. */
export function add<Own, Note>(answer: Answer<Own, Note>, key: Key, text: string): Answer<Own, Note> {
  const part = partAt(answer, key)
  if (part === undefined || text === "") return answer
  const { kind, index } = part
  const grown = withPart(answer, key, { ...part, text: part.text + text })
  if (kind === "silent") return grown
  return say(
    grown,
    kind === "call"
      ? { type: "call-delta", index, bytes: Buffer.byteLength(text) }
      : { type: `${kind}-delta`, index, text },
  )
}

/** What its wire keeps with an open part. */
export function note<Own, Note>(answer: Answer<Own, Note>, key: Key, more: Partial<Note>): Answer<Own, Note> {
  const part = partAt(answer, key)
  return part === undefined ? answer : withPart(answer, key, { ...part, note: { ...part.note, ...more } })
}

/** What the end of a part tells. */
export interface Closing extends Partial<Pick<Part<never>, "text" | "nativeId" | "name">> {
  /** What the provider wants back with the part (LL4). */
  readonly opaque?: Json | null
  /** Arguments that are not what the text says. */
  readonly input?: Json | null
  /** A silent part that is told after all (LL8). */
  readonly hosted?: Hosted | null
}

export interface Hosted {
  readonly name: string
  readonly opaque: Json
}

/** One that is not open has said nothing and ends in silence. */
export function end<Own, Note>(
  answer: Answer<Own, Note>,
  key: Key,
  closing: (part: Part<Note>) => Closing,
): Answer<Own, Note> {
  const part = partAt(answer, key)
  const ended = { ...answer, open: HashMap.remove(answer.open, key), ended: HashSet.add(answer.ended, key) }
  const event = part === undefined ? null : endOf(part, closing(part))
  return event === null ? ended : say({ ...ended, called: answer.called || part?.kind === "call" }, event)
}

/** Everything that is open, in order. */
export const endAll = <Own, Note>(
  answer: Answer<Own, Note>,
  closing: (part: Part<Note>) => Closing,
): Answer<Own, Note> => openKeys(answer).reduce((left, key) => end(left, key, closing), answer)

function endOf(part: Part<unknown>, closing: Closing): StreamEvent | null {
  const { kind, index, text, nativeId, name } = { ...part, ...closing }
  const { opaque = null, input, hosted = null } = closing
  const native = opaque === null ? {} : { opaque }
  switch (kind) {
    case "text":
      return { type: "text-end", index, text, ...native }
    case "reasoning":
      return { type: "reasoning-end", index, text, opaque }
    case "call": {
      const given = input === undefined ? parseInput(text.trim() === "" ? "{}" : text) : input
      return { type: "call-end", index, nativeId, name, input: given, raw: text, ...native }
    }
    case "silent":
      return hosted && { type: "hosted", index, ...hosted }
  }
}

/** A part of the provider's own that comes whole. */
export const hosted = <Own, Note>(answer: Answer<Own, Note>, name: string, opaque: Json): Answer<Own, Note> =>
  say({ ...answer, next: answer.next + 1 }, { type: "hosted", index: answer.next, name, opaque })

/** The key of text and reasoning where only one is open at a time. */
export const spoken = "spoken"

/** Opens text or reasoning, unless it is open; one of the other kind ends before it. */
export const takeTurn = <Own, Note>(
  answer: Answer<Own, Note>,
  opening: { readonly kind: "text" | "reasoning"; readonly note: Note },
  closing: (part: Part<Note>) => Closing,
): Answer<Own, Note> =>
  partAt(answer, spoken)?.kind === opening.kind ? answer : open(end(answer, spoken, closing), spoken, opening)

/** The part at this index has these words, which were said elsewhere. */
export function heard<Own, Note>(answer: Answer<Own, Note>, index: number, text: string): Answer<Own, Note> {
  const key = partAt(answer, spoken)?.index === index ? spoken : index
  const part = partAt(answer, key)
  return part === undefined ? answer : withPart(answer, key, { ...part, text: part.text + text })
}

/** Counts of a provider whose prompt counts what was read from a cache and written to it. */
export const usageWithin = (prompt: number, output: number, cacheRead: number, cacheWrite = 0): Usage => ({
  input: Math.max(0, prompt - cacheRead - cacheWrite),
  output,
  cacheRead,
  cacheWrite,
})

/** The reason that a provider's word means, from its words for each. */
export function finishesOf(words: Partial<Record<Finish, string>>): (native: string) => Finish {
  const known = meaningOf<Finish>(words)
  return (native) => known(native) ?? "unknown"
}

export function finish<Own, Note>(
  answer: Answer<Own, Note>,
  reason: Finish,
  nativeReason: string,
  usage: Usage,
): Answer<Own, Note> {
  return say(answer, { type: "finish", reason, nativeReason, usage })
}

export const failed = <Own, Note>(answer: Answer<Own, Note>, failure: ProviderFailure): Answer<Own, Note> =>
  say(answer, { type: "failure", failure })

/** What was read cannot be true. */
export const impossible = <Own, Note>(answer: Answer<Own, Note>, detail: string): Answer<Own, Note> =>
  failed(answer, failureOf("malformed_stream", detail))

/** The stream closed before the answer did. */
export const cutOff = <Own, Note>(answer: Answer<Own, Note>, detail: string): Answer<Own, Note> =>
  failed(answer, failureOf("stream_cut", detail))

const withPart = <Own, Note>(answer: Answer<Own, Note>, key: Key, part: Part<Note>): Answer<Own, Note> => ({
  ...answer,
  open: HashMap.set(answer.open, key, part),
})
