/**
 * How a wire reads an answer: a state and one frame give the next state and what was said (LL1).
 *
 * A reading is pure. It keeps nothing elsewhere and changes nothing in place, so a state can be put
 * aside and gone on from again. After a `finish` or a `failure` no frame is read any more (LL6).
 */
import { failureOf } from "../failure/failure.ts"
import type { FailureCode, ProviderFailure, StreamEvent } from "../wire.ts"

/** One frame of an answer, whatever framed it; an empty name where frames have none. */
export interface Frame {
  readonly name: string
  readonly data: string
}

export type Step<State> = readonly [next: State, said: readonly StreamEvent[]]

export interface Reading<State> {
  readonly start: State
  readonly step: (state: State, frame: Frame) => Step<State>
  /** What is said when the stream closes cleanly in this state. */
  readonly end: (state: State) => readonly StreamEvent[]
  /** How deltas that repeat one another are taken without being parsed; absent where none are. */
  readonly repeated?: Repeated<State>
}

export type Delta = Extract<StreamEvent, { type: "text-delta" | "reasoning-delta" }>

/**
 * A frame that said one delta and nothing else is followed by others that differ in their words, and
 * in fields that a wire does not read or reads later.
 */
export interface Repeated<State> {
  /** Fields that differ from delta to delta. */
  readonly varying: readonly string[]
  /** The state in which the part of this delta has its words; `data` is the latest frame that said some. */
  readonly add: (state: State, delta: Delta, data: string) => State
  /** Whether the frame of this delta did nothing else that its repetition would do again; true if left out. */
  readonly allowed?: (state: State, delta: Delta, data: string) => boolean
}

export const failed = <State>(state: State, failure: ProviderFailure): Step<State> => [
  state,
  [{ type: "failure", failure }],
]

export const broken = <State>(state: State, code: FailureCode, detail: string): Step<State> =>
  failed(state, failureOf(code, detail))

/** The stream closed before the answer did. */
export const cutOff = (detail: string): readonly StreamEvent[] => [
  { type: "failure", failure: failureOf("stream_cut", detail) },
]
