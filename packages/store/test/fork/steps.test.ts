/** Forks of long logs: copied step by step, so that others are let in between, and seen only when they are whole. */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Fact } from "@holdfast/schema/event"
import type { Command, SessionList } from "../../src/port.ts"
import { openInlineStore } from "../../src/inline-store.ts"
import { type Driver, openDriver } from "../../src/sqlite/driver.ts"
import { openThreadStore } from "../../src/thread-store.ts"
import { place } from "../place.ts"
import {
  acquire,
  admit,
  append,
  askAnswered,
  askRaised,
  create,
  epochStarted,
  fork,
  partRecorded,
  promoted,
  sessionId,
  textPart,
  turnSettled,
  turnStarted,
} from "../records.ts"

const exchanges = 60

/** Session 1 of 420 events: each exchange raises an ask, and has it answered, beside its answer. */
const talk: readonly Command[] = [
  create(1),
  create(3),
  acquire(1),
  append(1, 1, [epochStarted("Baseline", "monday")]),
  ...Array.from({ length: exchanges }, (_, index) => index + 1).flatMap((n): readonly Command[] => {
    const seq = 3 + 7 * (n - 1)
    const facts: readonly Fact[] = [
      promoted(n, seq),
      turnStarted(n, seq + 1),
      askRaised(n),
      askAnswered(n),
      partRecorded(n, 0, textPart(`Answer ${n}`)),
      turnSettled(n),
    ]
    return [admit(1, n), append(1, 1, facts)]
  }),
]

const written = Effect.gen(function* () {
  const { file } = yield* place
  const driver = openDriver({ file, busyMs: 100 })
  const { replies } = driver.apply(talk)
  expect(replies.filter((reply) => reply === "unfinished" || !reply.ok)).toEqual([])
  driver.close()
  return file
})

const opened = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => openDriver({ file, busyMs: 100 })),
    (driver) => Effect.sync(() => driver.close()),
  )

/** Gives the command again until it is answered, and does something else before each time. */
function carryOn(driver: Driver, command: Command, between: () => void): unknown {
  for (let steps = 0; steps < 1_000; steps++) {
    const [reply] = driver.apply([command]).replies
    if (reply !== "unfinished") return reply
    between()
  }
  throw new Error("the fork has no end")
}

const all: SessionList = { limit: 10 }

const events = (driver: Driver, id: string) =>
  driver.connection.all<object>(
    "SELECT seq, type, data FROM event WHERE session = (SELECT key FROM session WHERE id = ?) AND seq > 1 ORDER BY seq",
    id,
  )

/** With the names of prompts as the source has them. */
const withoutPrompts = (rows: readonly object[]) =>
  JSON.parse(JSON.stringify(rows).replaceAll(/\\"prompt\\":\\"[^"]*\\"/g, "prompt")) as readonly object[]

it.effect("[SS1] others commit between the steps of a long fork, and nobody sees it before it is whole", () =>
  Effect.gen(function* () {
    const file = yield* written
    const driver = yield* opened(file)
    const reader = yield* Effect.acquireRelease(openThreadStore({ file }), (store) =>
      Effect.ignore(store.close()),
    )
    const command = fork(2, 1)
    const seen: unknown[] = []
    let [reply] = driver.apply([command]).replies
    while (reply === "unfinished") {
      seen.push([(yield* reader.sessions(all)).map(({ id }) => id), yield* reader.asks(null)])
      if (copies(driver) === 1 && seen.length % 4 === 0)
        expect(yield* reader.inspect()).toMatchObject({ damage: [], stale: [] })
      const [again, beside] = driver.apply([command, admit(3, `beside-${seen.length}`)]).replies
      expect(beside).toMatchObject({ ok: true, outcome: { kind: "admitted" } })
      reply = again
    }
    expect(seen.length).toBeGreaterThan(4)
    expect(seen).toEqual(seen.map(() => [[sessionId(3), sessionId(1)], []]))
    expect(reply).toMatchObject({ ok: true, outcome: { kind: "forked", repeated: false } })
    expect(withoutPrompts(events(driver, sessionId(2))).slice(0, 7 * exchanges + 1)).toEqual(
      withoutPrompts(events(driver, sessionId(1))),
    )
    expect(yield* reader.inspect()).toMatchObject({ damage: [], stale: [] })
    expect(driver.apply([fork(2, 1)]).replies).toMatchObject([
      { outcome: { kind: "forked", repeated: true } },
    ])
  }),
)

it.effect(
  "[SS1] what a killed fork leaves behind is gone when the store is opened, and a repeat is whole",
  () =>
    Effect.gen(function* () {
      const file = yield* written
      const killed = openDriver({ file, busyMs: 100 })
      const command = fork(2, 1)
      for (let step = 0; step < 5; step++) expect(killed.apply([command]).replies).toEqual(["unfinished"])
      expect(copies(killed)).toBe(1)
      killed.connection.close()
      const driver = yield* opened(file)
      expect(copies(driver)).toBe(0)
      expect(carryOn(driver, fork(2, 1), () => {})).toMatchObject({
        outcome: { kind: "forked", repeated: false },
      })
      expect(copies(driver)).toBe(0)
    }),
)

it.effect("[SS1] another process that tidies up, or a step that was not committed, costs no event", () =>
  Effect.gen(function* () {
    const file = yield* written
    const driver = yield* opened(file)
    const copy = "(SELECT key FROM session WHERE archived = 2)"
    const sql = [
      "DELETE FROM session WHERE archived = 2",
      `DELETE FROM event WHERE session = ${copy} AND seq > 100`,
    ]
    for (const [index, change] of sql.entries()) {
      const once = () => void (copies(driver) === 1 && driver.connection.db.exec(change))
      const n = 20 + index
      expect(carryOn(driver, fork(n, 1), once)).toMatchObject({ outcome: { kind: "forked" } })
      expect(events(driver, sessionId(n)).length).toBeGreaterThan(7 * exchanges)
      expect(copies(driver)).toBe(0)
    }
    const store = yield* Effect.acquireRelease(openInlineStore({ file }), (open) =>
      Effect.ignore(open.close()),
    )
    expect(yield* store.inspect()).toMatchObject({ damage: [], stale: [] })
  }),
)

it.effect("[SS1] a source that is deleted meanwhile has no fork, and nothing is left of it", () =>
  Effect.gen(function* () {
    const driver = yield* opened(yield* written)
    const deleted = () => driver.connection.db.exec(`DELETE FROM session WHERE id = '${sessionId(1)}'`)
    const gone = () => void (copies(driver) === 1 && deleted())
    expect(carryOn(driver, fork(2, 1), gone)).toMatchObject({ ok: true, outcome: { kind: "no-session" } })
    expect(driver.connection.all("SELECT id FROM session")).toEqual([{ id: sessionId(3) }])
  }),
)

it.effect("[SS1 PR1] over a writer thread an admission does not wait for a fork", () =>
  Effect.gen(function* () {
    const file = yield* written
    const store = yield* Effect.acquireRelease(openThreadStore({ file }), (open) =>
      Effect.ignore(open.close()),
    )
    const order: string[] = []
    const note = (name: string) => Effect.sync(() => order.push(name))
    const forking = yield* Effect.forkChild(Effect.andThen(store.commit(fork(2, 1)), note("fork")), {
      startImmediately: true,
    })
    yield* Effect.andThen(store.commit(admit(3, "beside")), note("admission"))
    yield* Fiber.join(forking)
    expect(order).toEqual(["admission", "fork"])
  }),
)

const copies = (driver: Driver): number =>
  driver.connection.all("SELECT key FROM session WHERE kind = 'copy'").length
