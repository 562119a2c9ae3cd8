/**
 * Streams of the real server, which is killed and started again while clients follow. Seeded:
 * `HOLDFAST_STREAM_KILLS_FROM=17 HOLDFAST_STREAM_KILLS=1` runs seed 17 alone.
 */
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { directed, offlineAgent } from "@holdfast/provider-sim"
import { isFailure, settled } from "@holdfast/client"
import { factsOf, readLog } from "../processes/log.ts"
import { makePlace, type Place } from "../processes/place.ts"
import { startAnswerDropper } from "./answer-dropper.ts"
import { makeRandom, type Random } from "./random.ts"
import { ProcessReader, type RestartedServer, startServer, tellSettled } from "./server-process.ts"

const runs = Number(process.env["HOLDFAST_STREAM_KILLS"] ?? 5)
const from = Number(process.env["HOLDFAST_STREAM_KILLS_FROM"] ?? 1)
const seeds = Array.from({ length: runs }, (_, at) => from + at)
const killsInRun = 2
const timeout = 60_000

let place: Place
let server: RestartedServer

beforeAll(async () => {
  place = await makePlace({ model: () => directed(offlineAgent()) })
  server = await startServer(place)
})
afterAll(async () => {
  await server.kill()
  await place[Symbol.asyncDispose]()
})

test.each(seeds)(
  `[EV1 EV3 DR4] seed %i: through ${killsInRun} kills of the server the stream rebuilds its state`,
  { timeout },
  async (seed) => {
    const random = makeRandom(seed)
    const { sessions } = server.holdfast
    const { id: sessionID } = await sessions.create({ title: `seed ${seed}` })
    const readers = [new ProcessReader(place, server.url, sessionID, random)]
    for (let kill = 1; kill <= killsInRun; kill++) {
      await sessions.prompt({ sessionID, id: `s${seed}-${kill}`, text: chooseWork(random) })
      if (random.below(3) === 0) await sessions.prompt({ sessionID, text: "later", delivery: "queue" })
      await pause(random.below(350)) // the moment of the kill is a time
      await server.kill()
      await server.start()
      if (random.below(2) === 0) readers.push(new ProcessReader(place, server.url, sessionID, random))
      const told = await tellSettled(server.holdfast, sessionID)
      for (const reader of readers)
        expect([seed, kill, await reader.reach(told.seq)]).toEqual([seed, kill, told])
      await finish(sessionID)
    }
    const told = await tellSettled(server.holdfast, sessionID)
    expect({ owing: told.owing, inbox: told.inbox }).toEqual({ owing: false, inbox: [] })
    for (const reader of readers) {
      expect(await reader.reach(told.seq)).toEqual(told)
      expect(reader.seqs).toEqual(reader.seqs.map((_, at) => at + 1))
      expect(reader.cuts).toBeGreaterThan(killsInRun - 1)
      await reader.leave()
    }
  },
)

test(
  "[PR2 PR4] an answer lost after the commit, a kill and five retries from three clients: one message, one turn",
  { timeout },
  async () => {
    await using dropper = await startAnswerDropper(server.url)
    const clients = await Promise.all([0, 1, 2].map(() => server.connect(dropper.url)))
    const { id: sessionID } = await server.holdfast.sessions.create()
    const requestsBefore = place.sim.log.length
    const send = (client: number) =>
      clients[client]?.sessions
        .prompt({ sessionID, id: "once", text: "Hello." })
        .catch((failure: unknown) => {
          if (!isFailure(failure, "ClientError")) throw failure
          return "no answer" as const
        })
    dropper.lose = 1
    expect(await send(0)).toBe("no answer")
    const first = await tellSettled(server.holdfast, sessionID)
    await server.kill()
    await server.start()

    dropper.lose = 1
    const early = await Promise.all([send(0), send(1), send(2)])
    expect(early.filter((answer) => answer === "no answer")).toHaveLength(1)
    await server.kill()
    expect(await send(1)).toBe("no answer")
    await server.start()
    const late = await send(2)
    expect(dropper.lost()).toBe(2)

    const receipt = {
      session: sessionID,
      prompt: "once",
      admittedSeq: 2,
      delivery: "steer",
      state: "promoted",
    }
    const answers = [...early, late].filter((answer) => answer !== "no answer")
    expect(answers).toEqual([receipt, receipt, receipt])
    expect(await tellSettled(server.holdfast, sessionID)).toEqual(first)
    expect(first.messages.map((message) => (message as { kind: string }).kind)).toEqual(["user", "assistant"])
    expect({ turns: first.turns, requests: place.sim.log.length - requestsBefore }).toEqual({
      turns: 1,
      requests: 1,
    })
  },
)

test.each([1, 2, 3])(
  "[PR1 PR2 PR4] seed %i: killed around the commit whose answer is lost, a prompt sent again is one message",
  { timeout },
  async (seed) => {
    const random = makeRandom(1_000 + seed)
    await using dropper = await startAnswerDropper(server.url)
    const client = await server.connect(dropper.url)
    const { id: sessionID } = await server.holdfast.sessions.create()
    const text = chooseWork(random)
    const send = () => client.sessions.prompt({ sessionID, id: `once-${seed}`, text })
    dropper.lose = 1
    const lost = send().then(
      () => "answered",
      () => "no answer",
    )
    await pause(random.below(30)) // around the commit, which takes a few of them
    await server.kill()
    expect(await lost).toBe("no answer")
    await server.start()
    dropper.lose = 0
    for (let retry = 0; retry < 5; retry++) await send()
    await finish(sessionID)
    const log = await readLog(place.dataDir, sessionID)
    expect(
      [factsOf(log, "prompt.admitted"), factsOf(log, "prompt.promoted")].map((facts) => facts.length),
    ).toEqual([1, 1])
    const ends = factsOf(log, "turn.settled").map(({ status }) => status)
    expect(ends.filter((status) => status === "done")).toHaveLength(1)
    expect(ends.at(-1)).toBe("done")
  },
)

/** A stream of text, a command, or both, slow enough to be killed in. */
function chooseWork(random: Random): string {
  const text = "Ümlaute, 漢字 and 💡 cross every cut. ".repeat(1 + random.below(8))
  const command = { name: "bash", input: { command: `sleep 0.${1 + random.below(3)}; echo done` } }
  const pace = { delayMs: 4, chunkChars: 16 }
  const steps = random.pick([
    [{ text, ...pace }],
    [
      { tools: [command, command], ...pace },
      { text: "Both ran.", ...pace },
    ],
    [
      { text, tools: [command], ...pace },
      { text, ...pace },
    ],
  ])
  return `@@SIM${JSON.stringify({ steps })}@@`
}

/** Until nothing is due any more. */
async function finish(sessionID: string): Promise<void> {
  const { sessions } = server.holdfast
  const resumesMax = 5
  for (let resumes = 0; resumes < resumesMax; resumes++) {
    await settled({ sessions }, { sessionID })
    const { status } = await sessions.get({ sessionID })
    if (!status.owing && status.pending === 0) return
    await sessions.resume({ sessionID }).catch((failure: unknown) => {
      if (!isFailure(failure, "NothingOwed")) throw failure // it had ended meanwhile
    })
  }
  throw new Error(`Session ${sessionID} is still due after ${resumesMax} resumes.`)
}
