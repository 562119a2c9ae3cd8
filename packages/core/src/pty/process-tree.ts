/**
 * The processes of a terminal: found by their session, by the mark in their environment, and by the
 * control group of the terminal, where it has one; then ended.
 *
 * Both the process that holds terminals and the runtime, when that process is gone, end trees; so
 * this loads nothing else of the runtime. Off Linux there is no /proc, and the tree is the process
 * group of the program. Every function may be repeated.
 */
import { setTimeout as pause } from "node:timers/promises"
import { groupProcesses, killGroup, removeGroup } from "../tools/group-members.ts"
import { eachEnvironment, eachStat, signalAll } from "../tools/process-list.ts"
import type { TreeRoot } from "./messages.ts"

/** The environment entry of everything that a terminal starts; its value is the terminal's id. */
export const terminalMark = "HOLDFAST_TERMINAL"

export interface TreeLimits {
  /** From when on what is left is killed. */
  readonly killAfterMs: number
  /** When it is given up: a process in the kernel's hands cannot be ended. */
  readonly stopAfterMs: number
}

export const treeLimits: TreeLimits = { killAfterMs: 2_000, stopAfterMs: 5_000 }

const pollMs = 50

/** Ends all of it as a closed terminal does, then by force; true once nothing is left. */
export async function endTree(root: TreeRoot, limits: TreeLimits = treeLimits): Promise<boolean> {
  const startedAt = performance.now()
  const passedMs = () => performance.now() - startedAt
  let found = await findTree(root)
  // A stopped job takes no other signal before it goes on; shells ignore TERM, daemons HUP.
  for (const signal of ["SIGHUP", "SIGTERM", "SIGCONT"] as const) signalAll(found, signal)
  while (found.length > 0) {
    if (passedMs() >= limits.stopAfterMs) return false
    await pause(pollMs)
    found = await findTree(root)
    if (passedMs() < limits.killAfterMs) continue
    if (root.group !== null) await killGroup(root.group)
    signalAll(found, "SIGKILL")
  }
  return root.group === null || (await removeGroup(root.group))
}

/** Live pids; off Linux a group, as its negative number. */
export async function findTree(root: TreeRoot): Promise<readonly number[]> {
  if (process.platform !== "linux") return root.leader === null ? [] : livingGroup(root.leader.pid)
  const found = new Set(root.group === null ? [] : await groupProcesses(root.group))
  await eachEnvironment((pid, environment) => {
    if (environment.includes(`\0${terminalMark}=${root.id}\0`)) found.add(pid)
  })
  for (const pid of await sessionOf(root)) found.add(pid)
  return [...found]
}

/** What `/proc/<pid>/stat` tells: its second field may hold anything, so counting begins after it. */
export function parseStatus(line: string): ProcessStatus | null {
  const [state, , , session, ...rest] = line.slice(line.lastIndexOf(")") + 2).split(" ")
  const startedAt = rest[22 - 3 - 4]
  if (state === undefined || session === undefined || startedAt === undefined) return null
  return { lives: !/^[ZXx]$/.test(state), session: Number(session), startedAt }
}

interface ProcessStatus {
  readonly lives: boolean
  /** Pid of the process that leads its session. */
  readonly session: number
  readonly startedAt: string
}

/** Members of the session, unless its number is by now that of another one. */
async function sessionOf({ leader }: TreeRoot): Promise<readonly number[]> {
  if (leader === null) return []
  const members: number[] = []
  let isOurs = true
  await eachStat((pid, line) => {
    const status = parseStatus(line)
    if (status === null || status.session !== leader.pid) return
    if (pid === leader.pid && status.startedAt !== leader.startedAt) isOurs = false
    if (status.lives) members.push(pid)
  })
  return isOurs ? members : []
}

function livingGroup(leader: number): readonly number[] {
  try {
    process.kill(-leader, 0)
    return [-leader]
  } catch {
    return [] // ESRCH: nothing of it is left
  }
}
