/**
 * What is illegal about a Chat body as somebody wrote it, and mended in silence when it is encoded
 * again (LL3). Its blocks and settings are judged by the linter of the wire.
 *
 * A rule that only one server is known to have is asked of that server alone: what another one takes
 * is no fault.
 */
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { Target } from "../segments.ts"
import type { LintFault } from "../wire.ts"
import { markerPolicies } from "./place.ts"
import { type ChatProfile, profileOf } from "./profiles.ts"
import { marks } from "./declared-tools.ts"

export function faults(body: Fields, target: Target): readonly LintFault[] {
  const profile = profileOf(target)
  return [
    ...(textOf(body["model"]) === "" ? [fault("params", "the body names no model: set model")] : []),
    ...(profile.name === "openai" ? openaiFaults(body) : []),
    ...toolFaults(body, profile),
    ...(/gemini/i.test(target.model) ? [] : markerFaults(body)),
  ]
}

const fault = (rule: string, message: string, block = 0): LintFault => ({ rule, block, message })

const isSet = (value: unknown): boolean => value !== undefined && value !== null

/** recorded: what OpenAI refuses together. */
function openaiFaults(body: Fields): readonly LintFault[] {
  const twice = isSet(body["max_tokens"]) && isSet(body["max_completion_tokens"])
  const alone = isSet(body["stream_options"]) && body["stream"] !== true
  return [
    ...(twice
      ? [fault("params", "max_tokens and max_completion_tokens exclude each other: leave out max_tokens")]
      : []),
    ...(alone ? [fault("params", "stream_options need stream: true")] : []),
  ]
}

/** Servers that are recorded or documented to take a choice that forces nothing, without any tool. */
const takesIdleChoice = ({ name }: ChatProfile, choice: unknown): boolean => {
  if (name === "openai" || name === "generic") return false
  return choice === "none" || (choice === "auto" && name !== "vllm")
}

function toolFaults(body: Fields, profile: ChatProfile): readonly LintFault[] {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = body
  const declared = listOf(tools).map(fieldsOf)
  if (declared.length === 0) {
    const strict = profile.name === "openai"
    return [
      ...(isSet(choice) && !takesIdleChoice(profile, choice)
        ? [fault("tool-choice", "a tool choice without tools: leave out tool_choice")]
        : []),
      ...(strict && isSet(parallel)
        ? [fault("tool-choice", "parallel_tool_calls without tools: leave it out")]
        : []),
      ...(strict && Array.isArray(tools) ? [fault("params", "an empty list of tools: leave out tools")] : []),
    ]
  }
  const names = new Set(declared.map((tool) => nameOf(tool)))
  return chosenNames(choice)
    .filter((name) => !names.has(name))
    .map((name) => fault("tool-choice", `the chosen tool ${name} is not declared: choose one of tools`))
}

const nameOf = (tool: Fields): string =>
  textOf(fieldsOf(tool["function"])["name"]) || textOf(fieldsOf(tool["custom"])["name"])

/** Tools that a choice names in a form which has no option; the linter of the wire sees the others. */
function chosenNames(choice: unknown): readonly string[] {
  const { type, custom, allowed_tools: allowed } = fieldsOf(choice)
  if (type === "custom") return [textOf(fieldsOf(custom)["name"])]
  return type === "allowed_tools" ? listOf(fieldsOf(allowed)["tools"]).map(fieldsOf).map(nameOf) : []
}

interface Marker {
  /** The block it stands in. */
  readonly block: number
  readonly ttl: string
}

/** documented: Anthropic, behind whatever server, takes four marks, those that live longer first. */
function markerFaults(body: Fields): readonly LintFault[] {
  const owners = [...listOf(body["tools"]), ...listOf(body["messages"])].map(fieldsOf)
  const markers = owners.flatMap((owner, block) =>
    [owner, ...listOf(owner["content"]).map(fieldsOf)].flatMap((part): readonly Marker[] => {
      const mark = part[marks[0] as string]
      return isSet(mark) ? [{ block, ttl: textOf(fieldsOf(mark)["ttl"]) || "5m" }] : []
    }),
  )
  const { markersMax } = markerPolicies.anthropic
  return [
    ...markers
      .slice(markersMax)
      .map(({ block }) => fault("markers", `more than ${markersMax} cache markers: leave some out`, block)),
    ...markers
      .filter(({ ttl }, at) => ttl === "1h" && markers.slice(0, at).some((before) => before.ttl !== "1h"))
      .map(({ block }) => fault("markers", "a marker of 1h behind one of 5m: put the longer first", block)),
  ]
}
