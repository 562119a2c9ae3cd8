/**
 * The machine of a newcomer: the Node and npm that the system has, an empty home, nothing of ours.
 *
 * PATH loses every folder of an installed package, since `npm run` and `npx` put the Node of this
 * repository there. Of the environment only what reaches the registry is kept.
 */
import { execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { repositoryRoot } from "../../scripts/command.ts"

export interface Machine {
  /** As in `v20.20.2`. */
  readonly node: string
  readonly environment: (home: string) => NodeJS.ProcessEnv
}

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly seconds: number
}

export interface Step {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
}

/** Variables with which a network lets programs through to the registry. */
const network =
  /^(https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|ssl_cert_(file|dir)|npm_config_(cafile|https?_proxy|proxy|noproxy|strict_ssl))$/i

/** The machine, or why there is none to try. */
export function findMachine(): Machine | string {
  if (process.platform === "win32") return "the newcomer's script is written for POSIX"
  if (!existsSync(join(repositoryRoot, ".git"))) return "this is no clone, so there is no commit to clone"
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.split("/").includes("node_modules") && !folder.includes("node-gyp-bin"))
    .join(delimiter)
  const tell = (program: string, ...args: readonly string[]): string | null => {
    try {
      const env = { ...process.env, PATH: path }
      return execFileSync(program, args, { cwd: "/", env, encoding: "utf8", stdio: "pipe" }).trim()
    } catch {
      // Not there, or not able to start: either way a newcomer could not use it.
      return null
    }
  }
  const node = tell("node", "--version")
  if (node === null) return "the system has no Node of its own"
  if (node === process.version) return `the system's Node is the one that comes along (${node})`
  const registry = tell("npm", "config", "get", "registry")
  if (registry === null) return "the system has no npm"
  if (tell("git", "--version") === null) return "the system has no git"
  const kept = Object.entries(process.env).filter(([name]) => network.test(name))
  return {
    node,
    environment: (home) => ({
      ...Object.fromEntries(kept),
      PATH: path,
      HOME: home,
      LANG: "C.UTF-8",
      npm_config_registry: registry,
      npm_config_update_notifier: "false",
      // Questions to the registry about what is installed already.
      npm_config_audit: "false",
      npm_config_fund: "false",
    }),
  }
}

/** Runs a program to its end, with all that it started, within the limit. */
export function run(program: string, args: readonly string[], step: Step): Promise<Ended> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: step.cwd,
      env: step.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    })
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece))
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (err += piece))
    const end = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL")
    const late = setTimeout(end, step.timeoutMs)
    process.once("exit", end)
    child.once("error", reject)
    child.once("close", (code) => {
      clearTimeout(late)
      process.removeListener("exit", end)
      resolve({ code, out, err, seconds: (performance.now() - started) / 1000 })
    })
  })
}
