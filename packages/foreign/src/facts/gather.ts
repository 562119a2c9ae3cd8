/** The records of a file, session by session: one file or store can hold many. */
import type { ForeignRecord } from "../record.ts"

/** In the order in which the sessions begin. What belongs to none is told with the first. */
export async function gatherSessions(
  records: AsyncIterable<ForeignRecord>,
): Promise<ReadonlyMap<string, readonly ForeignRecord[]>> {
  const sessions = new Map<string, ForeignRecord[]>()
  const nobodys: ForeignRecord[] = []
  for await (const record of records) {
    if (record.session === null) {
      nobodys.push(record)
      continue
    }
    const own = sessions.get(record.session)
    if (own === undefined) sessions.set(record.session, [record])
    else own.push(record)
  }
  const [first] = sessions.values()
  first?.push(...nobodys)
  return sessions
}
