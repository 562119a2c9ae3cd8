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
import type { Promotion } from "../inbox.ts"
import type { Lead } from "../lead.ts"
import type { Sample } from "../ports.ts"
import { extraWithin } from "./extra.ts"
import { finding } from "./finding.ts"
import { noteNudge } from "./note-nudge.ts"
import { searchHint } from "./search-hint.ts"

/** What a maker looks at. */
export interface BesideView {
  readonly lead: Lead
  /** What the person says first; it is in no message yet. */
  readonly prompt: AdmittedPrompt
  /** All that they say now. */
  readonly prompts: readonly AdmittedPrompt[]
  /** What the turn works with. */
  readonly sample: Pick<Sample, "tools" | "searchHint">
}

export interface BesideMaker {
  /** As the record and the log of the process name it. */
  readonly name: string
  /** Whether there is anything to look at: every turn asks, and mostly there is not. */
  readonly applies: (view: BesideView) => boolean
  readonly make: (view: BesideView) => Effect.Effect<SyntheticPart | null, unknown>
  /** How long it may take; hardly, unless given. */
  readonly msMax?: (view: BesideView) => number
}

/** In the order in which their parts stand. */
const makers: readonly BesideMaker[] = [noteNudge, searchHint, finding]

/** How long a maker may take that says nothing else. */
const besideMsMax = 3_000

/** Of one turn: planned anew, the same prompt has the same parts; one that comes later and asks for something is heard. */
export function besideInput(
  lead: Lead,
  sample: BesideView["sample"],
): (promotion: Promotion) => Effect.Effect<readonly SyntheticPart[]> {
  let made: { readonly of: string; readonly parts: readonly SyntheticPart[] } | null = null
  return (promotion) =>
    Effect.gen(function* () {
      const inputs = promotion.kind === "none" ? [] : promotion.inputs
      const prompts = inputs.filter((input): input is AdmittedPrompt => !isNotice(input))
      const [prompt] = prompts
      if (prompt === undefined || lead.loaded.state.summary.kind !== "primary") return []
      const of = prompts
        .filter((one) => one === prompt || one.sidekick)
        .map(({ id }) => id)
        .join(" ")
      if (made?.of === of) return made.parts
      const view: BesideView = { lead, prompt, prompts, sample }
      const found = yield* Effect.forEach(
        makers.filter((maker) => maker.applies(view)),
        ({ name, make, msMax }) =>
          extraWithin(
            lead,
            name,
            msMax?.(view) ?? besideMsMax,
            Effect.suspend(() => make(view)),
          ),
        { concurrency: "unbounded" },
      )
      made = { of, parts: found.filter((part) => part !== null) }
      return made.parts
    })
}
