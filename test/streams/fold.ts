/**
 * A Session folded from its events alone, written apart from the runtime's own fold: what a client
 * knows that has seen nothing but the stream.
 */
import type { Event } from "@holdfast/client"
import { titleOf } from "@holdfast/schema/state/title"

type FactOf<T extends Event["fact"]["type"]> = Extract<Event["fact"], { readonly type: T }>

export interface Folded {
  readonly seq: number
  readonly turns: number
  readonly owing: boolean
  readonly model: unknown
  readonly title: unknown
  readonly archived: boolean
  readonly messages: readonly unknown[]
  readonly inbox: readonly unknown[]
}

interface OpenMessage {
  readonly id: string
  readonly seq: number
  readonly kind: string
  readonly parts?: { readonly index: number; part: Record<string, unknown> }[]
}

export class Fold {
  seq = 0
  private session = ""
  private turns = 0
  private owing = false
  private model: unknown = null
  private title: unknown = null
  private titledBy: unknown = "runtime"
  private archived = false
  private readonly texts = new Map<number, string>()
  private readonly messages = new Map<string, OpenMessage>()
  private readonly inbox = new Map<string, { admittedSeq: number; bodySeq: number; delivery: string }>()

  take({ session, seq, fact }: Event): void {
    this.session = session
    this.seq = seq
    switch (fact.type) {
      case "session.created":
        this.model = fact.model
        this.title = fact.title
        this.titledBy = fact.titledBy
        return
      case "session.updated":
        this.model = fact.model ?? this.model
        if (fact.title !== undefined) this.title = fact.title
        this.titledBy = fact.titledBy ?? this.titledBy
        this.archived = fact.archived ?? this.archived
        return
      case "prompt.admitted":
        this.texts.set(seq, fact.text)
        this.inbox.set(fact.prompt, { admittedSeq: seq, bodySeq: seq, delivery: fact.delivery })
        this.archived = false
        if (this.titledBy === "runtime") this.title ??= titleOf(fact.text) || null
        return
      case "prompt.edited": {
        this.texts.set(seq, fact.text)
        const entry = this.inbox.get(fact.prompt)
        if (entry !== undefined) entry.bodySeq = seq
        return
      }
      case "prompt.cancelled":
        this.inbox.delete(fact.prompt)
        return
      case "prompt.promoted": {
        this.inbox.delete(fact.prompt)
        const { message: id, prompt, tokens, added } = fact
        const text = this.texts.get(fact.bodySeq)
        this.add({ id, seq, kind: "user", prompt, text, tokens, ...(added.length > 0 && { added }) })
        this.owing = true
        return
      }
      case "context.updated":
        this.add({
          id: fact.message,
          seq,
          kind: "system",
          text: fact.text,
          keys: fact.texts.map(({ key }) => key),
          texts: fact.texts,
        })
        return
      case "turn.started":
        this.turns++
        this.add({ id: fact.message, seq, kind: "assistant", turn: fact.turn, parts: [] })
        return
      case "turn.settled":
        if (fact.status === "done") this.owing = false
        return
      case "part.recorded":
        return this.addPart(seq, fact)
      case "call.started":
        return this.changeCall(fact.message, fact.call, { state: "running" })
      case "call.settled":
        return this.settleCall(fact)
      default:
        return
    }
  }

  get folded(): Folded {
    const inbox = [...this.inbox].map(([id, entry]) => ({
      id,
      session: this.session,
      ...entry,
      text: this.texts.get(entry.bodySeq),
    }))
    const { seq, turns, owing, model, title, archived } = this
    return { seq, turns, owing, model, title, archived, messages: [...this.messages.values()], inbox }
  }

  private add(message: OpenMessage & Record<string, unknown>): void {
    this.messages.set(message.id, message)
  }

  private partsOf(message: string): { readonly index: number; part: Record<string, unknown> }[] {
    return this.messages.get(message)?.parts ?? []
  }

  private addPart(seq: number, { message, index, part, tokens }: FactOf<"part.recorded">): void {
    const call = part.type === "call" ? { seq, tokens, state: "pending", outcome: null } : {}
    this.partsOf(message).push({ index, part: { ...part, ...call } })
  }

  private settleCall({ message, call, outcome, tokens }: FactOf<"call.settled">): void {
    this.changeCall(message, call, { state: outcome.state, outcome }, tokens)
  }

  private changeCall(message: string, call: string, change: Record<string, unknown>, more = 0): void {
    for (const entry of this.partsOf(message)) {
      if (entry.part["call"] !== call) continue
      entry.part = { ...entry.part, ...change, tokens: Number(entry.part["tokens"]) + more }
    }
  }
}
