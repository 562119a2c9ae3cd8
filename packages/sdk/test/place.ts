/** A place for a Holdfast: a project, a data directory, a scripted or offline provider. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createProviderSim, listen, offlineAgent, type SimModel } from "../../provider-sim/src/index.ts"
import {
  connectHoldfast,
  type Holdfast,
  type HoldfastOptions,
  openHoldfast,
  type Served,
  serveHoldfast,
} from "../src/index.ts"

export interface Place extends AsyncDisposable {
  readonly directory: string
  readonly options: HoldfastOptions
  readonly open: () => Promise<Holdfast>
  readonly serve: (port?: number) => Promise<Served>
  /** A Holdfast of this place behind a loopback port; closing it closes both ends. */
  readonly connect: () => Promise<Holdfast>
}

export const token = "token-of-a-test"

/** The same Holdfast, in this process and behind a network. */
export const surfaces: readonly (readonly [name: string, open: (place: Place) => Promise<Holdfast>])[] = [
  ["embedded", (place) => place.open()],
  ["network", (place) => place.connect()],
]

export async function makePlace(model: SimModel = offlineAgent()): Promise<Place> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "holdfast-sdk-")))
  await writeFile(join(directory, "README.md"), "# Greeter\n\nPrints a greeting.\n")
  const sim = await listen(createProviderSim({ models: { agent: model } }))
  const options: HoldfastOptions = {
    directory,
    dataDir: join(directory, "data"),
    configDir: join(directory, "config"),
    environment: {},
    providers: {
      offline: {
        wire: "anthropic-messages",
        baseUrl: sim.url,
        models: { agent: { limit: { context: 200_000, output: 8_192 }, images: true } },
      },
    },
    model: "offline/agent",
  }
  return {
    directory,
    options,
    open: () => openHoldfast(options),
    serve: (port = 0) => serveHoldfast({ ...options, token, port }),
    connect: async () => {
      const served = await serveHoldfast({ ...options, token })
      const client = await connectHoldfast({ url: served.url, token })
      const close = async () => {
        await client.close()
        await served.close()
      }
      return { ...client, close, [Symbol.asyncDispose]: close }
    },
    [Symbol.asyncDispose]: async () => {
      await sim.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
