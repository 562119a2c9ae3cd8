/**
 * What is illegal about a Messages body as somebody wrote it, outside of its blocks (LL3): reading and
 * encoding would mend it in silence.
 */
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { LintFault } from "../wire.ts"
import { markersMax } from "./place.ts"
import { markersOf, messagesOf, type PlacedMarker, promptsOf, ttlOf } from "./written-block.ts"

export const faultsOf = (body: Fields): readonly LintFault[] => [
  ...settingFaults(body),
  ...messageFaults(body),
  ...markerFaults(markersOf(body)),
]

const fault = (rule: string, block: number, message: string): LintFault => ({ rule, block, message })

function settingFaults(body: Fields): readonly LintFault[] {
  return Object.entries(settings).flatMap(([name, { isLegal, words }]) =>
    isLegal(body[name]) ? [] : [fault("params", 0, `${name} ${words}`)],
  )
}

interface Setting {
  readonly isLegal: (value: unknown) => boolean
  readonly words: string
}

const optional =
  (isLegal: Setting["isLegal"]): Setting["isLegal"] =>
  (value) =>
    value === undefined || value === null || isLegal(value)

/** documented: a share of one. */
const isShare = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1

/** documented: what is required, and the shape of what is not. */
const settings: Readonly<Record<string, Setting>> = {
  model: { isLegal: (value) => textOf(value) !== "", words: "is missing: name the model" },
  max_tokens: {
    // documented: nothing is written by a request for no tokens; it only fills the cache.
    isLegal: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    words: "is missing or no count: say how many tokens may be written",
  },
  temperature: { isLegal: optional(isShare), words: "must lie between 0 and 1" },
  top_p: { isLegal: optional(isShare), words: "must lie between 0 and 1" },
  stop_sequences: {
    isLegal: optional((value) => Array.isArray(value) && value.every((text) => typeof text === "string")),
    words: "must be a list of texts",
  },
  thinking: {
    isLegal: optional(
      (value) =>
        fieldsOf(value)["type"] === "adaptive" ||
        fieldsOf(value)["type"] === "disabled" ||
        (fieldsOf(value)["type"] === "enabled" && fieldsOf(value)["budget_tokens"] !== undefined),
    ),
    words: "must be adaptive, disabled, or enabled with budget_tokens",
  },
  tool_choice: { isLegal: optional(isChoice), words: "must be auto, any, none, or tool with a name" },
}

function isChoice(value: unknown): boolean {
  const { type, name } = fieldsOf(value)
  return type === "tool" ? textOf(name) !== "" : type === "auto" || type === "any" || type === "none"
}

const roles: readonly unknown[] = ["user", "assistant", "system"]

function messageFaults(body: Fields): readonly LintFault[] {
  const found: LintFault[] = []
  let block = listOf(body["tools"]).length + promptsOf(body).length
  for (const { message, blocks } of messagesOf(body)) {
    const { role } = message
    if (!roles.includes(role))
      found.push(fault("role-unknown", block, `a message of the role ${String(role)}`))
    // recorded: all messages must have non-empty content except for the optional final assistant message.
    if (blocks.length === 0)
      found.push(fault("message-empty", block, "a message without content: leave it out"))
    block += blocks.length
  }
  return found
}

/** documented: four at most, longer lives before shorter ones, and none on thinking. */
function markerFaults(placed: readonly PlacedMarker[]): readonly LintFault[] {
  const short = placed.findIndex(({ marker }) => ttlOf(marker) === "5m")
  return placed.flatMap(({ marker, block, type }, at) => {
    const ttl = ttlOf(marker)
    const words = [
      ...(marker["type"] === "ephemeral" ? [] : ["a cache marker must be of the type ephemeral"]),
      ...(ttl === "5m" || ttl === "1h" ? [] : ["a cache marker lives for 5m or 1h"]),
      ...(type === "thinking" || type === "redacted_thinking"
        ? ["thinking cannot carry a cache marker"]
        : []),
      ...(ttl === "1h" && short >= 0 && short < at ? ["a cache marker of 1h stands behind one of 5m"] : []),
      ...(at === markersMax ? [`${placed.length} cache markers, but ${markersMax} are the most`] : []),
    ]
    return words.map((message) => fault("markers", block, message))
  })
}
