/**
 * The lease row of a Session.
 *
 * It stays when the lease is released, without an owner: the next token must be higher than
 * every token ever granted, or a drain that slept through a takeover could still write (DR1).
 */
import type { SessionId } from "@holdfast/schema/id"
import type { Lease, LeaseOwner } from "../../port.ts"
import type { Connection } from "../connection.ts"
import type { KeyedSession } from "../session-row.ts"

interface LeaseColumns {
  readonly owner: string | null
  readonly token: number
  readonly beat: number
}

const leaseRow = (connection: Connection, session: number): LeaseColumns | undefined =>
  connection.get<LeaseColumns>("SELECT owner, token, beat FROM lease WHERE session = ?", session)

/** The lease in force, or null. */
export function heldLease(
  connection: Connection,
  row: { readonly key: number; readonly id: SessionId },
): Lease | null {
  const lease = leaseRow(connection, row.key)
  if (lease === undefined || lease.owner === null) return null
  const owner = JSON.parse(lease.owner) as LeaseOwner
  return { session: row.id, owner, token: lease.token, beat: lease.beat }
}

export function holds(connection: Connection, session: number, token: number): boolean {
  const lease = leaseRow(connection, session)
  return lease !== undefined && lease.owner !== null && lease.token === token
}

export function grantLease(connection: Connection, row: KeyedSession, owner: LeaseOwner): Lease {
  const token = (leaseRow(connection, row.key)?.token ?? 0) + 1
  connection.run("INSERT OR REPLACE INTO lease VALUES (?, ?, ?, 0)", row.key, JSON.stringify(owner), token)
  return { session: row.id, owner, token, beat: 0 }
}

export const renewLease = (connection: Connection, session: number, token: number): boolean =>
  connection.run(
    "UPDATE lease SET beat = beat + 1 WHERE session = ? AND token = ? AND owner IS NOT NULL",
    session,
    token,
  ) === 1

export function dropLease(connection: Connection, session: number): void {
  connection.run("UPDATE lease SET owner = NULL WHERE session = ?", session)
}
