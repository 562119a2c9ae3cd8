/**
 * The settings of a Chat body that somebody else wrote, as options (CA2).
 *
 * What the canonical request has a word for is read, and proven by writing it again. What it has none
 * for passes as a compatibility field where this wire lets one through, and is unread where not.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, parseFields } from "../json-fields.ts"
import type { RequestOptions } from "../options.ts"
import { findDifference } from "../recording/difference.ts"
import { readOptions } from "../request/read-request.ts"
import type { Target } from "../segments.ts"
import { settingsMeaning } from "./meaning.ts"
import { paramsOf, writtenFields } from "./params.ts"
import { profileOf } from "./profiles.ts"

export interface ReadSettings {
  readonly options: RequestOptions
  readonly unread: readonly string[]
}

export function readSettings(
  body: Fields,
  of: Pick<Target, "provider" | "endpoint" | "model">,
): ReadSettings {
  const given = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !elsewhere.has(name) && value !== null),
  )
  const read: Record<string, unknown> = {}
  const passed: Record<string, unknown> = {}
  const unread = unreadStreamOptions(body["stream_options"])
  for (const names of groups) {
    const asked = pick(given, names)
    if (Object.keys(asked).length === 0) continue
    if (isSaid(asked, names, of)) Object.assign(read, asked)
    else if (names.some((name) => writtenFields.has(name))) unread.push(...Object.keys(asked))
    else Object.assign(passed, asked)
  }
  for (const [name, value] of Object.entries(given)) {
    if (grouped.has(name) || (name === "n" && value === 1)) continue
    if (writtenFields.has(name) || secret.test(name)) unread.push(name)
    else passed[name] = value
  }
  const options = readOptions(read, [])
  return { options: { ...options, body: passed as JsonObject }, unread }
}

/** Not settings, or settings that are this project's policy and mean nothing to a replay. */
const elsewhere: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "tools",
  "stream",
  "stream_options",
  "store",
])

/** Settings that have a word, those together that say one thing. */
const groups: readonly (readonly string[])[] = [
  ["max_tokens", "max_completion_tokens"],
  ["reasoning_effort", "thinking", "reasoning"],
  ["temperature"],
  ["top_p"],
  ["stop"],
  ["tool_choice"],
  ["parallel_tool_calls"],
  ["response_format"],
  ["verbosity"],
  ["prompt_cache_key"],
  ["prompt_cache_retention"],
  ["service_tier"],
]

const grouped: ReadonlySet<string> = new Set(groups.flat())

/** A record holds no secret, so a field that may be one is not passed. */
const secret = /key$|secret|token$|authoriz|password|credential/i

/** Whether the options that are read from these fields are written as these fields again. */
function isSaid(
  asked: Fields,
  names: readonly string[],
  of: Pick<Target, "provider" | "endpoint" | "model">,
): boolean {
  const options = readOptions(asked, [])
  const target = { ...of, options }
  const params = paramsOf(target, profileOf(target), options.model.cacheKey ?? "", true)
  const found = pick(parseFields(params) ?? {}, names)
  return findDifference(meant(asked, asked), meant(found, asked)) === null
}

/** Two names of one limit: a body that has both must say the same twice. */
function meant(settings: Fields, asked: Fields): Fields {
  const { max_tokens: first, max_completion_tokens: second, ...rest } = settings
  const limits = [...new Set([first, second].filter((limit) => limit !== undefined))]
  const limit = limits.length > 1 ? limits : limits[0]
  return settingsMeaning(limit === undefined ? rest : { ...rest, max_tokens: limit }, asked, true)
}

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))

const unreadStreamOptions = (value: unknown): string[] =>
  Object.entries(fieldsOf(value)).flatMap(([name, option]) =>
    name === "include_usage" || option === null ? [] : [`stream_options.${name}`],
  )
