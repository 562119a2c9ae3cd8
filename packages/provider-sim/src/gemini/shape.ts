/** Shape rules: fields, parts and schemas, as a strict reader of protocol buffers sees them. */
import { isObject, wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { all, always, anything, firstRefusal, named, orNull, shapesOf } from "../shape.ts"
import type { Check, Fields, Kind } from "../shape.ts"
import type { Verdict } from "../sim-wire.ts"
import { invalid, invalidField } from "./error.ts"
import { facts } from "./facts.ts"
import { checkInlineData } from "./images.ts"

const types: Readonly<Record<Kind, string>> = {
  string: "TYPE_STRING",
  boolean: "TYPE_BOOL",
  integer: "TYPE_INT32",
  decimal: "TYPE_FLOAT",
  array: "TYPE_MESSAGE",
  object: "TYPE_MESSAGE",
}
const struct = "type.googleapis.com/google.protobuf.Struct"

const { list, loose, number, object, text } = shapesOf({
  join(path, key) {
    if (typeof key === "number") return `${path}[${key}]`
    const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return path === "" ? snake : `${path}.${snake}`
  },
  isAbsent: (value) => value === undefined,
  unknownFirst: true,
  missing: (path) => wrongType(path, types.object, undefined),
  unknown: (path, key) => invalidField(facts.unknownName(key, path), path),
  wrongType: (path, kind, value) => wrongType(path, types[kind], value),
  wrongValue: (path, value) => wrongType(path, types.string, value),
  belowMin: () => invalid(facts.temperature),
  aboveMax: () => invalid(facts.temperature),
})

function wrongType(path: string, type: string, value: unknown) {
  const isNested = isObject(value) || Array.isArray(value)
  const got = isNested ? "Starting an object on a scalar field" : (JSON.stringify(value) ?? "null")
  return invalidField(facts.wrongType(path, type, got), path)
}

const isStruct: Check = (path, value) => (isObject(value) ? undefined : wrongType(path, struct, value))

/** A name that is not empty; the fault is told by the path of the part around the call. */
const nameOr = (empty: (path: string) => string) =>
  always((path, value) =>
    typeof value === "string" && value !== ""
      ? undefined
      : invalid(empty(path.replace(/\.function_(call|response)\.name$/, ""))),
  )

const media: Fields = {
  inlineData: all(object(named("mimeType data displayName")), checkInlineData),
  fileData: object(named("mimeType fileUri")),
}

/** documented: media and nothing else. */
const responsePart: Check = all(object(media), (path, value) =>
  Object.keys(value as JsonObject).length === 0 ? invalid(facts.dataMissing(path)) : undefined,
)

/** documented: exactly one of these makes a part. */
const dataFields: Fields = {
  text: text(),
  ...media,
  functionCall: object({ name: nameOr(facts.callNameEmpty), args: isStruct, id: anything }),
  functionResponse: object({
    name: nameOr(facts.responseNameEmpty),
    response: always(isStruct),
    parts: orNull(list(responsePart)),
    ...named("id willContinue scheduling"),
  }),
  ...named("executableCode codeExecutionResult toolCall toolResponse"),
}

const part: Check = all(
  object({ ...dataFields, ...named("thought thoughtSignature videoMetadata mediaResolution partMetadata") }),
  (path, value) =>
    Object.keys(dataFields).some((name) => (value as JsonObject)[name] !== undefined)
      ? undefined
      : invalid(facts.dataMissing(path)),
)

const content = object({
  role: (_, role) => (role === "user" || role === "model" ? undefined : invalid(facts.roleUnknown)),
  parts: always((path, value) =>
    Array.isArray(value) && value.length > 0
      ? list(part)(path, value)
      : invalid(facts.partsEmpty(Number(/\d+/.exec(path)?.[0]))),
  ),
})

const depthMax = 64

/** recorded: a keyword that the schema does not have is an unknown name. */
const schema =
  (depth = 0): Check =>
  (path, value) => {
    const shape = object(named(facts.schemaFields.join(" ")))(path, value)
    if (shape !== undefined || depth > depthMax) return shape
    const { type, properties, items, anyOf } = value as JsonObject
    const members = isObject(properties) ? Object.entries(properties) : []
    if (wordOf(type).toUpperCase() === "OBJECT" && isObject(properties) && members.length === 0) {
      return invalid(facts.propertiesEmpty(path))
    }
    const inner = schema(depth + 1)
    return (
      // recorded: a property is an entry of a map, and its schema the value.
      firstRefusal(members, ([name, child]) => inner(`${path}.properties[${name}].value`, child)) ??
      (items === undefined ? undefined : inner(`${path}.items`, items)) ??
      list(inner)(`${path}.any_of`, anyOf ?? [])
    )
  }

const declaration = object({
  name: always((path, name) =>
    typeof name === "string" && facts.namePattern.test(name)
      ? undefined
      : invalid(facts.toolName(path.replace(/\.name$/, ""))),
  ),
  parameters: schema(),
  ...named("description parametersJsonSchema response behavior responseJsonSchema"),
})

/** documented: functions, and the tools of the provider. */
const tool = object({
  functionDeclarations: orNull(list(declaration)),
  ...named(
    "googleSearch googleSearchRetrieval codeExecution urlContext googleMaps computerUse fileSearch",
    loose(),
  ),
})

const modeType = "type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode"
const mode: Check = (path, value) =>
  facts.modes.includes(wordOf(value)) ? undefined : wrongType(path, modeType, value)

const levelType = "type.googleapis.com/google.ai.generativelanguage.v1beta.ThinkingConfig.ThinkingLevel"
const level: Check = (path, value) =>
  facts.thinkingLevels.includes(wordOf(value).toUpperCase()) ? undefined : wrongType(path, levelType, value)

const responseMime = text((_, type) =>
  type === "" || facts.responseMimes.includes(type) ? undefined : invalid(facts.responseMime),
)

/** documented: the fields of a request. */
const body = object({
  contents: always((path, value) =>
    value === undefined || (Array.isArray(value) && value.length === 0)
      ? invalid(facts.contentsMissing)
      : list(content)(path, value),
  ),
  systemInstruction: object({ role: anything, parts: orNull(list(part)) }),
  tools: orNull(list(tool)),
  generationConfig: object({
    temperature: number("decimal", { min: 0, max: 2 }),
    maxOutputTokens: number("integer"),
    thinkingConfig: object({ ...named("includeThoughts thinkingBudget"), thinkingLevel: level }),
    responseMimeType: responseMime,
    stopSequences: list(text()),
    ...named("topP topK candidateCount seed presencePenalty frequencyPenalty"),
    ...named("responseSchema responseJsonSchema responseModalities responseLogprobs"),
    ...named("logprobs speechConfig mediaResolution imageConfig enableEnhancedCivicAnswers"),
  }),
  toolConfig: object({
    functionCallingConfig: object({
      mode,
      allowedFunctionNames: orNull(list(text())),
      streamFunctionCallArguments: anything,
    }),
    ...named("retrievalConfig includeServerSideToolInvocations"),
  }),
  ...named("safetySettings cachedContent labels store serviceTier"),
})

export function checkShape(value: JsonObject): Verdict {
  return body("", value) ?? checkDuplicates(value)
}

function checkDuplicates(value: JsonObject): Verdict {
  const tools = (value["tools"] ?? []) as readonly { functionDeclarations?: readonly { name: string }[] }[]
  const names = tools.flatMap((one) => (one.functionDeclarations ?? []).map(({ name }) => name))
  const twice = names.find((name, index) => names.indexOf(name) < index)
  return twice === undefined ? undefined : invalid(facts.toolDuplicate(twice))
}
