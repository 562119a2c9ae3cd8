/**
 * The real command, killed at random moments of prompts, streams and tools, and looked at from
 * outside: its output, the process table, a ledger that tools write, the provider, and the log.
 *
 *   PR1  what was acknowledged is there
 *   PR4  and is promoted once
 *   TU2  no call runs twice, and none before it is on record
 *   TU3  streamed text is kept up to the last checkpoint
 *   DR3  no process of a tool is left 5 s after the kill
 *   DR4  the next start settles the Session; its request is legal and its run ends
 */
import { expect, test } from "vitest"
import { eventually } from "../processes/eventually.ts"
import { factsOf, readLog } from "../processes/log.ts"
import { makePlace, type Place } from "../processes/place.ts"
import { checkExecutions, checkPrompts } from "./checks.ts"
import { type Run, runCommand, runEntry } from "./command.ts"
import { type Choices, choicesFrom } from "./random.ts"
import {
  chooseMoment,
  commandMark,
  killedShapes,
  type Moment,
  promptText,
  type Shape,
  shapedModel,
} from "./shapes.ts"
import { sentAt, sentBefore, type Stream, watchStreams } from "./streams.ts"

const kills = Number(process.env["HOLDFAST_KILLS"] ?? 50)
const seed = Number(process.env["HOLDFAST_KILLS_SEED"] ?? Date.now() % 1_000_000)
const killsPerSession = 10
const orphanMsMax = 5_000
const settledMsMax = 10_000
const checkpointMs = 1_000
/** With fewer, none need have come while a stream was on. */
const killsForReach = 40
/** How long text may take to a process, and a checkpoint to the disk, on a loaded machine. */
const graceMs = 250

interface Plan {
  readonly kills: number
  /** Sessions that are worked on side by side, each by one process at a time. */
  readonly lanes: number
  readonly shapes: readonly [Shape, ...Shape[]]
  /** Whether a next start may come only when the tools of the last one are gone. */
  readonly waits: boolean
}

const mixed: Plan = { kills, lanes: 4, shapes: killedShapes, waits: true }
/** All at once find the same Sessions to settle, and wait for each other while input comes in. */
const crowded: Plan = { kills: Math.ceil(kills / 3), lanes: 8, shapes: ["tree", "tools"], waits: false }

test(
  `[PR1 PR4 TU2 TU3 DR3 DR4] ${mixed.kills} kills lose nothing and repeat nothing`,
  { timeout: 120_000 + kills * 8_000 },
  () => runPlan(mixed),
)

test(
  `[DR1 DR4 PR4] ${crowded.kills} kills with many processes that settle each other's Sessions leave no input behind`,
  { timeout: 120_000 + kills * 8_000 },
  () => runPlan(crowded),
)

async function runPlan(plan: Plan): Promise<void> {
  console.log(`HOLDFAST_KILLS_SEED=${seed}`)
  const streams = watchStreams()
  await using place = await makePlace({ model: shapedModel, watch: streams.watch })
  const state: State = {
    plan,
    place,
    streams: streams.list,
    runs: 0,
    killed: new Map(),
    sessions: [],
    orphanMs: [],
    failed: false,
  }
  const startedAt = performance.now()
  const lanes = Array.from({ length: plan.lanes }, (_, lane) => choicesFrom(seed * plan.lanes + lane))
  // The place goes with the first failure, so the other lanes are let to their end before.
  const ends = await Promise.allSettled(
    lanes.map((choices) =>
      runLane(state, choices).catch((failure: unknown) => {
        state.failed = true
        throw failure
      }),
    ),
  )
  for (const end of ends) if (end.status === "rejected") throw end.reason
  const lags = await checkAll(state)
  const behind = lags.toSorted((a, b) => a - b)
  if (plan.shapes.includes("talk")) {
    if (plan.kills >= killsForReach)
      expect(lags.length, "streams that were cut").toBeGreaterThanOrEqual(plan.kills / 20)
    const median = behind[Math.floor(behind.length / 2)] ?? 0
    expect(median, "milliseconds, the median stream").toBeLessThanOrEqual(checkpointMs)
  }
  const at = Object.entries(Object.groupBy(state.killed.values(), ({ moment }) => moment.after))
  const text = `; text at most ${behind.at(-1) ?? 0} ms behind (${lags.length} streams)`
  console.log(
    `figure: seed ${seed}: ${state.killed.size} kills of ${state.runs} runs in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, after ` +
      at.map(([name, list]) => `${name} ${list?.length}`).join(", ") +
      `; tools gone after ${Math.max(...state.orphanMs)} ms at most${lags.length === 0 ? "" : text}`,
  )
}

interface Killed {
  readonly session: string
  readonly shape: Shape
  readonly moment: Moment
  readonly killedAt: number
}

interface State {
  readonly plan: Plan
  readonly place: Place
  readonly streams: readonly Stream[]
  runs: number
  /** By the number of the run. */
  readonly killed: Map<number, Killed>
  readonly sessions: string[]
  readonly orphanMs: number[]
  /** One lane has failed: the others stop. */
  failed: boolean
}

/** Kills on one Session after another, until all lanes together have killed enough. */
async function runLane(state: State, choices: Choices): Promise<void> {
  const { plan } = state
  const isDue = () => state.killed.size < plan.kills && !state.failed
  while (isDue()) {
    const session = await createSession(state)
    const acknowledged: string[] = []
    for (let inSession = 0; inSession < killsPerSession && isDue(); inSession++) {
      const { orphans } = await killOne(state, choices, session, acknowledged)
      if (!plan.waits || choices.next() < 0.5) await finish(state, session, acknowledged)
      await orphans
    }
    await finish(state, session, acknowledged)
  }
}

