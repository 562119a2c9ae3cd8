/** A case: one sentence about a Holdfast that is true or not, named after the rule that says so. */
import type { Stage } from "./stage.ts"

/** What a target must offer beside its client, or allow. */
export type Need =
  /** Requests as they are, without a client. */
  | "raw"
  /** A model answers, which may take time and cost money. */
  | "prompt"
  /** The Effect client. */
  | "effect"
  /** Programs are started in terminals. */
  | "terminals"

export interface Case {
  /** As in docs/SPEC.md. */
  readonly rule: string
  /** Present tense; unique together with the rule. */
  readonly title: string
  readonly needs?: readonly Need[]
  /** All that it asks for is refused: nothing that a client can read is another afterwards. */
  readonly changesNothing?: true
  /** Rejects where the sentence is not true. What it made is removed by the runner. */
  readonly run: (stage: Stage) => Promise<void>
}

/** Thrown by a case that has nothing to look at here. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable"
}
