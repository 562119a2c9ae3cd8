/**
 * The real server, killed while Sessions ask and commands run in the background, and while answers come
 * in; then started again on the same data.
 *
 *   PE3  a call that is asked for does not start before somebody has allowed it
 *   PE5  no ask is lost or answered twice, and what was allowed starts at most once
 *   TL3  no command in the background is left 5 s after the kill
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { expect, test } from "vitest"
import { follow, isFailure, settled } from "@holdfast/client"
import { scripted, type SimModel, textReply } from "@holdfast/provider-sim"
import type { Event } from "@holdfast/schema/event"
import { eventually } from "../processes/eventually.ts"
import { readLog } from "../processes/log.ts"
import { makePlace } from "../processes/place.ts"
import { type RestartedServer, startServer } from "../streams/server-process.ts"
import { choicesFrom } from "./random.ts"

const kills = Math.max(3, Math.ceil(Number(process.env["HOLDFAST_KILLS"] ?? 50) / 5))
const seed = Number(process.env["HOLDFAST_KILLS_SEED"] ?? Date.now() % 1_000_000)
const orphanMsMax = 5_000
const stepsMax = 20

/** Starts a command in the background and asks for another, which writes where it always asks; then a text. */
const asker = (ledger: string): SimModel =>
  scripted(({ messages }) => {
    const isAnswered = messages.at(-1)?.blocks.some(({ type }) => type === "tool_result") === true
    if (isAnswered) return textReply("Done.")
    const note = `echo "$HOLDFAST_CALL" >> '${ledger}'`
    const bash = (command: string, more = {}) =>
      ({ type: "tool_use", name: "bash", input: { command, ...more } }) as const
    return {
      blocks: [bash("sleep 41 & sleep 42", { background: true }), bash(`${note}; echo asked >> .git/asked`)],
    }
  })

/** When the server is killed: while the turn runs, while it asks, or around an answer. */
const moments = ["call.started", "ask.raised", "answer"] as const

test(
  `[PE3 PE5 TL3 DR4] ${kills} kills with asks open and commands in the background lose no ask and start nothing twice`,
  { timeout: 60_000 + kills * 10_000 },
  async () => {
    console.log(`HOLDFAST_KILLS_SEED=${seed}`)
    await using place = await makePlace({ model: asker })
    await mkdir(join(place.project, ".git"), { recursive: true })
    const server = await startServer(place)
    const choices = choicesFrom(seed)
    const orphanMs: number[] = []
    const logs: (readonly Event[])[] = []
    for (let kill = 0; kill < kills; kill++) {
      const { id: sessionID } = await server.holdfast.sessions.create()
      const moment = moments[kill % moments.length] ?? "answer"
      await server.holdfast.sessions.prompt({ sessionID, text: "Go on." })
      await seen(server, sessionID, moment === "call.started" ? moment : "ask.raised")
      const answers = moment === "answer" ? [answer(server, sessionID), answer(server, sessionID)] : []
      // The moment of the kill is a time.
      await pause(choices.below(moment === "answer" ? 60 : 120))
      const before = openAsks(await readLog(place.dataDir, sessionID))
      const killedAt = Date.now()
      await server.kill()
      await Promise.all(answers)
      await eventually(
        "no command of the killed server is left",
        orphanMsMax,
        () => place.toolProcesses().length === 0,
      )
      orphanMs.push(Date.now() - killedAt)
      await server.start()
      if (moment !== "answer") {
        const { items } = await server.holdfast.asks.list({ sessionID })
        expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining([...before]))
      }
      await finish(server, sessionID)
      logs.push(await readLog(place.dataDir, sessionID))
    }
    const executions = await place.executions()
    expect(logs.flatMap((log) => judge(log, executions))).toEqual([])
    expect(executions.length).toBe(new Set(executions).size)
    console.log(
      `figure: seed ${seed}: ${kills} kills with asks open; ${executions.length} allowed calls ran, each once; commands in the background gone after ${Math.max(...orphanMs)} ms at most`,
    )
  },
)

async function seen({ holdfast }: RestartedServer, sessionID: string, type: string): Promise<void> {
  for await (const { fact } of follow(holdfast, { sessionID, after: 0 })) if (fact.type === type) return
}

/** Whoever comes second is told so; whoever is cut off knows nothing. */
async function answer({ holdfast }: RestartedServer, sessionID: string): Promise<boolean> {
  try {
    const [ask] = (await holdfast.asks.list({ sessionID })).items
    if (ask === undefined) return false
    await holdfast.asks.answer({ askID: ask.id, decision: "allow" })
    return true
  } catch (failure) {
    if (isFailure(failure, "AskNotOpen") || isFailure(failure, "ClientError")) return false
    throw failure
  }
}

/** Until the Session owes nothing: what it asks is allowed, twice at once; what was cut off is resumed. */
async function finish(server: RestartedServer, sessionID: string): Promise<void> {
  for (let step = 0; step < stepsMax; step++) {
    const { status } = await server.holdfast.sessions.get({ sessionID })
    if (status.state === "asking") {
      const given = await Promise.all([answer(server, sessionID), answer(server, sessionID)])
      expect(given.filter((done) => done).length).toBeLessThanOrEqual(1)
    } else if (status.state === "idle" && !status.owing) return
    else if (status.state !== "running")
      await server.holdfast.sessions.resume({ sessionID }).catch((failure: unknown) => {
        if (!isFailure(failure, "NothingOwed")) throw failure
      })
    await settled(server.holdfast, { sessionID })
  }
  throw new Error(`Session ${sessionID} does not come to rest.`)
}

const openAsks = (log: readonly Event[]): ReadonlySet<string> => {
  const open = new Set<string>()
  for (const { fact } of log) {
    if (fact.type === "ask.raised") open.add(fact.ask)
    if (fact.type === "ask.answered" || fact.type === "ask.withdrawn") open.delete(fact.ask)
  }
  return open
}

/** What a log at rest says against the rules. */
function judge(log: readonly Event[], executions: readonly string[]): readonly string[] {
  const problems: string[] = []
  const callOf = new Map<string, string>()
  const allowed = new Set<string>()
  const answered = new Set<string>()
  const started = new Set<string>()
  for (const { fact } of log) {
    if (fact.type === "ask.raised" && fact.subject.kind === "call") callOf.set(fact.ask, fact.subject.call)
    if (fact.type === "ask.answered") {
      if (answered.has(fact.ask)) problems.push(`${fact.ask} was answered twice`)
      answered.add(fact.ask)
      allowed.add(callOf.get(fact.ask) ?? "")
    }
    if (fact.type === "call.started") {
      if (started.has(fact.call)) problems.push(`${fact.call} started twice`)
      started.add(fact.call)
      if ([...callOf.values()].includes(fact.call) && !allowed.has(fact.call))
        problems.push(`${fact.call} started before it was allowed`)
    }
  }
  for (const [ask, call] of callOf) {
    if (!answered.has(ask)) problems.push(`${ask} is lost`)
    if (executions.includes(call) && !started.has(call)) problems.push(`${call} ran and is not on record`)
  }
  return problems
}
