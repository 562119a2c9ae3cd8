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
  betaUnknown: (values: string) =>
    `Unexpected value(s) ${values} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`,
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
  schemaInvalid: (path: string) =>
    `${path}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.`,
  schemaOpen: (path: string) =>
    `${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`,
  schemaOpened: (path: string, value: string) =>
    `${path}: For 'object' type, 'additionalProperties: ${value}' is not supported. Please set 'additionalProperties' to false`,
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
  versionPattern: /^\d{4}-\d\d-\d\d$/,
  efforts: ["low", "medium", "high", "xhigh", "max"],
  displays: ["summarized", "omitted"],
  /** The betas without which a parameter does not exist. */
  betaParams: {
    context_management: /^(context-management|compact)-/,
    mcp_servers: /^mcp-client-/,
  },
  /** Models that do not continue a final assistant message. */
  prefilllessModels: /\bclaude-opus-4-6/,
  /** Tools that have a type of their own and the name they go by; the date of a type follows. */
  typedTools: {
    advisor: "advisor",
    bash: "bash",
    browser_toolset: "",
    code_execution: "code_execution",
    computer: "computer",
    computer_toolset: "",
    mcp_toolset: "",
    memory: "memory",
    text_editor: "",
    tool_search_tool_bm25: "tool_search_tool_bm25",
    tool_search_tool_regex: "tool_search_tool_regex",
    web_fetch: "web_fetch",
    web_search: "web_search",
  },
  /** What the types of the newest client name. */
  toolDates: [
    ..."20241022 20250124 20250305 20250429 20250522 20250728 20250818 20250825 20250910".split(" "),
    ..."20251119 20251124 20260120 20260209 20260301 20260309 20260318 20260521 20260801".split(" "),
  ],
  /** What a tool that the provider runs found, in the answer that asked. */
  hostedResults: [
    ..."web_search_tool_result web_fetch_tool_result code_execution_tool_result".split(" "),
    ..."bash_code_execution_tool_result text_editor_code_execution_tool_result".split(" "),
    ..."tool_search_tool_result".split(" "),
  ],
  /** 32 MB; that a megabyte is 2^20 bytes is assumed. */
  bodyBytesMax: 32 * 1024 * 1024,
  messagesMax: 100_000,
  thinkingBudgetMin: 1_024,
  documentSources: ["base64", "text", "content", "url", "file"],
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
  /** Betas come faster than lists of them: one of this form is taken, and the log says so. */
  betaPattern: /^[a-z0-9]+(-[a-z0-9]+)*-(\d{4}-\d\d-\d\d|\d{8})$/,
  betasKnown: [
    ..."claude-code-20250219 oauth-2025-04-20 interleaved-thinking-2025-05-14".split(" "),
    ..."fine-grained-tool-streaming-2025-05-14 context-1m-2025-08-07 effort-2025-11-24".split(" "),
    ..."context-management-2025-06-27 prompt-caching-2024-07-31 files-api-2025-04-14".split(" "),
    ..."extended-cache-ttl-2025-04-11 structured-outputs-2025-11-13 compact-2026-01-12".split(" "),
    ..."code-execution-2025-05-22 code-execution-2025-08-25 computer-use-2025-01-24".split(" "),
    ..."mcp-client-2025-04-04 mcp-client-2025-11-20 mcp-client-2026-09-15".split(" "),
    ..."token-counting-2024-11-01 pdfs-2024-09-25 skills-2025-10-02 fast-mode-2026-02-01".split(" "),
    ..."advanced-tool-use-2025-11-20 web-fetch-2025-09-10 output-128k-2025-02-19".split(" "),
  ],
  betaDoubt: (value: string) => `anthropic-beta: nobody here knows "${value}"`,
  toolDoubt: (type: string) => `tools: nobody here knows the date of "${type}"`,
  samplingTwice: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
  adaptiveUnsupported: "adaptive thinking is not supported on this model",
  adaptivelessModels: /\bclaude-(3|[a-z]+-4(-[0-5])?(-20\d+)?$)/,
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
