/** Facts: what this wire claims about the Responses API, each with its source. */

const recorded = {
  modelUnknown: (name: string) => `The requested model '${name}' does not exist.`,
  overflow: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  idPrefix: (path: string, id: string, prefix: string) =>
    `Invalid '${path}': '${id}'. Expected an ID that begins with '${prefix}'.`,
  idLetters: (path: string, id: string) =>
    `Invalid '${path}': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
  outputMissing: (callId: string) => `No tool output found for function call ${callId}.`,
  callMissing: (callId: string) => `No tool call found for function call output with call_id ${callId}.`,
  followerMissing: (id: string) =>
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
  duplicateId: (id: string) =>
    `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
  itemUnknown: (id: string) =>
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
  encryptedWrong: (shown: string) =>
    `The encrypted content ${shown} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
  encryptedUnsupported: "Encrypted content is not supported with this model.",
  previousUnknown: (id: string) => `Previous response with id '${id}' not found.`,
  choiceWithoutTools: (choice: string) => `Tool choice '${choice}' must be specified with 'tools' parameter.`,
  choiceUnknown: (kind: string) => `Tool choice '${kind}' not found in 'tools' parameter.`,
  jsonWordMissing:
    "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
  imageBroken:
    "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
  outputTokensMin: 16,
  /** The length of an item's own id and of a call's. */
  idMax: 64,
  assistantParts: ["output_text", "refusal"],
  phases: ["commentary", "final_answer"],
}

const documented = {
  inputParts: ["input_text", "input_image", "input_file"],
  roles: ["user", "assistant", "system", "developer"],
  toolTypes: [
    ..."function custom web_search web_search_preview file_search code_interpreter".split(" "),
    ..."image_generation computer_use_preview local_shell shell apply_patch mcp".split(" "),
    ..."namespace tool_search computer programmatic_tool_calling".split(" "),
    ..."web_search_2025_08_26 web_search_preview_2025_03_11".split(" "),
  ],
  includes: [
    ..."file_search_call.results web_search_call.results web_search_call.action.sources".split(" "),
    ..."message.input_image.image_url computer_call_output.output.image_url".split(" "),
    ..."code_interpreter_call.outputs reasoning.encrypted_content".split(" "),
    ..."message.output_text.logprobs".split(" "),
  ],
  summaries: ["auto", "concise", "detailed"],
  truncations: ["auto", "disabled"],
  statuses: ["in_progress", "completed", "incomplete"],
}

const assumed = {
  outputTooLarge: (asked: number, max: number) =>
    `max_output_tokens is too large: ${asked}. This model supports at most ${max} completion tokens, whereas you provided ${asked}.`,
  customOutputMissing: (callId: string) => `No tool output found for custom tool call ${callId}.`,
  customCallMissing: (callId: string) =>
    `No tool call found for custom tool call output with call_id ${callId}.`,
  conversationUnknown: (id: string) => `Conversation with id '${id}' not found.`,
  imagesUnsupported: (name: string) => `The requested model '${name}' does not support image inputs.`,
}

export const sources = { recorded, documented, assumed }
export const facts = { ...recorded, ...documented, ...assumed }
