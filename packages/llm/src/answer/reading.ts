/**
 * How a wire reads an answer: an answer and one frame give the answer with what the frame meant (LL1).
 *
 * A reading is pure. After a `finish` or a `failure` no frame is read any more (LL6).
 */
import { type Fields, lookUp, parseFields, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import { type Answer, impossible } from "./parts.ts"

/** One frame of an answer, whatever framed it; an empty name where frames have none. */
export interface Frame {
  readonly name: string
  readonly data: string
}

export interface Reading<Own, Note> {
  readonly start: Answer<Own, Note>
  readonly step: (answer: Answer<Own, Note>, frame: Frame) => Answer<Own, Note>
  /** The stream closes cleanly. */
  readonly end: (answer: Answer<Own, Note>) => Answer<Own, Note>
  /** How deltas that repeat one another are taken without being parsed; absent where none are. */
  readonly repeated?: Repeated<Own, Note>
}

/** What frames of each type mean. */
export type Meanings<A> = Readonly<Record<string, (answer: A, frame: Fields) => A>>

/** By its type, or by its name; a frame that is not known is passed over (LL6). */
export const readBy = <Own, Note>(
  meanings: Meanings<Answer<Own, Note>>,
  answer: Answer<Own, Note>,
  { name, data }: Frame,
): Answer<Own, Note> =>
  readAs(
    (_, frame) => lookUp(meanings, textOf(frame["type"]) || name)?.(answer, frame) ?? answer,
    answer,
    data,
  )

/** A frame is a JSON object on every wire. */
export function readAs<Own, Note>(
  meaning: Meanings<Answer<Own, Note>>[string],
  answer: Answer<Own, Note>,
  data: string,
): Answer<Own, Note> {
  const frame = parseFields(data)
  return frame === null
    ? impossible(answer, `a frame that is not a JSON object: ${data.slice(0, 80)}`)
    : meaning(answer, frame)
}

export type Delta = Extract<StreamEvent, { type: "text-delta" | "reasoning-delta" }>

/**
 * A frame that said one delta and nothing else is followed by others that differ in their words, and
 * in fields that a wire does not read or reads later.
 */
export interface Repeated<Own, Note> {
  /** Fields that differ from delta to delta. */
  readonly varying: readonly string[]
  /** What is known from the latest frame that said words. */
  readonly latest?: (data: string) => Partial<Own>
  /** Whether the frame of this delta did nothing else that its repetition would do again; true if left out. */
  readonly allowed?: (answer: Answer<Own, Note>, delta: Delta, data: string) => boolean
}
