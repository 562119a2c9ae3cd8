// A process is killed in the middle of a tool call. Another carries its Session on, and the call does not run again.
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtempDisposable, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { createProviderSim, listen, offlineAgent } from "@holdfast/provider-sim"
import { openHoldfast, settled } from "@holdfast/sdk"

const open = (folder: string, baseUrl: string) => {
  const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
  const providers = { offline: { wire: "anthropic-messages", baseUrl, models } } as const
  const places = { directory: folder, dataDir: `${folder}/data` }
  return openHoldfast({ ...places, providers, model: "offline/agent", allow: ["bash", "write"] })
}
const [program = "", folderGiven, url, session] = process.argv.slice(1)
if (folderGiven !== undefined && url !== undefined && session !== undefined) {
  const { sessions } = await open(folderGiven, url)
  await sessions.prompt({ sessionID: session, text: "Run `echo started >> calls.txt; sleep 600`." })
} else {
  await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
  const sim = await listen(createProviderSim({ models: { agent: offlineAgent() } }))
  await using holdfast = await open(folder.path, sim.url)
  const { id: sessionID } = await holdfast.sessions.create()

  const child = spawn(process.execPath, [program, folder.path, sim.url, sessionID], { stdio: "inherit" })
  while (!existsSync(`${folder.path}/calls.txt`)) await pause(20)
  child.kill("SIGKILL")
  await once(child, "close")

  await holdfast.sessions.resume({ sessionID })
  const { status, text } = await settled(holdfast, { sessionID })
  console.log(`${status}: ${text}`)
  assert.equal(status, "done")
  assert.match(text, /Outcome unknown; check before repeating/)
  assert.equal(await readFile(`${folder.path}/calls.txt`, "utf8"), "started\n")
  await sim.close()
}
