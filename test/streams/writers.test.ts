/**
 * Three clients that write to one Session at random, at the same time, over loopback, while each
 * follows it; the connection that one of them follows on is cut at any byte. Whoever came first, in
 * the end all of them know the same, and it is what the server says of itself.
 * `HOLDFAST_WRITERS_FROM=17 HOLDFAST_WRITERS=1` runs seed 17 alone.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type HoldfastClient, isFailure, makeClient, settled } from "@holdfast/client"
import type { Reply } from "@holdfast/provider-sim"
import { type Listening, serve } from "@holdfast/server"
import { makeRandom, type Random } from "./random.ts"
import { Reader } from "./reader.ts"
import { tellSession } from "./tell-session.ts"
import { cuttingFetch, StreamWorld, token } from "./world.ts"

const runs = Number(process.env["HOLDFAST_WRITERS"] ?? 20)
const from = Number(process.env["HOLDFAST_WRITERS_FROM"] ?? 1)
const groupSize = 10
const actsOfEach = 3
/** With fewer seeds not every kind of act need have happened. */
const seedsForReach = 20

let world: StreamWorld
let server: Listening
let cuts = 0
const done = new Map<string, number>()
const refused = new Map<string, number>()

beforeAll(async () => {
  world = await new StreamWorld().open()
  server = await serve(world.runtime, { token, defaultDirectory: world.directory, version: "1" })
})
afterAll(async () => {
  await server.close()
  await world.close()
})

const seeds = Array.from({ length: runs }, (_, at) => from + at)
const groups = Array.from({ length: Math.ceil(runs / groupSize) }, (_, at) =>
  seeds.slice(at * groupSize, (at + 1) * groupSize),
)

test.each(groups.map((group) => [group[0] ?? 0, group] as const))(
  "[EV1 EV3] from seed %i: three clients that write at random converge",
  async (_, group) => {
    for (const seed of group) await run(seed)
  },
)

/** What others may be quicker at, which depends on the machine. */
const mayBeLate = ["cancel", "edit", "resume"]

test("connections were really cut, and every act was tried, done where nobody can be quicker", () => {
  expect(cuts).toBeGreaterThan(runs)
  if (runs < seedsForReach) return
  const tried = new Set([...done.keys(), ...refused.keys()])
  expect([...tried].toSorted()).toEqual(Object.keys(acts).toSorted())
  expect([...refused.keys()].filter((kind) => !mayBeLate.includes(kind))).toEqual([])
})

async function run(seed: number): Promise<void> {
  const random = makeRandom(seed)
  const connect = (fetch: typeof globalThis.fetch) => makeClient({ baseUrl: server.url, token, fetch })
  const whole = [connect(fetch), connect(fetch), connect(fetch)] as const
  const cut = connect(cuttingFetch(fetch, random, () => cuts++))
  const [holdfast] = whole
  const { id: sessionID } = await holdfast.sessions.create()
  const followers = [whole[0], whole[1], cut]
  const readers = followers.map((client) => new Reader(client, sessionID))

  const prompts: string[] = []
  await Promise.all(
    whole.map((client, at) => {
      const writer = { client, sessionID, prompts, random: makeRandom(seed * whole.length + at) }
      return write(writer, `s${seed}-${at}`)
    }),
  )
  await settled(holdfast, { sessionID })
  world.replies.length = 0

  const told = await tellSession(holdfast, sessionID)
  readers.push(...followers.map((client) => new Reader(client, sessionID)))
  for (const reader of readers) {
    expect([seed, await reader.reach(told.seq)]).toEqual([seed, told])
    expect([seed, reader.seqs]).toEqual([seed, reader.seqs.map((_, at) => at + 1)])
    await reader.leave()
  }
}

interface Writer {
  readonly client: HoldfastClient
  readonly sessionID: string
  readonly random: Random
  /** Of all writers, so that each may reach for what another sent. */
  readonly prompts: string[]
}

type Act = (writer: Writer, id: string) => Promise<unknown>

async function write(writer: Writer, name: string): Promise<void> {
  for (let at = 0; at < actsOfEach; at++) {
    const kind = writer.random.pick(chances)
    const counted = await acts[kind](writer, `${name}-${at}`).then(() => done, tooLate)
    counted.set(kind, (counted.get(kind) ?? 0) + 1)
  }
}

/** What another writer, or the drain, was quicker at. */
function tooLate(failure: unknown): Map<string, number> {
  const expected = ["PromptNotFound", "PromptNotPending", "NothingOwed"] as const
  if (!expected.some((tag) => isFailure(failure, tag))) throw failure
  return refused
}

const work: Reply = { blocks: [{ type: "tool_use", name: "work", input: {} }] }

const acts = {
  prompt: ({ client, sessionID, random, prompts }, id) => {
    world.replies.push(...random.pick<readonly Reply[]>([[], [], [work]]))
    prompts.push(id)
    const delivery = random.pick(["steer", "queue"] as const)
    return client.sessions.prompt({ sessionID, id, text: textOf(random), delivery })
  },
  admit: ({ client, sessionID, random, prompts }, id) => {
    prompts.push(id)
    return client.sessions.prompt({ sessionID, id, text: textOf(random), delivery: "queue", resume: false })
  },
  edit: ({ client, sessionID, random, prompts }, id) =>
    client.sessions.edit({ sessionID, promptID: random.pick([...prompts, id]), text: textOf(random) }),
  cancel: ({ client, sessionID, random, prompts }, id) =>
    client.sessions.cancel({ sessionID, promptID: random.pick([...prompts, id]) }),
  rename: ({ client, sessionID, random }, id) =>
    client.sessions.update({ sessionID, title: random.pick([id, null]) }),
  switchModel: ({ client, sessionID, random }) =>
    client.sessions.switchModel({ sessionID, model: `sim/${random.pick(["script", "other"])}` }),
  interrupt: ({ client, sessionID }) => client.sessions.interrupt({ sessionID }),
  resume: ({ client, sessionID }) => client.sessions.resume({ sessionID }),
  archive: ({ client, sessionID, random }) =>
    client.sessions.archive({ sessionID, archived: random.pick([true, false]) }),
} satisfies Readonly<Record<string, Act>>

const kinds = Object.keys(acts) as (keyof typeof acts)[]
/** Prompts are half of what is done, so that there is something to reach for. */
const chances = [...kinds, ...kinds.map(() => "prompt" as const)]

const textOf = (random: Random): string =>
  random.pick(["Hello", "é💡\n\n", "data: x\n\nid: 9\n", "word ".repeat(400)])
