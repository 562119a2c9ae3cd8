/** A place for an embedded Holdfast: a project, a data directory, a scripted or offline provider. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createProviderSim, listen, offlineAgent, type SimModel } from "../../provider-sim/src/index.ts"
import { type Holdfast, type HoldfastOptions, openHoldfast } from "../src/index.ts"

export interface Place extends AsyncDisposable {
  readonly directory: string
  readonly options: HoldfastOptions
  readonly open: () => Promise<Holdfast>
}

export async function makePlace(model: SimModel = offlineAgent()): Promise<Place> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "holdfast-sdk-")))
  await writeFile(join(directory, "README.md"), "# Greeter\n\nPrints a greeting.\n")
  const sim = await listen(createProviderSim({ models: { agent: model } }))
  const options: HoldfastOptions = {
    dataDir: join(directory, "data"),
    configDir: join(directory, "config"),
    environment: {},
    providers: {
      offline: {
        wire: "anthropic-messages",
        baseUrl: sim.url,
        models: { agent: { limit: { context: 200_000, output: 8_192 } } },
      },
    },
    model: "offline/agent",
  }
  return {
    directory,
    options,
    open: () => openHoldfast(options),
    [Symbol.asyncDispose]: async () => {
      await sim.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
