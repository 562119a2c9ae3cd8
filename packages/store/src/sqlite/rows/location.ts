/**
 * The location row: a Location that somebody opened, or in which a Session was made (CO3).
 *
 * It belongs to no Session and stays when the last one there is deleted. The project of a directory
 * may become another, as by a repository made later: the newest answer is kept.
 *
 * A directory that moved leaves its path to others, and its Sessions stay known by that path. So each of them gets a row of
 * its own, which comes first: at `//` behind the path, which no canonical path holds, and its id.
 */
import { isAbsolute, relative, sep } from "node:path"
import type { SessionId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { LocationList, OpenLocation } from "../../port.ts"
import type { Connection } from "../connection.ts"
import type { Applied } from "../input-commands.ts"

interface LocationColumns {
  readonly directory: string
  readonly project_root: string
}

const locationOf = ({ directory, project_root: projectRoot }: LocationColumns): Location => ({
  directory,
  projectRoot,
})

export function openLocation(connection: Connection, { location }: OpenLocation): Applied<OpenLocation> {
  keepLocation(connection, location)
  return { outcome: { kind: "opened" }, advanced: null }
}

/** The project of a row of `session`. */
export const projectOfSessionSql = `coalesce(
  (SELECT project_root FROM location
    WHERE directory = json_extract(session.summary, '$.location.directory') || '//' || session.id),
  (SELECT project_root FROM location WHERE directory = json_extract(session.summary, '$.location.directory')))`

export const projectOfSession = (connection: Connection, id: SessionId): string | null =>
  connection.get<{ root: string | null }>(
    `SELECT ${projectOfSessionSql} AS root FROM session WHERE id = ?`,
    id,
  )?.root ?? null

/** Sessions that were begun in a project stay with it, whoever comes to their directories. */
export function keepSessions(connection: Connection, projectRoot: string): void {
  connection.run(keepSessionsSql, projectRoot)
}

const keepSessionsSql = `INSERT OR IGNORE INTO location
  SELECT location.directory || '//' || session.id, project_root FROM session
    CROSS JOIN location ON location.directory = json_extract(session.summary, '$.location.directory')
  WHERE session.kind <> 'job' AND project_root = ?`

/** What goes on with another Session belongs to the project of that one. */
export function keepBeside(
  connection: Connection,
  { directory }: Location,
  id: string,
  beside: string,
): void {
  connection.run(
    `INSERT OR IGNORE INTO location SELECT ?1 || '//' || ?2, project_root FROM location
     WHERE directory = ?1 || '//' || ?3`,
    directory,
    id,
    beside,
  )
}

/** A Session that moved, or is gone, has no row of its own. */
export function forgetSession(connection: Connection, id: SessionId): void {
  connection.run("DELETE FROM location WHERE substr(directory, -length(?1)) = ?1", `//${id}`)
}

export function keepLocation(connection: Connection, { directory, projectRoot }: Location): void {
  const before = readLocation(connection, directory)?.projectRoot ?? projectRoot
  if (before !== projectRoot && hasLeft(connection, before, directory)) keepSessions(connection, before)
  connection.run(
    `INSERT INTO location VALUES (?, ?) ON CONFLICT (directory)
     DO UPDATE SET project_root = excluded.project_root WHERE project_root <> excluded.project_root`,
    directory,
    projectRoot,
  )
}

/** Whether a project that is known stood around a directory, and stands elsewhere now. */
function hasLeft(connection: Connection, root: string, directory: string): boolean {
  const [first] = relative(root, directory).split(sep)
  const isAround = first !== ".." && !isAbsolute(relative(root, directory))
  return !isAround && connection.get("SELECT 1 FROM project_mark WHERE root = ?", root) !== undefined
}

export function readLocation(connection: Connection, directory: string): Location | null {
  const row = connection.get<LocationColumns>("SELECT * FROM location WHERE directory = ?", directory)
  return row === undefined ? null : locationOf(row)
}

export function readLocations(connection: Connection, { after, before, limit }: LocationList) {
  const rows =
    before === undefined
      ? connection.all<LocationColumns>(
          "SELECT * FROM location WHERE directory > ? AND instr(directory, '//') = 0 ORDER BY directory LIMIT ?",
          after ?? "",
          limit,
        )
      : connection
          .all<LocationColumns>(
            "SELECT * FROM location WHERE directory < ? AND instr(directory, '//') = 0 ORDER BY directory DESC LIMIT ?",
            before,
            limit,
          )
          .toReversed()
  return rows.map(locationOf)
}
