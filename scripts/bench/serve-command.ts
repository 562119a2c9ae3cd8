/**
 * `holdfast serve` as a user starts it: launcher and bundle, a process of its own, spoken to over HTTP.
 *
 * The bundle is made by scripts/bundle.ts with the settings of `npm run bundle`. What the process
 * sees of this machine is a folder of the benchmark: no home, no configuration, no keys.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Folders } from "./runtime.ts"
import { nowNs } from "./sample.ts"

export interface ServeCommand {
  readonly pid: number
  readonly url: string
  readonly token: string
  /** When it said that it listens. */
  readonly listeningNs: number
  /** A new Session with the only model of this provider. */
  readonly create: (provider: string) => Promise<string>
  /** Resolves with the receipt. */
  readonly prompt: (session: string) => Promise<void>
  /** One prompt, answered to its end. */
  readonly turn: (session: string) => Promise<void>
  /** Asks it to stop and waits until it has. */
  readonly stop: () => Promise<void>
}

export const modelName = "agent"

/** `npm run bench` says where it built the command. */
export const launcherPath = (): string =>
  process.env["HOLDFAST_BENCH_LAUNCHER"] ?? "packages/cli/bin/holdfast.js"

/** Providers of Anthropic's wire by name; the first is the one of a Session that names none. */
export function configure(
  { root }: Folders,
  urls: Readonly<Record<string, string>>,
  contextTokens: number,
): void {
  const models = { [modelName]: { limit: { context: contextTokens, output: 8_192 } } }
  const providers = Object.fromEntries(
    Object.entries(urls).map(([name, baseUrl]) => [name, { wire: "anthropic-messages", baseUrl, models }]),
  )
  mkdirSync(join(root, "config"), { recursive: true })
  writeFileSync(
    join(root, "config", "holdfast.jsonc"),
    JSON.stringify({ providers, model: `${Object.keys(urls)[0]}/${modelName}` }),
  )
}

/** Nothing of the user's home, configuration or keys, and a compile cache that goes with the folder. */
export function environmentOf({ root, dataDir }: Folders): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: root,
    NO_COLOR: "1",
    NODE_COMPILE_CACHE: join(root, "compile-cache"),
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: dataDir,
  }
}

export async function startServe(folders: Folders, options: readonly string[] = []): Promise<ServeCommand> {
  const argv = [launcherPath(), "serve", "--json", "--dir", folders.project, ...options]
  const child = spawn(process.execPath, argv, {
    env: environmentOf(folders),
    stdio: ["ignore", "pipe", "ignore"],
  })
  const told = await firstLine(child)
  const listeningNs = nowNs()
  const { url, tokenFile, pid } = JSON.parse(told) as { url: string; tokenFile: string; pid: number }
  const token = readFileSync(tokenFile, "utf8").trim()
  const ask = caller(`${url}/api`, token)
  const prompt = async (session: string): Promise<void> =>
    void (await ask("POST", `/session/${session}/prompt`, { text: promptText }))
  return {
    pid,
    url,
    token,
    listeningNs,
    create: async (provider) =>
      String((await ask("POST", "/session", { model: `${provider}/${modelName}` }))["id"]),
    prompt,
    turn: async (session) => {
      await prompt(session)
      await settled(ask, session)
    },
    stop: async () => {
      const exited = child.exitCode === null ? once(child, "exit") : null
      child.kill("SIGTERM")
      await exited
    },
  }
}

/** Resident size of another process, as the system counts it. */
export function residentMegabytes(pid: number): number {
  if (process.platform !== "linux") {
    return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1_024
  }
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kilobytes) / 1_024
}

/** Like those of the peers' measurements: 200 characters. */
const promptText = "Which parts of the request repeat the one before, and where does it break? "
  .repeat(3)
  .slice(0, 200)

type Ask = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>

const caller =
  (base: string, token: string): Ask =>
  async (method, path, body) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }

/** Asked again where the server lets go of a question that takes long. */
const asksMax = 10

async function settled(ask: Ask, session: string): Promise<void> {
  for (let asked = 0; asked < asksMax; asked++) {
    const { state, result } = await ask("GET", `/session/${session}/wait`)
    if (state !== "settled") continue
    if ((result as { readonly status: string }).status === "done") return
    throw new Error(`A turn ended as ${JSON.stringify(result)}.`)
  }
  throw new Error("A turn did not end.")
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = ""
  for await (const piece of child.stdout ?? []) {
    text += String(piece)
    if (text.includes("\n")) return text.trim()
  }
  throw new Error("The server did not start.")
}
