/** One worker goes through the queue of the store (SE2). */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { openInlineStore } from "@holdfast/store/inline-store"
import type { Store } from "@holdfast/store/port"
import type { EmbeddingStep } from "@holdfast/store/search/embedding"
import {
  acquire,
  append,
  create,
  owner,
  partRecorded,
  sessionId,
  textPart,
  turnSettled,
  turnStarted,
} from "../../../store/test/records.ts"
import { embedName, workThrough } from "../../src/embedding/queue.ts"

const ask = (store: Store, session: number, model: string) =>
  store.commit({ kind: "ask-embedding", of: { session: sessionId(session) }, model, chunkCharacters: 100 })

/** Two Sessions in which something was said, both in the queue; `during` runs while a step is embedded. */
const works = (
  during: (store: Store, step: EmbeddingStep) => Effect.Effect<unknown, unknown>,
  before: (store: Store) => Effect.Effect<unknown, unknown> = () => Effect.void,
) =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-queue-"))
    const store = yield* openInlineStore({ file: join(folder, "store.db") })
    for (const n of [1, 2]) {
      yield* store.commit(create(n))
      const granted = yield* store.commit(acquire(n))
      if (granted.kind !== "granted") throw new Error(granted.kind)
      const facts = [turnStarted(n), partRecorded(n, 0, textPart(`said ${n}`)), turnSettled(n)]
      yield* store.commit(append(n, granted.lease.token, facts, { release: "always" }))
      yield* ask(store, n, "m")
    }
    const vector = Float32Array.of(1, -1)
    yield* before(store)
    yield* workThrough({
      store,
      owner: owner(1),
      ownerState: () => Effect.succeed("alive"),
      models: ["m", "n"],
      embed: (step) =>
        Effect.as(
          during(store, step),
          step.units.map(({ unit }) => ({ unit, chunk: 0, vector })),
        ),
    })
    const done = { n: yield* store.embeddingProgress("n") }
    yield* store.close()
    rmSync(folder, { recursive: true, force: true })
    return done
  })

test("[SE2 SE3] a Session that asks for another model meanwhile loses the step, and the worker goes on", async () => {
  let steps = 0
  const done = await Effect.runPromise(
    works((store) => (steps++ === 0 ? Effect.all([ask(store, 1, "n"), ask(store, 2, "n")]) : Effect.void)),
  )
  expect(done.n).toEqual({ done: 2, due: 0 })
})

test("[SE2] each step shows that the worker lives", async () => {
  const beats: number[] = []
  const looks = (store: Store) =>
    Effect.map(store.namedLease(embedName), (lease) => void beats.push(lease?.beat ?? -1))
  await Effect.runPromise(works(looks))
  expect(beats.length).toBeGreaterThan(1)
  expect(new Set(beats).size).toBe(beats.length)
})

it.effect("[SE2] a second worker waits while the first one lives, and goes on once it has let go", () =>
  Effect.gen(function* () {
    const other = { ...owner(2), instance: "other" }
    const take = { kind: "acquire-named", name: embedName, owner: other, dead: null } as const
    let steps = 0
    let first: { readonly store: Store; readonly token: number } | null = null
    const working = yield* Effect.forkChild(
      works(
        () => Effect.sync(() => ++steps),
        (store) =>
          Effect.map(store.commit(take), ({ lease }) => void (first = { store, token: lease.token })),
      ),
    )
    yield* TestClock.adjust(50_000)
    expect(steps).toBe(0)
    const { store, token } = first as unknown as { store: Store; token: number }
    yield* store.commit({ kind: "release-named", name: embedName, token })
    yield* TestClock.adjust(5_000)
    yield* Fiber.join(working)
    expect(steps).toBeGreaterThan(0)
  }),
)
