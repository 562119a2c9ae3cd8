/** A place for `holdfast wire`: commands run in this process, against a provider on loopback. */
import { join } from "node:path"
import {
  type AwsKey,
  createProviderSim,
  offlineAgent,
  type ProviderSim,
  type SimModel,
} from "@holdfast/provider-sim"
import { openLoopback } from "../../../../test/stage/loopback.ts"
import { runHoldfast } from "../../src/program.ts"
import type { Terminal } from "../../src/terminal.ts"
import { keptTerminal } from "../terminal.ts"

/** The key of the provider: no file and no line may show it. */
export const canary = "canary-4c1d9e77"

interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Running {
  readonly prints: (text: string) => Promise<void>
  readonly stop: () => void
  readonly ended: Promise<Said>
}

export interface Place extends AsyncDisposable {
  readonly root: string
  readonly sim: ProviderSim
  readonly file: (name: string) => string
  readonly write: (name: string, value: unknown) => Promise<string>
  readonly start: (...argv: readonly string[]) => Running
  readonly run: (...argv: readonly string[]) => Promise<Said>
}

/** A directory with a configured provider on loopback, and commands that run in this process. */
export async function makePlace(
  model: SimModel = offlineAgent(),
  wire = "anthropic-messages",
  apiKeys: readonly string[] = [canary],
  signed?: {
    readonly settings: object
    readonly awsKeys: readonly AwsKey[]
    readonly environment: Record<string, string>
  },
): Promise<Place> {
  const sim = createProviderSim({
    models: { agent: model },
    apiKeys,
    ...(signed === undefined ? {} : { awsKeys: signed.awsKeys }),
  })
  const loopback = await openLoopback("wire", {
    sim: () => sim,
    provider: "sim",
    wire,
    models: { agent: { limit: { context: 100_000, output: 2_000 } } },
    more: signed?.settings ?? { apiKeyEnv: "SIM_KEY" },
  })
  const { root } = loopback
  await loopback.write("config/holdfast.jsonc", JSON.stringify(loopback.settings))
  const environment = {
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: join(root, "data"),
    SIM_KEY: canary,
    ...signed?.environment,
  }
  const start = (...argv: readonly string[]): Running => startCommand(argv, root, environment)
  return {
    root,
    sim,
    file: (name) => join(root, name),
    write: async (name, value) => {
      await loopback.write(name, typeof value === "string" ? value : JSON.stringify(value))
      return name
    },
    start,
    run: (...argv) => start(...argv).ended,
    [Symbol.asyncDispose]: loopback[Symbol.asyncDispose],
  }
}

function startCommand(
  argv: readonly string[],
  directory: string,
  environment: Terminal["environment"],
): Running {
  let out = ""
  let err = ""
  const heard = new Set<() => void>()
  const stops = new Set<() => void>()
  const hear = () => {
    for (const look of heard) look()
  }
  const { terminal } = keptTerminal({
    write: (text) => {
      out += text
      hear()
    },
    complain: (line) => {
      err += `${line}\n`
      hear()
    },
    directory,
    environment,
    onStop: (listener) => {
      stops.add(listener)
      return () => stops.delete(listener)
    },
  })
  return {
    prints: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if ((out + err).includes(text)) resolve()
        }
        heard.add(look)
        look()
      }),
    stop: () => {
      for (const listener of stops) listener()
    },
    ended: runHoldfast(argv, terminal).then((code) => ({ code, out, err })),
  }
}
