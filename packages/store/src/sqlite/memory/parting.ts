/** A directory that shares the memory of another project, and the day that they part (MM1). */
import { memoryContent } from "@holdfast/schema/memory/contradiction"
import type { ProjectEvent } from "@holdfast/schema/memory/fold"
import type { JsonObject } from "@holdfast/schema/json"
import type { Memory, MemoryChange, MemorySource, ProjectFact } from "@holdfast/schema/memory/memory"
import { type Parting, type PartingInput, planParting } from "@holdfast/schema/memory/parting"
import { liftProjectFields, type ProjectFactType } from "@holdfast/schema/memory/version"
import type { ProjectOutcomes, SettleProject } from "../../memory.ts"
import type { Connection } from "../connection.ts"
import type { Applied } from "../input-commands.ts"
import { changeMemories } from "./change.ts"
import { changeNotes } from "./notes.ts"
import {
  findProject,
  type KeyedProject,
  memoriesOf,
  openProject,
  projectChecksum,
  type ProjectEventColumns,
  sharerAt,
  tellProject,
} from "./rows.ts"

type Parted = Extract<ProjectOutcomes["settle-project"], { kind: "settled" }>["parted"]

/**
 * The directory shares the project of another from now on, or has its own. What it had learned by itself is told to the one that it
 * shares, and stays with it for the day that they part again; then what was said from it goes with it.
 */
export function settleProject(connection: Connection, command: SettleProject): Applied<SettleProject> {
  const { root, shares, time, bare = false } = command
  if (shares !== null && shares !== root && isSeen(connection, shares))
    openProject(connection, { root: shares, origin: null })
  const other = shares === null ? undefined : findProject(connection, shares)
  if (shares !== null && (other === undefined || other.root === root))
    return { outcome: { kind: "refused" }, advanced: null }
  const before = findProject(connection, root)
  const sharer = sharerAt(connection, root)
  const goesOn = before !== undefined && before.key === other?.key && sharer !== null
  const parted =
    before === undefined || sharer === null || goesOn
      ? null
      : part(connection, before, { sharer, now: time, bare, reason: reasonOf(root) })
  if (parted !== null) {
    writePlace(connection, root, null, time)
    takeAlong(connection, root, parted, time)
  }
  writePlace(connection, root, other?.root ?? null, time)
  if (other !== undefined && !goesOn) begin(connection, root, time)
  const told: Parted =
    parted === null || before === undefined
      ? null
      : { from: before.root, taken: parted.taken.length, archived: parted.left.filter(isArchive).length }
  return { outcome: { kind: "settled", parted: told }, advanced: null }
}

/** Whose project a directory is from now on. */
export function writePlace(connection: Connection, root: string, shares: string | null, time: number): void {
  connection.run(
    `INSERT INTO project_place (root, asked_at, settled_at, shares) VALUES (?1, ?2, ?2, ?3)
     ON CONFLICT (root) DO UPDATE SET settled_at = ?2, shares = ?3`,
    root,
    time,
    shares,
  )
}

const isArchive = ({ change }: MemoryChange): boolean => change === "archive"

const reasonOf = (root: string): string => `It was said in ${root}, which has a memory of its own now.`

const person: MemorySource = { by: "person", session: null, messages: [] }

/** The memory that is left, as if the directory had never shared it. */
function part(
  connection: Connection,
  shared: KeyedProject,
  asked: Omit<PartingInput, "log">,
): Parting | null {
  const { sharer, now: time } = asked
  const parting = planParting({ ...asked, log: readSound(connection, shared.key) })
  if (parting === null) return null
  changeEach(connection, shared, time, parting.left)
  changeNotes(connection, { kind: "change-notes", project: shared, time, changes: parting.leftNotes })
  const now = findProject(connection, shared.root)
  if (now !== undefined) tellProject(connection, now, time, { type: "sharing.ended", sharer })
  return parting
}

/** As the writer reads its own records: by their checksums, since it loads no schema. What is damaged is passed over. */
function readSound(connection: Connection, key: number): readonly ProjectEvent[] {
  const rows = connection.all<ProjectEventColumns>(
    "SELECT seq, type, version, time, data, checksum FROM project_event WHERE project = ? ORDER BY seq",
    key,
  )
  return rows.flatMap((row) => {
    const { seq, time, version, data } = row
    if (projectChecksum(key, row) !== row.checksum) return []
    const type = row.type as ProjectFactType
    const fields = liftProjectFields(type, version, JSON.parse(data) as JsonObject)
    return fields === null ? [] : [{ seq, time, fact: { type, ...fields } as ProjectFact }]
  })
}

/** Behind what the directory had before, of which goes what did not last while it was shared. */
function takeAlong(
  connection: Connection,
  root: string,
  { taken, ended, takenNotes }: Parting,
  time: number,
): void {
  const own = connection.get<{ key: number }>("SELECT key FROM project WHERE root = ?", root)
  const had = own === undefined ? [] : memoriesOf(connection, own.key, "status = 'active' ORDER BY number")
  const project = { root, origin: null }
  const reason = "It did not hold any more when the memory of its own began again."
  changeEach(connection, project, time, [
    ...had
      .filter(({ text }) => ended.has(memoryContent(text)))
      .map(({ id }) => ({ change: "archive", memory: id, reason, source: person }) as const),
    ...taken.map(written),
  ])
  const notes = takenNotes.map(
    ({ text, condition, source }) => ({ change: "write", text, condition, source }) as const,
  )
  changeNotes(connection, { kind: "change-notes", project, time, changes: notes })
}

/** Whether a directory stood there, or a Session was begun in it. */
const isSeen = (connection: Connection, root: string): boolean =>
  ["project_mark WHERE root", "location WHERE project_root"].some(
    (rows) => connection.get(`SELECT 1 FROM ${rows} = ?`, root) !== undefined,
  )

/** A project of its own is what the directory is known by, wherever it goes. What it shared before is not its own to tell. */
function begin(connection: Connection, root: string, time: number): void {
  connection.run(
    `INSERT INTO project (root, origin, seq, epoch) SELECT ?1, NULL, 0, 0
     WHERE NOT EXISTS (SELECT 1 FROM project WHERE root = ?1)`,
    root,
  )
  const sharer = sharerAt(connection, root)
  const other = findProject(connection, root)
  if (sharer === null || other === undefined) return
  tellProject(connection, other, time, { type: "sharing.began", sharer })
  const learned = memoriesOf(connection, sharer, "status = 'active' ORDER BY number")
  changeEach(connection, { root, origin: null }, time, learned.map(written))
}

const written = ({ category, text, source, expiresAt }: Memory): MemoryChange => ({
  change: "write",
  category,
  text,
  source,
  expiresAt,
  supersedes: [],
})

/** Each for itself: what can no longer be done is left. */
function changeEach(
  connection: Connection,
  { root, origin }: Pick<KeyedProject, "root" | "origin">,
  time: number,
  changes: readonly MemoryChange[],
): void {
  for (const change of changes) changeMemories(connection, { root, origin }, time, [change])
}
