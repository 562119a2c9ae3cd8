/**
 * What Codex calls what: a rollout has a line for each item of the conversation and for each event.
 *
 * | line | here |
 * | --- | --- |
 * | `session_meta` | the session; `forked_from_id` a branch, `source.subagent` a child |
 * | `turn_context` | settings: `model`, `effort` |
 * | `response_item` of `message` | a prompt (`user`, `developer`) or text of an answer (`assistant`) |
 * | `response_item` of `reasoning` | reasoning; `encrypted_content` only its provider can read |
 * | `response_item` of `*_call` | a call, or a tool of the provider's own |
 * | `response_item` of `*_call_output`, `tool_search_output` | a result |
 * | `event_msg` of `token_count` | usage of the newest request; the same totals again are the same request |
 * | `event_msg` of `thread_rolled_back` | a branch: so many prompts of a person are taken back |
 * | `compacted` | a compaction, and its summary |
 */

/** Calls that Codex ran itself, by the field that holds what the model asked for. */
export const callInputs: Readonly<Record<string, string>> = {
  function_call: "arguments",
  custom_tool_call: "input",
  local_shell_call: "action",
  tool_search_call: "arguments",
}

export const outputKinds: ReadonlySet<string> = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "local_shell_call_output",
  "tool_search_output",
])

export const hostedKinds: ReadonlySet<string> = new Set(["web_search_call", "image_generation_call"])

/** Items that hold a conversation cut down to what only its provider can read. */
export const compactionItems: ReadonlySet<string> = new Set(["compaction", "compaction_summary"])

/** Items that no request contains. */
export const silentItems: ReadonlySet<string> = new Set(["ghost_snapshot", "other"])

/** Texts of a `user` message that its person did not write. */
const wrappers =
  /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|permissions instructions|turn_aborted|INSTRUCTIONS|skill|subagent_notification|user_shell_command|collaboration_mode|apps_instructions|model_switch|personality_spec)\b)/

export const isWrapped = (text: string): boolean => wrappers.test(text)
