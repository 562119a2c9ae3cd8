/**
 * Facts that both wires of OpenAI share: the words of its schema checks, keys, limits, failures
 * and its cache. Public reports quote each text of a schema check, with other paths.
 */
import { assumed, documented, recorded } from "../sources.ts"

export const facts = {
  unknownParameter: recorded((path: string) => `Unknown parameter: '${path}'.`),
  missingParameter: recorded((path: string) => `Missing required parameter: '${path}'.`),
  unsupportedParameter: recorded(
    (path: string) => `Unsupported parameter: '${path}' is not supported with this model.`,
  ),
  unsupportedValue: recorded(
    (path: string, value: string, only: string) =>
      `Unsupported value: '${path}' does not support ${value} with this model. Only the default (${only}) value is supported.`,
  ),
  wrongType: recorded(
    (path: string, expected: string, got: string) =>
      `Invalid type for '${path}': expected ${expected}, but got ${got} instead.`,
  ),
  wrongValue: recorded(
    (value: string, supported: string) => `Invalid value: '${value}'. Supported values are: ${supported}.`,
  ),
  belowMin: recorded(
    (path: string, kind: string, min: number, got: number) =>
      `Invalid '${path}': ${kind} below minimum value. Expected a value >= ${min}, but got ${got} instead.`,
  ),
  aboveMax: recorded(
    (path: string, kind: string, max: number, got: number) =>
      `Invalid '${path}': ${kind} above maximum value. Expected a value <= ${max}, but got ${got} instead.`,
  ),
  pattern: recorded(
    (path: string, pattern: string) =>
      `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
  ),
  stringTooLong: recorded(
    (path: string, max: number, got: number) =>
      `Invalid '${path}': string too long. Expected a string with maximum length ${max}, but got a string with length ${got} instead.`,
  ),
  arrayTooLong: recorded(
    (path: string, max: number, got: number) =>
      `Invalid '${path}': array too long. Expected an array with maximum length ${max}, but got an array with length ${got} instead.`,
  ),
  arrayEmpty: recorded(
    (path: string) =>
      `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
  ),
  propertiesTooMany: recorded(
    (path: string, max: number, got: number) =>
      `Invalid '${path}': too many properties. Expected an object with at most ${max} properties, but got an object with ${got} properties instead.`,
  ),

  schemaRoot: recorded(
    (name: string, got: string) =>
      `Invalid schema for ${name}: schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`,
  ),
  schemaTopLevel: recorded(
    (name: string) =>
      `Invalid schema for ${name}: schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
  ),
  schemaItems: recorded(
    (name: string, context: string) =>
      `Invalid schema for ${name}: In context=${context}, array schema missing items.`,
  ),
  schemaAdditional: recorded(
    (name: string, context: string) =>
      `Invalid schema for ${name}: In context=${context}, 'additionalProperties' is required to be supplied and to be false.`,
  ),
  schemaRequired: recorded(
    (name: string, context: string, key: string) =>
      `Invalid schema for ${name}: In context=${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${key}'.`,
  ),
  schemaExtraRequired: recorded(
    (name: string, context: string, key: string) =>
      `Invalid schema for ${name}: In context=${context}, 'required' must be an array that includes every key in \`properties\`. Extra required key '${key}' supplied.`,
  ),

  imageFormat: recorded(
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  ),
  imageEmpty: recorded(
    (path: string) =>
      `Invalid '${path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got empty base64-encoded bytes.`,
  ),
  imageNotBase64: recorded("Invalid base64 image_url."),
  imagesTooMany: recorded((max: number) => `Too many images in request. Max is ${max}.`),
  imageUrl: recorded(
    (path: string) => `Invalid '${path}'. Expected a valid URL, but got a value with an invalid format.`,
  ),

  urlUnknown: recorded((method: string, path: string) => `Invalid URL (${method} ${path})`),
  keyMissing: recorded(
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username and password. You can obtain an API key from https://platform.openai.com/account/api-keys.",
  ),
  keyWrong: recorded(
    (masked: string) =>
      `Incorrect API key provided: ${masked}. You can find your API key at https://platform.openai.com/account/api-keys.`,
  ),
  contentType: assumed(
    (type: string) =>
      `Unsupported content type: '${type}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${type}'. Please try again with a supported content type.`,
  ),
  bodyNotJson: recorded(
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)",
  ),
  bodyTooLarge: assumed("Request body is too large."),

  rateLimited: recorded(
    (model: string, wait: string) =>
      `Rate limit reached for ${model} in organization org-sim on tokens per min (TPM): Limit 30000, Used 28039, Requested 3906. Please try again in ${wait}. Visit https://platform.openai.com/account/rate-limits to learn more.`,
  ),
  outOfCredit: recorded(
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
  ),
  overloaded: recorded("Our servers are currently overloaded. Please try again later."),
  serverError: recorded("The server had an error while processing your request. Sorry about that!"),
  breakpointsUnsupported: assumed(
    (path: string) => `Unsupported parameter: '${path}' is not supported with this model.`,
  ),
  retentionAndOptions: assumed(
    "You cannot specify both 'prompt_cache_retention' and 'prompt_cache_options'.",
  ),

  /** That a megabyte is 2^20 bytes is assumed. */
  bodyBytesMax: documented(50 * 1024 * 1024),
  toolsMax: recorded(128),
  toolName: recorded(/^[a-zA-Z0-9_-]+$/),
  toolNameMax: documented(64),
  stringMax: recorded(10_485_760),
  promptCacheKeyMax: recorded(64),
  safetyIdentifierMax: documented(64),
  metadataKeysMax: documented(16),
  metadataKeyMax: documented(64),
  metadataValueMax: documented(512),
  imageTypes: documented(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  imagesMax: documented(500),
  /** What an image costs a model of the size of GPT-4o. */
  imageTiles: documented({ base: 85, perTile: 170, tileSide: 512, squareSide: 2_048, shortSide: 768 }),
  efforts: documented(["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
  verbosities: documented(["low", "medium", "high"]),
  serviceTiers: documented(["auto", "default", "flex", "scale", "priority"]),
  retentions: documented(["in_memory", "24h"]),

  /** Recorded sessions with GPT-5.5 show steps of 512, which are multiples too. */
  cacheTokensStep: documented(128),
  /** Five to ten minutes without use; the shorter is simulated. */
  cacheIdleMs: documented(300_000),
  cacheIdleLongMs: documented(86_400_000),
  breakpointIdleMs: documented(1_800_000),
  breakpointWritesMax: documented(4),
  breakpointCandidatesMax: documented(80),
  breakpointModels: documented(/^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/),
}
