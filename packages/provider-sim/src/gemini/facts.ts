/** Facts: what this wire claims about the Gemini API, each with its source. */

const recorded = {
  keyMissing:
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  keyInvalid: "API key not valid. Please pass a valid API key.",
  bodyTooLarge: (bytes: number) => `Request payload size exceeds the limit: ${bytes} bytes.`,
  unknownName: (name: string, path: string) =>
    path === ""
      ? `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`
      : `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`,
  wrongType: (path: string, type: string, got: string) => `Invalid value at '${path}' (${type}), ${got}`,
  modelUnknown: (name: string, method: string) =>
    `models/${name} is not found for API version v1beta, or is not supported for ${method}. Call ListModels to see the list of available models and their supported methods.`,
  contentsMissing: "* GenerateContentRequest.contents: contents is not specified\n",
  partsEmpty: (index: number) =>
    `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`,
  roleUnknown: "Please use a valid role: user, model.",
  dataMissing: (path: string) =>
    `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field\n`,
  responseNameEmpty: (path: string) =>
    `* GenerateContentRequest.${path}.function_response.name: Name cannot be empty.\n`,
  callTurn:
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  responseTurn: "Please ensure that function response turn comes immediately after a function call turn.",
  responseCount:
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
  callMixed:
    "Please ensure that function call turn contains at least one function_call part which can not be mixed with function_response parts.",
  signatureMissing: (name: string, position: number) =>
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
  signatureWrong: "Corrupted thought signature.",
  toolName: (path: string) =>
    `* GenerateContentRequest.${path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n`,
  toolDuplicate: (name: string) => `Duplicate function declaration found: ${name}`,
  propertiesEmpty: (path: string) =>
    `* GenerateContentRequest.${path}.properties: should be non-empty for OBJECT type\n`,
  configWithoutTools: "Function calling config is set without function_declarations.",
  hostedSilent:
    "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
  temperature:
    "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\n",
  responseMime:
    "* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.\n",
  responseMimes: ["text/plain", "application/json", "application/xml", "application/yaml", "text/x.enum"],
  outputRange: (asked: number, max: number) =>
    `Unable to submit request because it has a maxOutputTokens value of ${asked} but the supported range is from 1 (inclusive) to ${max + 1} (exclusive). Update the value and try again.`,
  cachedUnknown: "CachedContent not found (or permission denied)",
  overflow: (tokens: number, max: number) =>
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${max}).`,
  rateLimited: "Resource has been exhausted (e.g. check quota).",
  outOfCredit:
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. To monitor your current usage, head to: https://ai.dev/rate-limit. ",
  overloaded: "The model is overloaded. Please try again later.",
  serverError:
    "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  mimeUnknown: (type: string) => `Unsupported MIME type: ${type}`,
  imageBroken:
    "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  imagesUnsupported: (name: string) => `Image input modality is not enabled for models/${name}`,
  resultPartsUnsupported:
    "Unable to submit request because `function_response.parts` is not supported for this model. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling",
  finishMessage: "Model generated function call(s).",
  namePattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
}

const documented = {
  /** 20 MB; that a megabyte is 2^20 bytes is assumed. */
  bodyBytesMax: 20 * 1024 * 1024,
  /** GIF is not among them. */
  imageTypes: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
  otherMedia: /^(application\/pdf$|text\/|audio\/|video\/)/,
  imageTiles: { perTile: 258, smallSide: 384, sideMin: 256, sideMax: 768, cuts: 1.5 },
  /** Generations whose function responses hold no media. */
  resultPartsless: /^gemini-[12]\b/,
  /** Models that think and take a call without its signature, and those that know no level. */
  unsignedModels: /^gemini-2\.5/,
  /** Written in either case. */
  thinkingLevels: ["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"],
  modes: ["AUTO", "ANY", "NONE", "VALIDATED"],
  /** The fields of a schema; full JSON Schema has a field of its own. */
  schemaFields: [
    ..."type format title description nullable enum items maxItems minItems properties required".split(" "),
    ..."minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default minimum maximum".split(
      " ",
    ),
  ],
}

const assumed = {
  notFound: "Requested entity was not found.",
  bodyNotJson: "Invalid JSON payload received. Expected an object.",
  levelUnsupported: "Thinking level is not supported for this model.",
  callNameEmpty: (path: string) =>
    `* GenerateContentRequest.${path}.function_call.name: Name cannot be empty.\n`,
  allowedWithoutAny:
    "Allowed function names can only be set when the function calling mode is ANY or VALIDATED.",
  allowedUnknown: (name: string) => `Allowed function name '${name}' is not declared.`,
  thinkingUnsupported: "Thinking is not supported by this model.",
  /** Images whose header nobody here reads. */
  imageTypesUnread: ["image/heic", "image/heif"],
  /** Implicit caching promises nothing; this much of it is simulated. */
  cacheTokensStep: 128,
  cacheIdleMs: 300_000,
}

export const sources = { recorded, documented, assumed }
export const facts = { ...recorded, ...documented, ...assumed }
