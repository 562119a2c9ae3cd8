/** The Session that `run --continue` goes on with: the one of a directory that was used last. */
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { everyItem, type Session, type SessionsOperations } from "@holdfast/sdk"
import { UsageError } from "../outcome/outcome.ts"

export async function newestSession(
  { list }: Pick<SessionsOperations, "list">,
  directory: string,
): Promise<Session> {
  const canonical = canonicalOf(directory)
  let newest: Session | null = null
  for await (const session of everyItem((page) => list(page))) {
    if (session.location.directory !== canonical || session.kind !== "primary" || session.archived) continue
    if (newest === null || session.updatedAt > newest.updatedAt) newest = session
  }
  if (newest !== null) return newest
  throw new UsageError(`No Session works in ${canonical} yet. Leave out --continue to begin one.`)
}

/** Sessions are kept under the name that a directory has behind all links. */
function canonicalOf(directory: string): string {
  const path = resolve(directory)
  try {
    return realpathSync.native(path)
  } catch {
    return path // one that is gone may still have Sessions
  }
}
