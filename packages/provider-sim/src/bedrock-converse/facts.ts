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
  signatureWrong: recorded((path: string) =>
    fromModel(`${path}: Invalid \`signature\` in \`thinking\` block`),
  ),
  rateLimited: recorded("Too many requests, please wait before trying again."),
  outOfCredit: documented("You have exceeded your service quota."),
  overloaded: recorded("Bedrock is unable to process your request."),
  serverError: recorded(
    "The system encountered an unexpected error during processing. Try your request again.",
  ),

  /** 25 MB of request; that a megabyte is 2^20 bytes is assumed. */
  bodyBytesMax: documented(25 * 1024 * 1024),
  namePattern: recorded(/^[a-zA-Z0-9_-]+$/),
  nameMax: documented(64),
  imageFormats: documented(["gif", "jpeg", "png", "webp"]),
  cachePointsMax: documented(4),
}
