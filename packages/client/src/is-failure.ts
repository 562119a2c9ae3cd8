/**
 * Guards for failures. They look at the tag alone, so a failure from another copy of the package or
 * another realm is recognised too; `instanceof` would not (CL2).
 */
import type { ClientError } from "./client-error.ts"
import { type Failure, failureTags } from "./generated/failures.ts"
import { tagOf } from "./tag.ts"

export type AnyFailure = Failure | ClientError
export type FailureTag = AnyFailure["_tag"]

/** Whether a caught value is what a method of Holdfast rejects with: anything, or the one with this tag. */
export function isFailure<T extends FailureTag = FailureTag>(
  caught: unknown,
  tag?: T,
): caught is Extract<AnyFailure, { readonly _tag: T }> {
  const found = tagOf(caught)
  if (found === null || (found !== "ClientError" && !failureTags.has(found))) return false
  return tag === undefined || found === tag
}
