/**
 * What OpenCode calls what: a message is a row with its parts, in its store and in its export alike.
 *
 * | part | here |
 * | --- | --- |
 * | `text`, `file` of a `user` message | a prompt; by the agent where `synthetic` |
 * | `text`, `reasoning`, `tool` of an `assistant` message | parts; a tool with its result is a call and a result |
 * | `step-finish`, `tokens` of the message | usage |
 * | `compaction` | the prompt that asks for a summary, and from where on messages stay (`tail_start_id`) |
 * | `summary` of an `assistant` message that ended | the compaction; what it says is sent from then on |
 * | `agent` of a message | the setting `system`: each agent has instructions of its own |
 */
import { createHash } from "node:crypto"
import {
  tokenCount,
  imageOfUrl,
  isObject,
  type JsonFields,
  elementsOf,
  nameOf,
  objectOf,
  stringOf,
  timeOf,
} from "../reading/fields.ts"
import { skipped } from "../reading/line-reader.ts"
import type { ForeignImage, ForeignPart, ForeignRecord, ResultRecord, UsageRecord } from "../record.ts"

const silentParts: ReadonlySet<string> = new Set([
  "agent",
  "compaction",
  "patch",
  "retry",
  "snapshot",
  "step-finish",
  "step-start",
  "subtask",
])

interface Place {
  readonly session: string
  readonly id: string
  readonly at: number | null
  readonly line: number
}

export function sessionOf(info: JsonFields): ForeignRecord | null {
  const session = nameOf(info["id"])
  if (session === null) return null
  const from = nameOf(info["parentID"]) ?? nameOf(info["parent_id"])
  const parent = from === null ? null : { kind: "child" as const, session: from, at: null }
  const createdAt = timeOf(objectOf(info["time"])["created"]) ?? timeOf(info["time_created"])
  const title = nameOf(info["title"])
  const directory = stringOf(info["directory"])
  return { type: "session", session, agent: "opencode", title, directory, createdAt, parent }
}

/** Which agent spoke last, so that a change of it is seen, and which compaction was asked for. */
export interface MessageReader {
  readonly message: (info: JsonFields, parts: readonly JsonFields[], line: number) => readonly ForeignRecord[]
}

export function openCodeMessages(session: string): MessageReader {
  let agent: string | null = null
  let asked: JsonFields = {}
  return {
    message(info, parts, line) {
      const at = timeOf(objectOf(info["time"])["created"])
      const place = { session, id: nameOf(info["id"]) ?? `#${line}`, at, line }
      if (info["role"] === "user") {
        asked = parts.find((part) => part["type"] === "compaction") ?? {}
        return promptOf(parts, place)
      }
      if (info["role"] !== "assistant")
        return [skipped(session, line, "unknown-kind", `message/${stringOf(info["role"])}`)]
      const named = nameOf(info["agent"]) ?? nameOf(info["mode"])
      const changed = named !== null && named !== agent
      agent = named ?? agent
      return [
        ...(changed
          ? [{ type: "setting" as const, session, name: "system" as const, value: named, at, line }]
          : []),
        ...answerOf(info, parts, place),
        ...(isSummary(info) ? [compactionOf(asked, place)] : []),
      ]
    },
  }
}

function promptOf(parts: readonly JsonFields[], place: Place): readonly ForeignRecord[] {
  const images: ForeignImage[] = []
  const own: string[] = []
  const added: string[] = []
  const records: ForeignRecord[] = []
  for (const part of parts) {
    const kind = stringOf(part["type"]) ?? ""
    if (kind === "text" && part["ignored"] !== true) {
      ;(part["synthetic"] === true ? added : own).push(stringOf(part["text"]) ?? "")
    } else if (kind === "file" && (stringOf(part["mime"]) ?? "").startsWith("image/")) {
      images.push(imageOfUrl(stringOf(part["url"]) ?? "", stringOf(part["mime"])))
    } else if (kind !== "text" && kind !== "file" && !silentParts.has(kind)) {
      records.push(skipped(place.session, place.line, "unknown-kind", `part/${kind}`))
    }
  }
  if (own.length > 0 || images.length > 0) {
    records.push({ type: "prompt", ...place, by: "person", text: own.join("\n\n"), images })
  }
  if (added.length > 0) {
    const id = own.length > 0 ? `${place.id}/added` : place.id
    records.push({ type: "prompt", ...place, id, by: "agent", text: added.join("\n\n"), images: [] })
  }
  return records
}

