/**
 * What Claude Code calls what. Its lines are not documented; these are the kinds seen in its files.
 *
 * | line | here |
 * | --- | --- |
 * | `user` with text | a prompt; by the agent where `isMeta` or a wrapper says so, a summary where `isCompactSummary` |
 * | `user` with `tool_result` | a result |
 * | `attachment` of `queued_command` | a prompt that was queued while the model worked |
 * | `assistant` | parts of a message, and its usage by `requestId` |
 * | `system` of `compact_boundary`, `microcompact_boundary` | a compaction |
 * | `summary`, `custom-title`, `ai-title` | a title |
 * | `isSidechain` | a session of its own, child of `sessionId` |
 */

/** Lines that no request contains, or that only repeat what others say. */
export const silentKinds: ReadonlySet<string> = new Set([
  "agent-color",
  "agent-name",
  "agent-setting",
  "attribution-snapshot",
  "content-replacement",
  "file-history-delta",
  "file-history-snapshot",
  "fork-context-ref",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
  "progress",
  "queue-operation",
  "speculation-accept",
  "tag",
  "task-summary",
  "worktree-state",
])

/** The field of a line that holds a title. */
export const titleFields: Readonly<Record<string, string>> = {
  summary: "summary",
  "custom-title": "customTitle",
  "ai-title": "aiTitle",
}

export const compactionKinds: ReadonlySet<string> = new Set(["compact_boundary", "microcompact_boundary"])

/** Texts of a `user` line that its person did not write. */
const wrappers =
  /^\s*(?:<(?:command-(?:name|message|args)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|task-notification|system-reminder|user-memory-input)>|Caveat: The messages below|\[Request interrupted by user)/

export const isWrapped = (text: string): boolean => wrappers.test(text)

/** How a result says that its call did not run to its end. */
export function resultState(text: string, failed: boolean): "done" | "failed" | "interrupted" | "declined" {
  if (!failed) return "done"
  if (text.startsWith("The user doesn't want to")) return "declined"
  return /^(?:<tool_use_error>)?\[?Request interrupted by user/.test(text) ? "interrupted" : "failed"
}
