/**
 * Which message a line of Claude Code continues: lines form a tree by `uuid` and `parentUuid`.
 *
 * Lines between messages (progress, hooks) are steps of the tree and no messages, so they are looked
 * through. Results of parallel calls hang on different lines of one answer; only a prompt opens a branch:
 * one whose parent has a prompt already, or stands before the newest answer.
 */
import { nameOf, type JsonFields } from "../reading/fields.ts"
import { RecentMap } from "../reading/line-reader.ts"

/** Lines remembered; a parent farther back is not known, and no branch is claimed of it. */
const linesMax = 20_000
const siblingsMax = 2_000

interface Chain {
  /** Messages since the newest answer began, the newest last. */
  tail: Set<string>
  answer: string | null
  readonly parentsOfPrompts: RecentMap<true>
}

const root = "(root)"

export class Links {
  /** The nearest message at or above a line, and the side chain that it belongs to. */
  readonly #lines = new RecentMap<{ readonly message: string; readonly side: string }>(linesMax)
  readonly #chains = new Map<string, Chain>()

  /** The side chain of a line that does not name its agent: the first line of its tree. */
  sideOf(value: JsonFields): string {
    const parent = nameOf(value["parentUuid"])
    const known = parent === null ? undefined : this.#lines.get(parent)?.side
    return known ?? nameOf(value["uuid"]) ?? root
  }

  /** A line that is no message: what continues it continues the message above it. */
  pass(value: JsonFields, side: string): void {
    const id = nameOf(value["uuid"])
    if (id === null) return
    this.#lines.set(id, { message: this.#parent(value) ?? root, side })
  }

  /** The message after which a prompt branches off; undefined where it simply continues. */
  branchOf(session: string, value: JsonFields): string | null | undefined {
    const chain = this.#chain(session)
    const parent = this.#parent(value)
    if (parent === undefined) return undefined
    const again = chain.parentsOfPrompts.has(parent)
    chain.parentsOfPrompts.set(parent, true)
    const newest = [...chain.tail].at(-1)
    if (newest === undefined || newest === parent) return undefined
    if (!again && chain.tail.has(parent)) return undefined
    return parent === root ? null : parent
  }

  /** A message; `answer` is the model's message that it belongs to, null of any other. */
  add(session: string, value: JsonFields, side: string, answer: string | null): void {
    const id = nameOf(value["uuid"])
    if (id === null) return
    this.#lines.set(id, { message: id, side })
    const chain = this.#chain(session)
    if (answer !== null && answer !== chain.answer) {
      chain.answer = answer
      chain.tail = new Set()
    }
    chain.tail.delete(id)
    chain.tail.add(id)
  }

  /** What went before is no longer sent: what follows hangs on the boundary. */
  cut(session: string, value: JsonFields, side: string): void {
    const chain = this.#chain(session)
    chain.tail = new Set()
    chain.answer = null
    this.add(session, value, side, null)
  }

  /** Undefined where the line that it names is not known. */
  #parent(value: JsonFields): string | undefined {
    const parent = nameOf(value["parentUuid"])
    return parent === null ? root : this.#lines.get(parent)?.message
  }

  #chain(session: string): Chain {
    let chain = this.#chains.get(session)
    if (chain === undefined) {
      chain = { tail: new Set(), answer: null, parentsOfPrompts: new RecentMap(siblingsMax) }
      this.#chains.set(session, chain)
    }
    return chain
  }
}
