/** Facts: what this wire claims about the Messages API, each with its source. */

const recorded = {
  // The words of the schema library that checks the fields.
  extraInput: (path: string) => `${path}: Extra inputs are not permitted`,
  fieldRequired: (path: string) => `${path}: Field required`,
  wrongType: (path: string, kind: string) => `${path}: Input should be a valid ${kind}`,
  notOneOf: (path: string, values: string) => `${path}: Input should be ${values}`,
  notMatching: (path: string, pattern: string) => `${path}: String should match pattern '${pattern}'`,
  belowMin: (path: string, min: number) => `${path}: Input should be greater than or equal to ${min}`,
  aboveMax: (path: string, max: number) => `${path}: Input should be less than or equal to ${max}`,
  tagMissing: (path: string) => `${path}: Unable to extract tag using discriminator 'type'`,
  unknownTag: (path: string, tag: string, tags: string) =>
    `${path}: Input tag '${tag}' found using 'type' does not match any of the expected tags: ${tags}`,
  keyMissing: "x-api-key header is required",
  keyInvalid: "invalid x-api-key",
  versionMissing: "anthropic-version: header is required",
  bodyTooLarge: "Request exceeds the maximum size",
  bodyInvalid: (detail: string) => `The request body is not valid JSON: ${detail}`,
  loneSurrogate: (problem: string, at: string) => `${problem} in string: ${at}`,
  modelUnknown: (name: string) => `model: ${name}`,
  outputTooLarge: (asked: number, max: number, model: string) =>
    `max_tokens: ${asked} > ${max}, which is the maximum allowed number of output tokens for ${model}`,
  stopBlank: "stop_sequences: each stop sequence must contain non-whitespace",
  budgetTooLarge: "`max_tokens` must be greater than `thinking.budget_tokens`.",
  thinkingTemperature: "`temperature` may only be set to 1 when thinking is enabled.",
  thinkingForced: "Thinking may not be enabled when tool_choice forces tool use.",
  choiceWithoutTools: "tool_choice may only be specified while providing tools.",
  choiceUnknown: (name: string) => `Tool '${name}' not found in provided tools`,
  hostedUnpaired: (path: string, type: string, id: string) =>
    `${path}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
  schemaUnion: (path: string) =>
    `${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`,
  propertyName: (path: string, pattern: string) =>
    `${path}.properties: Property keys should match pattern '${pattern}'`,
  toolNamesTwice: "tools: Tool names must be unique.",
  toolUseSide: (path: string) => `${path}: \`tool_use\` blocks can only be in \`assistant\` messages`,
  toolResultSide: (path: string) => `${path}: \`tool_result\` blocks can only be in \`user\` messages`,
  thinkingSide: (path: string) => `${path}.content: thinking blocks may only be in \`assistant\` messages`,
  textEmpty: (area: string) => `${area}: text content blocks must be non-empty`,
  textBlank: (area: string) => `${area}: text content blocks must contain non-whitespace text`,
  markerOnEmpty: (path: string) => `${path}: cache_control cannot be set for empty text blocks`,
  imageEmpty: (path: string) => `${path}: image cannot be empty`,
  imageNotBase64: (path: string) => `${path}.source.base64: invalid base64 data`,
  imageTooLarge: (path: string, bytes: number, bytesMax: number) =>
    `${path}.source.base64: image exceeds 5 MB maximum: ${bytes} bytes > ${bytesMax} bytes`,
  imageMismatch: (path: string, declared: string, actual: string) =>
    `${path}.source.base64: The image was specified using the ${declared} media type, but the image appears to be a ${actual} image`,
  imageSides: (path: string, side: number) =>
    `${path}.source.base64.data: At least one of the image dimensions exceed max allowed size: ${side} pixels`,
  imageSidesMany: (path: string, side: number) =>
    `${path}.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: ${side} pixels`,
  imagesTooMany: (found: number, max: number) =>
    `Too much media: 0 document pages + ${found} images > ${max}`,
  imageBroken: "Could not process image",
  errorWithImage: (path: string) => `${path}: all content must be type \`text\` if \`is_error\` is true`,
  markersTooMany: (max: number, found: number) =>
    `A maximum of ${max} blocks with cache_control may be provided. Found ${found}.`,
  markerOrder: (path: string) =>
    `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
  messagesMissing: "messages: at least one message is required",
  messagesTooMany: (max: number) => `messages: List should have at most ${max} items`,
  messageEmpty: (index: number) =>
    `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
  /** The answer of models without the role. */
  systemRole:
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  /** This text and the next lack a clause on a beta form. */
  systemAfter: (index: number) =>
    `messages.${index}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result`,
  systemBefore: (index: number) =>
    `messages.${index}: role 'system' must precede an 'assistant' message or end the array`,
  callIdsTwice: (path: string) => `${path}: \`tool_use\` ids must be unique`,
  resultUnexpected: (path: string, id: string) =>
    `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  resultsTwice: (path: string, id: string) =>
    `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
  resultsMissing: (path: string, ids: string) =>
    `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  toolsUndefined: "Requests which include `tool_use` or `tool_result` blocks must define tools.",
  prefill:
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  trailingWhitespace: "messages: final assistant content cannot end with trailing whitespace",
  signatureWrong: (path: string) => `${path}: Invalid \`signature\` in \`thinking\` block`,
  sealWrong: (path: string) => `${path}: Invalid \`data\` in \`redacted_thinking\` block`,
  finalThinking: (path: string, type: string) =>
    `${path}: The final block in an assistant message cannot be \`${type}\`.`,
  turnStart: (path: string, type: string) =>
    `${path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
  overflow: (tokens: number, tokensMax: number) =>
    `prompt is too long: ${tokens} tokens > ${tokensMax} maximum`,
  overflowWithOutput: (tokens: number, output: number, tokensMax: number) =>
    `input length and \`max_tokens\` exceed context limit: ${tokens} + ${output} > ${tokensMax}, decrease input length or \`max_tokens\` and try again`,
  outOfCredit:
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  overloaded: "Overloaded",
  serverError: "Internal server error",
  callIdPattern: /^[a-zA-Z0-9_-]+$/,
  /** Names of the properties of an input. */
  propertyPattern: /^[a-zA-Z0-9_.-]{1,64}$/,
  /** Of the image as base64. */
  imageBytesMax: 5 * 1024 * 1024,
}

const documented = {
  /** 32 MB; that a megabyte is 2^20 bytes is assumed. */
  bodyBytesMax: 32 * 1024 * 1024,
  messagesMax: 100_000,
  thinkingBudgetMin: 1_024,
  hostedIdPattern: /^srvtoolu_[a-zA-Z0-9_]+$/,
  toolNamePattern: /^[a-zA-Z0-9_-]{1,128}$/,
  mediaTypes: ["image/jpeg", "image/png", "image/gif", "image/webp"],
  imageSideMax: 8_000,
  /** The side of every image where they are more than few. */
  imageSideManyMax: 2_000,
  imagesFew: 20,
  imagesMax: 100,
  imagesMaxWide: 600,
  imageLongEdge: 1_568,
  imagePixelsPerToken: 750,
  breakpointsMax: 4,
  /** Positions tried for each marker, the marked block being the first. */
  lookbackBlocks: 20,
  cacheLifeMs: { "5m": 300_000, "1h": 3_600_000 },
}

const assumed = {
  notFound: "Not Found",
  versionUnknown: (version: string) => `anthropic-version: "${version}" is not a valid version`,
  contentType: "content-type: must be application/json",
  notUtf8: "str is not valid UTF-8: surrogates not allowed",
  /** The position is left out. */
  notJson: "unexpected character",
  bodyNotObject: "Input should be a valid dictionary or object",
  thinkingUnsupported: (model: string) => `thinking: ${model} does not support thinking`,
  thinkingTopK: "`top_k` must be unset when thinking is enabled.",
  thinkingTopP: "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
  hostedUnanswered: (path: string, name: string, id: string) =>
    `${path}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`,
  blockSide: (path: string, tag: string, role: string) =>
    `${path}: \`${tag}\` blocks are not permitted in \`${role}\` messages`,
  imagesUnsupported: (model: string) => `messages: ${model} does not support image input`,
  rateLimited: "This request would exceed your organization's rate limit. Please try again later.",
}

export const sources = { recorded, documented, assumed }
export const facts = { ...recorded, ...documented, ...assumed }
