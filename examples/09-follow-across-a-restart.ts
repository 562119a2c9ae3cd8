// A server in another process is killed and started again. `follow` opens its stream anew, and no event is missed.
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { follow, makeClient } from "@holdfast/client"
import { createProviderSim, listen, offlineAgent } from "@holdfast/provider-sim"
import { serveHoldfast } from "@holdfast/sdk"

const token = "of-this-example"
const [program = "", dataDir, baseUrl = "", port] = process.argv.slice(1)
if (dataDir !== undefined) {
  const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
  const providers = { offline: { wire: "anthropic-messages", baseUrl, models } } as const
  const model = "offline/agent"
  console.log((await serveHoldfast({ dataDir, token, port: Number(port), providers, model })).url)
} else {
  await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
  const sim = await listen(createProviderSim({ models: { agent: offlineAgent() } }))
  const start = async (at: string) => {
    const child = spawn(process.execPath, [program, folder.path, sim.url, at])
    return { child, url: String(await once(child.stdout, "data")).trim() }
  }
  let server = await start("0")
  const holdfast = makeClient({ baseUrl: server.url, token })
  const { id: sessionID } = await holdfast.sessions.create()
  await holdfast.sessions.prompt({ sessionID, text: "Read README.md." })
  const seen: (number | "restart")[] = []
  for await (const event of follow(holdfast, { sessionID })) {
    if (!("seq" in event)) break // The Session was deleted.
    seen.push(event.seq)
    if (event.fact.type !== "turn.settled" || event.fact.status !== "done") continue
    if (seen.includes("restart")) break
    seen.push("restart")
    server.child.kill("SIGKILL")
    await once(server.child, "close")
    server = await start(new URL(server.url).port)
    await holdfast.sessions.prompt({ sessionID, text: "Read it again." })
  }
  console.log(seen.join(" "))
  server.child.kill()
  const numbers = seen.filter((item) => item !== "restart")
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_, at) => at + 1),
  )
  await sim.close()
}
