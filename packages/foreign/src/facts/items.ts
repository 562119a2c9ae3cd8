/**
 * Items: what was said along one chain, in order, each call with its result (TG7).
 *
 * An answer may come in several records, and results in any order behind it: a result belongs to the
 * oldest call of that id still without one. What belongs to nothing is told as skipped.
 */
import { promptBytesMax } from "@holdfast/schema/prompt"
import { cleanText, textCharactersMax } from "./clean.ts"
import type {
  AssistantRecord,
  CompactionRecord,
  ForeignPart,
  ForeignRecord,
  PromptRecord,
  ResultRecord,
  SkippedRecord,
  UsageRecord,
} from "../record.ts"

export type Item =
  | { readonly kind: "prompt"; readonly record: PromptRecord }
  | { readonly kind: "compaction"; readonly record: CompactionRecord }
  | TurnItem

export interface TurnItem {
  readonly kind: "turn"
  /** The first of its records. */
  readonly record: AssistantRecord
  readonly ids: readonly string[]
  readonly parts: readonly TurnPart[]
  /** Of each request that answered with it, the last count. */
  readonly usage: readonly UsageRecord[]
  readonly finish: string | null
  readonly lastAt: number | null
}

export interface TurnPart {
  readonly part: ForeignPart
  readonly at: number | null
  readonly line: number
  /** Of a call. */
  readonly call: TurnCall | null
}

export interface TurnCall {
  /** Which of the calls with this id along the chain it is, from 0. */
  readonly nth: number
  readonly result: ResultRecord | null
}

export function gatherItems(records: readonly ForeignRecord[]): {
  readonly items: readonly Item[]
  readonly skipped: readonly SkippedRecord[]
} {
  const gathered = new Gathering()
  for (const record of records) gathered.add(record)
  return gathered
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type OpenTurn = Mutable<Omit<TurnItem, "parts" | "usage" | "ids">> & {
  readonly ids: string[]
  readonly parts: (Omit<TurnPart, "call"> & { readonly call: Mutable<TurnCall> | null })[]
  readonly usage: UsageRecord[]
}

class Gathering {
  readonly items: (Item | OpenTurn)[] = []
  readonly skipped: SkippedRecord[] = []
  private readonly turns = new Map<string, OpenTurn>()
  private readonly calls = new Map<string, Mutable<TurnCall>[]>()
  private readonly requests = new Map<string, OpenTurn>()
  private readonly seen = new Set<string>()
  private last: OpenTurn | null = null

  add(record: ForeignRecord): void {
    if ("id" in record) {
      const name = `${record.type} ${record.id}`
      if (this.seen.has(name)) return this.skip(record, "a repeated record", "not-kept")
      this.seen.add(name)
      if (longestOf(record) > textCharactersMax)
        this.skip(record, `the end of a text of ${longestOf(record)} characters`, "too-long")
    }
    switch (record.type) {
      case "prompt":
        this.prompt(record)
        return
      case "compaction":
        this.items.push({ kind: "compaction", record })
        return
      case "assistant":
        this.answer(record)
        return
      case "result":
        this.result(record)
        return
      case "usage":
        this.count(record)
        return
      default:
        return
    }
  }

  private prompt(record: PromptRecord): void {
    const blank = cleanText(record.text).trim() === ""
    if (blank && (record.images.length === 0 || record.by !== "person"))
      return this.skip(record, "an empty prompt", "not-kept")
    if (Buffer.byteLength(record.text) > promptBytesMax && record.by === "person")
      this.skip(record, "the end of a prompt of more than 1 MiB", "too-long")
    this.items.push({ kind: "prompt", record })
  }

  private answer(record: AssistantRecord): void {
    const turn = this.turns.get(record.message) ?? this.open(record)
    turn.ids.push(record.id)
    turn.finish = record.finish ?? turn.finish
    turn.lastAt = record.at ?? turn.lastAt
    for (const part of record.parts) {
      const call = part.type === "call" ? this.call(part.call) : null
      turn.parts.push({ part, at: record.at, line: record.line, call })
    }
    this.last = turn
  }

  private open(record: AssistantRecord): OpenTurn {
    const turn: OpenTurn = {
      kind: "turn",
      record,
      ids: [],
      parts: [],
      usage: [],
      finish: null,
      lastAt: record.at,
    }
    this.turns.set(record.message, turn)
    this.items.push(turn)
    return turn
  }

  private call(native: string): Mutable<TurnCall> {
    const same = this.calls.get(native) ?? []
    const call = { nth: same.length, result: null }
    this.calls.set(native, [...same, call])
    return call
  }

  private result(record: ResultRecord): void {
    const same = this.calls.get(record.call) ?? []
    const owner = same.find(({ result }) => result === null)
    if (owner !== undefined) owner.result = record
    else this.skip(record, same.length === 0 ? "a result without its call" : "a second result of a call")
  }

  /** The last count of a request holds, at the answer that it was first told of. */
  private count(record: UsageRecord): void {
    const turn = this.requests.get(record.request) ?? this.last
    if (turn === null) return this.skip(record, "a count of tokens without an answer")
    this.requests.set(record.request, turn)
    const known = turn.usage.findIndex(({ request }) => request === record.request)
    if (known >= 0) turn.usage[known] = record
    else turn.usage.push(record)
  }

  private skip(
    { session, line }: { readonly session: string; readonly line: number },
    detail: string,
    why: SkippedRecord["why"] = "wrong-shape",
  ): void {
    this.skipped.push({ type: "skipped", session, line, why, detail })
  }
}

function longestOf(record: ForeignRecord): number {
  if (record.type === "prompt" || record.type === "result") return record.text.length
  if (record.type !== "assistant") return 0
  return Math.max(0, ...record.parts.map((part) => ("text" in part ? part.text.length : 0)))
}
