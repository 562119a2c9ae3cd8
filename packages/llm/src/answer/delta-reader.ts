/**
 * A reader that parses a delta once and takes those that repeat it by their words (LL6).
 *
 * A frame whose whole effect is one delta of text or reasoning is the mould of the next. As long as
 * frames fit it, each adds its words to the same part. A frame that does not fit is read in full; it
 * may open, close or end anything, so the mould is kept only if that frame, too, did nothing but add
 * words to the part.
 *
 * A wire names the fields that vary, and says where a delta is no mould: what else it does must be
 * done already when it comes again, and its words must be one string of the frame.
 */
import type { StreamEvent } from "../wire.ts"
import { AnswerReader } from "./answer-reader.ts"
import { cutWords, type FrameMould, mouldOf } from "./frame-mould.ts"

/** Frames that differ in a field nobody named are not worth a mould each. */
const mouldsUnusedMax = 8

export type Delta = Extract<StreamEvent, { type: "text-delta" | "reasoning-delta" }>

export abstract class DeltaReader extends AnswerReader {
  /** Fields that differ from delta to delta and are not read, or are read by `again`. */
  readonly #varying: readonly string[]
  #mould: FrameMould | null = null
  #name = ""
  #of: Delta | null = null
  #unused = 0

  constructor(varying: readonly string[]) {
    super()
    this.#varying = varying
  }

  /** The part of this delta gets more words; a frame that differs in nothing else said them. */
  protected abstract again(words: string, of: Delta, data: string): void

  /** Whether a frame that gave this delta did nothing that its repetition would do once more. */
  protected repeats(_of: Delta, _data: string): boolean {
    return true
  }

  read(data: string, name: string): void {
    if (this.#mould !== null && name === this.#name) {
      const words = cutWords(data, this.#mould)
      if (words !== null) {
        this.#unused = 0
        this.again(words, this.#of as Delta, data)
        return
      }
    }
    const before = this.events.length
    this.frame(data, name)
    this.#cast(data, name, before)
  }

  #cast(data: string, name: string, before: number): void {
    const only = this.events.length === before + 1 ? this.events[before] : undefined
    const delta = only?.type === "text-delta" || only?.type === "reasoning-delta" ? only : null
    const same = delta !== null && delta.type === this.#of?.type && delta.index === this.#of.index
    if (!same) this.#mould = null
    this.#of = delta
    if (delta === null || this.#unused >= mouldsUnusedMax || !this.repeats(delta, data)) return
    const mould = mouldOf(data, delta.text, this.#varying)
    if (mould === null) return
    this.#unused += 1
    this.#mould = mould
    this.#name = name
  }
}
