/** Choices from one seed, so that a failure can be looked at again. */
export interface Choices {
  /** At least 0, below 1. */
  readonly next: () => number
  readonly below: (limit: number) => number
  readonly pick: <A>(list: readonly [A, ...A[]]) => A
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
  const below = (limit: number) => Math.floor(next() * limit)
  return { next, below, pick: (list) => list[below(list.length)] ?? list[0] }
}
