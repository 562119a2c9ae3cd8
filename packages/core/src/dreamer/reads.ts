/** Files that Sessions of a project read again and again: what the dreamer chooses key files from (KF1). */
import { isAbsolute, relative, sep } from "node:path"
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import type { Store } from "@holdfast/store/port"

/** Sessions of the project that are looked at, the newest, and messages of each. */
const sessionsMax = 30
const messagesMax = 500
/** Fewer reads say nothing. */
const readsMin = 4
const pathsMax = 40

export const filesRead = Effect.fnUntraced(function* (
  store: Store,
  { projectRoot }: Location,
): Effect.fn.Return<readonly { readonly path: string; readonly count: number }[], StoreFailure> {
  const counts = new Map<string, number>()
  const sessions = yield* store.sessions({ projectRoot, limit: sessionsMax })
  for (const { id, location } of sessions) {
    const messages = yield* store.messages(id, { afterSeq: 0, limit: messagesMax, system: false })
    for (const message of messages)
      for (const { part } of message.kind === "assistant" ? message.parts : []) {
        if (part.type !== "call" || part.name !== "read") continue
        const given = (part.input as { readonly path?: unknown }).path
        const path = typeof given === "string" ? inProject(projectRoot, location.directory, given) : null
        if (path !== null) counts.set(path, (counts.get(path) ?? 0) + 1)
      }
  }
  return [...counts]
    .map(([path, count]) => ({ path, count }))
    .filter(({ count }) => count >= readsMin)
    .sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1))
    .slice(0, pathsMax)
})

/** As the project names it; null for what lies outside. */
function inProject(root: string, directory: string, given: string): string | null {
  const path = relative(root, isAbsolute(given) ? given : `${directory}/${given}`)
  return path === "" || path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) ? null : path
}
