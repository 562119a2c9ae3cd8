/**
 * Sessions of Pi: one file of JSON lines each; from version 2 on the lines form a tree (IM2).
 *
 * | line | here |
 * | --- | --- |
 * | `session` | the session; `branchedFrom`, `parentSession` name the file it goes on from |
 * | `message` of `user` | a prompt |
 * | `message` of `assistant` | a message and its usage |
 * | `message` of `toolResult` | a result |
 * | `message` of `bashExecution`, `custom`, `hookMessage`; `custom_message` | a prompt by the agent |
 * | `compaction` | a compaction, and its summary |
 * | `branch_summary` | a summary of the branch that was left |
 * | `model_change`, `thinking_level_change` | settings |
 * | `session_info` | a title |
 * | `parentId` that is not the line before | a branch |
 */
import { createHash } from "node:crypto"
import type { Json } from "@holdfast/schema/json"
import {
  tokenCount,
  isObject,
  type JsonFields,
  elementsOf,
  nameOf,
  numberOf,
  objectOf,
  stringOf,
  timeOf,
} from "../reading/fields.ts"
import { type LineFormat, lineReader, RecentMap, skipped } from "../reading/line-reader.ts"
import type { ForeignImage, ForeignPart, ForeignRecord, ResultRecord, UsageRecord } from "../record.ts"

export const readPi = lineReader(open)

/** Lines remembered; a parent farther back is not known, and no branch is claimed of it. */
const linesMax = 50_000

/** Lines that no request contains. */
const silentKinds: ReadonlySet<string> = new Set(["label", "custom", "ephemeral", "leaf"])

interface Place {
  readonly session: string
  readonly id: string
  readonly at: number | null
  readonly line: number
}

function open(): LineFormat {
  let session: string | null = null
  /** The newest message, and the newest line of any kind. */
  let newest: string | null = null
  let newestLine: string | null = null
  /** The nearest message at or above a line. */
  const messages = new RecentMap<string | null>(linesMax)

  function begin(value: JsonFields, at: number | null): readonly ForeignRecord[] {
    const id = nameOf(value["id"])
    if (id === null || session !== null) return []
    session = id
    const from = nameOf(value["branchedFrom"]) ?? nameOf(value["parentSession"])
    const parent = from === null ? null : { kind: "branch" as const, session: from, at: null }
    const directory = stringOf(value["cwd"])
    return [{ type: "session", session, agent: "pi", title: null, directory, createdAt: at, parent }]
  }

  /** Whether a line continues another than the one before it, and which message. */
  function branchOf(value: JsonFields, { session: own, at, line }: Place): readonly ForeignRecord[] {
    if (!Object.hasOwn(value, "parentId")) return []
    const parent = nameOf(value["parentId"])
    if (parent === newestLine) return []
    const after = parent === null ? null : messages.get(parent)
    if (after === undefined || after === newest) return []
    newest = after
    return [{ type: "branch", session: own, after, at, line }]
  }

  function entry(kind: string, value: JsonFields, place: Place): readonly ForeignRecord[] {
    if (kind === "message") return messageOf(objectOf(value["message"]), place)
    if (kind === "compaction") return compactionOf(value, place)
    if (kind === "branch_summary") return said(place, "summary", value["summary"])
    if (kind === "custom_message") return said(place, "agent", value["content"])
    if (kind === "model_change") return settingOf("model", value["modelId"], place)
    if (kind === "thinking_level_change") return settingOf("effort", value["thinkingLevel"], place)
    if (kind === "session_info") return titleOf(value, place)
    return silentKinds.has(kind) ? [] : [skipped(place.session, place.line, "unknown-kind", kind)]
  }

  return {
    line(value, line) {
      const kind = stringOf(value["type"]) ?? ""
      const at = timeOf(value["timestamp"])
      if (kind === "session") return begin(value, at)
      if (session === null) return [skipped(null, line, "wrong-shape", `${kind} before session`)]
      const own = nameOf(value["id"])
      const place = { session, id: own ?? `#${line}`, at, line }
      const branch = branchOf(value, place)
      const records = entry(kind, value, place)
      if (records.some(({ type }) => type !== "skipped" && type !== "setting" && type !== "session")) {
        newest = place.id
      }
      if (own !== null) {
        messages.set(own, newest)
        newestLine = own
      }
      return [...branch, ...records]
    },
  }
}

function messageOf(message: JsonFields, place: Place): readonly ForeignRecord[] {
  const role = stringOf(message["role"]) ?? ""
  const at = place.at ?? timeOf(message["timestamp"])
  if (role === "user") return said(place, "person", message["content"])
  if (role === "assistant") return answerOf(message, { ...place, at })
  if (role === "toolResult") {
    const call = stringOf(message["toolCallId"]) ?? ""
    const name = stringOf(message["toolName"])
    const state: ResultRecord["state"] = message["isError"] === true ? "failed" : "done"
    return [{ type: "result", ...place, at, call, name, state, ...contentOf(message["content"]) }]
  }
  if (role === "bashExecution") {
    const text = `$ ${stringOf(message["command"]) ?? ""}\n${stringOf(message["output"]) ?? ""}`
    // With `!!` a person keeps a command to himself.
    return message["excludeFromContext"] === true ? [] : said(place, "agent", text)
  }
  if (role === "custom" || role === "hookMessage") return said(place, "agent", message["content"])
  if (role === "branchSummary" || role === "compactionSummary")
    return said(place, "summary", message["summary"])
  return [skipped(place.session, place.line, "unknown-kind", `message/${role}`)]
}

