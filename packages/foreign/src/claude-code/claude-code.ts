/** Sessions of Claude Code: one file of JSON lines each, side chains in the same file or beside it (IM2). */
import {
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
import type { ForeignRecord, PromptRecord, UsageRecord } from "../record.ts"
import { answerParts, contentOf, resultOf } from "./blocks.ts"
import { compactionKinds, isWrapped, silentKinds, titleFields } from "./kinds.ts"
import { Links } from "./links.ts"
import { usageTokens } from "./usage.ts"

export const readClaudeCode = lineReader(open)

/** Sessions of one file that are remembered as begun. */
const sessionsMax = 10_000

interface Place {
  readonly session: string
  readonly side: string
  readonly id: string
  readonly at: number | null
  readonly line: number
}

function open(): LineFormat {
  const begun = new RecentMap<true>(sessionsMax)
  const links = new Links()

  function placeOf(value: JsonFields, line: number): Place {
    const main = nameOf(value["sessionId"]) ?? "unknown"
    const aside = value["isSidechain"] === true
    const side = aside ? (nameOf(value["agentId"]) ?? links.sideOf(value)) : ""
    const session = aside ? `${main}/${side}` : main
    return { session, side, id: nameOf(value["uuid"]) ?? `#${line}`, at: timeOf(value["timestamp"]), line }
  }

  function begin(value: JsonFields, { session, side, at }: Place): readonly ForeignRecord[] {
    if (begun.has(session)) return []
    begun.set(session, true)
    const parent =
      side === "" ? null : { kind: "child" as const, session: session.slice(0, -side.length - 1), at: null }
    const directory = stringOf(value["cwd"])
    return [{ type: "session", session, agent: "claude-code", title: null, directory, createdAt: at, parent }]
  }

  function user(value: JsonFields, place: Place): readonly ForeignRecord[] {
    const { session, id, at, line } = place
    const content = objectOf(value["message"])["content"]
    const results = elementsOf(content).filter((block) => isObject(block) && block["type"] === "tool_result")
    const { text, images, unknown } = contentOf(content)
    const records: ForeignRecord[] = results.map((block, index) => ({
      ...resultOf(objectOf(block)),
      type: "result",
      session,
      id: index === 0 ? id : `${id}/${index}`,
      at,
      line,
      name: null,
    }))
    for (const kind of unknown) records.push(skipped(session, line, "unknown-kind", `user/${kind}`))
    const said = text !== "" || images.length > 0
    if (said || (results.length === 0 && unknown.length === 0)) {
      const branch = links.branchOf(session, value)
      if (branch !== undefined) records.push({ type: "branch", session, after: branch, at, line })
      const own = results.length === 0 ? id : `${id}/text`
      records.push({ type: "prompt", session, id: own, at, line, by: writerOf(value, text), text, images })
    }
    links.add(session, value, place.side, null)
    return records
  }

  function assistant(value: JsonFields, place: Place): readonly ForeignRecord[] {
    const { session, side, id, at, line } = place
    const said = objectOf(value["message"])
    const own = nameOf(said["id"]) ?? id
    const model = nameOf(said["model"])
    const synthetic = model === null || model === "<synthetic>"
    const { parts, unknown } = answerParts(said["content"])
    links.add(session, value, side, own)
    const finish = synthetic ? "synthetic" : stringOf(said["stop_reason"])
    const named = synthetic ? { provider: null, model: null } : { provider: providerOf(model), model }
    return [
      { type: "assistant", session, id, at, line, message: own, ...named, parts, finish },
      ...unknown.map((kind) => skipped(session, line, "unknown-kind", `assistant/${kind}`)),
      ...(synthetic || !isObject(said["usage"])
        ? []
        : [usageOf(said["usage"], place, model, nameOf(value["requestId"]) ?? own)]),
    ]
  }

  function system(value: JsonFields, place: Place): readonly ForeignRecord[] {
    const { session, side, id, at, line } = place
    if (!compactionKinds.has(stringOf(value["subtype"]) ?? "")) {
      links.pass(value, side)
      return []
    }
    links.cut(session, value, side)
    const facts = objectOf(value["compactMetadata"] ?? value["microcompactMetadata"])
    const cause = facts["trigger"] === "manual" ? "asked" : "automatic"
    const tokensBefore = numberOf(facts["preTokens"])
    return [{ type: "compaction", session, id, at, line, keptFrom: null, tokensBefore, cause }]
  }

  /** Prompts that were queued while the model worked are not `user` lines. */
  function attachment(value: JsonFields, place: Place): readonly ForeignRecord[] {
    const { session, side, id, at, line } = place
    const attached = objectOf(value["attachment"])
    if (attached["type"] !== "queued_command") {
      links.pass(value, side)
      return []
    }
    const { text, images } = contentOf(attached["prompt"])
    links.add(session, value, side, null)
    const by = attached["commandMode"] === "task-notification" || isWrapped(text) ? "agent" : "person"
    return [{ type: "prompt", session, id, at, line, by, text, images }]
  }

  function title(value: JsonFields, field: string, place: Place): readonly ForeignRecord[] {
    const said = nameOf(value[field])
    // Summaries of other sessions are written into a file too: one that names no session is not of this one.
    if (said === null || nameOf(value["sessionId"]) === null) return []
    const none = { directory: null, createdAt: null, parent: null }
    return [{ type: "session", session: place.session, agent: "claude-code", title: said, ...none }]
  }

  const kinds: Readonly<Record<string, (value: JsonFields, place: Place) => readonly ForeignRecord[]>> = {
    user,
    assistant,
    system,
    attachment,
  }

  return {
    line(value, line) {
      const kind = stringOf(value["type"]) ?? ""
      const place = placeOf(value, line)
      const field = Object.hasOwn(titleFields, kind) ? titleFields[kind] : undefined
      if (field !== undefined) {
        const titled = title(value, field, place)
        return titled.length === 0 ? [] : [...begin(value, place), ...titled]
      }
      if (silentKinds.has(kind)) {
        links.pass(value, place.side)
        return []
      }
      if (!Object.hasOwn(kinds, kind)) return [skipped(null, line, "unknown-kind", kind)]
      if (place.session === "unknown")
        return [skipped(null, line, "wrong-shape", `${kind} without sessionId`)]
      const records = kinds[kind]?.(value, place) ?? []
      return records.length === 0 ? [] : [...begin(value, place), ...records]
    },
  }
}

function writerOf(value: JsonFields, text: string): PromptRecord["by"] {
  if (value["isCompactSummary"] === true) return "summary"
  return value["isMeta"] === true || isWrapped(text) ? "agent" : "person"
}

/** Models of others are reached through servers that speak the same wire; whose they are is not recorded. */
function providerOf(model: string): string {
  if (model.startsWith("claude-")) return "anthropic"
  return /(?:^|\.)anthropic\.claude/.test(model) ? "bedrock" : "unknown"
}

function usageOf(usage: JsonFields, place: Place, model: string, request: string): UsageRecord {
  const { session, at, line } = place
  return {
    type: "usage",
    session,
    request,
    provider: providerOf(model),
    model,
    ...usageTokens(usage),
    at,
    line,
  }
}
