/**
 * One look at a path at a time, whoever asks.
 *
 * Who asks in the same breath gets the same look. Who asks while one is under way gets the next, which
 * all share that asked meanwhile: what the first saw may be older than the question. So many Sessions
 * at one place cost two looks and no more, and a disk that does not answer holds one thread of the pool.
 */
export type Look<A> = (path: string, answer: (found: A) => void) => void

interface UnderWay<A> {
  readonly answers: ((found: A) => void)[]
  /** In the breath in which it began. */
  joinable: boolean
  readonly next: ((found: A) => void)[]
}

export function shareLooks<A>(look: Look<A>): Look<A> {
  const looks = new Map<string, UnderWay<A>>()

  const begin = (path: string, answers: ((found: A) => void)[]): void => {
    const begun: UnderWay<A> = { answers, joinable: true, next: [] }
    looks.set(path, begun)
    process.nextTick(() => (begun.joinable = false))
    look(path, (found) => {
      if (begun.next.length > 0) begin(path, begun.next)
      else looks.delete(path)
      for (const answer of begun.answers) answer(found)
    })
  }

  return (path, answer) => {
    const underWay = looks.get(path)
    if (underWay === undefined) begin(path, [answer])
    else if (underWay.joinable) underWay.answers.push(answer)
    else underWay.next.push(answer)
  }
}
