/**
 * Version 4 of the tables: leases by name, for work that belongs to no Session (DM2).
 *
 * The row stays when a lease is released, without an owner, so that no token is granted twice.
 */
import { fresh as before } from "./3.ts"

const added = `
CREATE TABLE named_lease (
  name TEXT PRIMARY KEY,
  owner TEXT,
  token INTEGER NOT NULL,
  beat INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

export const fresh = `${before}${added}`

export const upgrade = added
