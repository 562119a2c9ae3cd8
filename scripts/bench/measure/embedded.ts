/**
 * The embedded host: what the way through router, codecs and client costs above the runtime itself.
 *
 * Both ways are taken in turn inside one round, first the one and then the other, so that a busy
 * neighbour disturbs both alike; a ratio is that of their medians, and the median round counts, since
 * noise can make a ratio better as well as worse.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { readLive } from "@holdfast/core/events/live-reader"
import { makeCursors } from "@holdfast/core/page/cursor"
import { makeLists } from "@holdfast/core/page/lists"
import type { LiveEvent } from "@holdfast/core/session/live"
import type { SessionId, TurnId } from "@holdfast/schema/id"
import { openHoldfast, settled } from "@holdfast/sdk"
import { type Embedded, openEmbedded } from "@holdfast/sdk/embedded/open"
import { startProvider } from "../provider-process.ts"
import type { Reading, Readings } from "../report.ts"
import { type Folders, makeFolders, removeFolders } from "../runtime.ts"
import { type Amount, bestRound, median, msOf, nowNs, samplesOf, slowSamples, spreadOf } from "../sample.ts"

const text = "Which parts of the request repeat the one before, and where does it break? "
  .repeat(3)
  .slice(0, 200)

export async function measureEmbedded(amount: Amount): Promise<Readings> {
  const folders = makeFolders()
  const provider = await startProvider()
  const embedded = await openEmbedded(optionsOf(folders, provider.url, "data"))
  try {
    return {
      "embedded-prompt": await promptReading(embedded, amount),
      "embedded-page": await pageReading(embedded, amount),
      "embedded-delta": await deltaReading(embedded, amount),
      "embedded-start": await startReading(folders, provider.url, amount),
    }
  } finally {
    await embedded.holdfast.close()
    await provider.close()
    removeFolders(folders)
  }
}

/** Nothing of the user's configuration or keys. */
function optionsOf({ root, project }: Folders, providerUrl: string, data: string) {
  const models = { agent: { limit: { context: 4_000_000, output: 8_192 } } }
  const bench = { wire: "anthropic-messages", baseUrl: `${providerUrl}/text`, models } as const
  mkdirSync(join(root, "config"), { recursive: true })
  return {
    dataDir: join(root, data),
    configDir: join(root, "config"),
    directory: project,
    environment: {},
    providers: { bench },
    model: "bench/agent",
  }
}

async function promptReading({ host, holdfast }: Embedded, amount: Amount): Promise<Reading> {
  const { id: ours } = await holdfast.sessions.create()
  const { id: theirs } = await holdfast.sessions.create()
  return ratioReading(amount, samplesOf(amount, 600), {
    direct: () => Effect.runPromise(host.prompt({ sessionID: ours, text, resume: false })),
    client: () => holdfast.sessions.prompt({ sessionID: theirs, text, resume: false }),
  })
}

const pageSize = 100

async function pageReading({ host, holdfast }: Embedded, amount: Amount): Promise<Reading> {
  const { id: sessionID } = await holdfast.sessions.create()
  for (let messages = 0; messages < pageSize; messages += 2) {
    await holdfast.sessions.prompt({ sessionID, text })
    await settled(holdfast, { sessionID })
  }
  const { items } = await holdfast.sessions.messages({ sessionID, limit: pageSize })
  if (items.length !== pageSize) throw new Error(`A page has ${items.length} messages.`)
  const lists = makeLists(host, makeCursors("bench"))
  return ratioReading(amount, samplesOf(amount, 300), {
    direct: () => Effect.runPromise(lists.messages(sessionID, { limit: pageSize })),
    client: () => holdfast.sessions.messages({ sessionID, limit: pageSize }),
  })
}

interface TwoWays {
  readonly direct: () => Promise<unknown>
  readonly client: () => Promise<unknown>
}

/** Client against direct; the note tells both in milliseconds. */
async function ratioReading({ rounds }: Amount, samples: number, ways: TwoWays): Promise<Reading> {
  const timesOf = async (count: number) => {
    const direct: number[] = []
    const client: number[] = []
    for (let i = 0; i < count; i++) {
      direct.push(await timed(ways.direct))
      client.push(await timed(ways.client))
    }
    return { direct: median(direct), client: median(client) }
  }
  await timesOf(samples / 2)
  const found: { readonly direct: number; readonly client: number }[] = []
  for (let round = 0; round < rounds; round++) found.push(await timesOf(samples))
  const list = (key: "direct" | "client") => found.map((each) => each[key].toFixed(3)).join(", ")
  const note = `client ${list("client")} ms, the runtime itself ${list("direct")} ms`
  return { value: median(found.map(({ direct, client }) => client / direct)), samples, rounds, note }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startNs = nowNs()
  await work()
  return msOf(nowNs() - startNs)
}

const deltasAtOnce = 100

/** CPU above a reader of the hub, both with the same events in the same bursts. */
async function deltaReading({ host, holdfast }: Embedded, amount: Amount): Promise<Reading> {
  const session = (await holdfast.sessions.create()).id as SessionId
  const deltas = samplesOf(amount, 40_000)
  const delta = (at: number): LiveEvent => ({
    session,
    type: "text-delta",
    turn: "trn_0" as TurnId,
    index: 0,
    text: "word ",
    offset: at * 5,
  })
  const cpuPerDelta = async (next: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage()
    for (let at = 0; at < deltas; at += deltasAtOnce) {
      for (let i = 0; i < deltasAtOnce; i++) host.live.publish(delta(at + i))
      for (let i = 0; i < deltasAtOnce; i++) await next()
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / deltas
  }
  const throughClient = async (): Promise<number> => {
    const items = holdfast.events.subscribe({ sessionID: session })[Symbol.asyncIterator]()
    await items.next()
    const perDelta = await cpuPerDelta(() => items.next())
    await items.return?.()
    return perDelta
  }
  const direct = async (): Promise<number> => {
    const reader = readLive(host.live, new AbortController().signal, { session })
    await reader.next()
    const perDelta = await cpuPerDelta(reader.next)
    reader.leave()
    return perDelta
  }
  const above: number[] = []
  const whole: string[] = []
  for (let round = -1; round < amount.rounds; round++) {
    const [client, own] = [await throughClient(), await direct()]
    // The first warms up.
    if (round < 0) continue
    above.push(client - own)
    whole.push(`${client.toFixed(2)} and ${own.toFixed(2)}`)
  }
  const note = `client and direct: ${whole.join(", ")} µs`
  return { value: median(above), samples: deltas, rounds: amount.rounds, note }
}

/** From opening an empty data directory to the receipt of the first prompt; the modules are loaded already. */
async function startReading(folders: Folders, providerUrl: string, amount: Amount): Promise<Reading> {
  const samples = samplesOf(amount, slowSamples)
  const rounds = []
  for (let round = 0; round < amount.rounds; round++) {
    const times: number[] = []
    for (let i = 0; i < samples; i++) {
      const options = optionsOf(folders, providerUrl, `start-${round}-${i}`)
      const startNs = nowNs()
      const holdfast = await openHoldfast(options)
      const { id: sessionID } = await holdfast.sessions.create()
      await holdfast.sessions.prompt({ sessionID, text, resume: false })
      times.push(msOf(nowNs() - startNs))
      await holdfast.close()
    }
    rounds.push(spreadOf(times))
  }
  return bestRound(rounds, samples)
}
