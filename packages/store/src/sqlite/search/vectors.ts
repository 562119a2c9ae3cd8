/**
 * The queue of units that are to have vectors, and what is written of it (SE3).
 *
 * Only what somebody said is embedded, of a long text its first piece, and compartments, in chunks. Calls and outputs are
 * found by their words.
 */
import { float32Bits } from "@holdfast/schema/search/bits"
import type { AskEmbedding, EmbeddingProgress, EmbeddingStep, WriteVectors } from "../../search/embedding.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import type { Applied } from "../input-commands.ts"
import { namedLease } from "../lease/named.ts"
import { projectRoots } from "../memory/places.ts"
import { projectOfSession, projectOfSessionSql } from "../rows/location.ts"
import { askOthers, hasOtherVectors, othersProgress, othersStep, writeOthers } from "./other-vectors.ts"
import { readUnitText } from "./read-units.ts"

/** Units of one step. */
const stepUnits = 16

/** Another model begins anew; another size of pieces takes away those of compartments, and no others. */
export function askEmbedding(
  connection: Connection,
  { of, model, chunkCharacters }: AskEmbedding,
): Applied<AskEmbedding> {
  const session = "session" in of ? of.session : null
  const root = "session" in of ? null : of.projectRoot
  const roots = root === null ? null : JSON.stringify(projectRoots(connection, root))
  const asked = connection.all<{ key: number; through: number | null }>(askedSql, session, roots)
  for (const { key, through } of asked) {
    const known = connection.get<{ model: string; chunk_characters: number }>(knownSql, key)
    if (known !== undefined && known.model === model && known.chunk_characters !== chunkCharacters) {
      connection.run(forgetChunksSql, key)
      connection.run(
        "UPDATE embedding SET chunks_done = 0, chunk_characters = ? WHERE session = ?",
        chunkCharacters,
        key,
      )
    }
    if (known?.model !== model)
      connection.run(
        "INSERT OR REPLACE INTO embedding VALUES (?, ?, ?, 0, 0, 0)",
        key,
        model,
        chunkCharacters,
      )
    connection.run("UPDATE embedding SET through = max(through, ?) WHERE session = ?", through ?? 0, key)
  }
  const project = session === null ? root : (projectOfSession(connection, session) ?? "")
  askOthers(connection, project === null ? null : projectRoots(connection, project), model)
  return { outcome: { kind: "asked", sessions: asked.length }, advanced: null }
}

/** Their logs to the end: what the index has not read yet is embedded once it has. */
const askedSql = `SELECT key, json_extract(summary, '$.seq') AS through
  FROM session WHERE kind IN ('primary', 'child') AND (?1 IS NULL OR id = ?1)
    AND (?2 IS NULL OR ${projectOfSessionSql} IN (SELECT value FROM json_each(?2)))`
const knownSql = "SELECT model, chunk_characters FROM embedding WHERE session = ?"
const forgetChunksSql =
  "DELETE FROM vector WHERE unit IN (SELECT id FROM unit WHERE session = ? AND author = 'summary')"

export function writeVectors(connection: Connection, command: WriteVectors): Applied<WriteVectors> {
  const { name, token, step, vectors } = command
  const lost = { outcome: { kind: "lost" as const }, advanced: null }
  if (namedLease(connection, name)?.token !== token) return lost
  if (step.kind === "others") {
    writeOthers(connection, command)
    return { outcome: { kind: "written" }, advanced: null }
  }
  const known = connection.get<{ model: string; chunk_characters: number }>(knownSql, step.key)
  if (known?.model !== step.choice.model || known.chunk_characters !== step.choice.chunkCharacters)
    return lost
  for (const { unit, chunk, vector } of vectors) {
    if (connection.get("SELECT 1 FROM unit WHERE id = ?", unit) === undefined) continue
    const data = new Uint8Array(new Float16Array(vector).buffer)
    connection.run(writeSql, unit, chunk, step.choice.model, vector.length, float32Bits(vector), data)
  }
  const column = step.kind === "messages" ? "done" : "chunks_done"
  connection.run(`UPDATE embedding SET ${column} = ? WHERE session = ?`, step.through, step.key)
  return { outcome: { kind: "written" }, advanced: null }
}

