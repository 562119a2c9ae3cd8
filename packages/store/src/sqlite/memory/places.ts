/** Directories of projects: one that moved, one that may be a copy, one that shares another's project (MM1). */
import type {
  AskProject,
  JoinProject,
  MarkProject,
  MarkRow,
  MoveProject,
  PlaceRow,
  ReplacedDirectory,
  SettleProject,
  UseMemory,
} from "../../memory.ts"
import { asideOf } from "@holdfast/schema/memory/aside"
import { placeOfMemory } from "@holdfast/schema/memory/partner"
import type { Connection } from "../connection.ts"
import type { Applied } from "../input-commands.ts"
import { keepSessions } from "../rows/location.ts"
import { settleProject, writePlace } from "./parting.ts"
import { findProject, memoryNumber } from "./rows.ts"
import { partnerOf } from "./workspace.ts"

type PlaceCommand = MoveProject | MarkProject | AskProject | SettleProject | JoinProject

export function changePlace(connection: Connection, command: PlaceCommand): Applied<PlaceCommand> {
  switch (command.kind) {
    case "move-project":
      return moveProject(connection, command)
    case "mark-project":
      return markProject(connection, command)
    case "ask-project":
      return askProject(connection, command)
    case "settle-project":
      return settleProject(connection, command)
    case "join-project":
      return joinProject(connection, command)
  }
}

/** The directory's own: what it only shares stays where it is, and it shares it from its new place. */
function moveProject(connection: Connection, command: MoveProject): Applied<MoveProject> {
  const { from, to, replaces } = command
  const isFree = () =>
    connection.get("SELECT 1 FROM project WHERE root = ?", to) === undefined &&
    findProject(connection, to) === undefined
  const moves =
    isKnown(connection, from) && (replaces === undefined ? isFree() : putAside(connection, to, replaces))
  if (!moves) return { outcome: { kind: "refused" }, advanced: null }
  rename(connection, from, to)
  return { outcome: { kind: "moved" }, advanced: null }
}

function markProject(connection: Connection, command: MarkProject): Applied<MarkProject> {
  const { root, mark, replaces } = command
  if (replaces !== undefined && !putAside(connection, root, replaces))
    return { outcome: { kind: "refused" }, advanced: null }
  connection.run("INSERT OR REPLACE INTO project_mark VALUES (?, ?)", root, mark)
  return { outcome: { kind: "marked" }, advanced: null }
}

/** False where another one stands there by now. Its name aside is no path, and the directory is found again by its mark. */
function putAside(connection: Connection, root: string, { mark }: ReplacedDirectory): boolean {
  const [standing] = readMarks(connection, { root })
  if ((standing?.mark ?? null) !== mark) return false
  // Nobody stood there: Sessions that were begun since belong to who comes.
  if (!isKnown(connection, root)) return true
  const own = connection.get<{ key: number }>("SELECT key FROM project WHERE root = ?", root)
  rename(connection, root, asideOf(root, own?.key ?? mark ?? "unmarked"))
  return true
}

const tables = ["project", "project_place", "project_mark"]

const isKnown = (connection: Connection, root: string): boolean =>
  tables.some((table) => connection.get(`SELECT 1 FROM ${table} WHERE root = ?`, root) !== undefined)

/** The Sessions of a directory are those of its project. */
function rename(connection: Connection, from: string, to: string): void {
  keepSessions(connection, from)
  // Whatever was asked of that place is answered.
  for (const table of ["project_place", "project_mark"])
    connection.run(`DELETE FROM ${table} WHERE root = ?`, to)
  for (const table of tables) connection.run(`UPDATE ${table} SET root = ?1 WHERE root = ?2`, to, from)
  connection.run("UPDATE project_place SET shares = ?1 WHERE shares = ?2", to, from)
  connection.run("UPDATE location SET project_root = ?1 WHERE project_root = ?2", to, from)
}

export function readMarks(
  connection: Connection,
  question: { readonly root: string } | { readonly mark: string },
): readonly MarkRow[] {
  const [column, value] = "root" in question ? ["root", question.root] : ["mark", question.mark]
  return connection.all<MarkRow>(
    `SELECT root, mark FROM project_mark WHERE ${column} = ? ORDER BY root LIMIT ${marksMax}`,
    value,
  )
}

/** Of one directory that was seen at several roots. */
const marksMax = 100

/** Asked once; what was settled stays so. */
function askProject(connection: Connection, command: AskProject): Applied<AskProject> {
  const { root, origin, time } = command
  connection.run(
    "INSERT OR IGNORE INTO project_place (root, origin, asked_at) VALUES (?, ?, ?)",
    root,
    origin,
    time,
  )
  return { outcome: { kind: "asked" }, advanced: null }
}

function joinProject(connection: Connection, command: JoinProject): Applied<JoinProject> {
  writePlace(connection, command.root, command.shares, command.time)
  return { outcome: { kind: "joined" }, advanced: null }
}

export const projectRoots = (connection: Connection, root: string): readonly string[] =>
  connection.all<{ root: string }>(rootsSql, root).map((row) => row.root)

export const readRoots = (connection: Connection, limit: number): readonly string[] =>
  connection.all<{ root: string }>(allRootsSql, limit).map(({ root }) => root)

const allRootsSql =
  "SELECT project_root AS root FROM location UNION SELECT root FROM project ORDER BY root LIMIT ?"

/** `UNION` leaves out what was there, so that a circle ends. */
const rootsSql = `WITH RECURSIVE
  up(root) AS (VALUES (?) UNION SELECT shares FROM project_place JOIN up USING (root) WHERE shares IS NOT NULL),
  alike(root) AS (SELECT root FROM up
    UNION SELECT project_place.root FROM project_place JOIN alike ON project_place.shares = alike.root)
  SELECT root FROM alike`

export function readPlace(connection: Connection, root: string): PlaceRow | null {
  const sql = `SELECT root, origin, asked_at AS askedAt, settled_at AS settledAt, shares FROM project_place WHERE root = ?`
  return connection.get<PlaceRow>(sql, root) ?? null
}

/** Counts, and nothing else: no record of the log, since no window depends on it. */
export function recordUses(connection: Connection, { root, memories, time }: UseMemory): Applied<UseMemory> {
  const project = findProject(connection, root)
  for (const id of project === undefined ? [] : new Set(memories)) {
    const { memory, project: partner } = placeOfMemory(id)
    const own = (project as { key: number }).key
    const key = partner === null ? own : partnerOf(connection, own, partner)?.project.key
    if (key === undefined) continue
    connection.run(
      `INSERT INTO memory_use SELECT ?1, ?2, 1, ?3
       WHERE EXISTS (SELECT 1 FROM memory WHERE project = ?1 AND number = ?2)
       ON CONFLICT (project, number) DO UPDATE SET uses = uses + 1, used_at = ?3`,
      key,
      memoryNumber(memory),
      time,
    )
  }
  return { outcome: { kind: "counted" }, advanced: null }
}
