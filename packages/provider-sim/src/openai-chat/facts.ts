/** Facts: what this wire claims about Chat Completions and its dialects, each with its source. */

const recorded = {
  modelMissing: "you must provide a model parameter",
  modelUnknown: (name: string) => `The model \`${name}\` does not exist or you do not have access to it.`,
  overflow: (max: number, tokens: number) =>
    `This model's maximum context length is ${max} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  overflowWithOutput: (max: number, tokens: number, output: number) =>
    `This model's maximum context length is ${max} tokens. However, you requested ${tokens + output} tokens (${tokens} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`,
  openrouterOverflow: (max: number, tokens: number) =>
    `This endpoint's maximum context length is ${max} tokens. However, you requested about ${tokens} tokens (${tokens} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
  outputTooLarge: (asked: number, max: number) =>
    `max_tokens is too large: ${asked}. This model supports at most ${max} completion tokens, whereas you provided ${asked}.`,
  maxTokensUnsupported:
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  contentNull: "Invalid value for 'content': expected a string, got null.",
  toolIdMissing: "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
  toolWithoutCall:
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  toolIdUnknown: (id: string) =>
    `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
  callsUnanswered: (ids: string) =>
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`,
  deepseekUnanswered:
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
  deepseekToolWithoutCall:
    "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  deepseekThinkingMissing: (index: number) =>
    `Missing \`reasoning_content\` field in the assistant message at message index ${index}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls`,
  imageRole: (index: number, role: string) =>
    `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
  imageBroken: "You uploaded an unsupported image. Please make sure your image is valid.",
  imagesUnsupported: "Invalid content type. image_url is only supported by certain models.",
  /** The column is about where the image ends. */
  deepseekImage: (index: number, column: number) =>
    `Failed to deserialize the JSON body into the target type: messages[${index}]: unknown variant \`image_url\`, expected \`text\` at line 1 column ${column}`,
  groqImage: (index: number) => `message[${index}].content must be a string`,
  openrouterImage: "No endpoints found that support image input",
  choiceWithoutTools:
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
  parallelWithoutTools:
    "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
  streamOptionsAlone: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  jsonWordMissing:
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
  roles: ["system", "assistant", "user", "function", "tool", "developer"],
  partTypes: ["text", "image_url", "input_audio", "refusal", "audio", "file"],
  callIdMax: 40,
  /** The name of who speaks. */
  speakerPattern: /^[^\s<|\\/>]+$/,
  outputTokensMin: 1,
}

const documented = {
  openrouterMidStream: "Provider disconnected unexpectedly",
  nameMax: 64,
  stopsMax: 4,
  /** The unit of DeepSeek's cache. */
  deepseekTokensStep: 64,
  /** Hours to days without use; two hours are simulated. */
  deepseekIdleMs: 7_200_000,
}

const assumed = {
  functionRole: (index: number) => `The role 'function' of messages[${index}] is no longer supported.`,
  maxTokensTwice: "You cannot set both 'max_tokens' and 'max_completion_tokens'.",
  choiceUnknown: (name: string) => `Tool choice function '${name}' not found in 'tools'.`,
  /** That units end at a fixed interval is documented, how long it is not. */
  deepseekTokensInterval: 4_096,
}

export const sources = { recorded, documented, assumed }
export const facts = { ...recorded, ...documented, ...assumed }
