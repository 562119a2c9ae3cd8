/**
 * Frames through a reading, one after another, until it has finished or failed (LL6).
 *
 * A frame whose whole effect is one delta is the mould of the next. As long as frames fit it, their
 * words are gathered; the reading gets them together when it is asked again. A frame that does not
 * fit is read in full; it may open, close or end anything, so the mould is kept only if that frame,
 * too, did nothing but add words to the part.
 */
import { failureOf } from "../failure/failure.ts"
import type { FailureCode, StreamEvent } from "../wire.ts"
import { cutWords, type FrameMould, mouldOf } from "./frame-mould.ts"
import { isDeeperThan } from "./call-input.ts"
import { type Answer, failed, heard, isOver, knowing } from "./parts.ts"
import type { Delta, Frame, Reading } from "./reading.ts"

/** Frames that differ in a field nobody named are not worth a mould each. */
const mouldsUnusedMax = 8
/** What is kept of a frame is written again and again; deeper values would overflow the stack. */
const levelsMax = 1_000

export class FrameReader<Own, Note> {
  closed = false
  readonly #reading: Reading<Own, Note>
  #answer: Answer<Own, Note>
  #said: StreamEvent[] = []
  #mould: FrameMould | null = null
  #name = ""
  #of: Delta | null = null
  #unused = 0
  /** Words that frames of the mould said and the answer does not have yet, and the latest such frame. */
  #words = ""
  #latest = ""

  constructor(reading: Reading<Own, Note>) {
    this.#reading = reading
    this.#answer = reading.start
  }

  read(frame: Frame): void {
    if (this.closed || this.#repeat(frame)) return
    if (isDeeperThan(frame.data, levelsMax)) return this.fail("malformed_stream", "a frame nested too deep")
    this.#cast(frame, this.#tell(this.#reading.step(this.#whole(), frame)))
  }

  /** The stream closed cleanly. */
  end(): void {
    if (!this.closed) this.#tell(this.#reading.end(this.#whole()))
  }

  /** What carries the frames is not as it must be. */
  fail(code: FailureCode, detail: string): void {
    if (!this.closed) this.#tell(failed(this.#answer, failureOf(code, detail)))
  }

  /** What was said since the last time. */
  take(): readonly StreamEvent[] {
    const said = this.#said
    if (said.length > 0) this.#said = []
    return said
  }

  /** Takes over what was said, and gives it. */
  #tell(answer: Answer<Own, Note>): readonly StreamEvent[] {
    const latestFirst: StreamEvent[] = []
    for (let at = answer.said; at !== null; at = at.before) latestFirst.push(at.event)
    const said = latestFirst.toReversed()
    for (const event of said) this.#said.push(event)
    this.#answer = { ...answer, said: null }
    this.closed ||= isOver(answer)
    return said
  }

  #repeat({ name, data }: Frame): boolean {
    if (this.#mould === null || name !== this.#name) return false
    const text = cutWords(data, this.#mould)
    if (text === null || text === "") return false
    const { type, index } = this.#of as Delta
    this.#unused = 0
    this.#words += text
    this.#latest = data
    this.#said.push({ type, index, text })
    return true
  }

  /** The answer with all words in it. */
  #whole(): Answer<Own, Note> {
    if (this.#words === "") return this.#answer
    const answer = heard(this.#answer, (this.#of as Delta).index, this.#words)
    this.#words = ""
    return knowing(answer, this.#reading.repeated?.latest?.(this.#latest) ?? {})
  }

  #cast({ name, data }: Frame, said: readonly StreamEvent[]): void {
    const { repeated } = this.#reading
    if (repeated === undefined) return
    const only = said.length === 1 ? said[0] : undefined
    const delta = only?.type === "text-delta" || only?.type === "reasoning-delta" ? only : null
    const same = delta !== null && delta.type === this.#of?.type && delta.index === this.#of.index
    if (!same) this.#mould = null
    this.#of = delta
    if (delta === null || this.#unused >= mouldsUnusedMax) return
    if (repeated.allowed?.(this.#answer, delta, data) === false) return
    const mould = mouldOf(data, delta.text, repeated.varying)
    if (mould === null) return
    this.#unused += 1
    this.#mould = mould
    this.#name = name
  }
}
