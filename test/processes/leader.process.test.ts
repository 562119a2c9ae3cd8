/** A Session led by one process, as the others see it: they interrupt it, and they take over from it. */
import { expect, test } from "vitest"
import type { DriverProcess } from "./driver-process.ts"
import { eventually } from "./eventually.ts"
import { complaintsOf, factsOf, readLog } from "./log.ts"
import { script } from "./model.ts"
import { makePlace, type Place } from "./place.ts"

const rounds = 5
/** Rounds that the machine may spoil. */
const repeatsMax = 5
const reachMsMax = 1_000
/** The test itself could not run for this long: the machine stood still, for the leader too. */
const stallMs = 300
const treeEndMsMax = 5_000
const startMsMax = 20_000

test(
  "[DR3] an interrupt asked of another process reaches the leader within 1 s and ends its tool",
  { timeout: 120_000 },
  async () => {
    await using place = await makePlace({ model: script })
    const [leader, other] = await Promise.all([place.openDriver(), place.openDriver()])
    const sessionID = (await leader.ask("create", { directory: place.project })).value.id
    let [round, counted] = [0, 0]
    for (; counted < rounds; round++) {
      expect(round, "rounds, with those during which the machine stalled").toBeLessThan(rounds + repeatsMax)
      await startHolding(place, leader, sessionID, round)
      expect(place.toolProcesses().length).toBeGreaterThan(0)
      const stalls = watchStalls()
      const acknowledged = await other.ask("interrupt", { sessionID })
      const reached = await eventually("the tool is asked to end", treeEndMsMax, () => askedAt(place, round))
      const stalledMs = stalls.stop()
      expect((await leader.ask("settled", { sessionID })).value).toMatchObject({
        status: "interrupted",
        reason: { code: "interrupted" },
      })
      await eventually(
        "no process of the tool is left",
        treeEndMsMax,
        () => place.toolProcesses().length === 0,
      )
      const goneMs = Date.now() - acknowledged.at
      const reachMs = reached - acknowledged.at
      console.log(
        `interrupt ${round}: reached the tool ${reachMs.toFixed(0)} ms and gone ${goneMs} ms after, stalled ${stalledMs.toFixed(0)} ms`,
      )
      if (stalledMs < stallMs) expect(reachMs).toBeLessThan(reachMsMax)
      if (reachMs < reachMsMax) counted += 1
      expect(goneMs).toBeLessThan(treeEndMsMax)
      const { value: info } = await other.ask("get", { sessionID })
      expect(info.status).toMatchObject({ state: "interrupted", owing: true, pending: 0 })
    }
    const log = await readLog(place.dataDir, sessionID)
    expect(complaintsOf(log)).toEqual([])
    expect(factsOf(log, "call.settled").map((fact) => fact.outcome.state)).toEqual(
      Array.from({ length: round }, () => "interrupted"),
    )
    expect(place.sim.log).toHaveLength(round)
    for (const driver of [leader, other]) expect(await driver.close()).toMatchObject({ code: 0, err: "" })
  },
)

test(
  "[DR1 DR4] a process that admitted input takes the Session over when its leader is killed",
  { timeout: 120_000 },
  async () => {
    await using place = await makePlace({ model: script })
    const [leader, other] = await Promise.all([place.openDriver(), place.openDriver()])
    const sessionID = (await leader.ask("create", { directory: place.project })).value.id
    await startHolding(place, leader, sessionID, 0)
    const { value: receipt } = await other.ask("prompt", { sessionID, id: "left", text: "Answer this." })
    expect(receipt.state).toBe("pending")
    const { value: before } = await other.ask("get", { sessionID })
    expect(before.status).toMatchObject({ state: "running", pending: 1 })

    const killedAt = Date.now()
    expect((await leader.kill()).signal).toBe("SIGKILL")
    const result = await other.ask("settled", { sessionID })
    console.log(`figure: taken over from a killed process, settled ${result.at - killedAt} ms after the kill`)
    expect(result.value).toMatchObject({ status: "done", prompt: "left", text: "An answer." })
    expect(result.at - killedAt).toBeLessThan(10_000)
    expect(place.toolProcesses()).toEqual([])

    const log = await readLog(place.dataDir, sessionID)
    expect(complaintsOf(log)).toEqual([])
    expect(factsOf(log, "call.settled").map((fact) => fact.outcome)).toMatchObject([
      { state: "interrupted", errorCode: "outcome_unknown" },
    ])
    expect(factsOf(log, "prompt.promoted").map((fact) => fact.prompt)).toEqual(["held0", "left"])
    expect(place.sim.log.map(({ status }) => status)).toEqual([200, 200])
    expect(await other.close()).toMatchObject({ code: 0, err: "" })
  },
)

/** Returns when a tool of the leader runs. */
async function startHolding(place: Place, leader: DriverProcess, sessionID: string, round: number) {
  await leader.ask("prompt", { sessionID, id: `held${round}`, text: "Start and hold." })
  await eventually("the tool runs", startMsMax, async () => {
    const lines = await place.executions()
    return lines.filter((line) => line.startsWith("started")).length > round
  })
}

/** How long this process could not run at most, told when it stops. */
function watchStalls(): { readonly stop: () => number } {
  const everyMs = 50
  let [seenAt, longestMs] = [performance.now(), 0]
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - seenAt - everyMs)
    seenAt = performance.now()
  }
  const timer = setInterval(look, everyMs)
  return {
    stop: () => {
      clearInterval(timer)
      look()
      return longestMs
    },
  }
}

/** When the tool of a round was asked to end, in milliseconds of the clock of all processes. */
async function askedAt(place: Place, round: number): Promise<number | undefined> {
  const line = (await place.executions()).filter((each) => each.startsWith("asked"))[round]
  return line === undefined ? undefined : Number(line.slice("asked ".length).replace(",", ".")) * 1_000
}
