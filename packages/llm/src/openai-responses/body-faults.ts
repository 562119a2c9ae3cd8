/**
 * What is illegal about the settings of a body as somebody wrote it (LL3): what reading and writing
 * it again would mend without a word. Only what the provider is documented to refuse.
 */
import type { Json } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import { functionNameShape, toolCalled } from "../request/call-shape.ts"
import { isStrictSchema } from "../request/tool-schema.ts"
import type { LintFault } from "../wire.ts"
import { isHostedTool } from "./hosted-tool.ts"

type Faults = readonly LintFault[]

export const bodyFaults = (body: Fields): Faults => [
  ...settingFaults(body),
  ...choiceFaults(body["tool_choice"], listOf(body["tools"]).map(fieldsOf)),
  ...strictFaults(listOf(body["tools"]).map(fieldsOf)),
]

const fault = (rule: string, message: string, block = 0): LintFault => ({ rule, block, message })

const isSet = (value: unknown): boolean => value !== undefined && value !== null

/** documented: at most 64 characters. */
const keyCharsMax = 64

function settingFaults(body: Fields): Faults {
  const { model, prompt, max_output_tokens: output, background, store } = body
  const wrong: readonly (readonly [isWrong: boolean, message: string])[] = [
    [textOf(model) === "" && !isSet(prompt), "no model is named: set model"],
    [
      isSet(output) && !(Number.isSafeInteger(output) && (output as number) > 0),
      "max_output_tokens is not a positive whole number",
    ],
    ...["temperature", "top_p"].map(
      (name) => [isSet(body[name]) && typeof body[name] !== "number", `${name} is not a number`] as const,
    ),
    [
      isSet(body["instructions"]) && typeof body["instructions"] !== "string",
      "instructions are not a text: write them as a developer message",
    ],
    [
      isSet(body["previous_response_id"]) && isSet(body["conversation"]),
      "previous_response_id and conversation exclude each other: leave one out",
    ],
    [background === true && store === false, "background needs a stored answer: leave store out"],
    [
      textOf(body["prompt_cache_key"]).length > keyCharsMax,
      `prompt_cache_key has more than ${keyCharsMax} characters`,
    ],
    [isSet(body["metadata"]) && !isMetadata(body["metadata"]), "metadata holds more than the provider takes"],
  ]
  return wrong.flatMap(([isWrong, message]) => (isWrong ? [fault("params", message)] : []))
}

/** documented: 16 pairs, names of 64 characters, texts of 512. */
function isMetadata(value: unknown): boolean {
  const pairs = Object.entries(fieldsOf(value))
  const fits = pairs.every(
    ([name, text]) => name.length <= 64 && typeof text === "string" && text.length <= 512,
  )
  return isFields(value) && pairs.length <= 16 && fits
}

/** Of structured output. */
export function formatFaults(format: Fields): Faults {
  const { type, name, schema, strict } = format
  if (type !== "json_schema") return []
  if (!functionNameShape.test(textOf(name))) {
    return [fault("params", "text.format needs a name of letters, digits, _ and -, at most 64 of them")]
  }
  if (!isFields(schema)) return [fault("params", "text.format needs a schema")]
  if (strict !== true || isStrictSchema(schema as Json)) return []
  return [fault("params", `the schema ${textOf(name)} is not strict: ${strictness}`)]
}

const strictness = "require every property and set additionalProperties to false, or leave strict out"

function strictFaults(tools: readonly Fields[]): Faults {
  return tools.flatMap((tool, at) => {
    const { name, parameters, strict } = tool
    if (isHostedTool(tool) || strict !== true || isStrictSchema((parameters ?? {}) as Json)) return []
    return [fault("tool-schema", `the input of ${toolCalled(name)} is not strict: ${strictness}`, at)]
  })
}

/** What `lint` cannot see, since a choice that has no tool is not written again. */
function choiceFaults(choice: unknown, tools: readonly Fields[]): Faults {
  if (!isSet(choice) || choice === "auto" || choice === "none") return []
  if (choice !== "required" && !isFields(choice)) {
    return [fault("tool-choice", "tool_choice is none of auto, none, required and a tool")]
  }
  if (tools.length === 0)
    return [fault("tool-choice", "a tool must be called and none is defined: add tools")]
  const { type, tools: allowed } = fieldsOf(choice)
  const chosen = type === "allowed_tools" ? listOf(allowed).map(fieldsOf) : [fieldsOf(choice)]
  if (type === "function" || choice === "required") return []
  return chosen
    .filter((tool) => !tools.some((defined) => isOf(defined, tool)))
    .map((tool) => fault("tool-choice", `tool_choice names ${nameOf(tool)}, which is not defined: add it`))
}

const nameOf = ({ type, name, server_label: server }: Fields): string =>
  textOf(name) || textOf(server) || textOf(type)

/** A tool of the provider's is chosen by its type, and types have dated names. */
function isOf(defined: Fields, chosen: Fields): boolean {
  const { type, name, server_label: server } = chosen
  if (type === "function" || type === "custom") return defined["type"] === type && defined["name"] === name
  if (type === "mcp") return defined["type"] === "mcp" && defined["server_label"] === server
  const [wanted, given] = [textOf(type), textOf(defined["type"])]
  return wanted.startsWith(given) || given.startsWith(wanted)
}
