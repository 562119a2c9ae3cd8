/** Memories and commits whose vectors are nearest to that of a question (SE1, SE3), as nearest.ts finds units. */
import { float32Bits } from "@holdfast/schema/search/bits"
import type { FoundCommit, NearOther } from "../../search/embedding.ts"
import type { QuestionMeaning } from "../../search/units.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import { indexOf, productOf } from "./nearest.ts"

/** Vectors that one search reads into memory: what is not read yet is not found yet (SE4). */
const stepVectors = 10_000
const comparedMax = 100

/** Places that may be searched; null for all. */
type Places = { readonly projects: readonly number[]; readonly roots: readonly string[] } | null

export function nearestOthers(
  connection: Connection,
  { model, vector }: QuestionMeaning,
  places: Places,
): readonly NearOther[] {
  return inSnapshot(connection, () => {
    const index = indexOf(connection, `others ${model}`)
    const last = index.count === 0 ? 0 : (index.ids[index.count - 1] ?? 0)
    const rows = connection.all<BitsRow>(bitsSql, model, last, stepVectors)
    for (const { id, kind, place, bits } of rows) index.add(id, `${kind} ${place}`, bits)
    const asked = float32Bits(vector)
    if (index.count === 0 || index.signBytes !== asked.length) return []
    const open =
      places &&
      new Set([
        ...places.projects.map((key) => `memory ${key}`),
        ...places.roots.map((root) => `commit ${root}`),
      ])
    const allowed = Uint8Array.from(index.sessionKeys, (key) => Number(open?.has(String(key)) ?? true))
    const ids = index.nearest(asked, allowed, comparedMax)
    return connection
      .all<DataRow>(dataSql, JSON.stringify(ids))
      .map((row) => nearOf(row, productOf(vector, row.data).likeness))
  })
}

interface BitsRow {
  readonly id: number
  readonly kind: string
  readonly place: string
  readonly bits: Uint8Array
}
const bitsSql =
  "SELECT id, kind, place, bits FROM other_vector WHERE model = ? AND id > ? ORDER BY id LIMIT ?"

interface DataRow {
  readonly kind: string
  readonly place: string
  readonly number: number
  readonly data: Uint8Array
  readonly hash: string | null
  readonly time: number | null
  readonly text: string | null
}
const dataSql = `SELECT other_vector.kind, place, number, data, hash, time, text
  FROM json_each(?) AS given CROSS JOIN other_vector ON other_vector.id = given.value
  LEFT JOIN git_commit ON other_vector.kind = 'commit' AND git_commit.id = number`

function nearOf({ kind, place, number, hash, time, text }: DataRow, likeness: number): NearOther {
  if (kind === "memory") return { kind, project: Number(place), id: `m${number}`, likeness }
  const commit: FoundCommit = { root: place, hash: hash ?? "", time: time ?? 0, text: text ?? "" }
  return { kind: "commit", commit, likeness }
}
