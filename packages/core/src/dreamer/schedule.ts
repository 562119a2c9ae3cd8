/**
 * When a run begins by itself (DM2), in a process that stays.
 *
 *   every 15 minutes: each project that is open here ─ within its hours? ─ 12 h since the last run? ─ something new?
 *                                                     └─▶ one run after the other
 *
 * A project is open here once a Session of it was made, moved or spoken to by this process. What fails three times alike is
 * left alone as long as a run that was done.
 */
import { Clock, Effect, type Scope } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import { projectOf } from "../memory/known.ts"
import { keepNewest } from "../newest.ts"
import { type DreamerPort, lookAtSettings, type RuntimePorts } from "../session/ports.ts"
import type { CommitEvent, CommitHub } from "../watch/commits.ts"
import type { Dreams } from "./dreams.ts"
import { failuresMax } from "./tasks.ts"

const tickMs = 15 * 60_000
const dueAfterMs = 12 * 3_600_000
/** Sessions that are remembered as spoken to; a project of more is open again with its next prompt. */
const sessionsMax = 256

export const makeDreamSchedule = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  dreams: Dreams,
  commits: Pick<CommitHub, "subscribe">,
): Effect.fn.Return<void, never, Scope.Scope> {
  const { dreamer } = ports
  if (ports.continues === false || dreamer === undefined) return
  const spoken = new Map<SessionId, true>()
  const failures = new Map<string, Failures>()
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      commits.subscribe((event) => {
        const session = opensProject(event)
        if (session !== null) keepNewest(spoken, session, true, sessionsMax)
      }),
    ),
    (end) => Effect.sync(end),
  )
  const tick = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* lookAtSettings(ports)
    if (!isWithin(dreamer().schedule, minuteOfDay(now))) return
    for (const location of yield* openLocations(ports, spoken.keys()))
      yield* tend(ports, dreams, failures, location)
  })
  const quietly = Effect.catchCause(tick, (cause) => Effect.logWarning("The dreamer could not look.", cause))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(tickMs), quietly)))
})

function opensProject({ type, ...event }: CommitEvent): SessionId | null {
  if (type === "failed" || !("session" in event.command)) return null
  return type === "create-session" || type === "admit" || type === "move-session"
    ? event.command.session
    : null
}

const openLocations = Effect.fnUntraced(function* (
  { store }: RuntimePorts,
  sessions: Iterable<SessionId>,
): Effect.fn.Return<readonly Location[], StoreFailure> {
  const open = new Map<string, Location>()
  for (const session of sessions) {
    const row = yield* store.session(session)
    if (row !== null && row.kind !== "job") open.set(row.location.projectRoot, row.location)
  }
  return [...open.values()]
})

interface Failures {
  readonly message: string
  readonly count: number
  readonly at: number
}

const tend = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  dreams: Dreams,
  failures: Map<string, Failures>,
  location: Location,
): Effect.fn.Return<void, StoreFailure> {
  const { root } = yield* projectOf(ports, location)
  const now = yield* Clock.currentTimeMillis
  const known = failures.get(root)
  if (known !== undefined && known.count >= failuresMax && now - known.at < dueAfterMs) return
  if (!(yield* isDue(ports, root, now))) return
  const failed = yield* dreams.run({ location, by: "timer" }).pipe(
    Effect.as(null),
    Effect.catch(({ message }) => Effect.succeed(message)),
  )
  if (failed === null) failures.delete(root)
  else
    failures.set(root, { message: failed, count: known?.message === failed ? known.count + 1 : 1, at: now })
})

/** Something is new since the last run, and that is long ago. */
const isDue = Effect.fnUntraced(function* ({ store }: RuntimePorts, root: string, now: number) {
  const [project] = yield* store.projects({ root })
  if (project === undefined) return false
  const [last] = yield* store.projectFacts(root, { type: "dream.settled", limit: 1 })
  return last === undefined || (project.seq > last.seq && now - last.time >= dueAfterMs)
})

/** A stretch may reach over midnight; one from a time to the same is the whole day. */
export function isWithin(schedule: DreamerPort["schedule"], minute: number): boolean {
  if (typeof schedule === "string") return schedule === "always"
  const { fromMinute, toMinute } = schedule
  if (fromMinute === toMinute) return true
  return fromMinute < toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute
}

const minuteOfDay = (time: number): number => {
  const date = new Date(time)
  return date.getHours() * 60 + date.getMinutes()
}
