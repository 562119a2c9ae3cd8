/**
 * The settings of a Converse body as options, for replays of recorded traffic.
 *
 * Only what this wire writes in the same words for the same family becomes an option. Whatever else
 * the provider may be told stays a compatibility field, so that it is sent again as it stands there.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, listOf, parseFields, textOf } from "../../json-fields.ts"
import type { ModelTraits, Reasoning, RequestOptions, StructuredOutput, ToolChoice } from "../../options.ts"
import { type ConverseFamily, families, familyOf } from "../families.ts"

/** The profile to read a body by: its model's own, unless the body says what that one does not take. */
export function readProfile(body: Fields, model: string): Pick<ModelTraits, "profile"> {
  const family = familyOf({ model, options: { traits: {} } })
  const choice = Object.keys(fieldsOf(fieldsOf(body["toolConfig"])["toolChoice"]))[0] ?? "auto"
  const results = listOf(body["messages"])
    .flatMap((message) => listOf(fieldsOf(message)["content"]))
    .map((block) => fieldsOf(fieldsOf(block)["toolResult"]))
  const showsImage = results.some(({ content }) =>
    listOf(content).some((piece) => isFields(fieldsOf(piece)["image"])),
  )
  const takesAll =
    (choice === "auto" || family.toolChoices.some((kind) => kind === choice)) &&
    (family.takesStatus || results.every(({ status }) => status !== "error")) &&
    (family.imagesInResults || !showsImage)
  return takesAll ? {} : { profile: (families["open"] as ConverseFamily).name }
}

/** documented: without a limit the model's own holds; a budget of reasoning has to fit into ours. */
const outputTokensOtherwise = 4_096

export function readSettings(
  body: Fields,
  family: ConverseFamily,
  unread: string[],
): Omit<RequestOptions, "traits"> {
  const {
    modelId: _i,
    messages: _m,
    system: _s,
    toolConfig,
    inferenceConfig,
    additionalModelRequestFields,
    outputConfig,
    serviceTier,
    ...rest
  } = body
  const { maxTokens, temperature, topP, stopSequences, ...inference } = fieldsOf(inferenceConfig)
  const { reasoning, others } = readReasoning(fieldsOf(additionalModelRequestFields), family)
  const toolChoice = readChoice(fieldsOf(toolConfig)["toolChoice"], unread)
  const structured = readFormat(outputConfig, unread)
  const tier = fieldsOf(serviceTier)["type"]
  if (serviceTier !== undefined && textOf(tier) === "") unread.push("serviceTier")
  const budget = reasoning?.kind === "budget" ? reasoning.tokens : budgetIn(others)
  const stop = listOf(stopSequences).map(textOf)
  return {
    generation: {
      outputTokensMax: isCount(maxTokens) ? maxTokens : outputTokensOtherwise + budget,
      ...(typeof temperature === "number" ? { temperature } : {}),
      ...(typeof topP === "number" ? { topP } : {}),
      ...(stop.length === 0 ? {} : { stop }),
      ...(toolChoice === null ? {} : { toolChoice }),
      ...(structured === null ? {} : { structured }),
    },
    model: {
      ...(reasoning === null ? {} : { reasoning }),
      ...(typeof tier === "string" && tier !== "" ? { serviceTier: tier } : {}),
    },
    body: {
      ...rest,
      ...(Object.keys(inference).length === 0 ? {} : { inferenceConfig: inference }),
      ...(Object.keys(others).length === 0 ? {} : { additionalModelRequestFields: others }),
    } as JsonObject,
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

function budgetIn(fields: Fields): number {
  const budget = fieldsOf(fields["thinking"])["budget_tokens"]
  return isCount(budget) ? budget : 0
}

interface ReadReasoning {
  readonly reasoning: Reasoning | null
  /** The maker's other fields, and words on reasoning that no option has. */
  readonly others: Fields
}

function readReasoning(fields: Fields, { reasoningControl }: ConverseFamily): ReadReasoning {
  const unsaid = { reasoning: null, others: fields }
  switch (reasoningControl) {
    case "none":
      return unsaid
    case "reasoning_effort": {
      const { reasoning_effort: effort, ...others } = fields
      return isWord(effort) ? { reasoning: { kind: "effort", effort }, others } : unsaid
    }
    case "reasoningConfig": {
      const { reasoningConfig, ...others } = fields
      const { type, maxReasoningEffort: effort } = fieldsOf(reasoningConfig)
      const said = namesOf(reasoningConfig)
      if (type === "disabled" && said === "type") return { reasoning: { kind: "off" }, others }
      if (type !== "enabled" || !isWord(effort) || said !== "maxReasoningEffort,type") return unsaid
      return { reasoning: { kind: "effort", effort }, others }
    }
    case "thinking":
      return readThinking(fields) ?? unsaid
  }
}

/** Null where one of them says more than an option can. */
function readThinking(fields: Fields): ReadReasoning | null {
  const { thinking, output_config: output, ...others } = fields
  const { type, budget_tokens: tokens } = fieldsOf(thinking)
  const effort = namesOf(output) === "effort" ? fieldsOf(output)["effort"] : undefined
  const withOutput = output === undefined ? others : { ...others, output_config: output }
  switch (`${textOf(type)} ${namesOf(thinking)}`) {
    case " ":
      return isWord(effort) && thinking === undefined
        ? { reasoning: { kind: "effort", effort }, others }
        : null
    case "disabled type":
      return { reasoning: { kind: "off" }, others: withOutput }
    case "adaptive type":
      return isWord(effort)
        ? { reasoning: { kind: "adaptive", effort }, others }
        : { reasoning: { kind: "adaptive" }, others: withOutput }
    case "enabled budget_tokens,type":
      return isCount(tokens) ? { reasoning: { kind: "budget", tokens }, others: withOutput } : null
    default:
      return null
  }
}

const isWord = (value: unknown): value is string => typeof value === "string" && value !== ""

/** The members of an object in one text; nothing if it is none. */
const namesOf = (value: unknown): string => Object.keys(fieldsOf(value)).sort().join()

function readFormat(config: unknown, unread: string[]): StructuredOutput | null {
  if (config === undefined || config === null) return null
  const { textFormat, ...others } = fieldsOf(config)
  unread.push(...Object.keys(others).map((name) => `outputConfig: ${name}`))
  if (textFormat === undefined) return null
  const { jsonSchema } = fieldsOf(fieldsOf(textFormat)["structure"])
  const { name, schema, ...more } = fieldsOf(jsonSchema)
  unread.push(...Object.keys(more).map((member) => `outputConfig.textFormat: ${member}`))
  const parsed = parseFields(textOf(schema))
  if (parsed === null) unread.push("outputConfig.textFormat")
  return parsed === null ? null : { name: textOf(name) || "answer", schema: parsed as JsonObject }
}

function readChoice(choice: unknown, unread: string[]): ToolChoice | null {
  if (choice === undefined || choice === null) return null
  const { tool, any, auto } = fieldsOf(choice)
  if (isFields(tool)) return { tool: textOf(tool["name"]) }
  if (isFields(any)) return "required"
  if (isFields(auto)) return "auto"
  unread.push("toolConfig.toolChoice")
  return null
}
