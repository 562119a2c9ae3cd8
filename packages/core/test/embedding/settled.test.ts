/** What makes the worker embed: commits of this process, a moment later (SE2, SE3). */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { embedSettled } from "../../src/embedding/embedding.ts"
import { type CommitEvent, makeCommitHub } from "../../src/watch/commits.ts"

const told = (event: object) =>
  Effect.gen(function* () {
    let due = 0
    const port = { worker: { due: () => (due += 1) }, modelOf: () => Effect.succeed(null) } as never
    const hub = makeCommitHub()
    yield* embedSettled({} as never, port, hub, () => Effect.void)
    hub.publish(event as CommitEvent)
    yield* TestClock.adjust(20_000)
    return due
  })

it.effect("[SE3] a memory that somebody or a dream changed gets its vector without a turn", () =>
  Effect.gen(function* () {
    for (const type of ["change-memory", "dream"]) {
      expect(yield* told({ type, command: {}, outcome: { kind: "changed" } })).toBeGreaterThan(0)
      expect(yield* told({ type, command: {}, outcome: { kind: "refused" } })).toBe(0)
    }
    expect(yield* told({ type: "use-memory", command: {}, outcome: { kind: "counted" } })).toBe(0)
  }),
)
