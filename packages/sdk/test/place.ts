/** A place for a Holdfast: a project, a data directory, a scripted or offline provider. */
import { join } from "node:path"
import { openLoopback } from "../../../test/stage/loopback.ts"
import { createProviderSim, offlineAgent, type SimModel } from "../../provider-sim/src/index.ts"
import {
  type HoldfastClient,
  type HoldfastOptions,
  makeClient,
  openHoldfast,
  type Served,
  serveHoldfast,
} from "../src/index.ts"

/** A client with what it stands on. */
export interface OpenClient extends HoldfastClient, AsyncDisposable {
  readonly close: () => Promise<void>
}

export interface Place extends AsyncDisposable {
  readonly directory: string
  readonly options: HoldfastOptions
  readonly open: () => Promise<OpenClient>
  readonly serve: (port?: number) => Promise<Served>
  /** A client of a server of this place, on a loopback port; closing it closes both ends. */
  readonly connect: () => Promise<OpenClient>
}

export const token = "token-of-a-test"

/** The same contract, in this process and behind a network. */
export const surfaces: readonly (readonly [name: string, open: (place: Place) => Promise<OpenClient>])[] = [
  ["embedded", (place) => place.open()],
  ["network", (place) => place.connect()],
]

export async function makePlace(model: SimModel = offlineAgent()): Promise<Place> {
  const sim = createProviderSim({ models: { agent: model } })
  const loopback = await openLoopback("sdk", { sim: () => sim, models: { agent: { images: true } } })
  const { root, project: directory } = loopback
  const options: HoldfastOptions = {
    ...loopback.settings,
    directory,
    dataDir: join(root, "data"),
    configDir: join(root, "config"),
    environment: {},
  }
  return {
    directory,
    options,
    open: () => openHoldfast(options),
    serve: (port = 0) => serveHoldfast({ ...options, token, port }),
    connect: async () => {
      const { url, close } = await serveHoldfast({ ...options, token })
      return { ...makeClient({ baseUrl: url, token }), close, [Symbol.asyncDispose]: close }
    },
    [Symbol.asyncDispose]: loopback[Symbol.asyncDispose],
  }
}
