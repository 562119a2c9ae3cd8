/** How a call ended for whoever made it, as a client hears it. */
import { Exit } from "effect"
import type { SimProcess } from "./scheduler.ts"

export type CallEnd<A, E> =
  | { readonly kind: "ok"; readonly value: A; readonly by: SimProcess }
  | { readonly kind: "failed"; readonly error: E }
  | { readonly kind: "died" }

export interface Broken {
  readonly kind: "broken"
  readonly cause: string
}

export function endOf<A, E>(exit: Exit.Exit<A, E>, by: SimProcess): CallEnd<A, E> | Broken {
  if (Exit.isSuccess(exit)) return { kind: "ok", value: exit.value, by }
  const failed = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  if (failed !== undefined) return { kind: "failed", error: failed.error as E }
  return { kind: "broken", cause: String(exit.cause) }
}
