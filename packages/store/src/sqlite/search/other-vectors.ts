/**
 * Vectors of memories and commits: what asks for them, the next that are due, and what is written (SE1, SE3).
 *
 * What changes is due anew under another id (versions/11.ts), so that a vector of what it said before is not taken.
 */
import { float32Bits } from "@holdfast/schema/search/bits"
import type { EmbeddingStep, WriteVectors } from "../../search/embedding.ts"
import type { Connection } from "../connection.ts"

/** Memories and commits of one step. */
const stepOthers = 16

/** Memories of the projects at these roots and commits of these roots, or all; another model begins anew. */
export function askOthers(connection: Connection, roots: readonly string[] | null, model: string): void {
  const asked = roots === null ? null : JSON.stringify(roots)
  const places = connection.all<{ kind: string; place: string }>(
    roots === null ? allPlacesSql : placesSql,
    asked,
  )
  for (const { kind, place } of places) {
    const known = connection.get<{ model: string }>(modelSql, kind, place)
    if (known?.model === model) continue
    connection.run("INSERT OR REPLACE INTO other_model VALUES (?, ?, ?)", kind, place, model)
    connection.run(dueAgainSql, kind, place, model)
    connection.run("DELETE FROM other_vector WHERE kind = ? AND place = ? AND model <> ?", kind, place, model)
  }
}

const placesSql = `SELECT 'memory' AS kind, CAST(key AS TEXT) AS place FROM project
    WHERE root IN (SELECT value FROM json_each(?1))
  UNION ALL SELECT 'commit', value FROM json_each(?1)`
const allPlacesSql = `SELECT 'memory' AS kind, CAST(key AS TEXT) AS place FROM project WHERE ?1 IS NULL
  UNION ALL SELECT DISTINCT 'commit', root FROM git_commit`
const modelSql = "SELECT model FROM other_model WHERE kind = ? AND place = ?"
const dueAgainSql = `INSERT OR IGNORE INTO other_due (kind, place, number)
  SELECT kind, place, number FROM other_vector WHERE kind = ? AND place = ? AND model <> ?`

/** By the ids of what is due; null where nothing of these models is. */
export function othersStep(connection: Connection, models: readonly string[]): EmbeddingStep | null {
  for (const model of models) {
    const units = connection.all<{ unit: number; text: string }>(dueSql, model, stepOthers)
    if (units.length > 0)
      return {
        key: 0,
        choice: { model, chunkCharacters: 0 },
        kind: "others",
        through: 0,
        units,
        before: null,
      }
  }
  return null
}

const dueSql = `SELECT other_due.id AS unit, coalesce(CASE other_due.kind
    WHEN 'memory' THEN (SELECT data ->> 'text' FROM memory
      WHERE project = CAST(other_due.place AS INTEGER) AND memory.number = other_due.number)
    ELSE (SELECT text FROM git_commit WHERE id = other_due.number) END, '') AS text
  FROM other_model CROSS JOIN other_due USING (kind, place) WHERE model = ? LIMIT ?`

export function writeOthers(connection: Connection, { step, vectors }: WriteVectors): void {
  const { model } = step.choice
  for (const { unit, vector } of vectors) {
    const due = connection.get<{ kind: string; place: string; number: number }>(takeSql, unit, model)
    if (due === undefined) continue
    const data = new Uint8Array(new Float16Array(vector).buffer)
    connection.run(writeSql, due.kind, due.place, due.number, model, float32Bits(vector), data)
  }
}

/** Only while its place still asks for this model. */
const takeSql = `DELETE FROM other_due WHERE id = ?1 AND EXISTS (SELECT 1 FROM other_model
    WHERE other_model.kind = other_due.kind AND other_model.place = other_due.place AND model = ?2)
  RETURNING kind, place, number`
const writeSql =
  "INSERT OR REPLACE INTO other_vector (kind, place, number, model, bits, data) VALUES (?, ?, ?, ?, ?, ?)"

export const hasOtherVectors = (connection: Connection, model: string): boolean =>
  connection.get("SELECT 1 FROM other_vector WHERE model = ? LIMIT 1", model) !== undefined

export const othersProgress = (
  connection: Connection,
  model: string,
): { readonly done: number; readonly due: number } => ({
  done:
    connection.get<{ others: number }>("SELECT count(*) AS others FROM other_vector WHERE model = ?", model)
      ?.others ?? 0,
  due:
    connection.get<{ others: number }>(
      "SELECT count(*) AS others FROM other_model CROSS JOIN other_due USING (kind, place) WHERE model = ?",
      model,
    )?.others ?? 0,
})
