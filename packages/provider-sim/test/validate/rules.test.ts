/** Rules of the Messages API: the literal answer to everything illegal. */
import { test } from "vitest"
import { conversationRules } from "./conversation-rules.ts"
import { expectRefused } from "./conversations.ts"
import { paramRules } from "./params-rules.ts"
import { thinkingRules } from "./thinking-rules.ts"

test.each([...paramRules, ...conversationRules, ...thinkingRules])("refuses %s", (_, value, message) =>
  expectRefused(value, message),
)
