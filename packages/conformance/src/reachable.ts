/**
 * What a request that is refused must leave as it was: all that a client can read of an instance.
 *
 * A Session is listed with the number of its last event, so that whatever is written to one shows in
 * the lists. Sessions that are at work change by themselves and are left out, and so is what the
 * program of a terminal does.
 */
import { isDeepStrictEqual } from "node:util"
import type { HoldfastClient, Session } from "@holdfast/client"
import { show } from "./expect.ts"

export interface Reachable {
  readonly sessions: readonly Session[]
  readonly archived: readonly Session[]
  readonly locations: readonly unknown[]
  readonly terminals: readonly unknown[]
  readonly configuration: unknown
}

/** Of each list so many: the newest Sessions are those that cases make. */
const itemsMax = 50

export async function readReachable(client: HoldfastClient): Promise<Reachable> {
  const limit = itemsMax
  const [sessions, archived, locations, ptys, configuration] = await Promise.all([
    client.sessions.list({ limit }),
    client.sessions.list({ limit, archived: true }),
    client.locations.list({ limit }),
    client.ptys.list({ limit }),
    client.config.get(),
  ])
  return {
    sessions: sessions.items,
    archived: archived.items,
    locations: locations.items,
    terminals: ptys.items.map(({ id, directory, columns, rows }) => ({ id, directory, columns, rows })),
    configuration,
  }
}

/** What is not as it was before, in words; null where nothing changed. */
export function changeBetween(before: Reachable, after: Reachable): string | null {
  const busy = new Set(
    [before, after]
      .flatMap(({ sessions, archived }) => [...sessions, ...archived])
      .filter(({ status }) => status.state === "running")
      .map(({ id }) => id),
  )
  const [was, is] = [quiet(before, busy), quiet(after, busy)]
  const parts = Object.keys(was) as (keyof Reachable)[]
  const changed = parts.filter((part) => !isDeepStrictEqual(was[part], is[part]))
  return changed.length === 0 ? null : changed.map((part) => difference(part, was[part], is[part])).join("; ")
}

const quiet = (all: Reachable, busy: ReadonlySet<string>): Reachable => ({
  ...all,
  sessions: all.sessions.filter(({ id }) => !busy.has(id)),
  archived: all.archived.filter(({ id }) => !busy.has(id)),
})

function difference(part: string, was: unknown, is: unknown): string {
  if (!Array.isArray(was) || !Array.isArray(is)) return `${part} was ${show(was)} and is ${show(is)}`
  const without = (items: readonly unknown[], others: readonly unknown[]) =>
    items.filter((item) => !others.some((other) => isDeepStrictEqual(item, other)))
  return `${part}: gone ${show(without(was, is))}, new ${show(without(is, was))}`
}
