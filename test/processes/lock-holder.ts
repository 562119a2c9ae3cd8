/**
 * A hostile process: it takes the write lock of a SQLite file and sits on it for a while. It says
 * from when to when, by the clock of all processes: between the two nobody else had the lock.
 */
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"

const [file = "", holdMs = "0"] = process.argv.slice(2)
const db = new DatabaseSync(file, { timeout: 30_000 })
db.exec("BEGIN IMMEDIATE")
console.log(`held ${Date.now()}`)
await pause(Number(holdMs))
const untilMs = Date.now()
db.exec("ROLLBACK")
db.close()
console.log(`released ${untilMs}`)
