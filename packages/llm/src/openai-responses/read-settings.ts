/**
 * Settings of a body that somebody else wrote, as options (CA2).
 *
 * What every provider understands and what this one means by it become options. What has no word
 * among them is a compatibility field, so that it is sent again as it came. What speaks of a
 * conversation that the provider keeps cannot be said at all, and is told by its name.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { RequestOptions, StructuredOutput, ToolChoice } from "../options.ts"
import { readHostedTools } from "../request/hosted-tools.ts"
import { readOptions } from "../request/read-request.ts"
import { functionNameShape } from "../request/call-shape.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { hostedChoice, sealedReasoning } from "./params.ts"

export interface ReadSettings {
  readonly options: RequestOptions
  readonly unread: readonly string[]
}

/** `functions`: names of the tools that are ours. */
export function readSettings(body: Fields, functions: readonly string[], strict: boolean): ReadSettings {
  const shared = readOptions(pick(body, sharedNames), [])
  const hosted = readHostedTools(body["tools"], isHostedTool)
  const choice = readChoice(body["tool_choice"], functions, hosted.hostedTools ?? [])
  const text = readFormat(pick(fieldsOf(body["text"]), null))
  const reasoning = readReasoning(pick(fieldsOf(body["reasoning"]), null))
  const retention = lifeOf(body["prompt_cache_retention"])
  const include = listOf(body["include"])
  return {
    options: {
      generation: { ...shared.generation, ...choice.option, ...text.option },
      model: { ...shared.model, ...text.model, ...reasoning.model, ...retention.option, ...hosted },
      body: {
        ...othersOf(body),
        ...extra(
          "include",
          include.filter((name) => name !== sealedReasoning),
        ),
        ...extra("text", text.rest),
        ...extra("reasoning", reasoning.rest),
      } as JsonObject,
      traits: { reasoning: include.includes(sealedReasoning), ...(strict ? { strictTools: true } : {}) },
    },
    unread: [...keptThere.filter((name) => isSet(body[name])), ...choice.unread, ...retention.unread],
  }
}

/** Names that mean the same to the ingestion of options. */
const sharedNames: readonly string[] = [
  "max_output_tokens",
  "temperature",
  "top_p",
  "parallel_tool_calls",
  "prompt_cache_key",
  "service_tier",
]

/** What the provider keeps for its client, and does while nobody listens. */
const keptThere: readonly string[] = ["previous_response_id", "conversation", "prompt", "background"]

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false

/** Read elsewhere, or never said otherwise. */
const readElsewhere: ReadonlySet<string> = new Set([
  ...sharedNames,
  ...keptThere,
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "stream",
  "store",
  "include",
  "text",
  "reasoning",
  "prompt_cache_retention",
])

const othersOf = (body: Fields): Fields =>
  pick(
    body,
    Object.keys(body).filter((name) => !readElsewhere.has(name)),
  )

/** Null is how a client says nothing. */
const pick = (fields: Fields, names: readonly string[] | null): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== null && (names?.includes(name) ?? true)),
  )

const extra = (name: string, value: Fields | readonly unknown[]): Fields =>
  Object.keys(value).length === 0 ? {} : { [name]: value }

interface ReadChoice {
  readonly option: { readonly toolChoice?: ToolChoice }
  readonly unread: readonly string[]
}

function readChoice(value: unknown, functions: readonly string[], hosted: readonly JsonObject[]): ReadChoice {
  if (value === undefined || value === null) return { option: {}, unread: [] }
  if (value === "auto" || value === "none" || value === "required") {
    return { option: { toolChoice: value }, unread: [] }
  }
  const { type, name, server_label: server } = fieldsOf(value)
  if (type === "function" && typeof name === "string")
    return { option: { toolChoice: { tool: name } }, unread: [] }
  const tool = textOf(type === "custom" ? name : type === "mcp" ? server : type)
  const said = functions.includes(tool) ? null : hostedChoice(tool, hosted)
  const isSame = said !== null && JSON.stringify(sorted(said)) === JSON.stringify(sorted(fieldsOf(value)))
  return isSame
    ? { option: { toolChoice: { tool } }, unread: [] }
    : { option: {}, unread: [`tool_choice: ${textOf(type) || textOf(value)}`] }
}

