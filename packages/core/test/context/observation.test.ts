import { describe, expect, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { initialize } from "../../src/context/generation.ts"
import { loaderTimeoutMs, observe } from "../../src/context/observation.ts"
import {
  combine,
  make,
  unavailable,
  type Absent,
  type SystemContext,
  type Unavailable,
} from "../../src/context/system-context.ts"
import { decided, probe } from "./sources.ts"

const renderers = { baseline: (value: string) => value, update: (value: string) => `now ${value}` }

const certain = (key: string, load: Effect.Effect<string | Absent>): SystemContext =>
  make({ key, codec: Schema.String, load, ...renderers })

const uncertain = (key: string, load: Effect.Effect<string | Absent | Unavailable>): SystemContext =>
  make({ key, codec: Schema.String, mayBeUnavailable: true, load, ...renderers })

const keysUnavailable = (context: SystemContext) =>
  Effect.map(observe(context), (observation) => decided(initialize(observation)))

describe("order and concurrency", () => {
  it.effect("[SC3] loads concurrently and joins text in composition order", () =>
    Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      const second = yield* Deferred.make<void>()
      // Each waits for the other to have started, and the later one ends first.
      const context = combine([
        certain(
          "z/slow",
          Effect.as(Effect.andThen(Deferred.succeed(first, undefined), Deferred.await(second)), "slow"),
        ),
        certain(
          "a/quick",
          Effect.as(Effect.andThen(Deferred.await(first), Deferred.succeed(second, undefined)), "quick"),
        ),
      ])
      expect(decided(initialize(yield* observe(context)))).toMatchObject({
        generation: { text: "slow\n\nquick" },
      })
    }),
  )

  it.effect("[SC4] observes every source exactly once", () =>
    Effect.gen(function* () {
      const probes = [probe("test/a", "1"), probe("test/b", unavailable), probe("test/c", "3")]
      yield* observe(combine(probes.map(({ context }) => context)))
      expect(probes.map(({ calls }) => calls)).toEqual([["load"], ["load"], ["load"]])
    }),
  )
})

describe("time limit", () => {
  it.effect("[SC4] is 5 s", () => Effect.sync(() => expect(loaderTimeoutMs).toBe(5_000)))

  it.effect("[SC4] a source that may be unavailable is, once its loader is over the limit", () =>
    Effect.gen(function* () {
      let interrupted = false
      const hanging = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (interrupted = true)))
      const context = combine([uncertain("test/hangs", hanging), certain("test/works", Effect.succeed("x"))])
      const fiber = yield* Effect.forkChild(keysUnavailable(context))
      yield* TestClock.adjust(loaderTimeoutMs - 1)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toEqual({ kind: "blocked", keys: ["test/hangs"] })
      expect(interrupted).toBe(true)
    }),
  )

  it.effect("[SC4] any other source over the limit is a defect naming the key", () =>
    Effect.gen(function* () {
      const context = combine([
        certain("test/works", Effect.succeed("x")),
        certain("test/hangs", Effect.never),
      ])
      const fiber = yield* Effect.forkChild(Effect.flip(observe(context)))
      yield* TestClock.adjust(loaderTimeoutMs)
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "ContextDefect", key: "test/hangs" })
    }),
  )

  it.effect("[SC4] a loader just inside the limit answers", () =>
    Effect.gen(function* () {
      const context = certain("test/slow", Effect.as(Effect.sleep(loaderTimeoutMs - 1), "late"))
      const fiber = yield* Effect.forkChild(keysUnavailable(context))
      yield* TestClock.adjust(loaderTimeoutMs - 1)
      expect(yield* Fiber.join(fiber)).toMatchObject({ kind: "ready", generation: { text: "late" } })
    }),
  )

  it.effect("[SC4] limits the loaders together, not one after the other", () =>
    Effect.gen(function* () {
      const context = combine(["a", "b", "c"].map((name) => uncertain(`test/${name}`, Effect.never)))
      const fiber = yield* Effect.forkChild(keysUnavailable(context))
      yield* TestClock.adjust(loaderTimeoutMs)
      expect(yield* Fiber.join(fiber)).toEqual({ kind: "blocked", keys: ["test/a", "test/b", "test/c"] })
    }),
  )
})

