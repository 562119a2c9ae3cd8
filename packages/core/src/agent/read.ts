/**
 * Reading of one agent from its file: front matter, then its prompt.
 *
 * An agent that cannot be read whole is left out: one without the rule or the tool list that its
 * author meant could do more than it should. Files of other programs are read by their words; what
 * has no meaning here is passed over, and never gives the agent more.
 */
import { Result } from "effect"
import { type ModelRef, parseModelRef } from "@holdfast/schema/model"
import { type FrontMatterValue, inlineItems, readFrontMatter } from "../markdown/front-matter.ts"
import { type MarkdownFile, type MarkdownProblem, problemOf } from "../markdown/files.ts"
import { visible, visibleLine } from "../markdown/visible.ts"
import { turnsMaxDefault } from "../session/ports.ts"
import { nearNames } from "@holdfast/schema/near-names"
import { type AgentDefinition, type AgentMode, agentModes, type ToolSelection } from "./definition.ts"
import { readToolNames } from "./tool-names.ts"

const fieldNames = [
  "description",
  "mode",
  "model",
  "variant",
  "permissions",
  "steps",
  "temperature",
  "tools",
  "allowed-tools",
]
export const descriptionCharactersMax = 1_024
const stepsMax = 10_000
const temperatureMax = 2
const permissionsMax = 200

export function readAgent(file: MarkdownFile): Result.Result<AgentDefinition, MarkdownProblem> {
  const { path, place, text } = file
  const { origin, foreign } = place
  const fail = (message: string, line = 0) =>
    Result.fail(problemOf(path, `${message} The agent is left out.`, line))
  const read = readFrontMatter(text)
  if (Result.isFailure(read)) return fail(read.failure.message, read.failure.line)
  const { fields, body } = read.success
  const fault = foreign ? null : (unknownField([...fields.keys()]) ?? modelFault(fields))
  if (fault !== null) return fail(fault)
  const description = visibleLine(textOf(fields.get("description")), descriptionCharactersMax)
  if (description === "") return fail("It has no description: say in one sentence what it is for.")
  const prompt = visible(body).trim()
  if (prompt === "") return fail("It has no prompt: write it below the front matter.")
  const mode = modeOf(fields.get("mode"), foreign)
  if (mode === null) return fail(`mode must be one of ${agentModes.join(", ")}.`)
  const turnsMax = numberOf(
    fields.get("steps"),
    (value) => Number.isSafeInteger(value) && value >= 1 && value <= stepsMax,
  )
  if (turnsMax === undefined) return fail(`steps must be a whole number from 1 to ${stepsMax}.`)
  const temperature = numberOf(fields.get("temperature"), (value) => value >= 0 && value <= temperatureMax)
  if (temperature === undefined) return fail(`temperature must be a number from 0 to ${temperatureMax}.`)
  const permissions = listOf(fields.get("permissions"))
  if (permissions.length > permissionsMax)
    return fail(`permissions must hold at most ${permissionsMax} rules.`)
  return Result.succeed({
    name: nameOf(file, fields.get("name")),
    description,
    mode,
    origin,
    file: path,
    prompt,
    model: modelOf(fields),
    turnsMax: turnsMax ?? turnsMaxDefault,
    temperature,
    permissions: permissions.map((rule) => visibleLine(rule, descriptionCharactersMax)),
    selection: selectionOf(fields, foreign),
  })
}

type Fields = ReadonlyMap<string, FrontMatterValue>

const textOf = (value: FrontMatterValue | undefined): string =>
  value === undefined ? "" : typeof value === "string" ? value : value.join(", ")

/** Also as a text with commas. */
const listOf = (value: FrontMatterValue | undefined): readonly string[] =>
  typeof value === "string" ? inlineItems(value) : (value ?? [])

/** Null where it is not set, undefined where it is wrong. */
function numberOf(
  value: FrontMatterValue | undefined,
  fits: (value: number) => boolean,
): number | null | undefined {
  if (value === undefined) return null
  const number = typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN
  return fits(number) ? number : undefined
}

function unknownField(keys: readonly string[]): string | null {
  const unknown = keys.find((key) => !fieldNames.includes(key))
  if (unknown === undefined) return null
  const near = nearNames(unknown, fieldNames)[0]
  const advice = near === undefined ? `Known here: ${fieldNames.join(", ")}.` : `Did you mean ${near}?`
  return `${unknown} is not a field of an agent. ${advice}`
}

function modelFault(fields: Fields): string | null {
  const model = fields.get("model")
  if (model === undefined)
    return fields.has("variant") ? "variant stands without a model. Name the model too." : null
  return parseModelRef(textOf(model)) === null
    ? "model must name provider and model, as in NAME/MODEL."
    : null
}

/** Names such as `sonnet`, which other programs have, mean nothing here. */
function modelOf(fields: Fields): ModelRef | null {
  const ref = parseModelRef(textOf(fields.get("model")))
  const variant = textOf(fields.get("variant"))
  return ref === null || variant === "" ? ref : { ...ref, model: `${ref.model}:${variant}` }
}

function modeOf(value: FrontMatterValue | undefined, foreign: boolean): AgentMode | null {
  if (value === undefined) return foreign ? "subagent" : "primary"
  return agentModes.find((mode) => mode === value) ?? null
}

function nameOf({ name, place }: MarkdownFile, given: FrontMatterValue | undefined): string {
  const own = textOf(given)
  return place.foreign && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(own) ? own : name
}

/** Both words are understood; where both stand, what both name is left. */
function selectionOf(fields: Fields, foreign: boolean): ToolSelection {
  const lists = ["tools", "allowed-tools"].flatMap((key) =>
    fields.has(key) ? [readToolNames(listOf(fields.get(key)), foreign)] : [],
  )
  const [first = null, ...others] = lists
  const without = ["disallowedTools", "disallowed-tools"].flatMap((key) =>
    readToolNames(listOf(fields.get(key)), true),
  )
  return {
    only: first?.filter((name) => others.every((names) => names.includes(name))) ?? null,
    without,
    readOnly: false,
  }
}