function answerOf(info: JsonFields, all: readonly JsonFields[], place: Place): readonly ForeignRecord[] {
  const { session, id, at, line } = place
  const provider = nameOf(info["providerID"])
  const model = nameOf(info["modelID"])
  const parts: ForeignPart[] = []
  const results: ForeignRecord[] = []
  const unknown: ForeignRecord[] = []
  for (const part of all) {
    const kind = stringOf(part["type"]) ?? ""
    if (kind === "text") parts.push({ type: "text", text: stringOf(part["text"]) ?? "" })
    else if (kind === "reasoning") {
      const native = isObject(part["metadata"]) ? part : null
      parts.push({ type: "reasoning", text: stringOf(part["text"]) ?? "", native })
    } else if (kind === "tool") {
      const call = stringOf(part["callID"]) ?? ""
      const name = stringOf(part["tool"]) ?? ""
      const state = objectOf(part["state"])
      parts.push({ type: "call", call, name, input: state["input"] ?? {} })
      const result = resultOf(state)
      const ended = timeOf(objectOf(state["time"])["end"]) ?? at
      const own = {
        type: "result" as const,
        session,
        id: nameOf(part["id"]) ?? `${id}/${call}`,
        at: ended,
        line,
      }
      if (result !== null) results.push({ ...own, call, name, ...result })
    } else if (!silentParts.has(kind) && kind !== "file") {
      unknown.push(skipped(session, line, "unknown-kind", `part/${kind}`))
    }
  }
  const finish = stringOf(info["finish"]) ?? stringOf(objectOf(info["error"])["name"])
  return [
    { type: "assistant", ...place, message: id, provider, model, parts, finish },
    ...unknown,
    ...usagesOf(info, all, place),
    ...results,
  ]
}

/** One that was given up compacts nothing. */
const isSummary = (info: JsonFields): boolean =>
  info["summary"] === true && nameOf(info["finish"]) !== null && !isObject(info["error"])

/** The summary itself stays, and what the request for it says is kept before it. */
function compactionOf(asked: JsonFields, place: Place): ForeignRecord {
  const keptFrom = nameOf(asked["tail_start_id"]) ?? place.id
  const cause = asked["auto"] === undefined ? null : asked["auto"] === true ? "automatic" : "asked"
  return { type: "compaction", ...place, id: `${place.id}/compaction`, keptFrom, tokensBefore: null, cause }
}

function resultOf(state: JsonFields): Pick<ResultRecord, "state" | "text" | "images"> | null {
  const images = elementsOf(state["attachments"]).flatMap((file) => {
    const url = stringOf(objectOf(file)["url"])
    const mime = stringOf(objectOf(file)["mime"])
    return url !== null && mime?.startsWith("image/") === true ? [imageOfUrl(url, mime)] : []
  })
  if (state["status"] === "completed") return { state: "done", text: stringOf(state["output"]) ?? "", images }
  if (state["status"] !== "error") return null
  const text = stringOf(state["error"]) ?? ""
  if (/rejected permission|user rejected/i.test(text)) return { state: "declined", text, images }
  return { state: /^(?:Tool execution )?aborted/i.test(text) ? "interrupted" : "failed", text, images }
}

/** One message is one request, except where older versions kept several steps in one. */
function usagesOf(info: JsonFields, parts: readonly JsonFields[], place: Place): readonly UsageRecord[] {
  const steps = parts.filter((part) => part["type"] === "step-finish").map((part) => objectOf(part["tokens"]))
  const counts = steps.length > 1 ? steps : isObject(info["tokens"]) ? [info["tokens"]] : []
  return counts.map((tokens, index) => {
    const cache = objectOf(tokens["cache"])
    const time = objectOf(info["time"])
    // A fork copies messages under other ids; what it cannot change is when they were sent and what they took.
    const name = JSON.stringify([
      info["providerID"],
      info["modelID"],
      time,
      tokens["total"],
      counted(tokens),
      index,
    ])
    return {
      type: "usage",
      session: place.session,
      request: `opencode:${createHash("sha256").update(name).digest("hex").slice(0, 24)}`,
      provider: nameOf(info["providerID"]) ?? "unknown",
      model: nameOf(info["modelID"]) ?? "unknown",
      input: tokenCount(tokens["input"]),
      cacheRead: tokenCount(cache["read"]),
      cacheWrite5m: tokenCount(cache["write"]),
      cacheWrite1h: 0,
      output: tokenCount(tokens["output"]) + tokenCount(tokens["reasoning"]),
      at: place.at,
      line: place.line,
    }
  })
}

const counted = (tokens: JsonFields): string => {
  const cache = objectOf(tokens["cache"])
  return [tokens["input"], tokens["output"], tokens["reasoning"], cache["read"], cache["write"]].join()
}