const writeSql = `INSERT OR REPLACE INTO vector (unit, chunk, model, dimension, bits, data) VALUES (?, ?, ?, ?, ?, ?)`

interface DueRow {
  readonly session: number
  readonly model: string
  readonly chunk_characters: number
  readonly done: number
  readonly chunks_done: number
  readonly through: number
}

/** The newest Sessions first. */
export function embeddingStep(connection: Connection, models: readonly string[]): EmbeddingStep | null {
  return inSnapshot(connection, () => {
    const due = connection.get<DueRow>(dueSql, JSON.stringify(models))
    if (due === undefined) return othersStep(connection, models)
    const kind = due.done < due.through ? "messages" : "compartments"
    const from = kind === "messages" ? due.done : due.chunks_done
    const sql = kind === "messages" ? messagesSql : compartmentsSql
    const rows = connection.all<UnitRow>(sql, due.session, from, due.through, stepUnits)
    const textOf = ({ seq, idx }: UnitRow) => readUnitText(connection, due.session, seq, idx)?.text ?? ""
    const before = kind === "messages" ? connection.get<UnitRow>(beforeSql, due.session, from) : undefined
    return {
      key: due.session,
      choice: { model: due.model, chunkCharacters: due.chunk_characters },
      kind,
      through: rows.length < stepUnits ? due.through : (rows.at(-1)?.seq ?? due.through),
      units: rows.map((row) => ({ unit: row.id, text: textOf(row) })),
      before: before === undefined ? null : textOf(before),
    }
  })
}

interface UnitRow {
  readonly id: number
  readonly seq: number
  readonly idx: number
}
/** As far as the index has read. */
const dueSql = `SELECT * FROM (
    SELECT embedding.session, model, chunk_characters, embedding.done, chunks_done,
      min(embedding.through, coalesce(unindexed.done, embedding.through)) AS through
    FROM embedding LEFT JOIN unindexed ON unindexed.session = embedding.session
    WHERE embedding.done < embedding.through OR chunks_done < embedding.through)
  WHERE (done < through OR chunks_done < through)
    AND model IN (SELECT value FROM json_each(?)) ORDER BY session DESC LIMIT 1`
const messagesSql = `SELECT id, seq, idx FROM unit
  WHERE session = ? AND seq > ? AND seq <= ? AND author IN ('user', 'assistant') AND idx = 0 ORDER BY seq LIMIT ?`
/** All compartments of one publication belong to one step. */
const compartmentsSql = `SELECT id, seq, idx FROM unit
  WHERE session = ?1 AND author = 'summary' AND seq = (SELECT min(seq) FROM unit
    WHERE session = ?1 AND seq > ?2 AND seq <= ?3 AND author = 'summary') ORDER BY idx LIMIT max(?4, 1000)`
const beforeSql = `SELECT id, seq, idx FROM unit
  WHERE session = ? AND seq <= ? AND author IN ('user', 'assistant') AND idx = 0 ORDER BY seq DESC LIMIT 1`

export const hasVectors = (connection: Connection, model: string): boolean =>
  connection.get("SELECT 1 FROM vector INDEXED BY vector_bits WHERE model = ? LIMIT 1", model) !==
    undefined || hasOtherVectors(connection, model)

export function embeddingProgress(connection: Connection, model: string): EmbeddingProgress {
  return inSnapshot(connection, () => {
    const others = othersProgress(connection, model)
    const done = connection.get<{ units: number }>(doneSql, model)?.units ?? 0
    const due = connection.get<{ units: number }>(leftSql, model)?.units ?? 0
    return { done: done + others.done, due: due + others.due }
  })
}

const doneSql = "SELECT count(DISTINCT unit) AS units FROM vector WHERE model = ?"
const leftSql = `SELECT count(*) AS units FROM embedding JOIN unit ON unit.session = embedding.session
  WHERE (done < through OR chunks_done < through) AND embedding.model = ?
    AND (author IN ('user', 'assistant') AND idx = 0 AND seq > done OR author = 'summary' AND seq > chunks_done) AND seq <= through`