async function createSession(state: State): Promise<string> {
  const run = ++state.runs
  const first = await runCommand(
    state.place,
    run,
    ["run", "--json", "--allow", "*", promptText(run, "finish")],
    null,
  )
  expect(first, explained(run, first)).toMatchObject({ code: 0 })
  const session = String(first.lines.at(-1)?.["session"])
  state.sessions.push(session)
  return session
}

/** The orphans are watched while the next run may already be on its way. */
async function killOne(
  state: State,
  choices: Choices,
  session: string,
  acknowledged: string[],
): Promise<{ readonly orphans: Promise<void> }> {
  const { plan, place } = state
  const shape = choices.pick(plan.shapes)
  const moment = chooseMoment(shape, choices)
  const waits = plan.waits && choices.next() < 0.5
  const run = ++state.runs
  const ended = await runCommand(place, run, runArguments(session, run, shape), moment)
  acknowledged.push(...ended.acknowledged)
  if (ended.killedAt === null) {
    // It was faster than the moment, and then it has to have ended well.
    expect(ended, explained(run, ended)).toMatchObject({ code: 0, signal: null })
    return { orphans: Promise.resolve() }
  }
  state.killed.set(run, { session, shape, moment, killedAt: ended.killedAt })
  const orphans = orphansGone(state, run, ended.killedAt)
  orphans.catch(() => {}) // told where it is awaited
  if (waits) await orphans
  if (plan.waits && choices.next() < 0.25) await seenSettled(state, session)
  return { orphans }
}

const runArguments = (session: string, run: number, shape: Shape): readonly string[] => [
  "run",
  "--json",
  "--session",
  session,
  "--allow",
  "*",
  promptText(run, shape),
]

async function orphansGone(state: State, run: number, killedAt: number): Promise<void> {
  await eventually(`no tool of run ${run} is left`, orphanMsMax - (Date.now() - killedAt), () => {
    return state.place.toolProcesses(runEntry(run), commandMark(run)).length === 0
  })
  state.orphanMs.push(Date.now() - killedAt)
}

/** Nothing is busy without an owner. One may be there: a process of another lane that settles what it finds. */
async function seenSettled(state: State, session: string): Promise<void> {
  await eventually(`Session ${session} is settled`, settledMsMax, async () => {
    const found = (await listSessions(state)).find(({ id }) => id === session)
    return found !== undefined && /^(idle|interrupted)$/.test(found.status.state)
  })
}

interface Listed {
  readonly id: string
  readonly status: { readonly state: string }
}

async function listSessions(state: State): Promise<readonly Listed[]> {
  const run = ++state.runs
  const listed = await runCommand(state.place, run, ["sessions", "--json", "--limit", "500"], null)
  expect(listed, explained(run, listed)).toMatchObject({ code: 0 })
  return listed.lines as unknown as readonly Listed[]
}

/** The next start that is left alone: the Session is usable, and nothing acknowledged is missing. */
async function finish(state: State, session: string, acknowledged: string[]): Promise<void> {
  const run = ++state.runs
  const ended = await runCommand(state.place, run, runArguments(session, run, "finish"), null)
  acknowledged.push(...ended.acknowledged)
  expect(ended, explained(run, ended)).toMatchObject({ code: 0, signal: null })
  expect(ended.lines.at(-1)).toMatchObject({
    type: "result",
    status: "done",
    session,
    text: `Run ${run} is done.`,
  })
  checkPrompts(await readLog(state.place.dataDir, session), acknowledged)
}

/**
 * What only the whole can tell: executions, requests, and the text of streams that were cut, of
 * which it returns how many milliseconds of each are lost.
 */
async function checkAll(state: State): Promise<readonly number[]> {
  const { place, sessions, streams } = state
  const logs = await Promise.all(sessions.map((session) => readLog(place.dataDir, session)))
  await checkExecutions(place, logs)
  const texts = logs.flatMap((log) =>
    factsOf(log, "part.recorded").flatMap(({ part }) => (part.type === "text" ? [part] : [])),
  )
  return streams.flatMap((stream) => {
    const killed = state.killed.get(stream.run)
    if (killed === undefined) return []
    const opening = stream.text.slice(0, stream.text.indexOf(":") + 1)
    const [kept = null, ...more] = texts.filter(({ text }) => text.startsWith(opening))
    expect(more).toEqual([])
    const sent = sentBefore(stream, killed.killedAt)
    const due = sentBefore(stream, killed.killedAt - checkpointMs - graceMs)
    const length = kept?.text.length ?? 0
    expect(
      length,
      `${opening} ${due} characters were due of ${sent}, kept are ${length}`,
    ).toBeGreaterThanOrEqual(due)
    expect(stream.text.startsWith(kept?.text ?? "")).toBe(true)
    if (kept !== null) expect(kept.interrupted).toBe(length < stream.text.length)
    const behindSince = sentAt(stream, length + 1)
    return [sent <= length || behindSince === undefined ? 0 : killed.killedAt - behindSince]
  })
}

const explained = (run: number, { code, signal, err, lines }: Run): string =>
  `run ${run}, seed ${seed}, ended with ${signal ?? code}: ${err}\n` +
  lines.map((line) => `${line.fact?.type ?? JSON.stringify(line)}`).join("\n")
