/** Shape rules: fields, parts and schemas, as a strict reader of protocol buffers sees them. */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { Verdict } from "../sim-wire.ts"
import { invalid, invalidField } from "./error.ts"
import { facts } from "./facts.ts"
import { checkInlineData } from "./images.ts"

/** documented: the fields of a request. */
const bodyFields = [
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "safetySettings",
  "cachedContent",
  "labels",
  "store",
  "serviceTier",
]

/** documented: exactly one of these makes a part. */
const dataFields = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
]
const partFields = [...dataFields, "thought", "thoughtSignature", "videoMetadata"]

const configFields = [
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "candidateCount",
  "stopSequences",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "responseModalities",
  "responseLogprobs",
  "logprobs",
  "thinkingConfig",
  "speechConfig",
  "mediaResolution",
]

/** documented: the tools of the provider, by their names in paths. */
const hostedFields: Readonly<Record<string, string>> = {
  googleSearch: "google_search",
  googleSearchRetrieval: "google_search_retrieval",
  codeExecution: "code_execution",
  urlContext: "url_context",
  googleMaps: "google_maps",
  computerUse: "computer_use",
  fileSearch: "file_search",
}
const toolFields = ["functionDeclarations", ...Object.keys(hostedFields)]

export function checkShape(body: JsonObject): Verdict {
  return (
    unknownName("", body, bodyFields) ??
    checkContents(body["contents"]) ??
    checkInstruction(body["systemInstruction"]) ??
    checkTools(body["tools"]) ??
    checkConfig(body["generationConfig"]) ??
    checkToolConfig(body["toolConfig"])
  )
}

function checkContents(value: unknown): Verdict {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) {
    return invalid(facts.contentsMissing)
  }
  return each("contents", value, (path, content, index) => {
    const shape = objectAt(path, content, ["role", "parts"])
    if (shape !== undefined || !isObject(content)) return shape
    const role = content["role"]
    if (role !== undefined && role !== "user" && role !== "model") return invalid(facts.roleUnknown)
    const parts = content["parts"]
    if (!Array.isArray(parts) || parts.length === 0) return invalid(facts.partsEmpty(index))
    return each(`${path}.parts`, parts, checkPart)
  })
}

function checkInstruction(value: unknown): Verdict {
  if (value === undefined) return undefined
  const shape = objectAt("system_instruction", value, ["role", "parts"])
  if (shape !== undefined || !isObject(value)) return shape
  return each("system_instruction.parts", value["parts"] ?? [], checkPart)
}

function checkPart(path: string, value: unknown): Verdict {
  const shape = objectAt(path, value, partFields)
  if (shape !== undefined || !isObject(value)) return shape
  if (!dataFields.some((name) => value[name] !== undefined)) return invalid(facts.dataMissing(path))
  if (value["text"] !== undefined && typeof value["text"] !== "string") {
    return wrongType(`${path}.text`, "TYPE_STRING", value["text"])
  }
  return (
    objectAt(`${path}.inline_data`, value["inlineData"], ["mimeType", "data", "displayName"]) ??
    objectAt(`${path}.file_data`, value["fileData"], ["mimeType", "fileUri"]) ??
    checkInlineData(path, value["inlineData"]) ??
    checkCall(path, value["functionCall"]) ??
    checkResponse(path, value["functionResponse"])
  )
}

function checkCall(path: string, value: unknown): Verdict {
  if (value === undefined) return undefined
  const where = `${path}.function_call`
  const shape = objectAt(where, value, ["name", "args", "id"])
  if (shape !== undefined || !isObject(value)) return shape
  if (typeof value["name"] !== "string" || value["name"] === "") return invalid(facts.callNameEmpty(path))
  return value["args"] === undefined || isObject(value["args"])
    ? undefined
    : wrongType(`${where}.args`, "type.googleapis.com/google.protobuf.Struct", value["args"])
}

function checkResponse(path: string, value: unknown): Verdict {
  if (value === undefined) return undefined
  const where = `${path}.function_response`
  const shape = objectAt(where, value, ["name", "response", "id", "parts", "willContinue", "scheduling"])
  if (shape !== undefined || !isObject(value)) return shape
  if (typeof value["name"] !== "string" || value["name"] === "") {
    return invalid(facts.responseNameEmpty(path))
  }
  if (!isObject(value["response"])) {
    return wrongType(`${where}.response`, "type.googleapis.com/google.protobuf.Struct", value["response"])
  }
  return each(`${where}.parts`, value["parts"] ?? [], checkResponsePart)
}

/** documented: media and nothing else. */
function checkResponsePart(path: string, value: unknown): Verdict {
  const shape = objectAt(path, value, ["inlineData", "fileData"])
  if (shape !== undefined || !isObject(value)) return shape
  if (Object.keys(value).length === 0) return invalid(facts.dataMissing(path))
  return checkPart(path, value)
}

