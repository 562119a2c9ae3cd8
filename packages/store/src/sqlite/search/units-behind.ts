/** Which units stand right behind others of their Session: what they say counts for those in front of them (SE1). */
import type { Connection } from "../connection.ts"

interface PlacedUnit {
  readonly unit: number
  readonly session: number
  readonly seq: number
  readonly idx: number
}

/** Units that stand further apart, in events, are no neighbours. */
const neighbourEventsMax = 200

/** What stands behind each row that another row stands close behind. */
export function unitsBehind(
  connection: Connection,
  rows: readonly PlacedUnit[],
): ReadonlyMap<number, readonly [after?: number, second?: number]> {
  const inOrder = rows.toSorted((a, b) => a.session - b.session || a.seq - b.seq || a.idx - b.idx)
  const asked = inOrder.flatMap(({ unit, session, seq }, at) => {
    const next = inOrder[at + 1]
    return next?.session === session && next.seq - seq <= neighbourEventsMax ? [unit] : []
  })
  const found = connection.get<{ rows: string }>(behindSql, JSON.stringify(asked))?.rows ?? "[]"
  return new Map(JSON.parse(found) as [number, [number?, number?]][])
}

const behindSql = `SELECT json_group_array(json_array(hit.id,
    (SELECT json_group_array(id) FROM (SELECT id FROM unit
      WHERE session = hit.session AND (seq, idx) > (hit.seq, hit.idx) ORDER BY seq, idx LIMIT 2)))) AS rows
  FROM json_each(?) AS given CROSS JOIN unit AS hit ON hit.id = given.value`
