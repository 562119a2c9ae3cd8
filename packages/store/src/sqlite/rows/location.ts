/**
 * The location row: a Location that somebody opened, or in which a Session was made (CO3).
 *
 * It belongs to no Session and stays when the last one there is deleted. The project of a directory
 * may become another, as by a repository made later: the newest answer is kept.
 */
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

export function keepLocation(connection: Connection, { directory, projectRoot }: Location): void {
  connection.run(
    `INSERT INTO location VALUES (?, ?) ON CONFLICT (directory)
     DO UPDATE SET project_root = excluded.project_root WHERE project_root <> excluded.project_root`,
    directory,
    projectRoot,
  )
}

export function readLocation(connection: Connection, directory: string): Location | null {
  const row = connection.get<LocationColumns>("SELECT * FROM location WHERE directory = ?", directory)
  return row === undefined ? null : locationOf(row)
}

export function readLocations(connection: Connection, { after, before, limit }: LocationList) {
  const rows =
    before === undefined
      ? connection.all<LocationColumns>(
          "SELECT * FROM location WHERE directory > ? ORDER BY directory LIMIT ?",
          after ?? "",
          limit,
        )
      : connection
          .all<LocationColumns>(
            "SELECT * FROM location WHERE directory < ? ORDER BY directory DESC LIMIT ?",
            before,
            limit,
          )
          .toReversed()
  return rows.map(locationOf)
}
