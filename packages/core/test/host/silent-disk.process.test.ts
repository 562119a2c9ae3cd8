/**
 * A disk that does not answer. Named pipes that nobody writes to hold every thread that Node reads
 * files with, so that whatever asks for a file waits, as it would for a lost network drive.
 */
import { execFileSync } from "node:child_process"
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { loaderTimeoutMs, observe } from "../../src/context/observation.ts"
import { locate, locationAnswerMs, locationExists } from "../../src/host/locations.ts"
import { makeSamples } from "../../src/host/samples.ts"
import { nothingAllowed } from "../../src/host/permissions.ts"
import { findProjectRoot, instructionsSource, nodeInstructionFiles } from "../../src/instructions/index.ts"

const threads = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4)

/** Holds all of them until the scope ends. */
const silence = (base: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pipes = Array.from({ length: threads }, (_, at) => join(base, `pipe-${at}`))
      execFileSync("mkfifo", pipes)
      return pipes.map((path) => ({ path, opened: open(path, constants.O_RDONLY) }))
    }),
    (held) =>
      Effect.promise(async () => {
        const writers = held.map(({ path }) => openSync(path, constants.O_RDWR))
        for (const { opened } of held) await (await opened).close()
        for (const writer of writers) closeSync(writer)
      }),
  )

const place = Effect.acquireRelease(
  Effect.sync(() => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-silent-")))
    mkdirSync(join(base, "project"))
    writeFileSync(join(base, "project/AGENTS.md"), "Be brief.")
    return base
  }),
  (base) => Effect.sync(() => rmSync(base, { recursive: true, force: true })),
)

/** The event loop goes on: its timers and its immediates come. */
const turnOfTheLoop = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const posix = process.platform !== "win32"

it.effect.skipIf(!posix)(
  "[SC4] a disk that does not answer holds up one observation, which names its key",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const base = yield* place
        const settings = { configDirectory: join(base, "config"), timeZone: null, disableProject: false }
        const samples = yield* makeSamples([], settings, nothingAllowed)
        const location = (yield* locate(join(base, "project")))!
        const { context } = yield* samples.sample(location, "build")
        expect((yield* observe(context)).entries).toHaveLength(3)

        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* silence(base)
            const there = yield* Effect.forkChild(locationExists(location))
            const observing = yield* Effect.forkChild(Effect.flip(observe(context)))
            yield* turnOfTheLoop
            yield* TestClock.adjust(locationAnswerMs)
            expect(yield* Fiber.join(there)).toBe(true)
            expect(observing.pollUnsafe()).toBeUndefined()
            yield* TestClock.adjust(loaderTimeoutMs - locationAnswerMs)
            expect(yield* Fiber.join(observing)).toMatchObject({
              _tag: "ContextDefect",
              key: "core/environment",
              message: expect.stringContaining("5000 ms"),
            })
          }),
        )
        expect((yield* observe(context)).entries).toHaveLength(3)
      }),
    ),
)

it.effect.skipIf(!posix)("[SC4] instructions on a disk that does not answer are unavailable", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const base = yield* place
      const files = nodeInstructionFiles
      const project = findProjectRoot(join(base, "project"), files)
      const context = instructionsSource({ project, configDirectory: join(base, "config"), files })
      yield* silence(base)
      const observing = yield* Effect.forkChild(observe(context))
      yield* TestClock.adjust(loaderTimeoutMs)
      const { entries } = yield* Fiber.join(observing)
      expect(entries.map(({ loaded }) => String(loaded))).toEqual([
        "Symbol(@holdfast/core/context/unavailable)",
      ])
    }),
  ),
)
