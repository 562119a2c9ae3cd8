/** Numbers of a run, all from its seed. */
export interface Random {
  readonly below: (limit: number) => number
  readonly pick: <A>(values: readonly A[]) => A
}

export function makeRandom(seed: number): Random {
  let state = (seed * 0x9e3779b1) >>> 0 || 1
  const below = (limit: number): number => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % limit
  }
  return { below, pick: (values) => values[below(values.length)] as (typeof values)[number] }
}
