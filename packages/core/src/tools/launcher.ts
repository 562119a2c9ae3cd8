/**
 * Launcher: runs one command, and ends all that it can find of it with the call or the runtime.
 *
 * The runtime holds the only write end of the lifeline. Letting go of it, by closing or by dying
 * of SIGKILL, makes the watcher end the tree; interrupt, timeout and crash thus share one path.
 *
 *   spawned ─ report, nothing left ─▶ lifeline closed ─▶ outcome
 *           ─ report, some left ────▶ kept in background ─▶ outcome
 *           ─ timeout ──────────────▶ tree ended ─▶ outcome (timedOut)
 *           ─ interrupt ────────────▶ tree ended
 *
 *   TL3  Completion is the exit of the process: whoever still holds the pipe gets 100 ms.
 *   DR3  Interrupted, the tree is gone within 5 s, also what ignores TERM or left the group.
 *
 * Processes that a command leaves behind on purpose live on, bound to the lifeline: they end with
 * the runtime at the latest. The oldest of too many is ended first. Off Linux they end at once.
 * By what processes are found is the matter of containment.ts.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import type { Readable } from "node:stream"
import { Data, Effect, Exit } from "effect"
import type { Socket } from "node:net"
import { callMark, commandProcesses, groupMark, killCallProcesses, launcherMark } from "./call-processes.ts"
import { chooseContainment, type Containment, namespacePrefix } from "./containment.ts"
import { makeGroup } from "./control-groups.ts"
import { removeGroup } from "./group-members.ts"
import { launcherScript } from "./launcher-script.ts"

export interface CommandRequest {
  readonly command: string
  /** Working directory; it must exist. */
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Unique over all runtimes of the machine; letters, digits and `._:-` only. */
  readonly callId: string
  readonly timeoutMs: number
  /** Standard output and error in the order written; bytes that are not UTF-8 become U+FFFD. */
  readonly onOutput: (text: string) => void
  /** Asked after each piece: no more is read until what it gives settles; null goes on at once. */
  readonly caughtUp?: () => Promise<unknown> | null
  /** By what its processes are found; unless given, the best that the machine allows. */
  readonly containment?: Containment
}

export interface CommandOutcome {
  /** As a shell tells it, 128 + n for a death by signal n; null when it had to be ended. */
  readonly exitCode: number | null
  /** The signal that the exit code stands for, if it stands for one. */
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  /** Processes the command left running in the background. */
  readonly background: number
}

/** The command could not be started; nothing of it ran. */
export class LaunchFailure extends Data.TaggedError("LaunchFailure")<{
  readonly message: string
  readonly retryable: boolean
}> {}

/** Runs a command to its end; interruption ends its whole tree before it returns. */
export const runCommand = (request: CommandRequest): Effect.Effect<CommandOutcome, LaunchFailure> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: () => launchCommand(request),
      catch: (error) => launchFailure(request, error),
    }),
    (launch) => awaitOutcome(launch, request),
    (launch, exit) => (Exit.isFailure(exit) ? endLaunch(launch) : Effect.void),
  )

interface Report {
  readonly status: number
  readonly left: number
}

/** Where a command runs: in the control group named, or in a PID namespace, or in neither. */
interface Place {
  readonly group: string | null
  readonly namespace: boolean
}

interface Launch extends Place {
  readonly callId: string
  readonly child: ChildProcess
  readonly lifeline: Socket
  /** The report of the launcher, or why there is none. */
  readonly ended: Promise<Report | Error>
  readonly outputEnded: Promise<true>
  readonly exited: Promise<true>
  /** Flushes the decoder; from then on output is read and thrown away. */
  readonly stopOutput: () => void
}

const callIdPattern = /^[\w.:-]{1,200}$/
const pipeGraceMs = 100
const pipeEndMaxMs = 2_000
const launcherExitMaxMs = 1_000
const treeEndMaxMs = 3_500
const sweepMaxMs = 1_000
const backgroundMax = 32
const background = new Set<Launch>()

