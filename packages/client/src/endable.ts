/**
 * An iterable whose `return()` does not wait for the `next()` under way but ends it, as a generator
 * alone would. What the generator waits for must end with the signal. Nothing runs before the first
 * `next()` (CL3).
 */
export function endable<A>(
  run: (signal: AbortSignal) => AsyncGenerator<A, void, undefined>,
): AsyncIterable<A> {
  return {
    [Symbol.asyncIterator]: () => {
      const stop = new AbortController()
      const end = { done: true, value: undefined } as const
      let running: AsyncGenerator<A, void, undefined> | undefined
      return {
        next: async () => {
          if (stop.signal.aborted) return end
          running ??= run(stop.signal)
          try {
            const next = await running.next()
            return stop.signal.aborted ? end : next
          } catch (failure) {
            if (stop.signal.aborted) return end
            throw failure
          }
        },
        return: async () => {
          stop.abort()
          // Not waited for: a `next` that is under way ends by the signal, and then this does.
          running?.return().catch(() => {})
          return end
        },
      }
    },
  }
}

/** Both signals as one; either may be missing. */
export const eitherSignal = (one: AbortSignal, other: AbortSignal | undefined): AbortSignal =>
  other === undefined ? one : AbortSignal.any([one, other])
