/**
 * A leader that is stopped for longer than a lease and then goes on, as after a machine slept.
 *
 *   leads two Sessions ─▶ SIGSTOP ─▶ its beat stands still ─▶ another takes over and finishes
 *                                                              SIGCONT ─▶ it finds itself fenced
 *
 * In one Session it was running a tool. In the other it was reading a stream: the rest of it, with
 * the end of a call, is in its socket when it goes on.
 */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import type { DriverProcess } from "./driver-process.ts"
import { eventually } from "./eventually.ts"
import { complaintsOf, factsOf, readLog } from "./log.ts"
import { script } from "./model.ts"
import { makePlace, type Place } from "./place.ts"
import { lockStore } from "./write-lock.ts"

type Log = Awaited<ReturnType<typeof readLog>>

const startMsMax = 20_000
/** A beat that stood still for this long is dead; sooner, a process that only stalled would lose its work. */
const leaseMs = 10_000
/** Besides, the tool is ended and a turn runs. */
const takeoverMsMax = leaseMs + 10_000

test(
  "[DR1 DR4] a leader that is frozen loses its Sessions to another process and writes nothing once it goes on",
  { timeout: 120_000 },
  async () => {
    await using place = await makePlace({ model: script })
    const [leader, other] = await Promise.all([place.openDriver(), place.openDriver()])
    const sessions = await startBoth(place, leader)
    await freeze(place, leader)
    const frozenAt = Date.now()
    const left = await readLogs(place, sessions)
    expect(left.map((log) => factsOf(log, "call.started").length)).toEqual([1, 0])

    for (const sessionID of sessions)
      expect((await ask(other, sessionID, "left", "Answer this.")).state).toBe("pending")
    const results = await Promise.all(sessions.map((sessionID) => other.ask("settled", { sessionID })))
    for (const { value, at } of results) {
      console.log(`figure: taken over from a frozen process, settled ${at - frozenAt} ms after the stop`)
      expect(value).toMatchObject({ status: "done", prompt: `left.${value.session}`, text: "An answer." })
      expect(at - frozenAt).toBeGreaterThan(leaseMs)
      expect(at - frozenAt).toBeLessThan(takeoverMsMax)
    }
    const logs = await readLogs(place, sessions)
    expect(logs.map((log) => complaintsOf(log))).toEqual([[], []])
    const unknown = { type: "call.settled", outcome: { state: "interrupted", errorCode: "outcome_unknown" } }
    const cut = { type: "turn.settled", status: "interrupted" }
    expect(settlings(logs, left)).toMatchObject([
      [unknown, cut, { status: "done" }],
      [cut, { status: "done" }],
    ])
    expect(place.toolProcesses()).toEqual([])
    expect(readState(leader)).toBe("T")

    process.kill(leader.pid, "SIGCONT")
    const ends = await Promise.all(sessions.map((sessionID) => leader.ask("settled", { sessionID })))
    expect(await readLogs(place, sessions)).toEqual(logs)
    expect(ends.map(({ value }) => value)).toEqual(results.map(({ value }) => value))

    // What it remembers is old: it has to read what the other has made of the Sessions.
    for (const sessionID of sessions) {
      await ask(leader, sessionID, "last", "Answer again.")
      expect((await leader.ask("settled", { sessionID })).value).toMatchObject({ status: "done" })
    }
    for (const driver of [leader, other]) expect(await driver.close()).toMatchObject({ code: 0, err: "" })
    await judgeEnd(place, sessions, logs)
  },
)

/** Returns when a tool runs in the first Session and another is being asked for in the second. */
async function startBoth(place: Place, leader: DriverProcess): Promise<readonly string[]> {
  const held = (await leader.ask("create", { directory: place.project })).value.id
  const asked = (await leader.ask("create", { directory: place.project })).value.id
  await ask(leader, held, "first", "Start and hold.")
  await eventually("the tool runs", startMsMax, async () => (await place.executions()).length > 0)
  await ask(leader, asked, "first", "Please doubt.")
  await eventually("the text before the call is recorded", startMsMax, async () => {
    const log = await readLog(place.dataDir, asked)
    return factsOf(log, "part.recorded").length === 1
  })
  return [held, asked]
}

/** Not inside a transaction: a process that stops there keeps the whole store from everybody. */
async function freeze(place: Place, leader: DriverProcess): Promise<void> {
  const lock = lockStore(place)
  process.kill(leader.pid, "SIGSTOP")
  await eventually("the leader stands still", startMsMax, () => readState(leader) === "T")
  lock.release()
}

/** T is stopped. */
const readState = ({ pid }: DriverProcess): string | undefined =>
  /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]

async function ask(driver: DriverProcess, sessionID: string, name: string, text: string) {
  return (await driver.ask("prompt", { sessionID, id: `${name}.${sessionID}`, text })).value
}

const readLogs = (place: Place, sessions: readonly string[]): Promise<readonly Log[]> =>
  Promise.all(sessions.map((sessionID) => readLog(place.dataDir, sessionID)))

/** What was settled in each Session after it was left. */
const settlings = (logs: readonly Log[], left: readonly Log[]) =>
  logs.map((log, at) =>
    log
      .slice(left[at]?.length)
      .map(({ fact }) => fact)
      .filter(({ type }) => type.endsWith(".settled")),
  )

/** Of the two calls that the leader read, one ran, once; the other never. */
async function judgeEnd(place: Place, sessions: readonly string[], before: readonly Log[]): Promise<void> {
  for (const [at, log] of (await readLogs(place, sessions)).entries()) {
    expect(complaintsOf(log)).toEqual([])
    expect(log.slice(0, before[at]?.length)).toEqual(before[at])
    const prompts = ["first", "left", "last"].map((name) => `${name}.${sessions[at]}`)
    expect(factsOf(log, "prompt.promoted").map((fact) => fact.prompt)).toEqual(prompts)
  }
  const started = factsOf(before.flat(), "call.started").map(({ call }) => `started ${call}`)
  expect((await place.executions()).filter((line) => !line.startsWith("asked"))).toEqual(started)
  expect(place.sim.log.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(place.toolProcesses()).toEqual([])
}
