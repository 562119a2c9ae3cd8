/** The published versions and one whose upgrade takes long enough to be killed in. */
import { versions } from "../src/sqlite/versions/list.ts"
import type { SchemaVersion } from "../src/sqlite/versions/list.ts"

const table = "CREATE TABLE slow (n INTEGER PRIMARY KEY) STRICT;"

export const slowVersions: readonly SchemaVersion[] = [
  ...versions,
  {
    fresh: `${versions.at(-1)?.fresh} ${table}`,
    upgrade: `${table}
      INSERT INTO slow SELECT * FROM (
        WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 2000000)
        SELECT n FROM count
      );`,
  },
]
