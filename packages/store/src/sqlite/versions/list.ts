/**
 * Every version of the tables, oldest first.
 *
 * `fresh` makes an empty store of that version; `upgrade` turns the version before it into this
 * one. A test holds the two equal for every pair (ST1). Version n stands at position n - 1; the
 * highest is the fence (ST6). A published version is never edited.
 */
import { fresh as fresh1 } from "./1.ts"

export interface SchemaVersion {
  readonly fresh: string
  /** Null only for the first. */
  readonly upgrade: string | null
}

export const versions: readonly SchemaVersion[] = [{ fresh: fresh1, upgrade: null }]
