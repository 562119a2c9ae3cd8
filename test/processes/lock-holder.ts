/** A hostile process: it takes the write lock of a SQLite file and sits on it for a while. */
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"

const [file = "", holdMs = "0"] = process.argv.slice(2)
const db = new DatabaseSync(file, { timeout: 30_000 })
db.exec("BEGIN IMMEDIATE")
console.log("held")
await pause(Number(holdMs))
db.exec("ROLLBACK")
db.close()
console.log("released")
