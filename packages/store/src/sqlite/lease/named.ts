/**
 * Leases by name: of everybody who has this store open, one does the work that the name stands for (DM2).
 *
 * They work like that of a Session: the token grows with every grant, and what is written under one is refused
 * once another was granted.
 */
import type { AcquireNamed, NamedLease, ReleaseNamed, RenewNamed } from "../../lease/named.ts"
import type { LeaseOwner } from "../../port.ts"
import type { Connection } from "../connection.ts"
import type { Applied } from "../input-commands.ts"

interface Columns {
  readonly owner: string | null
  readonly token: number
  readonly beat: number
}

const rowOf = (connection: Connection, name: string): Columns | undefined =>
  connection.get<Columns>("SELECT owner, token, beat FROM named_lease WHERE name = ?", name)

export function namedLease(connection: Connection, name: string): NamedLease | null {
  const row = rowOf(connection, name)
  if (row === undefined || row.owner === null) return null
  return { name, owner: JSON.parse(row.owner) as LeaseOwner, token: row.token, beat: row.beat }
}

export function acquireNamed(
  connection: Connection,
  { name, owner, dead }: AcquireNamed,
): Applied<AcquireNamed> {
  const held = namedLease(connection, name)
  const free = held === null || (held.token === dead?.token && held.beat === dead.beat)
  if (!free) return { outcome: { kind: "held", lease: held }, advanced: null }
  const token = (rowOf(connection, name)?.token ?? 0) + 1
  connection.run("INSERT OR REPLACE INTO named_lease VALUES (?, ?, ?, 0)", name, JSON.stringify(owner), token)
  return { outcome: { kind: "granted", lease: { name, owner, token, beat: 0 } }, advanced: null }
}

export function renewNamed(connection: Connection, { name, token }: RenewNamed): Applied<RenewNamed> {
  const renewed = connection.run(
    "UPDATE named_lease SET beat = beat + 1 WHERE name = ? AND token = ? AND owner IS NOT NULL",
    name,
    token,
  )
  return { outcome: { kind: renewed === 1 ? "renewed" : "lost" }, advanced: null }
}

export function releaseNamed(connection: Connection, { name, token }: ReleaseNamed): Applied<ReleaseNamed> {
  const released = connection.run(
    "UPDATE named_lease SET owner = NULL WHERE name = ? AND token = ? AND owner IS NOT NULL",
    name,
    token,
  )
  return { outcome: { kind: released === 1 ? "released" : "lost" }, advanced: null }
}
