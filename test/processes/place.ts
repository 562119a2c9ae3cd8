/**
 * A place for real processes: a home, a project and one data directory that all of them share, and
 * a strict provider in the process of the test. Nothing of the caller's environment but PATH gets
 * in. Whatever was started ends with the place.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createProviderSim, type ProviderSim, type SimModel } from "@holdfast/provider-sim"
import { afterAll } from "vitest"
import { openLoopback } from "../stage/loopback.ts"
import { type DriverProcess, followDriver } from "./driver-process.ts"
import { toolProcesses, type ToolProcess } from "./process-table.ts"
import { compileCache, driverProgram } from "./program.ts"

/** Children of every place: a test that runs out of time does not come to dispose of its own. */
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
})

export interface Place extends AsyncDisposable {
  readonly root: string
  readonly project: string
  readonly dataDir: string
  readonly sim: ProviderSim
  /** A process of the given program on this Node, in the project. */
  readonly start: (program: string, args: readonly string[], more?: StartOptions) => ChildProcess
  /** A process with Embedded Holdfast that takes requests; resolves when it is open. */
  readonly openDriver: (more?: StartOptions) => Promise<DriverProcess>
  /** Lines that tools have written about their own execution. */
  readonly executions: () => Promise<readonly string[]>
  /** What tools have running now; only of those with this entry in the environment or text in the command. */
  readonly toolProcesses: (entry?: string, text?: string) => readonly ToolProcess[]
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A program that runs Node in its turn, with its arguments. */
  readonly under?: readonly string[]
}

export interface PlaceOptions {
  /** Makes the model; tools may append lines to the ledger. */
  readonly model: (ledger: string) => SimModel
  /** Changes the provider before it listens, to watch what it sends. */
  readonly watch?: (sim: ProviderSim) => ProviderSim
}

const limit = { context: 200_000, output: 8_192 }

export async function makePlace({ model, watch = (sim) => sim }: PlaceOptions): Promise<Place> {
  const facts = { limit, systemRole: true }
  const made: { sim?: ProviderSim } = {}
  const loopback = await openLoopback("processes", {
    provider: "sim",
    models: { script: facts },
    sim: (root) => {
      made.sim = createProviderSim({ models: { script: { ...model(ledgerOf(root)), ...facts } } })
      return watch(made.sim)
    },
  })
  const { root, project } = loopback
  const [dataDir, ledger, sim] = [join(root, "data"), ledgerOf(root), made.sim as ProviderSim]
  // The model does what the newest words say: no words of other Sessions beside them.
  const settings = { ...loopback.settings, search: { hint: false } }
  await loopback.write("config/holdfast.jsonc", JSON.stringify(settings))
  await loopback.write("ledger", "")

  const own = new Set<ChildProcess>()
  const home = join(root, "home")
  const start: Place["start"] = (program, args, { env = {}, under = [] } = {}) => {
    const [command = process.execPath, ...rest] = [...under, process.execPath, program, ...args]
    const child = spawn(command, rest, {
      cwd: project,
      env: { ...environment(root), ...env },
      stdio: ["pipe", "pipe", "pipe"],
    })
    own.add(child)
    children.add(child)
    child.once("close", () => children.delete(child))
    return child
  }
  return {
    root,
    project,
    dataDir,
    sim,
    start,
    openDriver: async (more) => {
      const options = JSON.stringify({ dataDir, allow: ["*"] })
      const driver = followDriver(start(await driverProgram(), [options], more))
      await driver.ready
      return driver
    },
    executions: async () => (await readFile(ledger, "utf8")).split("\n").filter((line) => line !== ""),
    toolProcesses: (entry = `HOME=${home}`, text = root) => toolProcesses(entry, text),
    [Symbol.asyncDispose]: async () => {
      for (const child of own) child.kill("SIGKILL")
      await loopback[Symbol.asyncDispose]()
    },
  }
}

const ledgerOf = (root: string): string => join(root, "ledger")

const environment = (root: string): NodeJS.ProcessEnv => ({
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  HOME: join(root, "home"),
  HOLDFAST_CONFIG_DIR: join(root, "config"),
  HOLDFAST_DATA_DIR: join(root, "data"),
  XDG_CONFIG_HOME: join(root, "xdg-config"),
  XDG_DATA_HOME: join(root, "xdg-data"),
  TMPDIR: tmpdir(),
  NODE_COMPILE_CACHE: compileCache,
})
