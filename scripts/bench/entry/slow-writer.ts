/**
 * Entry of a writer thread on a disk whose sync takes 10 ms more: the real writer, behind a COMMIT
 * that waits first.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"

const syncMs = 10
const clock = new Int32Array(new SharedArrayBuffer(4))
const prepare = DatabaseSync.prototype.prepare

DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given: Parameters<typeof prepare>) {
  const statement = prepare.apply(this, given)
  return given[0] === "COMMIT" ? slow(statement) : statement
}

function slow(statement: StatementSync): StatementSync {
  const run = statement.run.bind(statement)
  statement.run = () => {
    Atomics.wait(clock, 0, 0, syncMs)
    return run()
  }
  return statement
}

await import("@holdfast/store/thread/worker")
