/**
 * A check over a chain of blocks, once for each (LL3).
 *
 * A finished check is kept at the last link of the chain. A request that extends it is checked from
 * there on, so a Hold costs a walk by identity and nothing more. The state holds what later blocks
 * can still break, and `branch` gives one to go on with while the one it comes from keeps its
 * meaning.
 */
import { chainOf, type Link } from "../blocks.ts"
import type { Block } from "../wire.ts"

export interface ChainCheck<State, Subject> {
  readonly start: () => State
  readonly branch: (state: State) => State
  readonly check: (state: State, block: Block, at: number, subject: Subject) => void
  /** On what of the subject the check depends. */
  readonly keyOf: (subject: Subject) => string
}

export function makeChainCheck<State, Subject>(
  chain: ChainCheck<State, Subject>,
): (blocks: readonly Block[], subject: Subject) => State {
  const checked = new WeakMap<Link, { readonly key: string; readonly state: State }>()
  return (blocks, subject) => {
    const key = chain.keyOf(subject)
    const last = chainOf(blocks)
    let known = last
    while (known !== null && checked.get(known)?.key !== key) known = known.previous
    const found = known === null ? undefined : checked.get(known)?.state
    if (found !== undefined && known === last) return found
    const state = found === undefined ? chain.start() : chain.branch(found)
    for (let i = known?.length ?? 0; i < blocks.length; i++)
      chain.check(state, blocks[i] as Block, i, subject)
    if (last !== null) checked.set(last, { key, state })
    return state
  }
}
