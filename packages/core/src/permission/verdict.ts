/**
 * Verdict: what the rules say to one call (PE1).
 *
 *   call ──resources──▶ what it would touch ──rules, approvals──▶ allow | deny | ask
 */
import type { Effect } from "effect"

/** What a call would touch, as the rules judge it: `read` of a canonical path, `bash` of one simple command, `webfetch` of a host. */
export interface Resource {
  readonly action: string
  readonly resource: string
}

/** Where a call is made: the canonical directories of its Location. */
export interface Place {
  readonly directory: string
  readonly projectRoot: string
}

/** Tells what a call with this input would touch. It only looks, so a repeat is safe. */
export type FindResources<Input> = (input: Input, place: Place) => Effect.Effect<readonly Resource[]>

/** Where a rule stands, for people who ask why. */
export type RuleOrigin = "built-in" | "user" | "command-line" | "agent" | "project" | "session"

/** `paths` are the canonical paths that were judged: the call opens these and no others, wherever links lead by then. */
export type Verdict =
  | { readonly kind: "allow"; readonly paths?: readonly string[] }
  /** `message` is what the model reads. */
  | { readonly kind: "deny"; readonly rule: string; readonly message: string }
  /** `resources` are those that nobody allowed yet; `rule` is null where the default asks. */
  | {
      readonly kind: "ask"
      readonly resources: readonly Resource[]
      readonly rule: string | null
      readonly paths?: readonly string[]
    }
