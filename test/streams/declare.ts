/**
 * Streams under fire: seeded runs in which clients follow Sessions while their connections are cut
 * at any byte, routers are disposed and remade, and the runtime itself is closed and opened again.
 * At every pause what a client folded from its stream equals what the server says of itself.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Reply } from "@holdfast/provider-sim"
import { type HoldfastClient, makeClient, settled } from "@holdfast/client"
import { makeRandom, type Random } from "./random.ts"
import { Reader } from "./reader.ts"
import { tellSession } from "./tell-session.ts"
import { cuttingFetch, StreamWorld, token } from "./world.ts"

const runs = Number(process.env["HOLDFAST_STREAMS"] ?? 500)
const from = Number(process.env["HOLDFAST_STREAMS_FROM"] ?? 1)
const groupSize = 25

let world: StreamWorld
let holdfast: HoldfastClient
let cuts = 0

/** Declares the tests of every `shards`-th seed, beginning with the `shard`-th. Two files share them. */
export function declareSeeds(shard: number, shards: number): void {
  beforeAll(async () => {
    world = await new StreamWorld().open()
    holdfast = makeClient({ baseUrl: "http://localhost:4096", token, fetch: world.fetch })
  })
  afterAll(() => world.close())

  const seeds = Array.from({ length: runs }, (_, at) => from + at).filter((_, at) => at % shards === shard)
  const groups = Array.from({ length: Math.ceil(seeds.length / groupSize) }, (_, at) =>
    seeds.slice(at * groupSize, (at + 1) * groupSize),
  )
  test.each(groups.map((group) => [group[0] ?? 0, group] as const))(
    "[EV1 EV3] from seed %i: the stream rebuilds the state, whatever is cut",
    async (_, group) => {
      for (const seed of group) await run(seed)
    },
  )
  test("connections were really cut", () => expect(cuts).toBeGreaterThan(seeds.length))
}

async function run(seed: number): Promise<void> {
  const random = makeRandom(seed)
  const { id: sessionID } = await holdfast.sessions.create({ title: `seed ${seed}` })
  const fetch = cuttingFetch(world.fetch, random, () => cuts++)
  const cut = makeClient({ baseUrl: "http://localhost:4096", token, fetch })
  const readers = Array.from({ length: 1 + random.below(2) }, () => new Reader(cut, sessionID))
  const acts = 2 + random.below(4)
  for (let at = 0; at < acts; at++) {
    await act(random, sessionID, `s${seed}-${at}`)
    if (random.below(3) === 0) readers.push(new Reader(cut, sessionID))
    if (random.below(2) === 0 && at < acts - 1) continue
    const told = await tellSession(holdfast, sessionID)
    for (const reader of readers) expect([seed, at, await reader.reach(told.seq)]).toEqual([seed, at, told])
  }
  for (const reader of readers) {
    expect([seed, reader.seqs]).toEqual([seed, reader.seqs.map((_, at) => at + 1)])
    await reader.leave()
  }
}

const call: Reply = { blocks: [{ type: "tool_use", name: "work", input: {} }] }
const empty: Reply = { blocks: [] }

async function act(random: Random, sessionID: string, id: string): Promise<void> {
  const { sessions } = holdfast
  const text = random.pick(["Hello", "é💡\n\n", "data: x\n\nid: 9\n", "word ".repeat(400)])
  switch (random.below(8)) {
    case 0:
    case 1:
      world.replies.push(...random.pick<readonly Reply[]>([[], [call], [call, call], [empty]]))
      await sessions.prompt({ sessionID, text, id })
      await settled(holdfast, { sessionID })
      world.replies.length = 0
      return
    case 2:
      await sessions.prompt({ sessionID, text, id, resume: false, delivery: random.pick(["steer", "queue"]) })
      return
    case 3:
      await sessions.prompt({ sessionID, text, id, resume: false })
      if (random.below(2) === 0) await sessions.edit({ sessionID, promptID: id, text: `${text} again` })
      else await sessions.cancel({ sessionID, promptID: id })
      return
    case 4:
      await sessions.switchModel({ sessionID, model: `sim/${random.pick(["script", "other"])}` })
      await sessions.switchModel({ sessionID, model: "sim/script" })
      return
    case 5:
      await sessions.interrupt({ sessionID })
      return
    case 6:
      await world.remakeRouter()
      return
    case 7:
      await world.restart()
      return
  }
}
