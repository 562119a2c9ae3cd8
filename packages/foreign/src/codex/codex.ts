/** Sessions of Codex: rollouts, one file of JSON lines each (IM2). */
import { createHash } from "node:crypto"
import {
  tokenCount,
  isObject,
  type JsonFields,
  nameOf,
  objectOf,
  stringOf,
  timeOf,
} from "../reading/fields.ts"
import { type LineFormat, lineReader, skipped } from "../reading/line-reader.ts"
import type { ForeignParent, ForeignRecord, SettingRecord } from "../record.ts"
import { itemOf } from "./items.ts"
import { compactionItems, silentItems } from "./kinds.ts"
import { usageTokens } from "./usage.ts"

export const readCodex = lineReader(open)

/** Prompts of a person that a roll-back can name. */
const promptsMax = 1_000

/** The request under way: its parts, and which of its calls wait for a result. */
interface Answer {
  readonly message: string
  readonly waiting: Set<string>
  called: boolean
}

function open(): LineFormat {
  let session: string | null = null
  /** The first session of a line of forks: copies of its counts are its own. */
  let origin = ""
  let provider = "openai"
  let model: string | null = null
  let counted = ""
  let last: string | null = null
  let answer: Answer | null = null
  const settings = new Map<string, string>()
  /** For each prompt of a person, the message before it. */
  const prompts: (string | null)[] = []

  function begin(meta: JsonFields, at: number | null): readonly ForeignRecord[] {
    const id = nameOf(meta["id"])
    if (id === null) return []
    origin = id
    // A fork repeats the header of the session that it was forked from.
    if (session !== null) return []
    session = id
    provider = nameOf(meta["model_provider"]) ?? provider
    const directory = stringOf(meta["cwd"])
    const createdAt = timeOf(meta["timestamp"]) ?? at
    const parent = parentOf(meta)
    return [{ type: "session", session, agent: "codex", title: null, directory, createdAt, parent }]
  }

  function setting(name: SettingRecord["name"], value: string | null, at: number | null, line: number) {
    if (session === null || value === null || settings.get(name) === value) return []
    settings.set(name, value)
    return [{ type: "setting" as const, session, name, value, at, line }]
  }

  function item(payload: JsonFields, own: string, at: number | null, line: number): readonly ForeignRecord[] {
    const kind = stringOf(payload["type"]) ?? ""
    if (silentItems.has(kind)) return []
    const placed = { session: own, id: `#${line}`, at, line }
    // The summary that only the provider reads stands for what `compacted` says as well.
    if (compactionItems.has(kind)) return []
    const read = itemOf(payload)
    if (read === null) return [skipped(own, line, "unknown-kind", `response_item/${kind}`)]
    const before = last
    last = placed.id
    if (read.kind === "prompt") {
      answer = null
      if (read.by === "person") prompts.push(before)
      if (prompts.length > promptsMax) prompts.shift()
      return [{ type: "prompt", ...placed, by: read.by, text: read.text, images: read.images }]
    }
    if (read.kind === "result") {
      answer?.waiting.delete(read.result.call)
      return [{ type: "result", ...placed, ...read.result, name: null }]
    }
    // An answer may go on while its first calls run; once all have their result, the model was asked again.
    const over = answer === null || (answer.called && answer.waiting.size === 0)
    if (answer === null || over) answer = { message: placed.id, waiting: new Set(), called: false }
    if (read.part.type === "call") {
      answer.waiting.add(read.part.call)
      answer.called = true
    }
    const named = { message: answer.message, provider, model, parts: [read.part], finish: null }
    return [{ type: "assistant", ...placed, ...named }]
  }

  function count(info: JsonFields, own: string, at: number | null, line: number): readonly ForeignRecord[] {
    const total = JSON.stringify(info["total_token_usage"] ?? null)
    const usage = info["last_token_usage"]
    if (!isObject(usage)) return []
    const name = `${total} ${JSON.stringify(usage)}`
    const same = total === "null" ? name : total
    if (same === counted) return []
    counted = same
    answer = null
    const request = `codex:${origin}:${hashOf(total === "null" ? `${name} ${at}` : name)}`
    return [
      {
        ...usageTokens(usage),
        type: "usage",
        session: own,
        request,
        provider,
        model: model ?? "unknown",
        at,
        line,
      },
    ]
  }

  function event(
    payload: JsonFields,
    own: string,
    at: number | null,
    line: number,
  ): readonly ForeignRecord[] {
    if (payload["type"] === "token_count") return count(objectOf(payload["info"]), own, at, line)
    if (payload["type"] !== "thread_rolled_back") return []
    const turns = tokenCount(payload["num_turns"])
    if (turns === 0) return []
    const kept = Math.max(0, prompts.length - turns)
    const after = prompts[kept] ?? null
    prompts.length = kept
    answer = null
    last = after
    return [{ type: "branch", session: own, after, at, line }]
  }

  function compacted(
    payload: JsonFields,
    own: string,
    at: number | null,
    line: number,
  ): readonly ForeignRecord[] {
    answer = null
    last = `#${line}`
    const placed = { session: own, id: last, at, line }
    const text = stringOf(payload["message"]) ?? ""
    const facts = { keptFrom: null, tokensBefore: null, cause: null }
    const summary = { ...placed, id: `#${line}/summary`, by: "summary" as const, text, images: [] }
    return [
      { type: "compaction", ...placed, ...facts },
      ...(text === "" ? [] : [{ type: "prompt" as const, ...summary }]),
    ]
  }

  function context(payload: JsonFields, at: number | null, line: number): readonly ForeignRecord[] {
    model = nameOf(payload["model"]) ?? model
    const effort = nameOf(payload["effort"])
    return [...setting("model", model, at, line), ...setting("effort", effort, at, line)]
  }

  return {
    line(value, line) {
      const at = timeOf(value["timestamp"])
      const kind = stringOf(value["type"]) ?? ""
      const payload = objectOf(value["payload"])
      if (kind === "session_meta") {
        const told =
          stringOf(objectOf(payload["base_instructions"])["text"]) ?? stringOf(payload["instructions"])
        return [...begin(payload, at), ...setting("system", told === null ? null : hashOf(told), at, line)]
      }
      // Before there were kinds of lines, the header and the items stood bare.
      if (kind === "" && session === null && nameOf(value["id"]) !== null) return begin(value, at)
      if (value["record_type"] === "state") return []
      if (session === null) return [skipped(null, line, "wrong-shape", `${kind} before session_meta`)]
      if (kind === "turn_context") return context(payload, at, line)
      if (kind === "response_item") return item(payload, session, at, line)
      if (kind === "event_msg") return event(payload, session, at, line)
      if (kind === "compacted") return compacted(payload, session, at, line)
      if (value["payload"] === undefined && itemOf(value) !== null) return item(value, session, at, line)
      return [skipped(session, line, "unknown-kind", kind)]
    },
  }
}

function parentOf(meta: JsonFields): ForeignParent | null {
  const spawned = objectOf(objectOf(objectOf(meta["source"])["subagent"])["thread_spawn"])
  const parent = nameOf(spawned["parent_thread_id"])
  if (parent !== null) return { kind: "child", session: parent, at: null }
  const from = nameOf(meta["forked_from_id"])
  return from === null ? null : { kind: "branch", session: from, at: null }
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)