/** A clock that goes on while a loader holds the event loop: timers that come due meanwhile fire late. */
function heldClock() {
  let nowMs = 0
  const timers: { readonly dueMs: number; readonly fire: () => void }[] = []
  const nanos = () => BigInt(nowMs) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => nowMs,
    currentTimeMillis: Effect.sync(() => nowMs),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        timers.push({ dueMs: nowMs + Duration.toMillis(duration), fire: () => resume(Effect.void) })
        timers.sort((a, b) => a.dueMs - b.dueMs)
      }),
  }
  const advance = Effect.fnUntraced(function* (ms: number) {
    const untilMs = nowMs + ms
    for (;;) {
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      const [next] = timers
      if (next === undefined || next.dueMs > Math.max(nowMs, untilMs)) break
      timers.shift()
      nowMs = Math.max(nowMs, next.dueMs)
      next.fire()
    }
    nowMs = Math.max(nowMs, untilMs)
  })
  const hold = (ms: number) => Effect.sync(() => void (nowMs += ms))
  return { advance, hold, provide: Effect.provideService(Clock.Clock, clock) }
}

describe("a loader that holds the event loop", () => {
  const waits = certain("test/waits", Effect.as(Effect.andThen(Effect.sleep(10), Effect.sleep(10)), "x"))

  it.effect.each([
    { title: "before the others start", at: 0, ms: 6_500 },
    { title: "while another waits", at: 1, ms: 6_500 },
    { title: "while another waits, for hardly too long,", at: 1, ms: 5_001 },
  ])("[SC4] $title is over the limit although it answers, and no other is", ({ at, ms }) =>
    Effect.gen(function* () {
      const { advance, hold, provide } = heldClock()
      const instant = certain("test/instant", Effect.succeed("y"))
      const holds = uncertain("test/holds", Effect.as(hold(ms), "late"))
      const context = combine([waits, instant].toSpliced(at, 0, holds))
      const fiber = yield* Effect.forkChild(provide(keysUnavailable(context)))
      yield* advance(ms + 20)
      expect(yield* Fiber.join(fiber)).toEqual({ kind: "blocked", keys: ["test/holds"] })
    }),
  )

  it.effect.each([
    { title: "behind a moment of waiting", first: 10, ms: 5_500 },
    { title: "behind a wait that is looked at", first: 2_500, ms: 5_001 },
  ])("[SC4] $title is over the limit although it answers at once, and no other is", ({ first, ms }) =>
    Effect.gen(function* () {
      const { advance, hold, provide } = heldClock()
      const holds = uncertain("test/holds", Effect.andThen(Effect.sleep(first), Effect.as(hold(ms), "late")))
      const same = certain("test/same", Effect.as(Effect.sleep(first), "y"))
      const later = certain("test/later", Effect.as(Effect.sleep(first + 30), "z"))
      const fiber = yield* Effect.forkChild(provide(keysUnavailable(combine([waits, holds, same, later]))))
      yield* advance(first + ms + 40)
      expect(yield* Fiber.join(fiber)).toEqual({ kind: "blocked", keys: ["test/holds"] })
    }),
  )

  it.effect("[SC4] behind a wait, for less than the limit, is within it", () =>
    Effect.gen(function* () {
      const { advance, hold, provide } = heldClock()
      const context = certain("test/holds", Effect.andThen(Effect.sleep(10), Effect.as(hold(4_900), "held")))
      const fiber = yield* Effect.forkChild(provide(keysUnavailable(context)))
      yield* advance(4_950)
      expect(yield* Fiber.join(fiber)).toMatchObject({ kind: "ready" })
    }),
  )

  it.effect("[SC4] is the one that a defect names", () =>
    Effect.gen(function* () {
      const { advance, hold, provide } = heldClock()
      const holds = certain("test/holds", Effect.andThen(hold(6_500), Effect.never))
      const fiber = yield* Effect.forkChild(provide(Effect.flip(observe(combine([waits, holds])))))
      yield* advance(6_520)
      expect(yield* Fiber.join(fiber)).toMatchObject({
        key: "test/holds",
        message: "Context Source test/holds: its loader took longer than 5000 ms.",
      })
    }),
  )

  it.effect("[SC4] for exactly the limit is within it", () =>
    Effect.gen(function* () {
      const { hold, provide } = heldClock()
      const context = certain("test/holds", Effect.as(hold(loaderTimeoutMs), "late"))
      expect(yield* provide(keysUnavailable(context))).toMatchObject({ kind: "ready" })
    }),
  )

  it.effect("[SC4] later on, gives the others the time back that their timer was late, and no more", () =>
    Effect.gen(function* () {
      const { advance, hold, provide } = heldClock()
      const holds = Effect.andThen(Effect.sleep(loaderTimeoutMs - 1), Effect.as(hold(2_000), "held"))
      const slow = Effect.as(Effect.sleep(loaderTimeoutMs + 3_900), "slow")
      const context = combine([
        certain("test/holds", holds),
        certain("test/slow", slow),
        uncertain("test/hangs", Effect.never),
      ])
      const fiber = yield* Effect.forkChild(provide(keysUnavailable(context)))
      yield* advance(loaderTimeoutMs + 2_000 + 1_997)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* advance(1)
      expect(yield* Fiber.join(fiber)).toEqual({ kind: "blocked", keys: ["test/hangs"] })
    }),
  )
})

