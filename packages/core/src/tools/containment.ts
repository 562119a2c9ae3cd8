/**
 * Containment: by what the processes of a command are found again when it has to end.
 *
 *   group      a control group of its own (control-groups.ts): nothing in it can hide
 *   namespace  a PID namespace of its own: its processes die with its first one
 *   mark       the process group, and a mark in the environment: what leaves the one and clears
 *              the other is not found
 *
 * The first that this machine allows is in force. That is tried once in a process, with a real
 * child, when the first command starts: rights, mounts and kernels differ too much to be guessed.
 * User namespaces would need no rights, but commands could not use sudo in them, and files would
 * change their owners; they are left out.
 */
import { spawn } from "node:child_process"
import { makeGroup, ownGroup, sweepGroups } from "./control-groups.ts"
import { removeGroup } from "./group-members.ts"

export type Containment =
  | { readonly kind: "group"; readonly parent: string }
  | { readonly kind: "namespace" }
  | { readonly kind: "mark" }

export type ContainmentKind = Containment["kind"]

/** The command line before a program that puts it into a PID namespace, in a session of its own. */
export const namespacePrefix = [
  "unshare",
  "--pid",
  "--fork",
  "--kill-child",
  "--mount-proc",
  "setsid",
] as const

const trialMaxMs = 5_000
let chosen: Promise<Containment> | null = null

/** What is in force in this process; asked anew where the answer no longer holds. */
export function chooseContainment(again = false): Promise<Containment> {
  if (chosen === null || again) chosen = choose()
  return chosen
}

/** Whether this machine allows one way; the others are not tried. */
export async function tryContainment(kind: ContainmentKind): Promise<Containment | null> {
  if (kind === "mark") return { kind }
  if (process.platform !== "linux") return null
  if (kind === "namespace")
    return (await succeeds([...namespacePrefix, "/bin/sh", "-c", '[ "$$" = 1 ]'])) ? { kind } : null
  const parent = await ownGroup()
  return parent !== null && (await takesProcesses(parent)) ? { kind, parent } : null
}

/** The best way that this machine allows; nothing else is touched. */
export async function findContainment(): Promise<Containment> {
  return (await tryContainment("group")) ?? (await tryContainment("namespace")) ?? { kind: "mark" }
}

async function choose(): Promise<Containment> {
  const found = await findContainment()
  if (found.kind === "group") await sweepGroups(found.parent)
  return found
}

async function takesProcesses(parent: string): Promise<boolean> {
  let group: string
  try {
    group = makeGroup(parent, `trial-${trials++}`)
  } catch {
    return false // not ours, read-only, or full: a command could not have one either
  }
  const taken = await succeeds(["/bin/sh", "-c", 'echo 0 >"$0/cgroup.procs"', group])
  return (await removeGroup(group)) && taken
}

let trials = 0

function succeeds([program = "", ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", timeout: trialMaxMs, killSignal: "SIGKILL" })
    child.once("error", () => resolve(false))
    child.once("exit", (code) => resolve(code === 0))
  })
}
