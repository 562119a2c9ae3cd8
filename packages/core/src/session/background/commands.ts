/**
 * Background commands: what a call started and left running, from its record to the notice of its end.
 *
 *   started, on record ──▶ running ─┬─ exits ─────────────────────────▶ exited
 *                                   ├─ a tool, an interrupt, deletion ▶ killed
 *                                   └─ the runtime closes, or dies ───▶ runtime-ended
 *
 * One belongs to the process that started it and to no turn or lease. Its end is a notice that wakes
 * nobody, admitted before the end is on record, under an id that follows from the command's: whoever
 * repeats this after a crash admits nothing twice. What a dead process left on record is ended by the
 * next drain of the Session, which is also the first that could tell the model.
 *
 * Interrupts and deletions may come from any process: the row of the Session tells them (DR3).
 */
import type { Fiber } from "effect"
import { Clock, Deferred, Effect, Exit, Schedule, type Scope } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { CallId, NoticeId, SessionId } from "@holdfast/schema/id"
import type { ContributedFact } from "@holdfast/store/port"
import {
  type BackgroundCommand,
  type CommandExit,
  commandsMax,
  type HeldCommand,
  type SessionCommands,
  ToolFailure,
} from "../../tools/index.ts"
import { append, type Lead } from "../lead.ts"
import type { RuntimePorts } from "../ports.ts"

export interface BackgroundCommands {
  readonly of: (lead: Lead, call: CallId) => SessionCommands
  /** Tells the end of commands whose process is gone (DR4). */
  readonly settleLeft: (lead: Lead) => Effect.Effect<void, StoreFailure>
}

type Ports = Pick<RuntimePorts, "store" | "owner" | "ownerState" | "endCallProcesses" | "limits">
type Cause = FactOf<"command.ended">["cause"]

interface Entry extends BackgroundCommand {
  readonly session: SessionId
  /** Interrupts above this sequence end it. */
  readonly interruptedAbove: number
  readonly over: Deferred.Deferred<void>
  /** Why it has to end; its runtime, unless somebody says otherwise. */
  stopped: Cause
  exit: CommandExit | null
  fiber: Fiber.Fiber<unknown> | null
}

const watchMs = 500
/** Ended ones that can still be looked at, of all Sessions. */
const endedMax = 64
const recordTriesMax = 25

export const makeBackgroundCommands = (ports: Ports): Effect.Effect<BackgroundCommands, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const entries = new Set<Entry>()
    const ofSession = (session: SessionId) => [...entries].filter((entry) => entry.session === session)

    const start = Effect.fnUntraced(function* (lead: Lead, call: CallId, command: BackgroundCommand) {
      if (ofSession(lead.session).filter(isRunning).length >= commandsMax) return yield* tooMany
      const { id, line, outputFile } = command
      const started = { type: "command.started", command: id, call, line, runtime: ports.owner } as const
      const { kind } = yield* append(lead, [{ ...started, ...(outputFile !== null && { outputFile }) }]).pipe(
        Effect.catch(({ message }) => Effect.fail(notRecorded(message))),
      )
      if (kind !== "appended") return yield* Effect.interrupt
      const entry: Entry = {
        ...command,
        session: lead.session,
        interruptedAbove: lead.interruptedAbove,
        over: Deferred.makeUnsafe(),
        stopped: "runtime-ended",
        exit: null,
        fiber: null,
      }
      entries.add(entry)
      entry.fiber = yield* Effect.forkIn(hold(entry), scope, { uninterruptible: true })
    }, Effect.uninterruptible)

    /** The end is recorded whatever ends it, also the scope of the runtime. */
    const hold = Effect.fnUntraced(function* (entry: Entry) {
      const ran = yield* Effect.exit(Effect.interruptible(Effect.raceFirst(entry.run, heed(ports, entry))))
      const exit = Exit.isSuccess(ran) ? ran.value : null
      const cause = exit === null ? entry.stopped : "exited"
      const told = { ...entry, command: entry.id }
      const end = recordEnd(
        ports,
        entry.session,
        told,
        cause,
        exit ?? { exitCode: null, said: saidOf[cause] },
      )
      const schedule = Schedule.spaced(ports.limits.watchMs)
      // A store that never answers leaves it to the next drain.
      yield* Effect.ignore(
        Effect.retry(end, { schedule, times: cause === "runtime-ended" ? 0 : recordTriesMax }),
      )
      entry.exit = exit ?? { exitCode: null, said: saidOf[cause] }
      forget(entries)
      yield* Deferred.succeed(entry.over, undefined)
    })

    return {
      of: (lead, call) => ({
        start: (command) => start(lead, call, command),
        held: () => ofSession(lead.session).map(heldOf),
        elsewhere: () => {
          const here = new Set(ofSession(lead.session).map(({ id }) => id))
          return [...lead.loaded.state.items.commands.keys()].filter((id) => !here.has(id))
        },
      }),
      settleLeft: Effect.fnUntraced(function* ({ session, loaded }) {
        for (const started of loaded.state.items.commands.values()) {
          if (ofSession(session).some((entry) => entry.id === started.command && isRunning(entry))) continue
          if (!(yield* isGone(ports, started))) continue
          yield* ports.endCallProcesses(started.call)
          yield* recordEnd(ports, session, started, "runtime-ended", {
            exitCode: null,
            said: saidOf["runtime-ended"],
          })
        }
      }),
    }
  })

