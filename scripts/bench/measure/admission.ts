/**
 * Admission: how many prompts a second are on disk, and what the disk itself would allow.
 *
 * The driver's own commits are measured in the same round, since the speed of a shared disk
 * changes from minute to minute: only the ratio says something about us. Two more rows say where
 * an admission spends its time: the same command without the writer thread, and the way to that
 * thread and back with nothing to write.
 */
import { fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { defaultAgent } from "@holdfast/core/session/ports"
import { makeHandler, listen } from "@holdfast/server"
import { idFromBytes, type PromptId, type SessionId } from "@holdfast/schema/id"
import { openInlineStore } from "@holdfast/store"
import { entryUrl, startProvider } from "../provider-process.ts"
import type { Readings } from "../report.ts"
import {
  createSession,
  makeFolders,
  type Opened,
  openBenchRuntime,
  removeFolders,
  sendPrompt,
} from "../runtime.ts"
import { type Amount, highest, median, nowNs, samplesOf } from "../sample.ts"

const callersMany = 64

export async function measureAdmission(amount: Amount): Promise<Readings> {
  const folders = makeFolders()
  const opened = await openBenchRuntime(folders, { providerUrl: "http://127.0.0.1:9" })
  const rawStore = openRaw(join(folders.root, "raw.db"))
  const inline = await openInline(join(folders.root, "inline.db"))
  try {
    const sessions = await createSessions(opened)
    const one = samplesOf(amount, 2_000)
    const many = samplesOf(amount, 200)
    const rounds: Rates[] = []
    // A log that still grows costs more to sync: both are past their first checkpoint.
    await admit(opened, sessions, callersMany, 40)
    rawStore.commit(1_500)
    inline.admit(1_500)
    for (let round = 0; round < amount.rounds; round++) {
      // Short slices in turn, so that a busy neighbour disturbs all alike.
      const slices: Rates[] = []
      for (let slice = 0; slice < 4; slice++) {
        slices.push({
          raw: rawStore.commit(one / 4),
          one: await admit(opened, sessions, 1, one / 4),
          many: await admit(opened, sessions, callersMany, many / 4),
          inline: inline.admit(one / 4),
          hop: await hop(opened, sessions, one / 4),
        })
      }
      rounds.push(ratesOf(slices, median))
    }
    // Ratios of the best rounds: the best ratio would be the one whose divisor was disturbed most.
    const best = ratesOf(rounds, highest)
    const reading = (value: number, samples = one) => ({ value, samples, rounds: amount.rounds })
    return {
      "driver-commits": reading(best.raw),
      "admit-1": reading(best.one),
      "admit-1-share": reading(best.one / best.raw),
      "admit-64": reading(best.many, many * callersMany),
      "admit-64-gain": reading(best.many / best.one),
      "admit-inline-share": reading(best.inline / best.raw),
      "writer-hop": reading(1e6 / best.hop),
    }
  } finally {
    rawStore.close()
    await inline.close()
    await opened.close()
    removeFolders(folders)
  }
}

/** Each in times a second. */
interface Rates {
  readonly raw: number
  readonly one: number
  readonly many: number
  readonly inline: number
  readonly hop: number
}

const ratesOf = (found: readonly Rates[], choose: (values: readonly number[]) => number): Rates => {
  const rate = (key: keyof Rates) => choose(found.map((rates) => rates[key]))
  return { raw: rate("raw"), one: rate("one"), many: rate("many"), inline: rate("inline"), hop: rate("hop") }
}

/** The same admission, committed by the calling thread. */
async function openInline(file: string) {
  const store = await Effect.runPromise(openInlineStore({ file }))
  const session = idFromBytes("ses", randomBytes(20)) as SessionId
  const location = { directory: "/", projectRoot: "/" }
  const created = {
    type: "session.created",
    kind: "primary",
    parent: null,
    origin: null,
    location,
    title: null,
    titledBy: "person",
    model: null,
    agent: defaultAgent,
    policy: "settle",
    onAsk: "wait",
    harness: "holdfast",
  } as const
  await Effect.runPromise(store.commit({ kind: "create-session", session, time: 0, fact: created }))
  const admitOne = () => {
    const prompt = idFromBytes("prm", randomBytes(20)) as PromptId
    const text = "x".repeat(200)
    Effect.runSync(store.commit({ kind: "admit", session, time: 0, prompt, text, delivery: "steer" }))
  }
  return {
    close: () => Effect.runPromise(store.close()),
    admit: (count: number): number => {
      const startNs = nowNs()
      for (let i = 0; i < count; i++) admitOne()
      return (count * 1e9) / (nowNs() - startNs)
    },
  }
}

/** A command that finds nothing to do: to the writer and back. Returns hops a second. */
async function hop({ store }: Opened, [session]: readonly SessionId[], count: number): Promise<number> {
  if (session === undefined) throw new Error("There is no Session.")
  const startNs = nowNs()
  for (let i = 0; i < count; i++) await Effect.runPromise(store.commit({ kind: "renew", session, token: 0 }))
  return (count * 1e9) / (nowNs() - startNs)
}

export const createSessions = (opened: Opened): Promise<readonly SessionId[]> =>
  Promise.all(Array.from({ length: callersMany }, () => createSession(opened, "text")))

/** Each caller waits for its receipt before it sends the next. Returns admissions a second. */
export async function admit(
  opened: Opened,
  sessions: readonly SessionId[],
  callers: number,
  each: number,
): Promise<number> {
  const startNs = nowNs()
  const caller = async (at: number): Promise<void> => {
    for (let i = 0; i < each; i++) {
      const session = sessions[(at + i) % sessions.length]
      if (session !== undefined) await sendPrompt(opened, session, false)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at)))
  return (callers * each * 1e9) / (nowNs() - startNs)
}

