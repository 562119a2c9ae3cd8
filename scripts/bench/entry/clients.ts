/** The clients of client-process.ts: jobs come as messages, one at a time. */
import { attachTerminal, makeClient } from "@holdfast/client"
import type { Address, ClientJobs, JobAnswer, JobName } from "../client-process.ts"
import { median, msOf, nowNs, percentile } from "../sample.ts"

const text = "Which part of the request repeats? ".repeat(6).slice(0, 200)

type Jobs = {
  readonly [K in JobName]: (input: ClientJobs[K]["input"]) => Promise<ClientJobs[K]["answer"]>
}

let leaving = new AbortController()
let deltas = 0
let heard = () => {}

const jobs: Jobs = {
  admit: async ({ at, sessions, callers, each }) => {
    const { sessions: api } = clientOf(at)
    const times: number[] = []
    const perSecond = await callAll(callers, each, async (number) => {
      const startNs = nowNs()
      await api.prompt({ sessionID: sessions[number % sessions.length] ?? "", text, resume: false })
      times.push(msOf(nowNs() - startNs))
    })
    return { perSecond, p99Ms: percentile(times, 0.99) }
  },
  pages: async ({ at, session: sessionID, size, callers, each }) => {
    const { sessions } = clientOf(at)
    const perSecond = await callAll(callers, each, async () => {
      const { items } = await sessions.messages({ sessionID, limit: size })
      if (items.length !== size) throw new Error(`A page has ${items.length} messages.`)
    })
    return { perSecond }
  },
  compare: async ({ first, second, pairs }) => {
    const times: readonly [number[], number[]] = [[], []]
    const ways = [first, second].map(({ session: sessionID, ...at }) => {
      const { sessions } = clientOf(at)
      return () => sessions.prompt({ sessionID, text, resume: false })
    })
    for (let pair = 0; pair < pairs; pair++)
      for (const [way, admit] of ways.entries()) {
        const startNs = nowNs()
        await admit()
        times[way]?.push(msOf(nowNs() - startNs))
      }
    return { firstMs: median(times[0]), secondMs: median(times[1]) }
  },
  subscribe: async ({ at, readers, session }) => {
    const { events } = clientOf(at)
    leaving = new AbortController()
    deltas = 0
    const input = session === undefined ? {} : { sessionID: session }
    const stop = leaving.signal
    const read = (connected: () => void) =>
      readAll(events.subscribe(input, { signal: stop }), connected).catch((cause: unknown) => {
        if (!stop.aborted) throw cause
      })
    await Promise.all(
      Array.from({ length: readers }, () => new Promise<void>((resolve) => void read(resolve))),
    )
    return { connected: readers }
  },
  deltas: async ({ atLeast }) => {
    await new Promise<void>((resolve) => {
      heard = () => void (deltas >= atLeast && resolve())
      heard()
    })
    return { deltas }
  },
  terminal: async ({ at, bytes }) => {
    const client = clientOf(at)
    const program = `stty -echo; echo ready; read start; yes '${"word ".repeat(15)}' | head -c ${bytes}`
    const { id: ptyID } = await client.ptys.create({ argv: ["/bin/sh", "-c", program] })
    let startNs = 0
    let from = 0
    let cutOffs = 0
    for (;;) {
      const attached = await attachTerminal(client, { baseUrl: at.url, ptyID, from })
      for await (const item of attached) {
        if (startNs === 0 && item.type === "output") {
          startNs = nowNs()
          from = item.cursor
          attached.write("\n")
        } else if (item.type === "exit") {
          const seconds = (nowNs() - startNs) / 1e9
          await client.ptys.close({ ptyID })
          return { bytesPerSecond: bytes / seconds, cutOffs }
        }
      }
      cutOffs += 1
      from = attached.cursor ?? from
    }
  },
  leave: async () => {
    leaving.abort()
    return {}
  },
}

process.on("message", ({ job, input }: { readonly job: JobName; readonly input: never }) => {
  void jobs[job](input).then(
    (answer) => tell({ answer }),
    (cause: unknown) => tell({ failure: cause instanceof Error ? cause.message : JSON.stringify(cause) }),
  )
})
process.on("disconnect", () => process.exit(0))

function tell(message: JobAnswer): void {
  process.send?.(message)
}

const clientOf = ({ url, token }: Address) => makeClient({ baseUrl: url, token })

/** Calls a second; the first of each caller are not counted, since they open connections. */
async function callAll(
  callers: number,
  each: number,
  call: (number: number) => Promise<void>,
): Promise<number> {
  const run = (count: number) =>
    Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        for (let i = 0; i < count; i++) await call(caller + i)
      }),
    )
  await run(2)
  const startNs = nowNs()
  await run(each)
  return (callers * each * 1e9) / (nowNs() - startNs)
}

async function readAll(
  items: AsyncIterable<{ readonly type: string }>,
  connected: () => void,
): Promise<void> {
  for await (const { type } of items) {
    if (type === "connected") connected()
    if (type === "cut-off") throw new Error("A reader could not follow.")
    if (type !== "text-delta") continue
    deltas += 1
    heard()
  }
}
