/** Thinking: the literal answer to illegal budgets, signatures and places. */
import { sealRedacted } from "../../src/signature.ts"
import { body } from "../requests.ts"
import { user, assistant, text, call, result, thought, thinking } from "./conversations.ts"
import type { RefusedRow } from "./conversations.ts"

export const thinkingRules: readonly RefusedRow[] = [
  [
    "thinking at a model without it",
    body({ thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 2_000 }),
    "thinking: plain does not support thinking",
  ],
  [
    "a small budget",
    body({ model: "thinker", max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 1_023 } }),
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  ],
  [
    "a budget as large as the output",
    body({ model: "thinker", max_tokens: 1_024, thinking: { type: "enabled", budget_tokens: 1_024 } }),
    "`max_tokens` must be greater than `thinking.budget_tokens`.",
  ],
  [
    "a forced call while thinking",
    { ...thinking(user("a")), tool_choice: { type: "any" } },
    "Thinking may not be enabled when tool_choice forces tool use.",
  ],
  [
    "a changed thought",
    thinking(user("a"), assistant([{ ...thought("thinker", "hm"), thinking: "ha" }, text("b")]), user("c")),
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
  [
    "a thought of another model",
    thinking(user("a"), assistant([thought("plain", "hm"), text("b")]), user("c")),
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
  [
    "a foreign redacted thought",
    thinking(
      user("a"),
      assistant([{ type: "redacted_thinking", data: sealRedacted("plain", "1") }, text("b")]),
      user("c"),
    ),
    "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
  ],
  [
    "a thought at the end of an assistant message",
    thinking(user("a"), assistant([thought("thinker", "hm")]), user("c")),
    "messages.1: The final block in an assistant message cannot be `thinking`.",
  ],
  [
    "a call without a thought before it",
    thinking(user("a"), assistant([call("t1")]), user([result("t1")])),
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.",
  ],
]
