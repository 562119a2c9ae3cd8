/**
 * Facts that both wires of OpenAI share: the words of its schema checks, keys, limits, failures
 * and its cache. Public reports quote each text of a schema check, with other paths.
 */

const recorded = {
  unknownParameter: (path: string) => `Unknown parameter: '${path}'.`,
  missingParameter: (path: string) => `Missing required parameter: '${path}'.`,
  unsupportedParameter: (path: string) =>
    `Unsupported parameter: '${path}' is not supported with this model.`,
  unsupportedValue: (path: string, value: string, only: string) =>
    `Unsupported value: '${path}' does not support ${value} with this model. Only the default (${only}) value is supported.`,
  wrongType: (path: string, expected: string, got: string) =>
    `Invalid type for '${path}': expected ${expected}, but got ${got} instead.`,
  wrongValue: (value: string, supported: string) =>
    `Invalid value: '${value}'. Supported values are: ${supported}.`,
  belowMin: (path: string, kind: string, min: number, got: number) =>
    `Invalid '${path}': ${kind} below minimum value. Expected a value >= ${min}, but got ${got} instead.`,
  aboveMax: (path: string, kind: string, max: number, got: number) =>
    `Invalid '${path}': ${kind} above maximum value. Expected a value <= ${max}, but got ${got} instead.`,
  pattern: (path: string, pattern: string) =>
    `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
  stringTooLong: (path: string, max: number, got: number) =>
    `Invalid '${path}': string too long. Expected a string with maximum length ${max}, but got a string with length ${got} instead.`,
  arrayTooLong: (path: string, max: number, got: number) =>
    `Invalid '${path}': array too long. Expected an array with maximum length ${max}, but got an array with length ${got} instead.`,
  arrayEmpty: (path: string) =>
    `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
  propertiesTooMany: (path: string, max: number, got: number) =>
    `Invalid '${path}': too many properties. Expected an object with at most ${max} properties, but got an object with ${got} properties instead.`,
  schemaRoot: (name: string, got: string) =>
    `Invalid schema for ${name}: schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`,
  schemaTopLevel: (name: string) =>
    `Invalid schema for ${name}: schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
  schemaItems: (name: string, context: string) =>
    `Invalid schema for ${name}: In context=${context}, array schema missing items.`,
  schemaAdditional: (name: string, context: string) =>
    `Invalid schema for ${name}: In context=${context}, 'additionalProperties' is required to be supplied and to be false.`,
  schemaRequired: (name: string, context: string, key: string) =>
    `Invalid schema for ${name}: In context=${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${key}'.`,
  schemaExtraRequired: (name: string, context: string, key: string) =>
    `Invalid schema for ${name}: In context=${context}, 'required' must be an array that includes every key in \`properties\`. Extra required key '${key}' supplied.`,
  schemaKeyword: (name: string, context: string, keyword: string) =>
    `Invalid schema for ${name}: In context=${context}, '${keyword}' is not permitted.`,
  imageFormat:
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  imageEmpty: (path: string) =>
    `Invalid '${path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got empty base64-encoded bytes.`,
  imageNotBase64: "Invalid base64 image_url.",
  imagesTooMany: (max: number) => `Too many images in request. Max is ${max}.`,
  imageUrl: (path: string) =>
    `Invalid '${path}'. Expected a valid URL, but got a value with an invalid format.`,
  urlUnknown: (method: string, path: string) => `Invalid URL (${method} ${path})`,
  keyMissing:
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username and password. You can obtain an API key from https://platform.openai.com/account/api-keys.",
  keyWrong: (masked: string) =>
    `Incorrect API key provided: ${masked}. You can find your API key at https://platform.openai.com/account/api-keys.`,
  bodyNotJson:
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)",
  rateLimited: (model: string, wait: string) =>
    `Rate limit reached for ${model} in organization org-sim on tokens per min (TPM): Limit 30000, Used 28039, Requested 3906. Please try again in ${wait}. Visit https://platform.openai.com/account/rate-limits to learn more.`,
  outOfCredit:
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
  overloaded: "Our servers are currently overloaded. Please try again later.",
  serverError: "The server had an error while processing your request. Sorry about that!",
  toolsMax: 128,
  toolName: /^[a-zA-Z0-9_-]+$/,
  stringMax: 10_485_760,
  promptCacheKeyMax: 64,
}

const documented = {
  /** That a megabyte is 2^20 bytes is assumed. */
  bodyBytesMax: 50 * 1024 * 1024,
  toolNameMax: 64,
  safetyIdentifierMax: 64,
  metadataKeysMax: 16,
  metadataKeyMax: 64,
  metadataValueMax: 512,
  imageTypes: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  imagesMax: 500,
  /** What an image costs a model of the size of GPT-4o. */
  imageTiles: { base: 85, perTile: 170, tileSide: 512, squareSide: 2_048, shortSide: 768 },
  efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
  /** Reasoning models that reason only when they are told to. */
  effortlessModels: /^gpt-5\.[1-9]/,
  /** What a strict schema may not say, at any depth. */
  strictKeywords: ["oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"],
  verbosities: ["low", "medium", "high"],
  serviceTiers: ["auto", "default", "flex", "scale", "priority"],
  retentions: ["in_memory", "24h"],
  /** Recorded sessions with GPT-5.5 show steps of 512, which are multiples too. */
  cacheTokensStep: 128,
  /** Five to ten minutes without use; the shorter is simulated. */
  cacheIdleMs: 300_000,
  cacheIdleLongMs: 86_400_000,
  breakpointIdleMs: 1_800_000,
  breakpointWritesMax: 4,
  breakpointCandidatesMax: 80,
  breakpointModels: /^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/,
}

const assumed = {
  contentType: (type: string) =>
    `Unsupported content type: '${type}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${type}'. Please try again with a supported content type.`,
  bodyTooLarge: "Request body is too large.",
  breakpointsUnsupported: (path: string) =>
    `Unsupported parameter: '${path}' is not supported with this model.`,
  retentionAndOptions: "You cannot specify both 'prompt_cache_retention' and 'prompt_cache_options'.",
}

export const sources = { recorded, documented, assumed }
export const facts = { ...recorded, ...documented, ...assumed }
