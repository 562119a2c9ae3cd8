/** Facts: what this wire claims about Bedrock's Converse API, each with its source. */
import { assumed, documented, recorded } from "../sources.ts"

/** recorded: what a model of Anthropic says comes with this in front. */
const fromModel = (text: string) => `The model returned the following errors: ${text}`

export const facts = {
  tokenMissing: recorded("Missing Authentication Token"),
  tokenInvalid: recorded("The security token included in the request is invalid."),
  signatureIncomplete: recorded((missing: readonly string[]) =>
    missing.map((name) => `Authorization header requires '${name}' parameter.`).join(" "),
  ),
  signatureMismatch: documented(
    (canonical: string) =>
      `The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details. The Canonical String for this request should have been '${canonical}'`,
  ),
  signatureExpired: assumed((moment: string) => `Signature expired: ${moment} is too far from now.`),
  tokenExpired: documented("The security token included in the request is expired"),
  dateMissing: recorded(
    "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.",
  ),
  methodUnknown: assumed("UnknownOperationException"),
  bodyNotJson: recorded("Malformed input request, please reformat your input and try again."),
  bodyTooLarge: assumed("The request body is too large."),
  modelUnknown: recorded("The provided model identifier is invalid."),
  overflow: recorded("Input is too long for requested model."),
  outputTooLarge: recorded(
    (max: number) =>
      `The maximum tokens you requested exceeds the model limit of ${max}. Try again with a maximum tokens value that is lower than ${max}.`,
  ),
  constraint: recorded(
    (value: string, path: string, constraint: string) =>
      `1 validation error detected: Value '${value}' at '${path}' failed to satisfy constraint: ${constraint}`,
  ),
  memberNull: recorded(
    (path: string) =>
      `1 validation error detected: Value at '${path}' failed to satisfy constraint: Member must not be null`,
  ),
  wrongType: assumed((path: string) => `The value at ${path} is not of the expected type.`),
  unionEmpty: recorded(
    (path: string, kind: string, keys: string) =>
      `${kind} object at ${path} must set one of the following keys: ${keys}.`,
  ),
  startsWithUser: recorded(
    "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
  ),
  alternates: recorded(
    "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
  ),
  prefill: recorded(
    fromModel(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
  ),
  contentEmpty: recorded(
    (path: string) =>
      `The content field in the Message object at ${path} is empty. Add a ContentBlock object to the content field and try again.`,
  ),
  textBlank: recorded(
    (path: string) =>
      `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
  ),
  systemBlank: assumed(
    (path: string) =>
      `The text field in the SystemContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
  ),
  resultsMissing: recorded(
    (path: string, ids: string) =>
      `Expected toolResult blocks at ${path}.content for the following Ids: ${ids}`,
  ),
  resultsTooMany: recorded(
    (path: string) =>
      `The number of toolResult blocks at ${path}.content exceeds the number of toolUse blocks of previous turn.`,
  ),
  resultEmpty: recorded(
    (path: string) => `The content field at ${path}.toolResult cannot be empty when status value is error.`,
  ),
  toolConfigMissing: recorded(
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  ),
  toolNamesTwice: assumed((name: string) => `The tool name ${name} is used more than once.`),
  choiceUnknown: assumed((name: string) => `The tool ${name} of toolChoice is not defined in toolConfig.`),
  cachePointsTooMany: recorded((found: number) =>
    fromModel(`A maximum of 4 blocks with cache_control may be provided. Found ${found}.`),
  ),
  cachePointOrder: recorded((path: string) =>
    fromModel(
      `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
    ),
  ),
  novaPointsTooMany: assumed((found: number) =>
    fromModel(`Malformed input request: a maximum of 4 cache points may be provided, found ${found}.`),
  ),
  /** Among tools, and right behind the result of one. */
  novaPointMisplaced: recorded((path: string) =>
    fromModel(
      `Malformed input request: #/${path}: extraneous key [cachePoint] is not permitted, please reformat your input and try again.`,
    ),
  ),
  novaLifeUnsupported: assumed((path: string) =>
    fromModel(
      `Malformed input request: #/${path}/cachePoint: extraneous key [ttl] is not permitted, please reformat your input and try again.`,
    ),
  ),
  signatureWrong: recorded((path: string) =>
    fromModel(`${path}: Invalid \`signature\` in \`thinking\` block`),
  ),
  imagesUnsupported: recorded(
    "This model doesn't support the image content block that you provided. Update the content block and try again.",
  ),
  /** What a model says that takes images from the user but not from a tool. */
  resultImageUnsupported: recorded(
    "This model doesn't support the image field for user messages. Remove image and try again.",
  ),
  imageRole: assumed(
    "This model doesn't support the image field for assistant messages. Remove image and try again.",
  ),
  imagesTooMany: assumed(
    (path: string, found: number, max: number) =>
      `The number of images at ${path}.content is ${found}, which exceeds the limit of ${max} images for a message.`,
  ),
  imageNotBase64: assumed("The image data at source.bytes is not valid base64."),
  imageTooLarge: assumed((path: string, bytes: number) =>
    fromModel(`${path}.source.base64: image exceeds the maximum of 3.75 MB: ${bytes} bytes`),
  ),
  imageSides: assumed((path: string) =>
    fromModel(
      `${path}.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`,
    ),
  ),
  /** In the words of Anthropic, and of the other families. */
  imageMismatch: recorded((path: string, declared: string, actual: string) =>
    fromModel(
      `${path}.source.base64: The image was specified using the ${declared} media type, but the image appears to be a ${actual} image`,
    ),
  ),
  formatMismatch: recorded(fromModel("The provided image does not match the specified image format.")),
  imageBroken: assumed(fromModel("Could not process image")),
  rateLimited: recorded("Too many requests, please wait before trying again."),
  outOfCredit: documented("You have exceeded your service quota."),
  overloaded: recorded("Bedrock is unable to process your request."),
  serverError: recorded(
    "The system encountered an unexpected error during processing. Try your request again.",
  ),

  /** 25 MB of request; that a megabyte is 2^20 bytes is assumed. */
  bodyBytesMax: documented(25 * 1024 * 1024),
  clockSkewMs: documented(5 * 60_000),
  namePattern: recorded(/^[a-zA-Z0-9_-]+$/),
  nameMax: documented(64),
  imageFormats: documented(["gif", "jpeg", "png", "webp"]),
  /** 3.75 MB; that a megabyte is 2^20 bytes is assumed. */
  imageBytesMax: documented(3.75 * 1024 * 1024),
  imageSideMax: documented(8_000),
  /** For each message. */
  imagesMax: documented(20),
  /** Models that read text alone. */
  imagelessModels: documented(
    /\b(amazon\.(nova-micro|titan)|meta\.llama3-(?!2-(11|90)b)|mistral\.(mistral-(7b|large-2402|large-2407|small)|mixtral)|cohere\.|ai21\.|deepseek\.)/,
  ),
  /** Models that take no images inside a tool result. */
  resultImagelessModels: documented(/\b(openai|mistral|qwen|google)\.|\bmeta\.llama3/),
  otherFamilies: documented(/\b(amazon|meta|mistral|openai|qwen|google)\./),
  novaModels: documented(/\bamazon\.nova/),
  /** What an image costs a model of Nova, by what it costs one of Anthropic. */
  novaFactor: assumed(1.15),
  /** For each request, of any family. */
  cachePointsMax: documented(4),
  /** 20K tokens of prefix; that a longer one is not cached at all is assumed. */
  novaCacheTokensMax: documented(20_000),
  /** Looking back from a cache point is documented for models of Anthropic alone. */
  novaLookbackBlocks: assumed(1),
}
