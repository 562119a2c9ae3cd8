/** A place for a host: a project, a data directory and the offline provider on loopback. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Result } from "effect"
import { createProviderSim, listen, offlineAgent } from "../../../provider-sim/src/index.ts"
import { decodeUserFile } from "../../src/config/index.ts"
import { type AllowedTool, type Host, openHost } from "../../src/host/index.ts"

export interface Place extends AsyncDisposable {
  readonly project: string
  /** Writes a file of the place, by its path from the root of it. */
  readonly write: (path: string, text: string) => Promise<void>
  /** Opens a host, uses it and closes it again. */
  readonly use: <A>(
    work: (host: Host) => Effect.Effect<A, unknown>,
    allow?: readonly AllowedTool[],
  ) => Promise<A>
}

const environment = { PATH: process.env["PATH"] }
const limit = { context: 200_000, output: 8_192 }

export async function makePlace(): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-host-")))
  const sim = await listen(createProviderSim({ models: { agent: offlineAgent(), second: offlineAgent() } }))
  const models = { agent: { limit }, second: { limit } }
  const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } }
  const text = JSON.stringify({ providers, model: "offline/agent" })
  const settings = Result.getOrThrow(decodeUserFile("test", text))
  const options = {
    dataDirectory: join(root, "data"),
    configDirectory: join(root, "config"),
    settings,
    environment,
  }
  const write = async (path: string, content: string) => {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
  await write("project/README.md", "# Greeter\n\nPrints a greeting.\n")
  return {
    project: join(root, "project"),
    write,
    use: (work, allow = []) =>
      Effect.runPromise(Effect.scoped(Effect.flatMap(openHost({ ...options, allow }), work))),
    [Symbol.asyncDispose]: async () => {
      await sim.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}