function checkTools(value: unknown): Verdict {
  const seen = new Set<string>()
  return each("tools", value ?? [], (path, tool) => {
    const shape = objectAt(path, tool, toolFields)
    if (shape !== undefined || !isObject(tool)) return shape
    const wrong = Object.keys(hostedFields).find((name) => tool[name] !== undefined && !isObject(tool[name]))
    if (wrong !== undefined) return wrongType(`${path}.${hostedFields[wrong]}`, "TYPE_MESSAGE", tool[wrong])
    return each(`${path}.function_declarations`, tool["functionDeclarations"] ?? [], (at, one) =>
      checkDeclaration(at, one, seen),
    )
  })
}

function checkDeclaration(path: string, value: unknown, seen: Set<string>): Verdict {
  const fields = ["name", "description", "parameters", "parametersJsonSchema", "response", "behavior"]
  const shape = objectAt(path, value, [...fields, "responseJsonSchema"])
  if (shape !== undefined || !isObject(value)) return shape
  const name = value["name"]
  if (typeof name !== "string" || !facts.namePattern.test(name)) {
    return invalid(facts.toolName(path))
  }
  if (seen.has(name)) return invalid(facts.toolDuplicate(name))
  seen.add(name)
  return value["parameters"] === undefined
    ? undefined
    : checkSchema(`${path}.parameters`, value["parameters"])
}

const depthMax = 64

/** recorded: a keyword that the schema does not have is an unknown name. */
function checkSchema(path: string, value: unknown, depth = 0): Verdict {
  const shape = objectAt(path, value, facts.schemaFields)
  if (shape !== undefined || !isObject(value) || depth > depthMax) return shape
  const properties = value["properties"]
  const isEmpty = isObject(properties) && Object.keys(properties).length === 0
  if (String(value["type"]).toUpperCase() === "OBJECT" && isEmpty) {
    return invalid(facts.propertiesEmpty(path))
  }
  for (const [name, child] of Object.entries(isObject(properties) ? properties : {})) {
    // recorded: a property is an entry of a map, and its schema the value.
    const refusal = checkSchema(`${path}.properties[${name}].value`, child, depth + 1)
    if (refusal !== undefined) return refusal
  }
  return (
    (value["items"] === undefined ? undefined : checkSchema(`${path}.items`, value["items"], depth + 1)) ??
    each(`${path}.any_of`, value["anyOf"] ?? [], (at, child) => checkSchema(at, child, depth + 1))
  )
}

function checkConfig(value: unknown): Verdict {
  if (value === undefined) return undefined
  const shape = objectAt("generation_config", value, configFields)
  if (shape !== undefined || !isObject(value)) return shape
  const temperature = value["temperature"]
  if (temperature !== undefined && (typeof temperature !== "number" || temperature < 0 || temperature > 2)) {
    return invalid(facts.temperature)
  }
  const output = value["maxOutputTokens"]
  if (output !== undefined && !Number.isInteger(output)) {
    return wrongType("generation_config.max_output_tokens", "TYPE_INT32", output)
  }
  const fields = ["includeThoughts", "thinkingBudget", "thinkingLevel"]
  return objectAt("generation_config.thinking_config", value["thinkingConfig"], fields)
}

function checkToolConfig(value: unknown): Verdict {
  const shape = objectAt("tool_config", value, [
    "functionCallingConfig",
    "retrievalConfig",
    "includeServerSideToolInvocations",
  ])
  if (shape !== undefined || !isObject(value)) return shape
  const path = "tool_config.function_calling_config"
  const config = value["functionCallingConfig"]
  const inner = objectAt(path, config, ["mode", "allowedFunctionNames", "streamFunctionCallArguments"])
  if (inner !== undefined || !isObject(config)) return inner
  const mode = config["mode"]
  if (mode !== undefined && !facts.modes.includes(String(mode))) {
    return wrongType(
      `${path}.mode`,
      "type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode",
      mode,
    )
  }
  return each(`${path}.allowed_function_names`, config["allowedFunctionNames"] ?? [], (at, name) =>
    typeof name === "string" ? undefined : wrongType(at, "TYPE_STRING", name),
  )
}

function objectAt(path: string, value: unknown, fields: readonly string[]): Verdict {
  if (value === undefined) return undefined
  return isObject(value) ? unknownName(path, value, fields) : wrongType(path, "TYPE_MESSAGE", value)
}

function each(
  path: string,
  value: unknown,
  check: (path: string, item: unknown, index: number) => Verdict,
): Verdict {
  if (!Array.isArray(value)) return wrongType(path, "TYPE_MESSAGE", value)
  for (const [index, item] of value.entries()) {
    const refusal = check(`${path}[${index}]`, item, index)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function unknownName(path: string, value: JsonObject, fields: readonly string[]): Verdict {
  const extra = Object.keys(value).find((key) => !fields.includes(key))
  return extra === undefined ? undefined : invalidField(facts.unknownName(extra, path), path)
}

function wrongType(path: string, type: string, value: unknown): Verdict {
  const got =
    isObject(value) || Array.isArray(value) ? "Starting an object on a scalar field" : JSON.stringify(value)
  return invalidField(facts.wrongType(path, type, got ?? "null"), path)
}
