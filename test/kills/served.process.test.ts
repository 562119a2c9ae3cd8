/**
 * The real server, killed at random moments while Sessions work in it side by side, and started
 * again on the same data: what it held for all of them is gone at once.
 *
 *   PR1  a prompt that was answered is there
 *   PR4  and is promoted once
 *   TU2  no call runs twice, and none before it is on record
 *   DR3  no process of a tool is left 5 s after the kill
 *   DR4  the next server settles every Session; its requests are legal and its runs end
 */
import { setTimeout as pause } from "node:timers/promises"
import { expect, test } from "vitest"
import { follow, isFailure, settled } from "@holdfast/client"
import { eventually } from "../processes/eventually.ts"
import { readLog } from "../processes/log.ts"
import { makePlace, type Place } from "../processes/place.ts"
import { type RestartedServer, startServer } from "../streams/server-process.ts"
import { checkExecutions, checkPrompts } from "./checks.ts"
import { type Choices, choicesFrom } from "./random.ts"
import { chooseMoment, killedShapes, type Moment, promptText, type Shape, shapedModel } from "./shapes.ts"

const kills = Math.ceil(Number(process.env["HOLDFAST_KILLS"] ?? 50) / 5)
const seed = Number(process.env["HOLDFAST_KILLS_SEED"] ?? Date.now() % 1_000_000)
const sideBySide = 3
/** Logs stay short enough for the window of the model. */
const killsPerSession = 10
const orphanMsMax = 5_000
const settledMsMax = 10_000
/** Moments of the command reach further into its streams, whose text is looked at there. */
const momentMsMax = 600
/** Nothing has to start first, so this is around the admission. */
const admissionMs = 50

/** A Session, and the prompts to it that were answered. */
interface Work {
  readonly session: string
  readonly acknowledged: string[]
}

interface State {
  readonly place: Place
  readonly server: RestartedServer
  readonly choices: Choices
  readonly all: Work[]
  readonly moments: Moment["after"][]
  readonly orphanMs: number[]
  prompts: number
}

test(
  `[PR1 PR4 TU2 DR3 DR4] ${kills} kills of a server with ${sideBySide} Sessions at work lose nothing and repeat nothing`,
  { timeout: 60_000 + kills * 10_000 },
  async () => {
    console.log(`HOLDFAST_KILLS_SEED=${seed}`)
    await using place = await makePlace({ model: shapedModel })
    const server = await startServer(place)
    const choices = choicesFrom(seed)
    const state: State = { place, server, choices, all: [], moments: [], orphanMs: [], prompts: 0 }
    const startedAt = performance.now()
    while (state.moments.length < kills) await killAmong(state, await createWorks(state))
    const calls = await checkExecutions(place, await Promise.all(state.all.map((work) => logOf(state, work))))
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const answered = state.all.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)
    const at = Object.entries(Object.groupBy(state.moments, (after) => after))
    console.log(
      `figure: seed ${seed}: ${kills} kills of a server in ${seconds} s, after ` +
        at.map(([name, list]) => `${name} ${list?.length}`).join(", ") +
        `; ${answered} of ${state.prompts} prompts were answered, none of these is lost; ${calls} calls ran, each once; tools gone after ${Math.max(...state.orphanMs)} ms at most`,
    )
  },
)

async function createWorks(state: State): Promise<readonly Work[]> {
  const { sessions } = state.server.holdfast
  const works: Work[] = []
  for (let count = 0; count < sideBySide; count++)
    works.push({ session: (await sessions.create()).id, acknowledged: [] })
  state.all.push(...works)
  return works
}

/** So many kills of the server at work on these Sessions; all of them end well. */
async function killAmong(state: State, works: readonly Work[]): Promise<void> {
  const { choices, moments, server } = state
  for (let count = 0; count < killsPerSession && moments.length < kills; count++) {
    const shape = choices.pick(killedShapes)
    const moment = chooseMoment(shape, choices)
    const aimed = choices.pick(works as readonly [Work, ...Work[]])
    const reached = await watchFor(state, aimed, moment)
    const answers = works.map((work) =>
      post(state, work, work === aimed ? shape : choices.pick(killedShapes)),
    )
    await reached()
    // The moment of the kill is a time.
    await pause(moment.delayMs % (moment.after === "start" ? admissionMs : momentMsMax))
    const killedAt = Date.now()
    await server.kill()
    moments.push(moment.after)
    const orphans = orphansGone(state, killedAt)
    orphans.catch(() => {}) // told where it is awaited
    if (choices.next() < 0.5) await orphans
    await Promise.all(answers)
    await server.start()
    await orphans
    await Promise.all(works.map((work) => seenSettled(state, work)))
    if (choices.next() < 0.5) await Promise.all(works.map((work) => finish(state, work)))
  }
  await Promise.all(works.map((work) => finish(state, work)))
}

/** A wait for the event of a moment in what comes from now on, or for the end of the turn that did not have it. */
async function watchFor(state: State, { session }: Work, { after }: Moment): Promise<() => Promise<void>> {
  const { sessions } = state.server.holdfast
  const { seq } = await sessions.get({ sessionID: session })
  return async () => {
    if (after === "start") return
    for await (const { fact } of follow({ sessions }, { sessionID: session, after: seq }))
      if (fact.type === after || fact.type === "turn.settled") return
  }
}

/** The kill may come before the answer: then nobody was told, and the prompt may be there or not. */
async function post(state: State, { session, acknowledged }: Work, shape: Shape): Promise<number> {
  const run = ++state.prompts
  const input = { sessionID: session, id: `prompt-${run}`, text: promptText(run, shape) }
  const receipt = await state.server.holdfast.sessions.prompt(input).catch((failure: unknown) => {
    if (!isFailure(failure, "ClientError")) throw failure
    return null
  })
  if (receipt !== null) acknowledged.push(receipt.prompt)
  return run
}

async function orphansGone({ place, orphanMs }: State, killedAt: number): Promise<void> {
  const left = orphanMsMax - (Date.now() - killedAt)
  await eventually("no tool of the killed server is left", left, () => place.toolProcesses().length === 0)
  orphanMs.push(Date.now() - killedAt)
}

async function seenSettled({ server }: State, { session }: Work): Promise<void> {
  await eventually(`Session ${session} is settled`, settledMsMax, async () => {
    const { status } = await server.holdfast.sessions.get({ sessionID: session })
    return /^(idle|interrupted)$/.test(status.state)
  })
}

/** A prompt that is left alone: the Session is usable, and nothing acknowledged is missing. */
async function finish(state: State, work: Work): Promise<void> {
  const run = await post(state, work, "finish")
  const result = await settled(state.server.holdfast, { sessionID: work.session })
  expect(result).toMatchObject({ status: "done", prompt: `prompt-${run}`, text: `Run ${run} is done.` })
  checkPrompts(await logOf(state, work), work.acknowledged)
}

const logOf = ({ place }: State, { session }: Work) => readLog(place.dataDir, session)
