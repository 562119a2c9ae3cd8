/** Draws from a seed: the same seed gives the same story on every machine. */
export class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  of<A>(some: readonly A[]): A {
    return some[this.below(some.length)] as A
  }
}
