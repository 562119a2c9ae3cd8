/**
 * What every wire's reading of an answer shares: events are gathered, and after the finish or the
 * first failure nothing more is said (LL6).
 */
import { failureOf } from "../failure/failure.ts"
import type { FailureCode, ProviderFailure, StreamEvent } from "../wire.ts"

export abstract class AnswerReader {
  closed = false
  #events: StreamEvent[] = []

  /** One frame, read in full. */
  abstract frame(data: string, name: string): void
  /** The stream closed cleanly while the reader was open. */
  abstract cut(): void

  take(): readonly StreamEvent[] {
    const events = this.#events
    if (events.length > 0) this.#events = []
    return events
  }

  fail(code: FailureCode, detail: string): void {
    this.failWith(failureOf(code, detail))
  }

  protected get events(): StreamEvent[] {
    return this.#events
  }

  protected failWith(failure: ProviderFailure): void {
    if (this.closed) return
    this.closed = true
    this.#events.push({ type: "failure", failure })
  }

  protected finish(event: Extract<StreamEvent, { type: "finish" }>): void {
    this.closed = true
    this.#events.push(event)
  }
}