describe("defects", () => {
  const thrower = Effect.sync((): string => {
    throw new Error("disk on fire")
  })

  it.effect.each([
    { title: "a throw", context: certain("test/broken", thrower) },
    { title: "a throw of a source that may be unavailable", context: uncertain("test/broken", thrower) },
    {
      title: "a die with something that is no error",
      context: certain("test/broken", Effect.die("disk on fire")),
    },
    {
      title: "a failure smuggled past the type",
      context: certain("test/broken", Effect.fail("disk on fire") as unknown as Effect.Effect<string>),
    },
  ])("[SC15] $title is a defect naming the key", ({ context }) =>
    Effect.gen(function* () {
      const defect = yield* Effect.flip(observe(combine([probe("test/fine", "x").context, context])))
      expect(defect).toMatchObject({ _tag: "ContextDefect", key: "test/broken" })
      expect(defect.message).toContain("test/broken")
      expect(defect.message).toContain("disk on fire")
    }),
  )

  it.effect("[SC15] an unavailable answer from a source not declared so is a defect", () =>
    Effect.gen(function* () {
      // @ts-expect-error the type of an undeclared source has no place for `unavailable`
      const context = make({
        key: "test/liar",
        codec: Schema.String,
        load: Effect.succeed(unavailable),
        ...renderers,
      })
      expect(yield* Effect.flip(observe(context))).toMatchObject({ _tag: "ContextDefect", key: "test/liar" })
    }),
  )

  it.effect("[SC15] a loader that can fail does not type-check", () =>
    Effect.sync(() => {
      const failing: Effect.Effect<string, Error> = Effect.fail(new Error("no"))
      // @ts-expect-error the error channel of a loader is never
      make({ key: "test/fails", codec: Schema.String, load: failing, ...renderers })
    }),
  )

  it.effect("[SC15] a value that does not survive JSON is a defect", () =>
    Effect.gen(function* () {
      const context = make({
        key: "test/infinite",
        codec: Schema.Struct({ size: Schema.Number }),
        load: Effect.succeed({ size: Number.POSITIVE_INFINITY }),
        baseline: () => "x",
        update: () => "y",
      })
      expect(yield* Effect.flip(observe(context))).toMatchObject({
        _tag: "ContextDefect",
        key: "test/infinite",
      })
    }),
  )

  it.effect("[SC15] interruption is no defect and reaches the loaders", () =>
    Effect.gen(function* () {
      let interrupted = 0
      const started = yield* Deferred.make<void>()
      const hanging = Effect.onInterrupt(
        Effect.andThen(Deferred.succeed(started, undefined), Effect.never),
        () => Effect.sync(() => void interrupted++),
      )
      const fiber = yield* Effect.forkChild(
        observe(combine([certain("test/a", hanging), uncertain("test/b", hanging)])),
      )
      yield* Deferred.await(started)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      expect(Exit.hasInterrupts(exit)).toBe(true)
      expect(Exit.hasFails(exit)).toBe(false)
      expect(interrupted).toBe(2)
    }),
  )

  it.effect("[SC15] nor is a loader that was interrupted from inside", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(observe(certain("test/a", Effect.interrupt)))
      expect(Exit.hasInterrupts(exit)).toBe(true)
      expect(Exit.hasFails(exit)).toBe(false)
    }),
  )
})
