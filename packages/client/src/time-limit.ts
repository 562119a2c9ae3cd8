/** A signal that also ends when nothing came for a time. */
import { eitherSignal } from "./endable.ts"

export interface TimeLimit {
  readonly signal: AbortSignal | undefined
  /** Whether it was the time that ended it. */
  readonly isOver: () => boolean
  /** The time begins anew. */
  readonly renew: () => void
  readonly end: () => void
}

/** Infinity is no limit. */
export function makeTimeLimit(ms: number, given: AbortSignal | undefined): TimeLimit {
  if (ms === Infinity) return { signal: given, isOver: () => false, renew: () => {}, end: () => {} }
  const over = new AbortController()
  const start = () => setTimeout(() => over.abort(), ms)
  let timer = start()
  const end = () => clearTimeout(timer)
  return {
    signal: eitherSignal(over.signal, given),
    isOver: () => over.signal.aborted,
    renew: () => {
      end()
      timer = start()
    },
    end,
  }
}
