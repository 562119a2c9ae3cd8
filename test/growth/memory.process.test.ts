/**
 * Many Sessions at work in one server, and readers that are slow or never read: what it holds in
 * memory is bounded by the windows of its Sessions and by the queues of its readers, not by how
 * much has gone through it. That the measure would see a leak is shown by planting one.
 */
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { get, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { scripted, textReply, type SimModel } from "@holdfast/provider-sim"
import { type HoldfastClient, makeClient, settled } from "@holdfast/client"
import { expect, test } from "vitest"
import { makePlace, type Place } from "../processes/place.ts"

const exchanges = Number(process.env["HOLDFAST_SOAK_EXCHANGES"] ?? 1)
/** Then windows are full and code is compiled. */
const exchangesFirst = Math.max(3, Math.min(exchanges, 20))
const sessionsAtWork = 20
const stuckOverNetwork = 30
const slowReaders = 10
const stuckWithin = 10
const leaksPlanted = 20
const contextTokens = 12_000
const fileChars = 12_000
const answerChars = 4_000
/** What a plateau may move by. The planted leak, queues without a bound, keeps more. */
const plateauBytesMax = 4 * 1_048_576
/** What the bytes of a queue allow, were its events without a text. */
const queueEventsMax = 21_000
/** Then more has happened than a queue holds. */
const exchangesOverrun = 15
const slowMs = 20
const token = "token-of-a-soak"
const program = fileURLToPath(new URL("./served.ts", import.meta.url))

/** Reads a file, then answers at length in small pieces. */
const model: SimModel = scripted(({ messages }) => {
  const blocks = messages.findLast(({ role }) => role === "user")?.blocks ?? []
  if (blocks.some(({ type }) => type === "tool_result"))
    return { ...textReply("All work and no play. ".repeat(answerChars / 22)), chunkChars: 40 }
  return { blocks: [{ type: "tool_use", name: "read", input: { path: "large.txt" } }] }
})

test(
  `[EV2 EV1] ${sessionsAtWork} Sessions and ${stuckOverNetwork + slowReaders + stuckWithin} stuck and slow readers: memory comes to rest`,
  { timeout: 120_000 + exchanges * 20_000 },
  async () => {
    await using place = await makePlace({ model: () => model })
    await setUp(place)
    const server = await startServed(place)
    const client = makeClient({ baseUrl: server.url, token })
    const made = Array.from({ length: sessionsAtWork }, () =>
      client.sessions.create({ directory: place.project }),
    )
    const sessions = (await Promise.all(made)).map(({ id }) => id)
    await work(client, sessions, exchangesFirst)
    const before = await server.ask<Held>("memory")
    const readers = await openReaders(server, sessions)
    await work(client, sessions, exchanges)
    const during = await server.ask<Held>("memory")
    for (const reader of readers) reader.destroy()
    const cut = await server.ask<readonly { events: number; overrun: boolean }[]>("unstick")
    await work(client, sessions, exchanges)
    const after = await server.ask<Held>("memory")
    for (let n = 0; n < leaksPlanted; n++) await server.ask("leak")
    await work(client, sessions, 1)
    const leaking = await server.ask<Held>("memory")
    console.log([before, during, after, leaking].map(describe).join("; "))

    expect(cut).toHaveLength(stuckWithin)
    for (const { events, overrun } of cut) {
      if (exchanges >= exchangesOverrun) expect(overrun).toBe(true)
      expect(events).toBeLessThanOrEqual(queueEventsMax)
    }
    expect(during.heap - before.heap).toBeLessThan(plateauBytesMax + readers.length * readerBytesMax)
    expect(after.heap - before.heap).toBeLessThan(plateauBytesMax)
    expect(leaking.heap - after.heap).toBeGreaterThan(plateauBytesMax)
    expect(await server.close()).toEqual([0, null])
  },
)

interface Held {
  readonly heap: number
  readonly rss: number
}

/** A page of the log or the places of a full queue, whose events all readers share, and what its connection holds. */
const readerBytesMax = 1_572_864

const describe = ({ heap, rss }: Held) =>
  `${(heap / 1_048_576).toFixed(1)} MiB (${(rss / 1_048_576).toFixed(0)} MiB resident)`

/** A small window, so that each Session has filled and cut its own long before it is measured. */
async function setUp(place: Place): Promise<void> {
  await writeFile(join(place.project, "large.txt"), "A line of a file.\n".repeat(fileChars / 18))
  const file = join(place.root, "config/holdfast.jsonc")
  const settings = JSON.parse(await readFile(file, "utf8"))
  settings.providers.sim.models.script.limit = { context: contextTokens, output: 2_000 }
  await writeFile(file, JSON.stringify(settings))
}

interface ServedProcess {
  readonly url: string
  readonly ask: <A>(what: string) => Promise<A>
  readonly close: () => Promise<unknown>
}

async function startServed(place: Place): Promise<ServedProcess> {
  const child = place.start(program, [JSON.stringify({ dataDir: place.dataDir, token })])
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error("The server needs pipes.")
  child.stderr?.pipe(process.stderr)
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse(String((await lines.next()).value)) as { id: number; value: unknown }
  let id = 0
  return {
    url: String((await next()).value),
    ask: async <A>(ask: string) => {
      stdin.write(`${JSON.stringify({ id: ++id, ask })}\n`)
      const answer = await next()
      expect(answer.id).toBe(id)
      return answer.value as A
    },
    close: () => {
      stdin.end()
      return once(child, "close")
    },
  }
}

/** All Sessions at once, each one exchange after the other. */
async function work(client: HoldfastClient, sessions: readonly string[], count: number): Promise<void> {
  await Promise.all(
    sessions.map(async (sessionID) => {
      for (let n = 0; n < count; n++) {
        await client.sessions.prompt({ sessionID, text: "Read it again." })
        const { status, reason } = await settled(client, { sessionID })
        expect({ status, reason }).toEqual({ status: "done", reason: null })
      }
    }),
  )
}

/** Half of the stuck ones follow the log from its start, half what happens; the slow ones the log. */
async function openReaders(server: ServedProcess, sessions: readonly string[]) {
  for (let n = 0; n < stuckWithin; n++) await server.ask("stick")
  const logOf = (n: number) => `/api/session/${sessions[n % sessions.length]}/event`
  const stuck = Array.from({ length: stuckOverNetwork }, (_, n) =>
    openStream(server.url, n % 2 === 0 ? "/api/event" : logOf(n)),
  )
  const slow = Array.from({ length: slowReaders }, async (_, n) => {
    const stream = await openStream(server.url, logOf(n))
    stream.on("data", () => {
      stream.pause()
      setTimeout(() => stream.resume(), slowMs)
    })
    return stream
  })
  return Promise.all([...stuck, ...slow])
}

/** Paused, as a response is that nobody listens to. */
async function openStream(url: string, path: string): Promise<IncomingMessage> {
  const request = get(url + path, { headers: { authorization: `Bearer ${token}` }, agent: false })
  request.on("error", () => {}) // it is destroyed at the end
  const [response] = (await once(request, "response")) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  response.on("error", () => {})
  return response
}
