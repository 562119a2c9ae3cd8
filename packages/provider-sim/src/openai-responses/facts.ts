/** Facts: what this wire claims about the Responses API, each with its source. */
import { assumed, documented, recorded } from "../sources.ts"

export const facts = {
  modelUnknown: recorded((name: string) => `The requested model '${name}' does not exist.`),
  overflow: recorded(
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  ),
  outputTooLarge: assumed(
    (asked: number, max: number) =>
      `max_output_tokens is too large: ${asked}. This model supports at most ${max} completion tokens, whereas you provided ${asked}.`,
  ),
  idPrefix: recorded(
    (path: string, id: string, prefix: string) =>
      `Invalid '${path}': '${id}'. Expected an ID that begins with '${prefix}'.`,
  ),
  idLetters: recorded(
    (path: string, id: string) =>
      `Invalid '${path}': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
  ),
  outputMissing: recorded((callId: string) => `No tool output found for function call ${callId}.`),
  callMissing: recorded(
    (callId: string) => `No tool call found for function call output with call_id ${callId}.`,
  ),
  customOutputMissing: assumed((callId: string) => `No tool output found for custom tool call ${callId}.`),
  customCallMissing: assumed(
    (callId: string) => `No tool call found for custom tool call output with call_id ${callId}.`,
  ),
  followerMissing: recorded(
    (id: string) => `Item '${id}' of type 'reasoning' was provided without its required following item.`,
  ),
  duplicateId: recorded(
    (id: string) =>
      `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
  ),
  itemUnknown: recorded(
    (id: string) =>
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
  ),
  encryptedWrong: recorded(
    (shown: string) =>
      `The encrypted content ${shown} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
  ),
  encryptedUnsupported: recorded("Encrypted content is not supported with this model."),
  previousUnknown: recorded((id: string) => `Previous response with id '${id}' not found.`),
  conversationUnknown: assumed((id: string) => `Conversation with id '${id}' not found.`),
  choiceWithoutTools: recorded(
    (choice: string) => `Tool choice '${choice}' must be specified with 'tools' parameter.`,
  ),
  choiceUnknown: recorded((kind: string) => `Tool choice '${kind}' not found in 'tools' parameter.`),
  jsonWordMissing: recorded(
    "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
  ),

  imageBroken: recorded(
    "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
  ),
  imagesUnsupported: assumed(
    (name: string) => `The requested model '${name}' does not support image inputs.`,
  ),

  outputTokensMin: recorded(16),
  /** The length of an item's own id and of a call's. */
  idMax: recorded(64),
  assistantParts: recorded(["output_text", "refusal"]),
  inputParts: documented(["input_text", "input_image", "input_file"]),
  roles: documented(["user", "assistant", "system", "developer"]),
  toolTypes: documented([
    "function",
    "custom",
    "web_search",
    "web_search_preview",
    "file_search",
    "code_interpreter",
    "image_generation",
    "computer_use_preview",
    "local_shell",
    "shell",
    "apply_patch",
    "mcp",
    "namespace",
    "tool_search",
  ]),
  includes: documented([
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
  ]),
  summaries: documented(["auto", "concise", "detailed"]),
  truncations: documented(["auto", "disabled"]),
  phases: recorded(["commentary", "final_answer"]),
  statuses: documented(["in_progress", "completed", "incomplete"]),
}
