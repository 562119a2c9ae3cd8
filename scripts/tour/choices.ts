/** Choices from one seed, so that the same moments come again. */
export interface Choices {
  /** A whole number from `low` to below `high`. */
  readonly between: (low: number, high: number) => number
}

export function choicesFrom(seed: number): Choices {
  let state = seed >>> 0
  // mulberry32: small, and good enough to spread moments.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return { between: (low, high) => low + Math.floor(next() * (high - low)) }
}
