/** Settlements of calls as facts: what ran, what never did, and what could not be read (TU2). */
import { outcomeTokens } from "@holdfast/llm/size"
import { addedTokens } from "@holdfast/recall"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { CallOutcome } from "@holdfast/schema/message"
import type { RecordedFiles, Settlement } from "../tools/index.ts"

/** What a settlement is recorded as. */
export const outcomeOf = (settlement: Settlement): CallOutcome => ({
  state: settlement.state,
  output: settlement.output,
  truncated: settlement.truncated,
  errorCode: settlement.errorCode ?? null,
  ...(settlement.outputFile === undefined ? {} : { outputFile: settlement.outputFile }),
  ...(settlement.lossy === undefined ? {} : { lossy: settlement.lossy }),
  ...(settlement.structured === undefined ? {} : { structured: settlement.structured }),
  ...(settlement.images === undefined ? {} : { images: settlement.images.map(({ media }) => media) }),
  ...(settlement.stillRunning === undefined ? {} : { stillRunning: settlement.stillRunning }),
})

export const settledFact = (
  at: Pick<FactOf<"call.settled">, "turn" | "message" | "call">,
  outcome: CallOutcome,
  { effects = [], seen = [] }: Partial<Pick<RecordedFiles, "effects" | "seen">> = {},
  todos?: Settlement["todos"],
  added: FactOf<"call.settled">["added"] = [],
): Fact => ({
  type: "call.settled",
  ...at,
  outcome,
  effects,
  ...(seen.length > 0 && { seen }),
  ...(todos !== undefined && { todos }),
  added,
  tokens: outcomeTokens(outcome) + addedTokens(added),
})

export const unreadableInput: CallOutcome = {
  state: "failed",
  output:
    "The arguments of this call are not valid JSON, so it was not run. Send the call again with valid arguments.",
  truncated: null,
  errorCode: "invalid_input",
}

export const neverStarted: Settlement = {
  state: "interrupted",
  output: "[interrupted before it started]",
  truncated: null,
  errorCode: "interrupted",
}
