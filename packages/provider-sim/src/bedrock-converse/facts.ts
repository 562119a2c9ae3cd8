/** Facts: what this wire claims about Bedrock's Converse API, each with its source. */

/** recorded: what a model of Anthropic says comes with this in front. */
const fromModel = (text: string) => `The model returned the following errors: ${text}`

const recorded = {
  tokenMissing: "Missing Authentication Token",
  tokenInvalid: "The security token included in the request is invalid.",
  signatureIncomplete: (missing: readonly string[]) =>
    missing.map((name) => `Authorization header requires '${name}' parameter.`).join(" "),
  dateMissing: "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.",
  bodyNotJson: "Malformed input request, please reformat your input and try again.",
  modelUnknown: "The provided model identifier is invalid.",
  overflow: "Input is too long for requested model.",
  outputTooLarge: (max: number) =>
    `The maximum tokens you requested exceeds the model limit of ${max}. Try again with a maximum tokens value that is lower than ${max}.`,
  constraint: (value: string, path: string, constraint: string) =>
    `1 validation error detected: Value '${value}' at '${path}' failed to satisfy constraint: ${constraint}`,
  memberNull: (path: string) =>
    `1 validation error detected: Value at '${path}' failed to satisfy constraint: Member must not be null`,
  unionEmpty: (path: string, kind: string, keys: string) =>
    `${kind} object at ${path} must set one of the following keys: ${keys}.`,
  startsWithUser:
    "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
  alternates:
    "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
  prefill: fromModel(
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  ),
  contentEmpty: (path: string) =>
    `The content field in the Message object at ${path} is empty. Add a ContentBlock object to the content field and try again.`,
  textBlank: (path: string) =>
    `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
  resultsMissing: (path: string, ids: string) =>
    `Expected toolResult blocks at ${path}.content for the following Ids: ${ids}`,
  resultsTooMany: (path: string) =>
    `The number of toolResult blocks at ${path}.content exceeds the number of toolUse blocks of previous turn.`,
  resultEmpty: (path: string) =>
    `The content field at ${path}.toolResult cannot be empty when status value is error.`,
  toolConfigMissing: "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  cachePointsTooMany: (found: number) =>
    fromModel(`A maximum of 4 blocks with cache_control may be provided. Found ${found}.`),
  cachePointOrder: (path: string) =>
    fromModel(
      `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
    ),
  /** Among tools, and right behind the result of one. */
  novaPointMisplaced: (path: string) =>
    fromModel(
      `Malformed input request: #/${path}: extraneous key [cachePoint] is not permitted, please reformat your input and try again.`,
    ),
  signatureWrong: (path: string) => fromModel(`${path}: Invalid \`signature\` in \`thinking\` block`),
  imagesUnsupported:
    "This model doesn't support the image content block that you provided. Update the content block and try again.",
  /** What a model says that takes images from the user but not from a tool. */
  resultImageUnsupported:
    "This model doesn't support the image field for user messages. Remove image and try again.",
  /** In the words of Anthropic, and of the other families. */
  imageMismatch: (path: string, declared: string, actual: string) =>
    fromModel(
      `${path}.source.base64: The image was specified using the ${declared} media type, but the image appears to be a ${actual} image`,
    ),
  formatMismatch: fromModel("The provided image does not match the specified image format."),
  rateLimited: "Too many requests, please wait before trying again.",
  overloaded: "Bedrock is unable to process your request.",
  serverError: "The system encountered an unexpected error during processing. Try your request again.",
  namePattern: /^[a-zA-Z0-9_-]+$/,
}

const documented = {
  signatureMismatch: (canonical: string) =>
    `The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details. The Canonical String for this request should have been '${canonical}'`,
  tokenExpired: "The security token included in the request is expired",
  outOfCredit: "You have exceeded your service quota.",
  /** 25 MB of request; that a megabyte is 2^20 bytes is assumed. */
  bodyBytesMax: 25 * 1024 * 1024,
  clockSkewMs: 5 * 60_000,
  nameMax: 64,
  imageFormats: ["gif", "jpeg", "png", "webp"],
  /** 3.75 MB; that a megabyte is 2^20 bytes is assumed. */
  imageBytesMax: 3.75 * 1024 * 1024,
  imageSideMax: 8_000,
  /** For each message. */
  imagesMax: 20,
  /** Models that read text alone. */
  imagelessModels:
    /\b(amazon\.(nova-micro|titan)|meta\.llama3-(?!2-(11|90)b)|mistral\.(mistral-(7b|large-2402|large-2407|small)|mixtral)|cohere\.|ai21\.|deepseek\.)/,
  /** Models that take no images inside a tool result. */
  resultImagelessModels: /\b(openai|mistral|qwen|google)\.|\bmeta\.llama3/,
  otherFamilies: /\b(amazon|meta|mistral|openai|qwen|google)\./,
  novaModels: /\bamazon\.nova/,
  /** For each request, of any family. */
  cachePointsMax: 4,
  /** 20K tokens of prefix; that a longer one is not cached at all is assumed. */
  novaCacheTokensMax: 20_000,
}

const assumed = {
  signatureExpired: (moment: string) => `Signature expired: ${moment} is too far from now.`,
  methodUnknown: "UnknownOperationException",
  versionMissing:
    "Malformed input request: #: required key [anthropic_version] not found, please reformat your input and try again.",
  extraneous: (name: string) =>
    `Malformed input request: #: extraneous key [${name}] is not permitted, please reformat your input and try again.`,
  bodyTooLarge: "The request body is too large.",
  wrongType: (path: string) => `The value at ${path} is not of the expected type.`,
  systemBlank: (path: string) =>
    `The text field in the SystemContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
  toolNamesTwice: (name: string) => `The tool name ${name} is used more than once.`,
  choiceUnknown: (name: string) => `The tool ${name} of toolChoice is not defined in toolConfig.`,
  novaPointsTooMany: (found: number) =>
    fromModel(`Malformed input request: a maximum of 4 cache points may be provided, found ${found}.`),
  novaLifeUnsupported: (path: string) =>
    fromModel(
      `Malformed input request: #/${path}/cachePoint: extraneous key [ttl] is not permitted, please reformat your input and try again.`,
    ),
  imageRole: "This model doesn't support the image field for assistant messages. Remove image and try again.",
  imagesTooMany: (path: string, found: number, max: number) =>
    `The number of images at ${path}.content is ${found}, which exceeds the limit of ${max} images for a message.`,
  imageNotBase64: "The image data at source.bytes is not valid base64.",
  imageTooLarge: (path: string, bytes: number) =>
    fromModel(`${path}.source.base64: image exceeds the maximum of 3.75 MB: ${bytes} bytes`),
  imageSides: (path: string) =>
    fromModel(
      `${path}.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`,
    ),
  imageBroken: fromModel("Could not process image"),
  /** What an image costs a model of Nova, by what it costs one of Anthropic. */
  novaFactor: 1.15,
  /** Looking back from a cache point is documented for models of Anthropic alone. */
  novaLookbackBlocks: 1,
}

export const sources = { recorded, documented, assumed }
export const facts = { ...recorded, ...documented, ...assumed }
