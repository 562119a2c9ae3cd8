/**
 * How much of the end of an output is the beginning of something: a character or a control sequence
 * of which the rest is still to come (PT1).
 *
 * A screen that is serialised at such a place does not show the beginning, and the rest alone is
 * garbage. So whoever gets the screen must get the output from before the beginning on.
 *
 *   ground ─ ESC ─▶ escape ─ [ ─▶ csi ─ final ─▶ ground
 *     │               └─ ] P X ^ _ ─▶ string ─ BEL (of ] alone), ST, CAN, SUB ─▶ ground
 *     └─ first byte of several ─▶ character ─ the last of them ─▶ ground
 */

type State = "ground" | "escape" | "csi" | "string" | "character"

/** A longer string is not waited for: it is an image, and not a part of the screen. */
const lengthMax = 65_536

const bell = 0x07
const cancel = 0x18
const substitute = 0x1a
const escape = 0x1b
const osc = "]".charCodeAt(0)
const csiOpener = "[".charCodeAt(0)
const stringOpeners: ReadonlySet<number> = new Set([..."]PX^_"].map((opener) => opener.charCodeAt(0)))

export class UnfinishedSequence {
  #state: State = "ground"
  #length = 0
  /** Bytes of a character that are still to come. */
  #missing = 0
  #endsWithBell = false

  /** Bytes at the end of all that was fed that are unfinished. */
  get length(): number {
    return this.#length > lengthMax ? 0 : this.#length
  }

  feed(bytes: Uint8Array): void {
    for (const byte of bytes) {
      // Nearly all output is plain text.
      if (this.#state === "ground" && byte < 0x80 && byte !== escape) continue
      this.#state = this.#next(byte)
      this.#length = this.#state === "ground" ? 0 : this.#length + 1
    }
  }

  #next(byte: number): State {
    if (byte === escape) return this.#begin("escape")
    if (byte === cancel || byte === substitute) return "ground"
    switch (this.#state) {
      case "escape":
        return this.#afterEscape(byte)
      case "csi":
        return byte >= 0x40 && byte <= 0x7e ? "ground" : "csi"
      case "string":
        return byte === bell && this.#endsWithBell ? "ground" : "string"
      case "character":
        if (isContinuation(byte)) return --this.#missing === 0 ? "ground" : "character"
        return this.#fromGround(byte)
      case "ground":
        return this.#fromGround(byte)
    }
  }

  #afterEscape(byte: number): State {
    if (byte === csiOpener) return "csi"
    if (stringOpeners.has(byte)) {
      this.#endsWithBell = byte === osc
      return "string"
    }
    const isIntermediate = byte >= 0x20 && byte <= 0x2f
    return isIntermediate ? "escape" : "ground"
  }

  #fromGround(byte: number): State {
    this.#missing = byte >= 0xf0 && byte <= 0xf4 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0
    if (this.#missing === 0 || byte > 0xf4) return "ground"
    return this.#begin("character")
  }

  /** What was begun before is abandoned. */
  #begin(state: State): State {
    this.#length = 0
    return state
  }
}

const isContinuation = (byte: number): boolean => byte >= 0x80 && byte <= 0xbf
