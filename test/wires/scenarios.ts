/**
 * Which exchange is tried on which wire: one row for each scenario, one column for each wire.
 *
 *   simulated  the strict provider of the tests answers
 *   framed     frames of the wire's fixtures answer, where that provider cannot
 *   both       one after the other, where a provider says the same thing in two ways
 *
 * A cell without an exchange says why. `docs/wires.md` shows this table.
 */

export const columns = [
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "gemini",
  "bedrock-converse",
] as const
export type WireName = (typeof columns)[number]

export type Cell = "simulated" | "framed" | "both" | { readonly excused: string }

const everywhere = (cell: Cell): Readonly<Record<WireName, Cell>> => ({
  "anthropic-messages": cell,
  "openai-responses": cell,
  "openai-chat": cell,
  gemini: cell,
  "bedrock-converse": cell,
})

export const scenarios = {
  text: everywhere("simulated"),
  "tool call": everywhere("simulated"),
  "parallel calls": everywhere("simulated"),
  "tool loop": everywhere("simulated"),
  "reasoning and its continuation": everywhere("simulated"),
  "image in prompt": everywhere("simulated"),
  "image in result": everywhere("simulated"),
  "cache write then read": everywhere("simulated"),
  "hosted tool": {
    ...everywhere("both"),
    "bedrock-converse": "framed",
    "openai-chat": { excused: "Chat Completions has no message for a tool that the provider ran." },
  },
  refusal: {
    ...everywhere("simulated"),
    "openai-responses": "both",
    "openai-chat": "both",
    gemini: "both",
  },
  "length stop": { ...everywhere("both"), "anthropic-messages": "simulated", gemini: "simulated" },
  overflow: everywhere("simulated"),
  "rate limit": everywhere("simulated"),
  "mid-stream error": everywhere("simulated"),
  "unknown event": everywhere("both"),
} as const satisfies Readonly<Record<string, Readonly<Record<WireName, Cell>>>>
export type ScenarioName = keyof typeof scenarios

export const cellOf = (scenario: ScenarioName, wire: WireName): Cell => scenarios[scenario][wire]