const sorted = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))

/** An answer of any text is what is given without being asked for. */
function readFormat({ verbosity, format, ...others }: Fields) {
  const structured = structuredOf(fieldsOf(format))
  const isSaid = format === undefined || structured !== null || fieldsOf(format)["type"] === "text"
  return {
    option: structured === null ? {} : { structured },
    model: typeof verbosity === "string" && verbosity !== "" ? { verbosity } : {},
    rest: isSaid ? others : { ...others, format },
  }
}

/** Only an enforced schema without anything beside it is what the canonical request asks for. */
function structuredOf(given: Fields): StructuredOutput | null {
  const { type, name, schema, strict, ...others } = pick(given, null)
  const isPlain = type === "json_schema" && strict === true && Object.keys(others).length === 0
  if (!isPlain || typeof name !== "string" || !functionNameShape.test(name) || !isFields(schema)) return null
  return { name, schema: schema as JsonObject }
}

/** `generate_summary` is the name that a summary had before. */
function readReasoning({ effort, summary, generate_summary: older, ...others }: Fields) {
  const told = textOf(summary) || textOf(older)
  const asked = textOf(effort)
  return {
    model: {
      ...(asked === "" ? {} : { reasoning: effortOf(asked) }),
      ...(told === "" ? {} : { reasoningSummary: told }),
    },
    rest: others,
  }
}

const effortOf = (effort: string) =>
  effort === "none" ? ({ kind: "off" } as const) : ({ kind: "effort", effort } as const)

function lifeOf(value: unknown) {
  const life = value === "in-memory" ? "in_memory" : value
  if (life === undefined || life === null) return { option: {}, unread: [] }
  if (life === "24h" || life === "in_memory") return { option: { cacheTtl: life } as const, unread: [] }
  return { option: {}, unread: ["prompt_cache_retention"] }
}

/** Settings in one form: what is said by saying nothing is left out. */
export function plainSettings(body: Fields, asked: Fields): Fields {
  const settings = pick(body, null)
  const tools = listOf(settings["tools"])
  const { tool_choice: choice, parallel_tool_calls: parallel, include } = settings
  const isDefault: Readonly<Record<string, boolean>> = {
    tool_choice: choice === "auto" || (choice === "none" && tools.length === 0),
    parallel_tool_calls: parallel === true || tools.length === 0,
    background: settings["background"] === false,
    // What the recorded body leaves to the provider, and what this project says by policy.
    max_output_tokens: !isSet(asked["max_output_tokens"]),
    prompt_cache_key: !isSet(asked["prompt_cache_key"]),
    include: true,
    tools: true,
    input: true,
    instructions: true,
    text: true,
    reasoning: true,
    prompt_cache_retention: true,
  }
  const kept = Object.fromEntries(Object.entries(settings).filter(([name]) => isDefault[name] !== true))
  return {
    ...kept,
    ...(isSet(asked["include"]) ? extra("include", [...new Set(listOf(include))].sort()) : {}),
    ...extra("text", plainText(pick(fieldsOf(settings["text"]), null))),
    ...extra("reasoning", plainReasoning(pick(fieldsOf(settings["reasoning"]), null))),
    ...plainLife(settings["prompt_cache_retention"]),
  }
}

const plainLife = (value: unknown): Fields =>
  value === undefined ? {} : { prompt_cache_retention: value === "in-memory" ? "in_memory" : value }

function plainText({ format, ...others }: Fields): Fields {
  const given = pick(fieldsOf(format), null)
  if (format === undefined || given["type"] === "text") return others
  const { strict, ...plain } = given
  return { ...others, format: strict === true ? given : plain }
}

const plainReasoning = ({ generate_summary: older, ...others }: Fields): Fields =>
  older === undefined ? others : { summary: older, ...others }
