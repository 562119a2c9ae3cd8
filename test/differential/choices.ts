/**
 * Where the linter asks for more than the provider, on purpose.
 *
 * Each row is a fault that may stand alone against a request that the provider accepts. A fault
 * that is not listed here has to be one that the provider refuses as well.
 */
import type { LintFault } from "@holdfast/llm/wire"
import type { DraftBlock } from "./mutation.ts"

export interface Choice {
  readonly rule: string
  readonly message: RegExp
  readonly why: string
  /** Blocks of a request that differs from a legal one in this alone. */
  readonly example: readonly DraftBlock[]
}

const said = (role: DraftBlock["role"], text: string): DraftBlock => ({
  role,
  value: { type: "text", text },
  native: null,
})

const called: DraftBlock = {
  role: "assistant",
  value: { type: "tool_use", id: "call_1", name: "read", input: {} },
  native: null,
}

export const choices: readonly Choice[] = [
  {
    rule: "text-empty",
    message: /^the result of .* is empty$/,
    why: "A model reads a result without a word as a failure of ours; the encoder always writes one.",
    example: [
      said("user", "Read it."),
      called,
      { role: "user", value: { type: "tool_result", tool_use_id: "call_1", content: "" }, native: null },
    ],
  },
  {
    rule: "system-place",
    message: /^two system blocks stand side by side$/,
    why: "One boundary says one combined system message (EP4); two would be a mistake of the caller.",
    example: [said("user", "Begin."), said("system", "It is Monday."), said("system", "It is late.")],
  },
]

export const isChoice = (fault: LintFault): boolean =>
  choices.some(({ rule, message }) => rule === fault.rule && message.test(fault.message))
