/** Upgrades the store named on the command line, slowly. Killed by kill.process.test.ts. */
import { writeSync } from "node:fs"
import { openWriter } from "../src/sqlite/connection.ts"
import { migrate } from "../src/sqlite/migrate.ts"
import { slowVersions } from "./slow-versions.ts"

const patience = { busyMs: 1_000 }
const connection = openWriter(process.argv[2] ?? "", patience)
writeSync(1, "upgrading\n")
migrate(connection, patience, slowVersions)
