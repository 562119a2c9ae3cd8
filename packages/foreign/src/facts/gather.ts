/** The records of a file, session by session: one file or store can hold many. */
import type { ForeignRecord } from "../record.ts"

/**
 * In the order in which the sessions begin. What belongs to none is told with the first. `wants` is asked
 * of the session that a side chain belongs to in the end.
 */
export async function gatherSessions(
  records: AsyncIterable<ForeignRecord>,
  wants: (session: string) => boolean = () => true,
): Promise<ReadonlyMap<string, readonly ForeignRecord[]>> {
  const sessions = new Map<string, ForeignRecord[]>()
  const roots = new Map<string, string>()
  const nobodys: ForeignRecord[] = []
  for await (const record of records) {
    const { session } = record
    if (session === null) {
      nobodys.push(record)
      continue
    }
    if (record.type === "session" && record.parent?.kind === "child")
      roots.set(session, roots.get(record.parent.session) ?? record.parent.session)
    if (!wants(roots.get(session) ?? session)) continue
    const own = sessions.get(session)
    if (own === undefined) sessions.set(session, [record])
    else own.push(record)
  }
  const [first] = sessions.values()
  first?.push(...nobodys)
  return sessions
}
