/** A log while it is written: its events, and what the next item must know of them. */
import type { MessageId } from "@holdfast/schema/id"
import { emptySummary, summarize, type Summary } from "@holdfast/schema/state/summary"
import type { Entry, Said, Standing } from "./log.ts"

export class GrowingLog {
  readonly entries: Entry[] = []
  readonly #messages = new Map<MessageId, number>()
  readonly #said: Said[] = []
  #allowance = 0
  #shownFrom = 0
  #summary: Summary = emptySummary

  constructor(begun: readonly Entry[] = []) {
    this.push(begun)
  }

  push(entries: readonly Entry[]): void {
    for (const entry of entries) this.#add(entry)
  }

  get standing(): Standing {
    return {
      seq: this.entries.length,
      time: this.entries.at(-1)?.time ?? 0,
      allowance: this.#allowance,
      messages: this.#messages,
      shownFrom: this.#shownFrom,
      said: this.#said,
    }
  }

  /** Somebody is owed an answer: nothing begins with it before they ask. A side chain stays out of lists. */
  close(aside: boolean): void {
    const { owing, stopped, archived } = this.#summary
    const { time } = this.standing
    if (owing && !stopped) this.push([{ time, fact: { type: "session.interrupted" } }])
    if (aside && !archived) this.push([{ time, fact: { type: "session.updated", archived: true } }])
  }

  #add(entry: Entry): void {
    const { fact } = entry
    const seq = this.entries.push(entry)
    this.#summary = summarize(this.#summary, { seq, ...entry })
    switch (fact.type) {
      case "prompt.promoted":
        this.#allowance = 0
        this.#say(seq, "inputs", fact.message)
        return
      case "notice.promoted":
        this.#say(seq, "notices", fact.message)
        return
      case "turn.started":
        this.#allowance = fact.allowanceUsed
        this.#say(seq, "answers", fact.message)
        return
      case "part.recorded": {
        const last = this.#said.at(-1)
        if (fact.part.type === "call" && last !== undefined)
          this.#said[this.#said.length - 1] = { ...last, calls: last.calls + 1 }
        return
      }
      case "pass.applied":
        for (const op of fact.ops) if (op.op === "cut") this.#shownFrom = op.below
        return
      default:
        return
    }
  }

  #say(seq: number, kind: Said["kind"], message: MessageId): void {
    this.#messages.set(message, seq)
    this.#said.push({ seq, kind, calls: 0 })
  }
}