const awaitOutcome = Effect.fnUntraced(function* (
  launch: Launch,
  request: CommandRequest,
): Effect.fn.Return<CommandOutcome, LaunchFailure> {
  const ended = yield* within(launch.ended, request.timeoutMs)
  if (ended === undefined) {
    yield* endLaunch(launch)
    return { exitCode: null, signal: null, timedOut: true, background: 0 }
  }
  if (ended instanceof Error) return yield* lostLaunch(launch, request, ended)
  if (ended.left > 0) {
    yield* within(launch.outputEnded, pipeGraceMs)
    yield* keepInBackground(launch)
  } else {
    // The keeper of a namespace holds the output open as long as the launcher lives.
    if (launch.namespace) launch.lifeline.end()
    yield* within(launch.outputEnded, pipeEndMaxMs)
    yield* removeGroupOf(launch)
    launch.lifeline.end()
    if (process.platform === "linux") yield* within(launch.exited, launcherExitMaxMs)
  }
  launch.stopOutput()
  return { exitCode: ended.status, signal: signalOf(ended.status), timedOut: false, background: ended.left }
})

/** No report: either nothing was started, or something ended the launcher itself. */
const lostLaunch = Effect.fnUntraced(function* (launch: Launch, request: CommandRequest, error: Error) {
  if (launch.child.pid === undefined) {
    yield* removeGroupOf(launch)
    return yield* launchFailure(request, error)
  }
  yield* endLaunch(launch)
  return { exitCode: null, signal: launch.child.signalCode, timedOut: false, background: 0 }
})

const endLaunch = Effect.fnUntraced(function* (launch: Launch): Effect.fn.Return<void> {
  if (launch.child.pid === undefined) return
  launch.lifeline.end()
  const gone = yield* within(launch.exited, treeEndMaxMs)
  // Not reaped yet, so the group id cannot belong to anyone else.
  if (gone === undefined) killGroup(launch.child.pid)
  yield* killCallProcesses(launch.callId, sweepMaxMs)
  yield* within(launch.outputEnded, pipeGraceMs)
  launch.stopOutput()
})

const removeGroupOf = ({ group }: Pick<Launch, "group">): Effect.Effect<unknown> =>
  group === null ? Effect.void : Effect.promise(() => removeGroup(group))

const keepInBackground = Effect.fnUntraced(function* (launch: Launch) {
  for (const stream of [launch.child, launch.lifeline, launch.child.stdout as Socket]) stream.unref()
  background.add(launch)
  void launch.exited.then(() => background.delete(launch))
  if (background.size <= backgroundMax) return
  for (const other of background) {
    const pids = yield* commandProcesses(other.callId)
    if (pids.length === 0) other.lifeline.end()
  }
  const [oldest] = [...background].filter((other) => !other.lifeline.writableEnded)
  if (oldest !== undefined && oldest !== launch) oldest.lifeline.end()
})

async function launchCommand(request: CommandRequest): Promise<Launch> {
  const place = await placeOf(request)
  try {
    return openLaunch(request, place)
  } catch (error) {
    if (place.group !== null) await removeGroup(place.group)
    throw error
  }
}

async function placeOf({ callId, containment }: CommandRequest): Promise<Place> {
  if (!callIdPattern.test(callId)) throw new Error("The call id is not legal.")
  const way = containment ?? (await chooseContainment())
  try {
    return makePlace(way, callId)
  } catch (error) {
    if (containment !== undefined) throw error
    // The runtime was moved, or its rights were taken, since it last looked.
    return makePlace(await chooseContainment(true), callId)
  }
}

const makePlace = (way: Containment, callId: string): Place => ({
  group: way.kind === "group" ? makeGroup(way.parent, callId) : null,
  namespace: way.kind === "namespace",
})

