/**
 * Built-in sources: the date and the environment.
 *
 * Both are values read once per observation. Neither touches the host: time comes from the Clock,
 * the facts of the environment from a port.
 *
 *   BS1  the calendar date of the host's time zone, or of a configured one.
 *   BS2  working directory, project root, repository and its kind, platform. The codec is the
 *        filter: a branch, head or dirty state handed in by a port is dropped before comparison.
 */
import { Clock, Data, Effect, Schema } from "effect"
import { singleLine } from "./single-line.ts"
import { make, type SystemContext } from "./system-context.ts"

export interface DateSettings {
  /** An IANA name such as `Europe/Paris`; the host's time zone without it. */
  readonly timeZone?: string
}

export class InvalidTimeZone extends Data.TaggedError("InvalidTimeZone")<{
  readonly timeZone: string
  readonly message: string
}> {}

export const EnvironmentFacts = Schema.Struct({
  directory: Schema.String,
  projectRoot: Schema.String,
  repository: Schema.Literals(["git", "hg", "jj", "none"]),
  platform: Schema.String,
})
export type EnvironmentFacts = typeof EnvironmentFacts.Type

/** `core/date`. Throws InvalidTimeZone at construction, where the setting can still be named. */
export function dateSource({ timeZone }: DateSettings = {}): SystemContext {
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw new InvalidTimeZone({ timeZone, message: `${JSON.stringify(timeZone)} is not a time zone name` })
  }
  const calendar = calendarOf(timeZone)
  return make({
    key: "core/date",
    codec: CalendarDate,
    load: Effect.map(Clock.currentTimeMillis, calendar),
    baseline: ({ date, weekday }) => `Today is ${weekday}, ${date}.`,
    update: ({ date, weekday }) => `The date has changed: today is ${weekday}, ${date}.`,
  })
}

/**
 * `core/environment`. The port is run once per observation; it cannot fail, and a repeat is safe
 * because it only reads.
 */
export function environmentSource(facts: Effect.Effect<EnvironmentFacts>): SystemContext {
  return make({
    key: "core/environment",
    codec: EnvironmentFacts,
    load: facts,
    baseline: (value) => `You work in this environment:\n${factLines(value)}`,
    update: (value) => `Your environment has changed. These facts hold now:\n${factLines(value)}`,
  })
}

const CalendarDate = Schema.Struct({ date: Schema.String, weekday: Schema.String })

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const

/** Made once for a configured zone: making a formatter costs more than all else of an observation. */
function calendarOf(timeZone: string | undefined): (nowMs: number) => typeof CalendarDate.Type {
  if (timeZone === undefined) return hostDate
  const format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    timeZone,
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  })
  return (nowMs) => {
    const parts = new Map(format.formatToParts(nowMs).map(({ type, value }) => [type, value]))
    const year = parts.get("year")!.padStart(4, "0")
    return { date: `${year}-${parts.get("month")}-${parts.get("day")}`, weekday: parts.get("weekday")! }
  }
}

/** Follows the host, also when its zone changes while we run. */
function hostDate(nowMs: number): typeof CalendarDate.Type {
  const now = new Date(nowMs)
  const two = (value: number) => String(value).padStart(2, "0")
  const date = `${String(now.getFullYear()).padStart(4, "0")}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  return { date, weekday: weekdays[now.getDay()]! }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false // RangeError is the only way Intl says that it does not know a zone.
  }
}

function factLines({ directory, projectRoot, repository, platform }: EnvironmentFacts): string {
  return [
    `- Working directory: ${singleLine(directory)}`,
    `- Project root: ${singleLine(projectRoot)}`,
    `- Repository: ${repository === "none" ? "no" : `yes (${repository})`}`,
    `- Platform: ${singleLine(platform)}`,
  ].join("\n")
}
