/**
 * Conversations over two models: a plan that was played.
 *
 * Every answer is written in the bytes of its wire, may break off or be damaged anywhere, is read by
 * that wire's own decoder in pieces, and is kept as the runtime keeps it.
 */
import type { Entry, EntryPart } from "@holdfast/llm/segments"
import type { StreamEvent } from "@holdfast/llm/wire"
import { render } from "@holdfast/recall/render"
import { emptyFrozen } from "@holdfast/schema/state/frozen"
import type { CallId, MessageId, PromptId, Seq, TurnId } from "@holdfast/schema/id"
import type { AssistantMessage, CallOutcome, IndexedPart, Message } from "@holdfast/schema/message"
import { answerStreams, type AnswerStream, type Said } from "./answers.ts"
import type { End, Plan, TurnPlan } from "./plan.ts"
import { recordParts } from "./record.ts"
import type { Speaker } from "./speakers.ts"

/** An answer as it was sent and as it was kept. */
export interface Answered {
  readonly speaker: Speaker
  readonly plan: TurnPlan
  readonly parts: readonly IndexedPart[]
}

export interface Played {
  readonly messages: readonly Message[]
  readonly answers: readonly Answered[]
}

export interface Conversation {
  /** As it stood after each of the three stretches. */
  readonly stretches: readonly Played[]
  /** Every seal, with the target that gave it out. */
  readonly seals: ReadonlyMap<string, Speaker>
}

export function play(plan: Plan, first: Speaker, second: Speaker): Conversation {
  let count = 0
  const next = (): number => (count += 1)
  const seals = new Map<string, Speaker>()
  const messages: Message[] = []
  const answers: Answered[] = []
  const number = (text: string): string => text.replaceAll("#", () => String(next()).padStart(4, "0"))
  const base = (prefix: string) => {
    const seq = next()
    return { id: `${prefix}_${seq}` as MessageId, seq: seq as Seq }
  }
  const settling = ({ outcomes }: TurnPlan) => {
    let at = 0
    return (): CallOutcome | null => {
      const outcome = outcomes[at++ % outcomes.length] ?? null
      return outcome === null ? null : { ...outcome, output: number(outcome.output) }
    }
  }
  const takeTurn = (planned: TurnPlan, speaker: Speaker): void => {
    const turn = { ...planned, said: planned.said.map((one) => numbered(one, number)) }
    if (turn.prompt !== null) {
      const { text, images } = turn.prompt
      messages.push({
        ...base("msg"),
        kind: "user",
        prompt: "prm_1" as PromptId,
        text: number(text),
        ...(images.length === 0 ? {} : { images }),
      })
    }
    if (turn.update !== null)
      messages.push({ ...base("msg"), kind: "system", text: number(turn.update), keys: [], texts: [] })
    const { provider, model, endpoint } = speaker.target
    const issuer = {
      model,
      shows: speaker.shows,
      unique: (prefix: string) => `${prefix}_${String(next()).padStart(6, "0")}x`,
      issue: (seal: string) => {
        seals.set(seal, speaker)
        return seal
      },
    }
    const sent = answerStreams[speaker.wire.name] as AnswerStream
    const events = decode(speaker, sent.contentType, sent.write(turn.said, issuer), turn)
    const parts = recordParts(events, {
      tag: { provider, model, endpoint },
      newCall: () => `call_${next()}` as CallId,
      settle: settling(turn),
    })
    const message: AssistantMessage = { ...base("msg"), kind: "assistant", turn: "trn_1" as TurnId, parts }
    messages.push(turn.quarantined ? { ...message, quarantined: next() as Seq } : message)
    answers.push({ speaker, plan: turn, parts })
  }
  const stretches = plan.map((turns, i) => {
    for (const turn of turns) takeTurn(turn, i === 1 ? second : first)
    return { messages: [...messages], answers: [...answers] }
  })
  return { stretches, seals }
}

function numbered(said: Said, number: (text: string) => string): Said {
  switch (said.kind) {
    case "thought":
    case "text":
      return { ...said, text: number(said.text) }
    case "call":
      return { ...said, args: number(said.args) }
    case "hosted":
      return { ...said, words: number(said.words) }
    case "secret":
      return said
  }
}

function decode(
  { wire }: Speaker,
  contentType: string,
  whole: Buffer,
  { end, pieces }: TurnPlan,
): readonly StreamEvent[] {
  const bytes = received(whole, end)
  const places = [...new Set(pieces.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  const decoder = wire.decoder(contentType)
  const events = [...places, bytes.length].flatMap((to, i) =>
    decoder.push(bytes.subarray(places[i - 1] ?? 0, to)),
  )
  return end.kind === "cut" && !end.closes ? events : [...events, ...decoder.end()]
}

function received(whole: Buffer, end: End): Buffer {
  if (end.kind === "whole") return whole
  if (end.kind === "cut") return whole.subarray(0, Math.floor(end.share * whole.length))
  const at = end.at % (whole.length + 1)
  return Buffer.concat([whole.subarray(0, at), end.put, whole.subarray(at + end.length)])
}

/** What the model is to read of it, as the runtime renders it. */
export const rendered = ({ messages }: Played): readonly Entry[] =>
  render({ messages, frozen: emptyFrozen }).tail

/** Everything that was kept, with nothing left out or put between: no runtime would ask like that. */
export const unrendered = ({ messages }: Played): readonly Entry[] => [
  { kind: "user", text: "begin" },
  ...messages.map((message): Entry => {
    if (message.kind === "user") return { kind: "user", text: message.text, images: message.images ?? [] }
    if (message.kind === "system") return { kind: "system", text: message.text }
    if (message.kind === "notice") return { kind: "notice", text: message.text }
    return { kind: "assistant", parts: message.parts.map(({ part }) => entryPart(part)) }
  }),
  { kind: "user", text: "go on" },
]

function entryPart(part: IndexedPart["part"]): EntryPart {
  if (part.type !== "call") return part
  const { call, name, input, outcome, native } = part
  return {
    type: "call",
    call,
    name,
    input,
    result: outcome?.output ?? "",
    failed: outcome?.state !== "done",
    ...(outcome?.images === undefined ? {} : { images: outcome.images }),
    ...(native === undefined ? {} : { native }),
  }
}
