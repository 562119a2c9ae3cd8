/** Replies and failures of the driver as results of the port. */
import { Effect } from "effect"
import { StoreFailure } from "@holdfast/schema/error"
import { explain, StoreRefused } from "./failure.ts"
import type { FailureFields } from "./failure.ts"
import type { Reply } from "./sqlite/driver.ts"

/** The port types outcomes by command; between its two ends they are plain data, hence `never`. */
export function answer(reply: Reply | undefined): Effect.Effect<never, StoreFailure> {
  if (reply === undefined) return Effect.fail(toFailure(explain(new Error("no reply"), true)))
  return reply.ok ? Effect.succeed(reply.outcome as never) : Effect.fail(toFailure(reply.failure))
}

export const toFailure = (fields: FailureFields): StoreFailure => new StoreFailure(fields)

export const storeFailureOf = (cause: unknown): StoreFailure => toFailure(explain(cause))

/** Synchronous work whose errors are failures of the store. */
export const attempt = <A>(work: () => A): Effect.Effect<A, StoreFailure> =>
  Effect.try({ try: work, catch: storeFailureOf })

export const closed = (): StoreFailure => storeFailureOf(new StoreRefused("closed", "the store was closed"))