function openLaunch(request: CommandRequest, { group, namespace }: Place): Launch {
  const { [callMark]: _, ...env } = request.env
  const [program, ...args] = [
    ...(namespace ? namespacePrefix : []),
    "/bin/sh",
    "-c",
    'eval "$HOLDFAST_SCRIPT"',
    "holdfast-launcher",
    request.callId,
  ] as const
  const child = spawn(program, args, {
    cwd: request.directory,
    env: {
      ...env,
      [launcherMark]: request.callId,
      HOLDFAST_SCRIPT: launcherScript(),
      HOLDFAST_COMMAND: request.command,
      [groupMark]: group ?? "",
      HOLDFAST_NAMESPACE: namespace ? "yes" : "",
    },
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe"],
  })
  const lifeline = child.stdio[3] as Socket
  // The other end may be gone before ours is closed; there is nobody left to tell.
  lifeline.on("error", () => {})
  return {
    callId: request.callId,
    group,
    namespace,
    child,
    lifeline,
    ended: reportOf(child, lifeline),
    exited: new Promise((resolve) => child.once("exit", () => resolve(true))),
    ...forwardOutput(child.stdout as Readable, request),
  }
}

function reportOf(child: ChildProcess, lifeline: Socket): Promise<Report | Error> {
  return new Promise((resolve) => {
    let received = ""
    lifeline.setEncoding("latin1")
    lifeline.on("data", (piece: string) => {
      // The report is one short line; more would not come from our launcher.
      received = (received + piece).slice(0, 256)
      const match = /^exit (\d+) left (\d+)\n/.exec(received)
      if (match !== null) resolve({ status: Number(match[1]), left: Number(match[2]) })
    })
    child.once("error", resolve)
    child.once("exit", () => {
      // The report may still be on its way; the exit of the launcher overtakes it.
      setTimeout(() => resolve(new Error("The launcher ended without a report.")), pipeGraceMs)
    })
  })
}

function forwardOutput(
  stdout: Readable,
  { onOutput, caughtUp = () => null }: Pick<CommandRequest, "onOutput" | "caughtUp">,
): Pick<Launch, "outputEnded" | "stopOutput"> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let stopped = false
  const emit = (text: string) => {
    if (text === "" || stopped) return
    onOutput(text)
    const taken = caughtUp()
    if (taken === null) return
    stdout.pause()
    void taken.then(() => stdout.resume())
  }
  const stopOutput = () => {
    emit(decoder.decode())
    stopped = true
  }
  // Reading goes on after the stop: a closed pipe would kill what was left in the background.
  stdout.on("data", (bytes: Buffer) => {
    if (!stopped) emit(decoder.decode(bytes, { stream: true }))
  })
  stdout.on("error", () => {})
  return { stopOutput, outputEnded: new Promise((resolve) => stdout.once("close", () => resolve(true))) }
}

/** The value of a promise that never rejects, or undefined once the time is over. */
function within<A>(promise: Promise<A>, ms: number): Effect.Effect<A | undefined> {
  return Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void as Effect.Effect<undefined>), ms)
    void promise.then((value) => {
      clearTimeout(timer)
      resume(Effect.succeed(value))
    })
    return Effect.sync(() => clearTimeout(timer))
  })
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL")
  } catch {
    // ESRCH: the group ended by itself in the last moment.
  }
}

function signalOf(status: number): NodeJS.Signals | null {
  const entry = Object.entries(constants.signals).find(([, number]) => number === status - 128)
  return (entry?.[0] as NodeJS.Signals | undefined) ?? null
}

function launchFailure(request: CommandRequest, error: unknown): LaunchFailure {
  const code = (error as NodeJS.ErrnoException).code
  const detail = error instanceof Error ? error.message : String(error)
  if (code === "E2BIG") return new LaunchFailure({ message: "The command is too long.", retryable: false })
  if (code === "ENOENT") {
    return new LaunchFailure({
      message: `The directory ${request.directory} or /bin/sh does not exist.`,
      retryable: false,
    })
  }
  return new LaunchFailure({ message: detail, retryable: code === "EAGAIN" || code === "EMFILE" })
}
