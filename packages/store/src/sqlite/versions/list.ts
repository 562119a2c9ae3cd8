/**
 * Every version of the tables, oldest first.
 *
 * `fresh` makes an empty store of that version; `upgrade` turns the version before it into this
 * one. A test holds the two equal for every pair (ST1). Version n stands at position n - 1; the
 * highest is the fence (ST6). A published version is never edited.
 */
import { fresh as fresh1 } from "./1.ts"
import { fresh as fresh2, upgrade as upgrade2 } from "./2.ts"
import { fresh as fresh3, upgrade as upgrade3 } from "./3.ts"
import { fresh as fresh4, upgrade as upgrade4 } from "./4.ts"
import { fresh as fresh5, upgrade as upgrade5 } from "./5.ts"
import { fresh as fresh6, upgrade as upgrade6 } from "./6.ts"
import { fresh as fresh7, upgrade as upgrade7 } from "./7.ts"
import { fresh as fresh8, upgrade as upgrade8 } from "./8.ts"
import { fresh as fresh9, upgrade as upgrade9 } from "./9.ts"
import { fresh as fresh10, upgrade as upgrade10 } from "./10.ts"
import { fresh as fresh11, upgrade as upgrade11 } from "./11.ts"
import { fresh as fresh12, upgrade as upgrade12 } from "./12.ts"
import { fresh as fresh13, upgrade as upgrade13 } from "./13.ts"

export interface SchemaVersion {
  readonly fresh: string
  /** Null only for the first. */
  readonly upgrade: string | null
}

export const versions: readonly SchemaVersion[] = [
  { fresh: fresh1, upgrade: null },
  { fresh: fresh2, upgrade: upgrade2 },
  { fresh: fresh3, upgrade: upgrade3 },
  { fresh: fresh4, upgrade: upgrade4 },
  { fresh: fresh5, upgrade: upgrade5 },
  { fresh: fresh6, upgrade: upgrade6 },
  { fresh: fresh7, upgrade: upgrade7 },
  { fresh: fresh8, upgrade: upgrade8 },
  { fresh: fresh9, upgrade: upgrade9 },
  { fresh: fresh10, upgrade: upgrade10 },
  { fresh: fresh11, upgrade: upgrade11 },
  { fresh: fresh12, upgrade: upgrade12 },
  { fresh: fresh13, upgrade: upgrade13 },
]
