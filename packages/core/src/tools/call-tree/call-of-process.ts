/**
 * The call of a Session whose process tree a process is in (PE5), by what its ancestors and
 * its control group say.
 *
 * A mark in the environment can be taken off, but the launcher above stays, and nothing leaves a
 * control group. Without one, a process that takes off the mark and lets its parents end is not found:
 * approvals are no sandbox. Off Linux the mark of the process itself is all there is.
 */
import { readFile } from "node:fs/promises"
import { callMark, launcherMark } from "../call-processes.ts"
import { callOfGroup } from "../control-groups.ts"

const ancestorsMax = 256

/** The id of the call, or null. It only looks, so a repeat is safe. */
export async function callOfProcess(pid: number): Promise<string | null> {
  const own = pid === process.pid ? process.env[callMark] : undefined
  if (own !== undefined && own !== "") return own
  if (process.platform !== "linux") return null
  const grouped = callOfGroup(await readOf(pid, "cgroup"))
  if (grouped !== null) return grouped
  for (let at = pid, looked = 0; at > 0 && looked < ancestorsMax; looked++) {
    const call = markPattern.exec(`\0${await readOf(at, "environ")}\0`)?.[1]
    if (call !== undefined) return call
    at = Number(/^PPid:\s*(\d+)$/m.exec(await readOf(at, "status"))?.[1] ?? 0)
  }
  return null
}

// oxlint-disable-next-line no-control-regex -- entries of an environment end in NUL
const markPattern = new RegExp(`\\0(?:${callMark}|${launcherMark})=([^\\0]+)\\0`)

/** Empty for a process that has ended, or is of another user. */
const readOf = (pid: number, file: string): Promise<string> =>
  readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "")
