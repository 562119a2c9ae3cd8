/**
 * Sessions for the window evaluation, as the runtime would have recorded them: files of other agents,
 * and those of our own making.
 *
 * Where an agent compacted, its summary is no message of the session: the session goes on, and the
 * summary stands beside it, to be compared with.
 */
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { boundOutput, outputLimitsDefault } from "@holdfast/core/tools/index"
import {
  findSources,
  type ForeignPart,
  type ForeignRecord,
  gatherSessions,
  readSource,
  type ResultRecord,
} from "@holdfast/foreign"
import type { CallId, MessageId, NoticeId, PromptId, TurnId } from "@holdfast/schema/id"
import type { CallPart, Message, Part } from "@holdfast/schema/message"
import type { Recording } from "../../test/transcripts/recording.ts"

export interface EvalSession {
  readonly name: string
  readonly messages: readonly Message[]
  /** Where the agent itself compacted, oldest first. */
  readonly compactions: readonly Compaction[]
}

export interface Compaction {
  /** Sequence of the first message behind it. */
  readonly atSeq: number
  /** What the agent then had of all that went before: its summary, and what it kept beside it. */
  readonly kept: string
  /** Whether there is a summary that can be read. */
  readonly summarised: boolean
}

const sharedData = join(import.meta.dirname, "../../../shared/data")

/** Recorded ones that lie beside the repository; none where they are absent. */
export async function sharedSessions(): Promise<readonly EvalSession[]> {
  const folders = [join(sharedData, "transcripts"), join(sharedData, "raw")].filter(existsSync)
  return folders.length === 0 ? [] : readSessions(folders)
}

/** Of files and folders of any agent that can be imported, each session once; those of one answer say nothing. */
export async function readSessions(paths: readonly string[]): Promise<readonly EvalSession[]> {
  const { sources, unknown } = await findSources(paths)
  for (const { path, why } of unknown) console.error(`${path}: ${why}`)
  const sessions = new Map<string, EvalSession>()
  for (const source of sources) {
    for (const [id, records] of await gatherSessions(readSource(source))) {
      // A transcript names the agent before the id, and raw files do not.
      const name = (id === "unknown" ? basename(source.path) : id).replace(/^[a-z-]+__/, "")
      if (!sessions.has(name)) sessions.set(name, sessionOf(name.slice(0, 8), records))
    }
  }
  return [...sessions.values()].filter(({ messages }) => messages.length > 2)
}

/** One of our own making. */
export function inventedSession({ name, answers }: Recording): EvalSession {
  const writing = new Writing()
  for (const { inputs, blocks } of answers) {
    for (const text of inputs) writing.said("person", text)
    const parts = blocks.flatMap((block): Part[] => {
      if (block.type === "text") return [{ type: "text", text: block.text, interrupted: false }]
      if (block.type !== "call") return []
      const { input, result, failed } = block.call
      const part = writing.call(block.call.name, input)
      return [{ ...part, ...outcomeOf(failed ? "failed" : "done", result) }]
    })
    writing.answer(parts)
  }
  return { name, messages: writing.messages, compactions: [] }
}

export function sessionOf(name: string, records: readonly ForeignRecord[]): EvalSession {
  const writing = new Writing()
  const open = new Map<string, { readonly parts: Part[] }>()
  const calls = new Map<string, { readonly parts: Part[]; readonly at: number }[]>()
  const compactions: { readonly atSeq: number; kept: string; summarised: boolean }[] = []
  const seen = new Set<string>()
  // Behind a compaction what was kept is told once more.
  let repeats = false
  for (const record of records) {
    if (record.type === "compaction" || record.type === "branch") {
      repeats = true
      if (record.type === "compaction") compactions.push({ atSeq: writing.next, kept: "", summarised: false })
    } else if (record.type === "prompt") {
      const again = seen.has(record.text)
      seen.add(record.text)
      const compaction = compactions.at(-1)
      const beside = record.by === "summary" || (repeats && again)
      if (beside && compaction !== undefined) {
        compaction.kept += `${record.text}\n`
        compaction.summarised ||= record.by === "summary"
      }
      if (!beside) writing.said(record.by === "person" ? "person" : "agent", record.text)
    } else if (record.type === "assistant") {
      const said = JSON.stringify(record.parts)
      if (repeats && seen.has(said)) continue
      repeats = false
      seen.add(said)
      const own = open.get(record.message) ?? { parts: [] }
      if (!open.has(record.message)) writing.answer(own.parts)
      open.set(record.message, own)
      for (const part of record.parts) writePart(writing, own.parts, part, calls)
    } else if (record.type === "result") settle(record, calls)
  }
  return { name, messages: writing.messages, compactions }
}

type OpenCalls = Map<string, { readonly parts: Part[]; readonly at: number }[]>

function writePart(writing: Writing, parts: Part[], part: ForeignPart, calls: OpenCalls): void {
  if (part.type === "text") parts.push({ type: "text", text: part.text, interrupted: false })
  if (part.type !== "call") return
  calls.set(part.call, [...(calls.get(part.call) ?? []), { parts, at: parts.length }])
  parts.push(writing.call(part.name, part.input))
}

/** A result belongs to the oldest call of its id that has none (TG7). */
function settle({ call, state, text }: ResultRecord, calls: OpenCalls): void {
  const owner = calls.get(call)?.shift()
  if (owner === undefined) return
  const part = owner.parts[owner.at] as CallPart
  owner.parts[owner.at] = { ...part, ...outcomeOf(state === "done" ? "done" : "failed", text) }
}

const outcomeOf = (state: "done" | "failed", result: string) => ({
  state,
  outcome: {
    state,
    output: boundOutput(result, outputLimitsDefault).text,
    truncated: null,
    errorCode: null,
  },
})

/** A log of messages that grows; the parts of an answer may still be added to. */
class Writing {
  private readonly said_: (Message | { readonly seq: number; readonly parts: readonly Part[] })[] = []
  private calls = 0

  get next(): number {
    return this.said_.length + 1
  }

  get messages(): readonly Message[] {
    return this.said_.flatMap((one): Message[] => {
      if ("kind" in one) return [one]
      if (one.parts.length === 0) return []
      const parts = one.parts.map((part, index) => ({ index, part }))
      return [
        {
          id: `msg_${one.seq}` as MessageId,
          seq: one.seq,
          kind: "assistant",
          turn: `trn_${one.seq}` as TurnId,
          parts,
        },
      ]
    })
  }

  said(by: "person" | "agent", text: string): void {
    if (text.trim() === "") return
    const base = { id: `msg_${this.next}` as MessageId, seq: this.next, text }
    if (by === "person") this.said_.push({ ...base, kind: "user", prompt: `p${this.next}` as PromptId })
    else {
      const source = { kind: "runtime", id: "" } as const
      this.said_.push({ ...base, kind: "notice", notice: `n${this.next}` as NoticeId, source })
    }
  }

  answer(parts: readonly Part[]): void {
    this.said_.push({ seq: this.next, parts })
  }

  call(name: string, input: CallPart["input"]): CallPart {
    const call = `call_${(this.calls += 1)}` as CallId
    return { type: "call", call, nativeId: call, name, input, state: "pending", outcome: null }
  }
}
