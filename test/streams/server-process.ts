/**
 * The real server on one port and one data directory, started again after each death, and clients
 * that find it again: every server has a token of its own, which lies in the data directory.
 */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { everyItem, follow, type HoldfastClient, isDeletion, makeClient } from "@holdfast/client"
import { eventually } from "../processes/eventually.ts"
import type { Place } from "../processes/place.ts"
import { commandProgram } from "../processes/program.ts"
import { Fold, type Folded } from "./fold.ts"
import type { Random } from "./random.ts"
import { cutBody } from "./world.ts"

export interface RestartedServer {
  readonly url: string
  readonly holdfast: HoldfastClient
  /** A client of an address that leads to the server, with whatever token it has now. */
  readonly connect: (url: string) => HoldfastClient
  readonly start: () => Promise<void>
  /** SIGKILL; resolves when it is gone. */
  readonly kill: () => Promise<void>
}

export async function startServer(place: Place): Promise<RestartedServer> {
  const program = await commandProgram()
  let child: ReturnType<Place["start"]> | undefined
  let url = ""
  const start = async () => {
    const port = url === "" ? [] : ["--port", new URL(url).port]
    child = place.start(program, ["serve", "--json", "--allow", "*", "--data-dir", place.dataDir, ...port])
    if (child.stdout === null) throw new Error("The server needs a pipe.")
    const lines = createInterface({ input: child.stdout })
    const ended = once(child, "exit").then(() => null)
    const line = (await Promise.race([once(lines, "line"), ended])) as readonly string[] | null
    if (line === null) throw new Error("The server ended before it served.")
    ;({ url } = JSON.parse(line[0] ?? "") as { readonly url: string })
  }
  await start()
  const connect = (address: string) =>
    makeClient({ baseUrl: address, fetch: (input, init) => fetchWithToken(place, input, init) })
  return {
    url,
    holdfast: connect(url),
    connect,
    start,
    kill: async () => {
      const gone = child === undefined ? null : once(child, "exit")
      child?.kill("SIGKILL")
      await gone
    },
  }
}

/** A server listens a moment before its token lies there; until then it is not there yet. */
async function fetchWithToken(
  place: Place,
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Response> {
  const token = readFileSync(join(place.dataDir, "server.token"), "utf8").trim()
  const headers = new Headers(init?.headers)
  headers.set("authorization", `Bearer ${token}`)
  const response = await fetch(input, { ...init, headers })
  if (response.status === 401) throw new Error("The token of this server is not there yet.")
  return response
}

const cutBytesMax = 6_000

/** Follows a Session through cuts at any byte and through deaths of the server. */
export class ProcessReader {
  readonly seqs: number[] = []
  cuts = 0
  private readonly fold = new Fold()
  private readonly stop: () => Promise<unknown>
  private failure: unknown = null

  constructor(place: Place, url: string, sessionID: string, random: Random) {
    const client = makeClient({
      baseUrl: url,
      fetch: async (input, init) => {
        const response = await fetchWithToken(place, input, init)
        this.cuts++
        return cutBody(response, 1 + random.below(cutBytesMax), random.pick(["break", "end"]))
      },
    })
    const patience = { attemptsMax: 1_000, waitMs: () => 20 }
    const events = follow(client, { sessionID }, patience)[Symbol.asyncIterator]()
    this.stop = async () => events.return?.()
    const read = async () => {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        if (isDeletion(next.value)) continue
        this.seqs.push(next.value.seq)
        this.fold.take(next.value)
      }
    }
    read().catch((failure: unknown) => (this.failure = failure)) // told by `reach`
  }

  /** What it knows once it has come so far. */
  async reach(seq: number): Promise<Folded> {
    await eventually(`event ${seq} is seen`, 10_000, () => {
      if (this.failure !== null) throw this.failure
      return this.fold.seq >= seq
    })
    return this.fold.folded
  }

  leave(): Promise<unknown> {
    return this.stop()
  }
}

/** Waits until nobody works on the Session and nothing is left open, then tells it from the projections. */
export async function tellSettled({ sessions }: HoldfastClient, sessionID: string): Promise<Folded> {
  const info = await eventually(`Session ${sessionID} is settled`, 15_000, async () => {
    const found = await sessions.get({ sessionID })
    if (found.status.state === "running") return false
    for await (const { settled } of everyItem((page) => sessions.turns({ sessionID, ...page })))
      if (settled === null) return false
    return found
  })
  const { items: inbox } = await sessions.inbox({ sessionID, limit: 200 })
  const messages: unknown[] = []
  const all = everyItem((page) => sessions.messages({ sessionID, ...page }), { limit: 200, system: true })
  for await (const message of all) messages.push(message)
  const { seq, turns, model, title, archived, status } = info
  return { seq, turns, owing: status.owing, model, title, archived, messages, inbox }
}
