/**
 * Call processes: which live processes belong to a call, found by the mark in their environment
 * and by the control group of the call, where it has one.
 *
 * The mark survives fork, exec and setsid, so it also finds what left the process group; it is
 * lost to a process that clears its environment or overwrites it to change its title. Nothing is
 * lost to a control group. A PID namespace dies with its first process, the launcher, which is
 * marked. Off Linux there is no /proc: nothing is found and the launcher alone ends the group.
 *
 * Callers: the launcher, after an interrupt; recovery, which settles a call only when its
 * processes are gone (DR4). Both may repeat every function here.
 */
import { Effect } from "effect"
import { groupsOfCall, isGroupOfCall } from "./control-groups.ts"
import { groupProcesses, killGroup, removeGroup } from "./group-members.ts"
import { eachEnvironment, signalAll } from "./process-list.ts"

/** The environment entry of everything a command starts. */
export const callMark = "HOLDFAST_CALL"
/** The environment entry of the launcher's own processes. */
export const launcherMark = "HOLDFAST_LAUNCHER"
/** The environment entry of a launcher that names the control group of its command. */
export const groupMark = "HOLDFAST_GROUP"

const killAfterMs = 2_000
const pollMs = 50
// oxlint-disable-next-line no-control-regex -- entries of an environment end in NUL
const groupPattern = new RegExp(`\\0${groupMark}=([^\\0]+)\\0`)

/** Live pids of the call, its launcher included; zombies are not live. */
export const callProcesses = (callId: string): Effect.Effect<readonly number[]> =>
  Effect.map(findProcesses(callId), ({ started, launchers }) => [...started, ...launchers])

/** Live pids that the command of the call started, without its launcher. */
export const commandProcesses = (callId: string): Effect.Effect<readonly number[]> =>
  Effect.map(findProcesses(callId), ({ started }) => started)

/**
 * Ends every process of the call: TERM, KILL after 2 s, repeated until none is left. It has no
 * time limit of its own, since its meaning is "gone"; a caller with a deadline interrupts it.
 */
export const endCallProcesses = (callId: string): Effect.Effect<void> =>
  endWithin(callId, { killAfterMs, stopAfterMs: Number.POSITIVE_INFINITY })

/** Kills what a launcher that is gone may have missed; gives up after the time stated. */
export const killCallProcesses = (callId: string, stopAfterMs: number): Effect.Effect<void> =>
  endWithin(callId, { killAfterMs: 0, stopAfterMs })

interface Found {
  readonly started: readonly number[]
  readonly launchers: readonly number[]
  readonly groups: readonly string[]
}

const endWithin = Effect.fnUntraced(function* (
  callId: string,
  limits: { readonly killAfterMs: number; readonly stopAfterMs: number },
): Effect.fn.Return<void> {
  const startedAt = performance.now()
  let found = yield* findProcesses(callId)
  if (limits.killAfterMs > 0) signalAll([...found.started, ...found.launchers], "SIGTERM")
  else yield* killFound(found)
  while (found.started.length + found.launchers.length > 0) {
    if (performance.now() - startedAt >= limits.stopAfterMs) return
    yield* Effect.sleep(pollMs)
    found = yield* findProcesses(callId, found.groups)
    if (performance.now() - startedAt >= limits.killAfterMs) yield* killFound(found)
  }
  yield* Effect.promise(() => Promise.all(found.groups.map(removeGroup)))
})

const killFound = ({ started, launchers, groups }: Found) =>
  Effect.promise(async () => {
    await Promise.all(groups.map(killGroup))
    signalAll([...started, ...launchers], "SIGKILL")
  })

/** Groups that were known before are looked at again: the launcher that named one may be gone. */
const findProcesses = (callId: string, known: readonly string[] = []): Effect.Effect<Found> =>
  Effect.promise(async () => {
    const [marked, near] = await Promise.all([findMarked(callId), groupsOfCall(callId)])
    const groups = [...new Set([...known, ...near, ...marked.groups])]
    const members = (await Promise.all(groups.map(groupProcesses))).flat()
    return { started: [...new Set([...marked.started, ...members])], launchers: marked.launchers, groups }
  })

async function findMarked(callId: string): Promise<Found> {
  const found = { started: [] as number[], launchers: [] as number[], groups: [] as string[] }
  await eachEnvironment((pid, environment) => {
    if (environment.includes(`\0${callMark}=${callId}\0`)) found.started.push(pid)
    else if (environment.includes(`\0${launcherMark}=${callId}\0`)) {
      found.launchers.push(pid)
      const group = groupPattern.exec(environment)?.[1] ?? ""
      if (isGroupOfCall(group, callId)) found.groups.push(group)
    }
  })
  return found
}