const isRunning = ({ exit }: Entry): boolean => exit === null

const heldOf = (entry: Entry): HeldCommand => ({
  ...entry,
  exit: () => entry.exit,
  ended: Deferred.await(entry.over),
  end: Effect.suspend(() => {
    if (isRunning(entry)) entry.stopped = "killed"
    entry.fiber?.interruptUnsafe()
    return Deferred.await(entry.over)
  }),
})

/** Never answers unless the Session was interrupted or deleted, by whomever. */
const heed = Effect.fnUntraced(function* ({ store }: Ports, entry: Entry): Effect.fn.Return<never> {
  for (;;) {
    yield* Effect.sleep(watchMs)
    // A store that cannot answer now may answer the next time.
    const row = yield* Effect.orElseSucceed(store.session(entry.session), () => undefined)
    if (row === undefined || (row !== null && row.interruptedSeq <= entry.interruptedAbove)) continue
    entry.stopped = "killed"
    return yield* Effect.interrupt
  }
})

const isGone = (
  { owner, ownerState }: Ports,
  { runtime }: FactOf<"command.started">,
): Effect.Effect<boolean> =>
  runtime === undefined || runtime.instance === owner.instance
    ? Effect.succeed(true)
    : Effect.map(ownerState(runtime), (state) => state === "gone")

const recordEnd = Effect.fnUntraced(function* (
  { store }: Ports,
  session: SessionId,
  { command, line, outputFile }: EndedCommand,
  cause: Cause,
  { exitCode, said }: CommandExit,
): Effect.fn.Return<void, StoreFailure> {
  const where =
    outputFile === undefined || outputFile === null ? "" : ` Its output is in the file ${outputFile}.`
  const notice: ContributedFact = {
    type: "notice.admitted",
    notice: `command:${command}` as NoticeId,
    source: { kind: "command", id: command },
    text: `The background command ${command} has ended: ${said}. It was: ${shortened(line)}${where}`,
    delivery: "steer",
    wakes: false,
  }
  for (const fact of [notice, { type: "command.ended", command, cause, exitCode }] as const) {
    const time = yield* Clock.currentTimeMillis
    yield* store.commit({ kind: "contribute", session, time, fact })
  }
})

interface EndedCommand {
  readonly command: string
  readonly line: string
  readonly outputFile?: string | null | undefined
}

const saidOf: Readonly<Record<Cause, string>> = {
  exited: "it exited",
  killed: "it was ended on request, with all that it had started",
  "runtime-ended": "the process of Holdfast that ran it has ended, and all commands end with it",
}

const lineUnitsMax = 200

function shortened(line: string): string {
  const flat = line.replaceAll(/\s+/g, " ").trim()
  return flat.length <= lineUnitsMax ? `${flat}.` : `${flat.slice(0, lineUnitsMax).toWellFormed()} …`
}

function forget(entries: Set<Entry>): void {
  const ended = [...entries].filter((entry) => !isRunning(entry))
  for (const entry of ended.slice(0, Math.max(0, ended.length - endedMax))) entries.delete(entry)
}

const tooMany = new ToolFailure({
  code: "too_many_commands",
  message: `${commandsMax} commands run in the background already. End one with bash_kill first.`,
})

const notRecorded = (why: string): ToolFailure =>
  new ToolFailure({
    code: "not_recorded",
    message: `The start of the command could not be recorded, so it was not started. ${why}`,
  })