/** Rows of the size of an admission, one transaction and one sync each. */
function openRaw(file: string) {
  const db = new DatabaseSync(file)
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  db.exec("CREATE TABLE event (id INTEGER PRIMARY KEY, data TEXT)")
  const insert = db.prepare("INSERT INTO event (data) VALUES (?)")
  const data = "x".repeat(600)
  const commit = (count: number): number => {
    const startNs = nowNs()
    for (let i = 0; i < count; i++) insert.run(data)
    return (count * 1e9) / (nowNs() - startNs)
  }
  return { commit, close: () => db.close() }
}

export async function measureAdmissionHttp(amount: Amount): Promise<Readings> {
  const folders = makeFolders()
  const provider = await startProvider()
  const opened = await openBenchRuntime(folders, { providerUrl: provider.url })
  const token = "bench"
  const served = makeHandler(opened.runtime, { token, defaultDirectory: folders.project, version: "bench" })
  const server = await listen(served.answer)
  try {
    const sessions = await createSessions(opened)
    const rounds: { one: number; many: number }[] = []
    await callHttp({ url: server.url, token, sessions, callers: 8, each: 50 })
    const one = samplesOf(amount, 1_000)
    const many = samplesOf(amount, 100)
    for (let round = 0; round < amount.rounds; round++) {
      rounds.push({
        one: await callHttp({ url: server.url, token, sessions, callers: 1, each: one }),
        many: await callHttp({ url: server.url, token, sessions, callers: callersMany, each: many }),
      })
    }
    const reading = (value: number, samples: number) => ({ value, samples, rounds: amount.rounds })
    return {
      "admit-http-1": reading(highest(rounds.map((round) => round.one)), one),
      "admit-http-64": reading(highest(rounds.map((round) => round.many)), many * callersMany),
    }
  } finally {
    await server.close()
    await served.dispose()
    await opened.close()
    await provider.close()
    removeFolders(folders)
  }
}

export interface HttpCalls {
  readonly url: string
  readonly token: string
  readonly sessions: readonly string[]
  readonly callers: number
  readonly each: number
}

/** The callers are a process of their own: their work is not ours. */
async function callHttp(calls: HttpCalls): Promise<number> {
  const child = fork(entryUrl("http-callers"), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: [],
  })
  const exited = once(child, "exit")
  child.send(calls)
  const [rate] = (await Promise.race([
    once(child, "message"),
    exited.then(() => Promise.reject(new Error("The callers ended without a result."))),
  ])) as [number]
  await exited
  return rate
}
