/**
 * Call processes: which live processes belong to a call, found by the mark in their environment.
 *
 * The mark survives fork, exec and setsid, so it also finds what left the process group; it is
 * lost to a process that clears its environment or overwrites it to change its title. Off Linux
 * there is no /proc: nothing is found and the launcher alone ends the group.
 *
 * Callers: the launcher, after an interrupt; recovery, which settles a call only when its
 * processes are gone (DR4). Both may repeat every function here.
 */
import { readFile, readdir } from "node:fs/promises"
import { Effect } from "effect"

/** The environment entry of everything a command starts. */
export const callMark = "HOLDFAST_CALL"
/** The environment entry of the launcher's own processes. */
export const launcherMark = "HOLDFAST_LAUNCHER"

const killAfterMs = 2_000
const pollMs = 50
const readsAtOnceMax = 64

/** Live pids carrying the mark of the call, its launcher included; zombies are not live. */
export const callProcesses = (callId: string): Effect.Effect<readonly number[]> =>
  Effect.promise(() => pidsMarked([`${callMark}=${callId}`, `${launcherMark}=${callId}`]))

/** Live pids that the command of the call started, without its launcher. */
export const commandProcesses = (callId: string): Effect.Effect<readonly number[]> =>
  Effect.promise(() => pidsMarked([`${callMark}=${callId}`]))

/**
 * Ends every process of the call: TERM, KILL after 2 s, repeated until none is left. It has no
 * time limit of its own, since its meaning is "gone"; a caller with a deadline interrupts it.
 */
export const endCallProcesses = (callId: string): Effect.Effect<void> =>
  endWithin(callId, { killAfterMs, stopAfterMs: Number.POSITIVE_INFINITY })

/** Kills what a launcher that is gone may have missed; gives up after the time stated. */
export const killCallProcesses = (callId: string, stopAfterMs: number): Effect.Effect<void> =>
  endWithin(callId, { killAfterMs: 0, stopAfterMs })

const endWithin = Effect.fnUntraced(function* (
  callId: string,
  limits: { readonly killAfterMs: number; readonly stopAfterMs: number },
): Effect.fn.Return<void> {
  const startedAt = performance.now()
  let pids = yield* callProcesses(callId)
  signalAll(pids, limits.killAfterMs > 0 ? "SIGTERM" : "SIGKILL")
  while (pids.length > 0 && performance.now() - startedAt < limits.stopAfterMs) {
    yield* Effect.sleep(pollMs)
    pids = yield* callProcesses(callId)
    if (performance.now() - startedAt >= limits.killAfterMs) signalAll(pids, "SIGKILL")
  }
})

async function pidsMarked(entries: readonly string[]): Promise<readonly number[]> {
  if (process.platform !== "linux") return []
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger)
  const found: number[] = []
  for (let at = 0; at < pids.length; at += readsAtOnceMax) {
    const batch = pids.slice(at, at + readsAtOnceMax)
    const marked = await Promise.all(batch.map((pid) => isMarked(pid, entries)))
    found.push(...batch.filter((_, index) => marked[index]))
  }
  return found
}

async function isMarked(pid: number, entries: readonly string[]): Promise<boolean> {
  // A process that ended meanwhile, or of another user, is none of ours; a zombie reads as empty.
  const environ = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")
  const bounded = `\0${environ}\0`
  return entries.some((entry) => bounded.includes(`\0${entry}\0`))
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // ESRCH: it ended between the scan and the signal, which is what we want.
    }
  }
}
