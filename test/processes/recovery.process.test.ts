/** Two processes that start at the same moment on what a third left open: one of them settles it. */
import { expect, test } from "vitest"
import type { DriverProcess } from "./driver-process.ts"
import { eventually } from "./eventually.ts"
import { complaintsOf, factsOf, readLog } from "./log.ts"
import { script } from "./model.ts"
import { makePlace, type Place } from "./place.ts"
import { lockStore } from "./write-lock.ts"

const rounds = Number(process.env["HOLDFAST_RECOVERIES"] ?? 1)
const sessionsLeft = 6
const startMsMax = 20_000
const settledMsMax = 5_000

/** How the two come together: as they start, or behind a lock that is taken away once both wait for it. */
const meetings = ["as they start", "at the write lock"] as const

test.each(meetings)(
  `[DR4 DR1] of two processes that meet %s, one settles ${sessionsLeft} interrupted turns, the other does nothing`,
  { timeout: 60_000 * (rounds + 1) },
  async (meeting) => {
    await using place = await makePlace({ model: script })
    for (let round = 0; round < rounds; round++) {
      const left = await leaveOpen(place, round)
      const requests = place.sim.log.length
      // Who opens the store meanwhile waits before it can settle anything.
      const lock = meeting === "at the write lock" ? lockStore(place) : null
      const drivers = await Promise.all([place.openDriver(), place.openDriver()])
      if (lock !== null) {
        for (const { sessionID, log } of left)
          expect(await readLog(place.dataDir, sessionID)).toHaveLength(log.length)
        lock.release()
      }
      for (const { sessionID, log } of left) {
        for (const driver of drivers)
          await eventually("the turn is settled and nobody leads", settledMsMax, () =>
            isSettled(driver, place, sessionID),
          )
        const after = await readLog(place.dataDir, sessionID)
        expect(after.slice(0, log.length)).toEqual(log)
        expect(after.slice(log.length).map(({ fact }) => fact)).toMatchObject([
          { type: "call.settled", outcome: { state: "interrupted", errorCode: "outcome_unknown" } },
          { type: "turn.settled", status: "interrupted", reason: { code: "process_ended" } },
        ])
      }
      expect(place.toolProcesses()).toEqual([])
      expect(place.sim.log).toHaveLength(requests)
      await goOn(place, drivers, left)
      for (const driver of drivers) expect(await driver.close()).toMatchObject({ code: 0, err: "" })
    }
  },
)

/** An open turn without a leader is told as interrupted, too: it must be closed in the log. */
async function isSettled(driver: DriverProcess, place: Place, sessionID: string): Promise<boolean> {
  const { status } = (await driver.ask("get", { sessionID })).value
  const settled = factsOf(await readLog(place.dataDir, sessionID), "turn.settled").length > 0
  return settled && status.state === "interrupted" && status.reason?.code === "process_ended"
}

/** Sessions whose turn runs a tool, of a process that was killed, with their logs as it left them. */
async function leaveOpen(place: Place, round: number) {
  const driver = await place.openDriver()
  const made = Array.from({ length: sessionsLeft }, () => driver.ask("create", { directory: place.project }))
  const sessions = (await Promise.all(made)).map(({ value }) => value.id)
  for (const sessionID of sessions) await driver.ask("prompt", { sessionID, text: "Start and hold." })
  await eventually("all tools run", startMsMax, async () => {
    const started = (await place.executions()).filter((line) => line.startsWith("started"))
    return started.length === sessionsLeft * (round + 1)
  })
  expect((await driver.kill()).signal).toBe("SIGKILL")
  return Promise.all(
    sessions.map(async (sessionID) => ({ sessionID, log: await readLog(place.dataDir, sessionID) })),
  )
}

/** A new prompt works, whichever of the two is asked. */
async function goOn(
  place: Place,
  drivers: readonly DriverProcess[],
  left: readonly { readonly sessionID: string }[],
): Promise<void> {
  for (const [index, { sessionID }] of left.entries()) {
    const driver = drivers[index % drivers.length]
    await driver?.ask("prompt", { sessionID, text: "Answer." })
    expect((await driver?.ask("settled", { sessionID }))?.value).toMatchObject({ status: "done" })
    expect(complaintsOf(await readLog(place.dataDir, sessionID))).toEqual([])
  }
}
