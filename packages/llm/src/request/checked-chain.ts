/**
 * A grammar checked over a chain of blocks, once for each (LL3).
 *
 * A finished check is kept at the last link of the chain. A request that extends it is checked from
 * there on, so a Hold costs a walk by identity and nothing more. The state holds what later blocks
 * can still break, and `branch` gives one to go on with while the one it comes from keeps its
 * meaning.
 */
import { chainOf, type Link } from "../blocks.ts"
import type { Block, LintFault } from "../wire.ts"

export type Report = (rule: string, block: number, message: string) => void

export interface Faulty {
  faults: LintFault[]
}

export interface Grammar<State extends Faulty, Subject> {
  readonly start: () => State
  readonly branch: (state: State) => State
  readonly check: (state: State, block: Block, at: number, subject: Subject, report: Report) => void
  /** On what of the subject the check depends. */
  readonly keyOf: (subject: Subject) => string
}

export function makeChainCheck<State extends Faulty, Subject>(
  grammar: Grammar<State, Subject>,
): (blocks: readonly Block[], subject: Subject) => State {
  const checked = new WeakMap<Link, { readonly key: string; readonly state: State }>()
  return (blocks, subject) => {
    const key = grammar.keyOf(subject)
    const last = chainOf(blocks)
    let known = last
    while (known !== null && checked.get(known)?.key !== key) known = known.previous
    const found = known === null ? undefined : checked.get(known)?.state
    if (found !== undefined && known === last) return found
    const state = found === undefined ? grammar.start() : grammar.branch(found)
    const report: Report = (rule, block, message) => void state.faults.push({ rule, block, message })
    for (let i = known?.length ?? 0; i < blocks.length; i++) {
      grammar.check(state, blocks[i] as Block, i, subject, report)
    }
    if (last !== null) checked.set(last, { key, state })
    return state
  }
}

const order = ["tools", "system", "agent", "history-baseline", "history-delta", "tail"]

/** The segments stand in their order. Gives the place of the latest one so far. */
export function checkSegment(latest: number, block: Block, at: number, report: Report): number {
  const place = order.indexOf(block.segment)
  if (place < latest) report("segment-order", at, `${block.segment} stands behind a later segment`)
  return Math.max(latest, place)
}
