import { describe, expect, it } from "@effect/vitest"
import type { ContextSnapshot } from "@holdfast/schema/context"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { dateSource, environmentSource, type EnvironmentFacts } from "../../src/context/builtin.ts"
import { initialize, reconcile } from "../../src/context/generation.ts"
import { observe } from "../../src/context/observation.ts"
import type { SystemContext } from "../../src/context/system-context.ts"
import { decided, observeNow, thrownBy } from "./sources.ts"

const baselineOf = (context: SystemContext) =>
  Effect.map(observe(context), (observation) => {
    const outcome = decided(initialize(observation))
    if (outcome.kind !== "ready") throw new Error("blocked")
    return outcome.generation
  })

const at = (iso: string) => TestClock.setTime(Date.parse(iso))

describe("date", () => {
  it.effect.each([
    { timeZone: "UTC", now: "2026-02-03T23:59:59.999Z", text: "Today is Tuesday, 2026-02-03." },
    { timeZone: "Pacific/Kiritimati", now: "2026-02-03T10:00:00Z", text: "Today is Wednesday, 2026-02-04." },
    { timeZone: "Pacific/Pago_Pago", now: "2026-03-01T10:59:00Z", text: "Today is Saturday, 2026-02-28." },
    { timeZone: "Europe/Paris", now: "2026-12-31T23:00:00Z", text: "Today is Friday, 2027-01-01." },
  ])("[BS1] gives the calendar date of $timeZone at $now", ({ timeZone, now, text }) =>
    Effect.gen(function* () {
      yield* at(now)
      expect((yield* baselineOf(dateSource({ timeZone }))).text).toBe(text)
    }),
  )

  it.effect("[BS1] without a setting the date is the host's", () =>
    Effect.gen(function* () {
      const before = process.env.TZ
      yield* at("2026-02-03T23:30:00Z")
      for (const [zone, date] of [
        ["Pacific/Kiritimati", "2026-02-04"],
        ["America/New_York", "2026-02-03"],
      ] as const) {
        process.env.TZ = zone
        expect((yield* baselineOf(dateSource())).snapshot).toMatchObject({ "core/date": { value: { date } } })
      }
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }),
  )

  it.effect("[BS1] a turn that passes midnight keeps the date of its boundary", () =>
    Effect.gen(function* () {
      const context = dateSource({ timeZone: "UTC" })
      yield* at("2026-02-03T23:59:59Z")
      const boundary = yield* observe(context)
      yield* TestClock.adjust("2 seconds")
      expect(decided(initialize(boundary))).toMatchObject({
        generation: { text: "Today is Tuesday, 2026-02-03." },
      })
      const { snapshot } = (decided(initialize(boundary)) as { generation: { snapshot: ContextSnapshot } })
        .generation
      expect(decided(reconcile(boundary, snapshot))).toEqual({ kind: "unchanged" })
      expect(decided(reconcile(yield* observe(context), snapshot))).toMatchObject({
        kind: "updated",
        text: "The date has changed: today is Wednesday, 2026-02-04.",
      })
    }),
  )

  it.effect("[SC12 BS1] an update does not quote the earlier date, and the same day says nothing", () =>
    Effect.gen(function* () {
      const context = dateSource({ timeZone: "UTC" })
      yield* at("2026-02-03T00:00:00Z")
      const { snapshot } = yield* baselineOf(context)
      yield* TestClock.adjust("23 hours")
      expect(decided(reconcile(yield* observe(context), snapshot))).toEqual({ kind: "unchanged" })
      yield* TestClock.adjust("1 hour")
      const update = decided(reconcile(yield* observe(context), snapshot))
      expect(JSON.stringify(update)).not.toMatch(/Tuesday|02-03/)
    }),
  )

  it.effect("[BS1] a time zone that does not exist fails at construction", () =>
    Effect.sync(() =>
      expect(thrownBy(() => dateSource({ timeZone: "Mars/Olympus" }))).toMatchObject({
        _tag: "InvalidTimeZone",
        timeZone: "Mars/Olympus",
      }),
    ),
  )
})

describe("environment", () => {
  const facts: EnvironmentFacts = {
    directory: "/srv/app/web",
    projectRoot: "/srv/app",
    repository: "git",
    platform: "linux",
  }
  const source = (value: EnvironmentFacts) => environmentSource(Effect.succeed(value))

  it.effect("[BS2] states directory, project root, repository and platform", () =>
    Effect.gen(function* () {
      expect((yield* baselineOf(source(facts))).text).toBe(
        [
          "You work in this environment:",
          "- Working directory: /srv/app/web",
          "- Project root: /srv/app",
          "- Repository: yes (git)",
          "- Platform: linux",
        ].join("\n"),
      )
      expect((yield* baselineOf(source({ ...facts, repository: "none" }))).text).toContain(
        "- Repository: no\n",
      )
      expect((yield* baselineOf(source({ ...facts, repository: "hg" }))).text).toContain(
        "- Repository: yes (hg)\n",
      )
    }),
  )

  it.effect("[BS2] never speaks of branch, head or dirty state, and a change of them is none", () =>
    Effect.gen(function* () {
      const withState = (branch: string) =>
        source({ ...facts, branch, head: branch, dirty: true } as EnvironmentFacts)
      const first = yield* baselineOf(withState("topic"))
      expect(JSON.stringify(first)).not.toMatch(/topic|dirty|head|branch/)
      expect(decided(reconcile(observeNow(withState("other")), first.snapshot))).toEqual({
        kind: "unchanged",
      })
    }),
  )

  it.effect("[BS2] loads through the port at each observation", () =>
    Effect.gen(function* () {
      let directory = "/srv/app/web"
      const context = environmentSource(Effect.sync(() => ({ ...facts, directory })))
      const { snapshot } = yield* baselineOf(context)
      directory = "/srv/app/api"
      const update = decided(reconcile(yield* observe(context), snapshot))
      expect(update).toMatchObject({
        kind: "updated",
        text: [
          "Your environment has changed. These facts hold now:",
          "- Working directory: /srv/app/api",
          "- Project root: /srv/app",
          "- Repository: yes (git)",
          "- Platform: linux",
        ].join("\n"),
      })
    }),
  )

  it.effect("[SC12 BS2] an update does not quote the earlier facts", () =>
    Effect.gen(function* () {
      const { snapshot } = yield* baselineOf(source(facts))
      const moved = source({ directory: "/new", projectRoot: "/new", repository: "none", platform: "darwin" })
      const update = decided(reconcile(yield* observe(moved), snapshot))
      expect(JSON.stringify(update)).not.toMatch(/work|app|git|linux/)
    }),
  )

  it.effect("[BS2] a directory name cannot write lines of its own", () =>
    Effect.gen(function* () {
      const { text } = yield* baselineOf(source({ ...facts, directory: "/a\n- Platform: fake\u{2028}\r" }))
      expect(text.split(/[\n\r\u{2028}]/u)).toHaveLength(5)
    }),
  )
})
