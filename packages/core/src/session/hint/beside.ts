/**
 * Beside: what the runtime says next to the words of a person, as parts of their own (ND1, PR7).
 *
 * Each maker looks at the first of the prompts that a boundary promotes and gives a part or nothing. Parts are
 * stored with the promotion, and so they stand verbatim on every later pass (PS3). They are extras: a maker that fails
 * or takes too long is left out, and the turn goes on (FA2). A job has none (MD1).
 */
import { Effect } from "effect"
import type { SyntheticPart } from "@holdfast/schema/fact/fact"
import { type AdmittedPrompt, isNotice } from "@holdfast/schema/state/inbox"
import type { ToolRegistry } from "../../tools/index.ts"
import type { Promotion } from "../inbox.ts"
import type { Lead } from "../lead.ts"
import { extraWithin } from "./extra.ts"
import { noteNudge } from "./note-nudge.ts"
import { searchHint } from "./search-hint.ts"

/** What a maker looks at. */
export interface BesideView {
  readonly lead: Lead
  /** What the person says; it is in no message yet. */
  readonly prompt: AdmittedPrompt
  /** What the model may call. */
  readonly tools: Pick<ToolRegistry, "get">
}

export interface BesideMaker {
  /** As the log of the process names it. */
  readonly name: string
  readonly make: (view: BesideView) => Effect.Effect<SyntheticPart | null, unknown>
}

/** In the order in which their parts stand. */
const makers: readonly BesideMaker[] = [noteNudge, searchHint]

/** How long the makers of one prompt may take together. */
const besideMsMax = 3_000

/** Of one turn: planned anew, the same prompt has the same parts. */
export function besideInput(
  lead: Lead,
  tools: BesideView["tools"],
): (promotion: Promotion) => Effect.Effect<readonly SyntheticPart[]> {
  let made: { readonly prompt: string; readonly parts: readonly SyntheticPart[] } | null = null
  return Effect.fnUntraced(function* (promotion) {
    const inputs = promotion.kind === "none" ? [] : promotion.inputs
    const prompt = inputs.find((input) => !isNotice(input))
    if (prompt === undefined || isNotice(prompt) || lead.loaded.state.summary.kind !== "primary") return []
    if (made?.prompt === prompt.id) return made.parts
    const found = yield* Effect.forEach(
      makers,
      ({ name, make }) =>
        extraWithin(
          name,
          besideMsMax,
          Effect.suspend(() => make({ lead, prompt, tools })),
        ),
      { concurrency: "unbounded" },
    )
    made = { prompt: prompt.id, parts: found.filter((part) => part !== null) }
    return made.parts
  })
}
