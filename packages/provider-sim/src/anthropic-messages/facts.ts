/** Facts: what this wire claims about the Messages API, each with its source. */
import { assumed, documented, recorded } from "../sources.ts"

const search = ["max_uses", "allowed_domains", "blocked_domains", "user_location"]
const fetch = ["max_uses", "allowed_domains", "blocked_domains", "citations", "max_content_tokens"]
const hostedTools: Readonly<Record<string, { readonly name: string; readonly fields: readonly string[] }>> = {
  code_execution_20250825: { name: "code_execution", fields: [] },
  web_fetch_20250910: { name: "web_fetch", fields: fetch },
  web_search_20250305: { name: "web_search", fields: search },
}

export const facts = {
  // The words of the schema library that checks the fields.
  extraInput: recorded((path: string) => `${path}: Extra inputs are not permitted`),
  fieldRequired: recorded((path: string) => `${path}: Field required`),
  notString: recorded((path: string) => `${path}: Input should be a valid string`),
  notBoolean: recorded((path: string) => `${path}: Input should be a valid boolean`),
  notNumber: recorded((path: string, kind: string) => `${path}: Input should be a valid ${kind}`),
  notList: recorded((path: string) => `${path}: Input should be a valid list`),
  notDictionary: recorded((path: string) => `${path}: Input should be a valid dictionary`),
  notObject: recorded((path: string) => `${path}: Input should be a valid dictionary or object`),
  notOneOf: recorded((path: string, values: string) => `${path}: Input should be ${values}`),
  notMatching: recorded(
    (path: string, pattern: string) => `${path}: String should match pattern '${pattern}'`,
  ),
  belowMin: recorded(
    (path: string, min: number) => `${path}: Input should be greater than or equal to ${min}`,
  ),
  aboveMax: recorded((path: string, max: number) => `${path}: Input should be less than or equal to ${max}`),
  tagMissing: recorded((path: string) => `${path}: Unable to extract tag using discriminator 'type'`),
  unknownTag: recorded(
    (path: string, tag: string, tags: string) =>
      `${path}: Input tag '${tag}' found using 'type' does not match any of the expected tags: ${tags}`,
  ),

  notFound: assumed("Not Found"),
  keyMissing: recorded("x-api-key header is required"),
  keyInvalid: recorded("invalid x-api-key"),
  versionMissing: recorded("anthropic-version: header is required"),
  versionUnknown: assumed((version: string) => `anthropic-version: "${version}" is not a valid version`),
  contentType: assumed("content-type: must be application/json"),
  bodyTooLarge: recorded("Request exceeds the maximum size"),
  bodyInvalid: recorded((detail: string) => `The request body is not valid JSON: ${detail}`),
  notUtf8: assumed("str is not valid UTF-8: surrogates not allowed"),
  loneSurrogate: recorded((problem: string, at: string) => `${problem} in string: ${at}`),
  /** The position is left out. */
  notJson: assumed("unexpected character"),
  bodyNotObject: assumed("Input should be a valid dictionary or object"),
  modelUnknown: recorded((name: string) => `model: ${name}`),

  outputTooLarge: recorded(
    (asked: number, max: number, model: string) =>
      `max_tokens: ${asked} > ${max}, which is the maximum allowed number of output tokens for ${model}`,
  ),
  stopBlank: recorded("stop_sequences: each stop sequence must contain non-whitespace"),
  thinkingUnsupported: assumed((model: string) => `thinking: ${model} does not support thinking`),
  budgetTooLarge: recorded("`max_tokens` must be greater than `thinking.budget_tokens`."),
  thinkingTemperature: recorded("`temperature` may only be set to 1 when thinking is enabled."),
  thinkingTopK: assumed("`top_k` must be unset when thinking is enabled."),
  thinkingTopP: assumed("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled."),
  thinkingForced: recorded("Thinking may not be enabled when tool_choice forces tool use."),
  choiceWithoutTools: recorded("tool_choice may only be specified while providing tools."),
  choiceUnknown: recorded((name: string) => `Tool '${name}' not found in provided tools`),

  hostedUnpaired: recorded(
    (path: string, type: string, id: string) =>
      `${path}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
  ),
  hostedUnanswered: assumed(
    (path: string, name: string, id: string) =>
      `${path}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`,
  ),
  /** The tools that the provider runs, by type: their names and their settings. */
  hostedTools: documented(hostedTools),
  schemaUnion: recorded(
    (path: string) => `${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`,
  ),
  propertyName: recorded(
    (path: string, pattern: string) => `${path}.properties: Property keys should match pattern '${pattern}'`,
  ),
  toolNamesTwice: recorded("tools: Tool names must be unique."),

  toolUseSide: recorded(
    (path: string) => `${path}: \`tool_use\` blocks can only be in \`assistant\` messages`,
  ),
  toolResultSide: recorded(
    (path: string) => `${path}: \`tool_result\` blocks can only be in \`user\` messages`,
  ),
  blockSide: assumed(
    (path: string, tag: string, role: string) =>
      `${path}: \`${tag}\` blocks are not permitted in \`${role}\` messages`,
  ),
  textEmpty: recorded((area: string) => `${area}: text content blocks must be non-empty`),
  textBlank: recorded((area: string) => `${area}: text content blocks must contain non-whitespace text`),
  markerOnEmpty: recorded((path: string) => `${path}: cache_control cannot be set for empty text blocks`),
  imageEmpty: recorded((path: string) => `${path}.source.base64: image cannot be empty`),
  imageNotBase64: recorded((path: string) => `${path}.source.base64: invalid base64 data`),
  imageTooLarge: recorded(
    (path: string, bytes: number, bytesMax: number) =>
      `${path}.source.base64: image exceeds 5 MB maximum: ${bytes} bytes > ${bytesMax} bytes`,
  ),
  imageMismatch: recorded(
    (path: string, declared: string, actual: string) =>
      `${path}.source.base64: The image was specified using the ${declared} media type, but the image appears to be a ${actual} image`,
  ),
  imageSides: recorded(
    (path: string, side: number) =>
      `${path}.source.base64.data: At least one of the image dimensions exceed max allowed size: ${side} pixels`,
  ),
  imageSidesMany: recorded(
    (path: string, side: number) =>
      `${path}.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: ${side} pixels`,
  ),
  imagesTooMany: recorded(
    (found: number, max: number) => `Too much media: 0 document pages + ${found} images > ${max}`,
  ),
  imageBroken: recorded("Could not process image"),
  imagesUnsupported: assumed((model: string) => `messages: ${model} does not support image input`),
  errorWithImage: recorded(
    (path: string) => `${path}: all content must be type \`text\` if \`is_error\` is true`,
  ),
  markersTooMany: recorded(
    (max: number, found: number) =>
      `A maximum of ${max} blocks with cache_control may be provided. Found ${found}.`,
  ),
  markerOrder: recorded(
    (path: string) =>
      `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
  ),

  messagesMissing: recorded("messages: at least one message is required"),
  messagesTooMany: recorded((max: number) => `messages: List should have at most ${max} items`),
  messageEmpty: recorded(
    (index: number) =>
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
  ),
  /** The answer of models without the role. */
  systemRole: recorded(
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  ),
  firstRole: recorded('messages: first message must use the "user" role'),
  /** This text and the next lack a clause on a beta form. */
  systemAfter: recorded(
    (index: number) =>
      `messages.${index}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result`,
  ),
  systemBefore: recorded(
    (index: number) =>
      `messages.${index}: role 'system' must precede an 'assistant' message or end the array`,
  ),
  callIdsTwice: recorded((path: string) => `${path}: \`tool_use\` ids must be unique`),
  resultUnexpected: recorded(
    (path: string, id: string) =>
      `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  ),
  resultsTwice: recorded(
    (path: string, id: string) =>
      `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
  ),
  resultsMissing: recorded(
    (path: string, ids: string) =>
      `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  ),
  toolsUndefined: recorded("Requests which include `tool_use` or `tool_result` blocks must define tools."),
  prefill: recorded(
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  ),
  trailingWhitespace: recorded("messages: final assistant content cannot end with trailing whitespace"),

  signatureWrong: recorded((path: string) => `${path}: Invalid \`signature\` in \`thinking\` block`),
  sealWrong: recorded((path: string) => `${path}: Invalid \`data\` in \`redacted_thinking\` block`),
  finalThinking: recorded(
    (path: string, type: string) => `${path}: The final block in an assistant message cannot be \`${type}\`.`,
  ),
  turnStart: recorded(
    (path: string, type: string) =>
      `${path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
  ),

  overflow: recorded(
    (tokens: number, tokensMax: number) => `prompt is too long: ${tokens} tokens > ${tokensMax} maximum`,
  ),
  overflowWithOutput: recorded(
    (tokens: number, output: number, tokensMax: number) =>
      `input length and \`max_tokens\` exceed context limit: ${tokens} + ${output} > ${tokensMax}, decrease input length or \`max_tokens\` and try again`,
  ),
  rateLimited: assumed("This request would exceed your organization's rate limit. Please try again later."),
  outOfCredit: recorded(
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  ),
  overloaded: recorded("Overloaded"),
  serverError: recorded("Internal server error"),

  /** 32 MB; that a megabyte is 2^20 bytes is assumed. */
  bodyBytesMax: documented(32 * 1024 * 1024),
  messagesMax: documented(100_000),
  thinkingBudgetMin: documented(1_024),
  callIdPattern: recorded(/^[a-zA-Z0-9_-]+$/),
  hostedIdPattern: documented(/^srvtoolu_[a-zA-Z0-9_]+$/),
  toolNamePattern: documented(/^[a-zA-Z0-9_-]{1,128}$/),
  /** Names of the properties of an input. */
  propertyPattern: recorded(/^[a-zA-Z0-9_.-]{1,64}$/),
  mediaTypes: documented(["image/jpeg", "image/png", "image/gif", "image/webp"]),
  /** Of the image as base64. */
  imageBytesMax: recorded(5 * 1024 * 1024),
  imageSideMax: documented(8_000),
  /** The side of every image where they are more than few. */
  imageSideManyMax: documented(2_000),
  imagesFew: documented(20),
  imagesMax: documented(100),
  imagesMaxWide: documented(600),
  imageLongEdge: documented(1_568),
  imagePixelsPerToken: documented(750),
  breakpointsMax: documented(4),
  /** Positions tried for each marker, the marked block being the first. */
  lookbackBlocks: documented(20),
  cacheLifeMs: documented({ "5m": 300_000, "1h": 3_600_000 }),
}
