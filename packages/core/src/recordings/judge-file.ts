/**
 * Files of traffic, replayed by the wires and judged: what a person asks before a wire is changed, or
 * when a provider refuses a request. Everything that comes back is plain data. A body that anybody
 * wrote is judged by whoever asks, since the linter of a wire knows only what that wire writes.
 */
import { parseFields } from "@holdfast/llm/json-fields"
import { type Interaction, notAnObject, readRecording } from "@holdfast/llm/recording/recording"
import {
  type BodyJudge,
  replayAnswer,
  replayRequest,
  type RequestReplay,
} from "@holdfast/llm/recording/replay"
import { wireOfUrl } from "@holdfast/llm/recording/wire-of-url"
import type { FailureCode, StreamEvent, Wire } from "@holdfast/llm/wire"
import { wires } from "@holdfast/llm/wires"

export type Judged<A> =
  | { readonly kind: "judged"; readonly exchanges: readonly A[] }
  /** The file is none that can be judged; the sentence says why. */
  | { readonly kind: "unreadable"; readonly problem: string }

export interface ReplayedExchange {
  readonly wire: string
  readonly url: string
  /** Canonical events of the answer. */
  readonly events: readonly PlainEvent[]
  /** Whether the answer could be read to its end, be it a refusal. */
  readonly readable: boolean
  readonly request: RequestReplay
}

/** An event whose failure is a plain object. */
export type PlainEvent =
  | Exclude<StreamEvent, { type: "failure" }>
  | {
      readonly type: "failure"
      readonly failure: { readonly code: FailureCode; readonly message: string; readonly retryable: boolean }
    }

export type { BodyJudge }

export interface JudgedRequest {
  readonly wire: string
  readonly faults: readonly { readonly message: string }[]
}

/** Without a name each exchange is recognised by its address. */
export function replayRecording(
  text: string,
  wireName: string | null,
  nowMs: number,
  judge: BodyJudge,
): Judged<ReplayedExchange> {
  return eachExchange(text, wireName, (wire, interaction) => {
    const events = replayAnswer(wire, interaction, nowMs)
    return {
      wire: wire.name,
      url: interaction.request.url,
      events: events.map(plain),
      readable: !events.some((event) => event.type === "failure" && unreadable.has(event.failure.code)),
      request: replayRequest(wire, interaction, judge),
    }
  })
}

/** The text is a request of this wire, or a recording of some. */
export function judgeRequests(text: string, wireName: string, judge: BodyJudge): Judged<JudgedRequest> {
  const wire = wires[wireName]
  if (wire === undefined) return noSuchWire(wireName)
  const judgeOne = (url: string, body: string): JudgedRequest | null => {
    const faults = judge(wire.name, url, body)
    return faults === null ? null : { wire: wire.name, faults }
  }
  if (typeof readRecording(text) !== "string")
    return eachExchange(text, wireName, (_, { request }) => judgeOne(request.url, request.body))
  if (parseFields(text) === null) return { kind: "unreadable", problem: notAnObject }
  const judged = judgeOne(wire.address("https://provider.invalid", "unnamed"), text)
  if (judged !== null) return { kind: "judged", exchanges: [judged] }
  return { kind: "unreadable", problem: `No simulator judges requests of the wire ${wireName}.` }
}

/** Failures of reading, as opposed to what a provider said. */
const unreadable: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "malformed_stream",
  "not_a_stream",
  "stream_cut",
  "answer_too_large",
])

const plain = (event: StreamEvent): PlainEvent => {
  if (event.type !== "failure") return event
  const { code, message, retryable } = event.failure
  return { type: "failure", failure: { code, message, retryable } }
}

function eachExchange<A>(
  text: string,
  wireName: string | null,
  judge: (wire: Wire, interaction: Interaction) => A | null,
): Judged<A> {
  const recording = readRecording(text)
  if (typeof recording === "string") return { kind: "unreadable", problem: recording }
  const exchanges: A[] = []
  for (const interaction of recording.interactions) {
    const { url } = interaction.request
    const wire = wireName === null ? wireOfUrl(url)?.wire : wires[wireName]
    if (wire === undefined) return wireName === null ? noWireAt(url) : noSuchWire(wireName)
    const judged = judge(wire, interaction)
    if (judged === null) {
      return {
        kind: "unreadable",
        problem: `The request to ${url} cannot be judged as one of the wire ${wire.name}.`,
      }
    }
    exchanges.push(judged)
  }
  return { kind: "judged", exchanges }
}

const noWireAt = (url: string): Judged<never> => ({
  kind: "unreadable",
  problem: `No known wire has the address ${url}. Name one with --wire. ${listed()}`,
})

const noSuchWire = (name: string): Judged<never> => ({
  kind: "unreadable",
  problem: `There is no wire ${JSON.stringify(name)}. ${listed()}`,
})

const listed = (): string => `Known: ${Object.keys(wires).join(", ")}.`
