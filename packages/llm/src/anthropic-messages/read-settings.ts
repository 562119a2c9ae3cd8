/**
 * Settings and tools of a Messages body as options, for replays of recorded traffic.
 *
 * This provider keeps some settings inside of others. They are brought to the names by which options
 * come in (CA2); what no option can say is named as unread.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { ingestOptions } from "../ingest-options.ts"
import { type Fields, fieldsOf, isFields, listOf } from "../json-fields.ts"
import type { RequestOptions } from "../options.ts"
import { readOptions, readTools } from "../request/read-request.ts"
import type { ToolDefinition } from "../segments.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { isEnforceable } from "./strict-schema.ts"

export interface ReadSettings {
  readonly options: RequestOptions
  readonly unread: readonly string[]
}

/** Members of a body that are the conversation, or that the runtime decides itself. */
const elsewhere = ["model", "messages", "system", "tools", "stream", "cache_control"]

export function readSettings(body: Fields): ReadSettings {
  const { thinking, tool_choice: choice, output_config, output_format, ...rest } = body
  const { display, ...thought } = fieldsOf(thinking)
  const { disable_parallel_tool_use: single } = fieldsOf(choice)
  const { effort, format: formatGiven, ...others } = fieldsOf(output_config)
  const format = formatGiven ?? output_format
  // Thinking by a budget, and none, have no effort of their own: it stands where this wire passes it on.
  const beside = thought["type"] === "enabled" || thought["type"] === "disabled"
  const passed = given({ ...others, ...(beside ? { effort } : {}) })
  const settings = given({
    ...rest,
    thinking: isFields(thinking) ? thought : thinking,
    tool_choice: choice,
    reasoning_summary: displays.has(display) ? display : undefined,
    parallel_tool_calls: typeof single === "boolean" ? !single : undefined,
    effort: beside ? undefined : effort,
    response_format: format,
    output_config: Object.keys(passed).length === 0 ? undefined : passed,
  })
  const kept = Object.fromEntries(Object.entries(settings).filter(([name]) => !elsewhere.includes(name)))
  return {
    options: readOptions(kept, []),
    unread: [
      ...ingestOptions(kept as JsonObject).refused,
      ...(display === undefined || display === null || displays.has(display) ? [] : ["thinking.display"]),
      ...(thought["type"] === "enabled" && thought["budget_tokens"] === undefined ? ["thinking"] : []),
    ],
  }
}

const displays: ReadonlySet<unknown> = new Set(["summarized", "omitted"])

/** Without what is not set: null and an empty list say nothing here. */
const given = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  )

export interface ReadFunctions {
  readonly tools: readonly ToolDefinition[]
  /** The provider enforces every schema that allows it. */
  readonly strict: boolean
  readonly unread: readonly string[]
}

/** The tools that are ours. */
export function readFunctions(value: unknown): ReadFunctions {
  const functions = listOf(value)
    .map((tool, at) => ({ tool: plainTool(fieldsOf(tool)), at }))
    .filter(({ tool }) => !isHostedTool(tool))
  const strict = functions.some(({ tool }) => tool["strict"] === true)
  return {
    tools: readTools(
      functions.map(({ tool }) => tool),
      (tool) => [tool["name"], tool["description"], tool["input_schema"]],
    ),
    strict,
    unread: functions.flatMap(({ tool, at }) => {
      const names = Object.keys(tool).filter((name) => !toolMembers.has(name))
      const enforced = strict && isFields(tool["input_schema"]) && isEnforceable(tool["input_schema"] as Json)
      // All schemas that allow it are enforced, or none.
      if ((tool["strict"] === true) !== enforced) names.push("strict")
      return names.map((name) => `tools[${at}]: ${name}`)
    }),
  }
}

const toolMembers: ReadonlySet<string> = new Set(["name", "description", "input_schema", "strict"])

/** documented: what a tool says that says nothing about it. */
export function plainTool(tool: Fields): Fields {
  return Object.fromEntries(
    Object.entries(tool).filter(([name, value]) => {
      if (value === null || name === "cache_control") return false
      if (name === "type") return value !== "custom"
      if (name === "description") return value !== ""
      if (name === "input_examples") return listOf(value).length > 0
      if (name === "allowed_callers") return listOf(value).join() !== "direct"
      return value !== false || !flags.has(name)
    }),
  )
}

const flags: ReadonlySet<string> = new Set(["strict", "defer_loading", "eager_input_streaming"])