function said(
  place: Place,
  by: "person" | "agent" | "summary",
  content: Json | undefined,
): readonly ForeignRecord[] {
  return [{ type: "prompt", ...place, by, ...contentOf(content) }]
}

function answerOf(message: JsonFields, place: Place): readonly ForeignRecord[] {
  const provider = nameOf(message["provider"])
  const model = nameOf(message["model"])
  const read = elementsOf(message["content"]).map((block) => partOf(objectOf(block)))
  const parts = read.filter((part) => part !== null)
  const finish = stringOf(message["stopReason"])
  const unknown = read.length - parts.length
  return [
    { type: "assistant", ...place, message: place.id, provider, model, parts, finish },
    ...(unknown === 0 ? [] : [skipped(place.session, place.line, "unknown-kind", "assistant block")]),
    ...(isObject(message["usage"]) ? [usageOf(message, message["usage"], place)] : []),
  ]
}

function partOf(block: JsonFields): ForeignPart | null {
  if (block["type"] === "text") return { type: "text", text: stringOf(block["text"]) ?? "" }
  if (block["type"] === "thinking") {
    const native = block["thinkingSignature"] === undefined ? null : block
    return { type: "reasoning", text: stringOf(block["thinking"]) ?? "", native }
  }
  if (block["type"] !== "toolCall") return null
  const call = stringOf(block["id"]) ?? ""
  return { type: "call", call, name: stringOf(block["name"]) ?? "", input: block["arguments"] ?? {} }
}

/** A branch in a file of its own repeats the messages before it, so the name is made of what was recorded. */
function usageOf(message: JsonFields, usage: JsonFields, place: Place): UsageRecord {
  const when = message["timestamp"] ?? place.at
  const name = JSON.stringify([
    message["responseId"],
    when,
    message["model"],
    usage["totalTokens"],
    tokens(usage),
  ])
  const hour = Math.min(tokenCount(usage["cacheWrite1h"]), tokenCount(usage["cacheWrite"]))
  return {
    type: "usage",
    session: place.session,
    request: `pi:${createHash("sha256").update(name).digest("hex").slice(0, 24)}`,
    provider: nameOf(message["provider"]) ?? "unknown",
    model: nameOf(message["model"]) ?? "unknown",
    input: tokenCount(usage["input"]),
    cacheRead: tokenCount(usage["cacheRead"]),
    cacheWrite5m: tokenCount(usage["cacheWrite"]) - hour,
    cacheWrite1h: hour,
    output: tokenCount(usage["output"]),
    at: timeOf(message["timestamp"]) ?? place.at,
    line: place.line,
  }
}

const tokens = (usage: JsonFields): readonly Json[] =>
  ["input", "output", "cacheRead", "cacheWrite"].map((field) => usage[field] ?? null)

function compactionOf(value: JsonFields, place: Place): readonly ForeignRecord[] {
  const index = numberOf(value["firstKeptEntryIndex"])
  // Version 1 counts the lines of the file, the header first.
  const keptFrom = nameOf(value["firstKeptEntryId"]) ?? (index === null ? null : `#${index + 1}`)
  const facts = { keptFrom, tokensBefore: numberOf(value["tokensBefore"]), cause: null }
  return [
    { type: "compaction", ...place, ...facts },
    ...said({ ...place, id: `${place.id}/summary` }, "summary", value["summary"]),
  ]
}

function settingOf(
  name: "model" | "effort",
  value: Json | undefined,
  place: Place,
): readonly ForeignRecord[] {
  const { session, at, line } = place
  const named = nameOf(value)
  return named === null ? [] : [{ type: "setting", session, name, value: named, at, line }]
}

function titleOf(value: JsonFields, { session }: Place): readonly ForeignRecord[] {
  const title = nameOf(value["name"])
  const none = { directory: null, createdAt: null, parent: null }
  return title === null ? [] : [{ type: "session", session, agent: "pi", title, ...none }]
}

function contentOf(content: Json | undefined): {
  readonly text: string
  readonly images: readonly ForeignImage[]
} {
  if (typeof content === "string") return { text: content, images: [] }
  const texts: string[] = []
  const images: ForeignImage[] = []
  for (const block of elementsOf(content)) {
    const fields = objectOf(block)
    const base64 = stringOf(fields["data"])
    if (fields["type"] !== "image") texts.push(stringOf(fields["text"]) ?? "")
    else if (base64 !== null) images.push({ mediaType: stringOf(fields["mimeType"]) ?? "", base64 })
  }
  return { text: texts.join("\n\n"), images }
}
