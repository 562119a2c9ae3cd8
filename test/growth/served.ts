/**
 * A served Holdfast that tells how much memory it holds, and that can be given readers of its own
 * which never read on, and a leak.
 *
 *   {"id":1,"ask":"memory"}  ─▶  {"id":1,"value":…}
 */
import { createInterface } from "node:readline"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { serveHoldfast, type ServeOptions } from "@holdfast/sdk"

interface Asked {
  readonly id: number
  readonly ask: "memory" | "stick" | "unstick" | "leak"
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const served = await serveHoldfast(JSON.parse(process.argv[2] ?? "{}") as ServeOptions)
const { holdfast } = served
const kept: string[] = []
const stuck: AsyncIterator<unknown>[] = []

const answers: Readonly<Record<Asked["ask"], () => Promise<unknown>>> = {
  memory: async () => {
    // Finalizers of what the first round frees free the rest.
    for (let round = 0; round < 3; round++) {
      collect()
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
    return { heap: heapUsed + arrayBuffers, rss }
  },
  /** A reader of live events that takes the first and no other. */
  stick: async () => {
    const reader = holdfast.events.subscribe()[Symbol.asyncIterator]()
    stuck.push(reader)
    return reader.next()
  },
  /** How many events wait for each of these, and whether it is told that it missed others. */
  unstick: () => Promise.all(stuck.splice(0).map(readOut)),
  leak: async () => void keepAll(),
}

async function readOut(reader: AsyncIterator<unknown>) {
  let events = 0
  // What is queued is there at once.
  const nothing = () => new Promise<null>((resolve) => setImmediate(resolve, null))
  const next = () => Promise.race([reader.next(), nothing()])
  for (let found = await next(); found !== null && found.done !== true; found = await next()) {
    if ((found.value as { readonly type: string }).type === "cut-off") return { events, overrun: true }
    events++
  }
  await reader.return?.()
  return { events, overrun: false }
}

/** What the queue of a reader would do that never reads, if it had no bound. */
async function keepAll(): Promise<void> {
  for await (const event of holdfast.events.subscribe()) kept.push(JSON.stringify(event))
}

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
say({ id: 0, value: served.url })
for await (const line of createInterface({ input: process.stdin })) {
  const { id, ask } = JSON.parse(line) as Asked
  say({ id, value: await answers[ask]() })
}
await served.close()
