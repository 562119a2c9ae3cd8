/** That a large blob is safe on disk before anything names it: the calls, in their order. */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { basename } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openDriver } from "../src/sqlite/driver.ts"
import { place } from "./place.ts"
import { acquire, admit, append, create } from "./records.ts"

it.effect("[PR1 ST3] syncs a file, names it, syncs its directory, and only then commits", () =>
  Effect.gen(function* () {
    const { file } = yield* place
    openDriver({ file, busyMs: 100 }).close()
    const driver = openDriver({ file, busyMs: 100 })
    const calls = yield* recordCalls
    const { db } = driver.connection
    const prepare = db.prepare.bind(db)
    db.prepare = (sql) => {
      const statement = prepare(sql)
      const run = statement.run.bind(statement)
      if (sql === "COMMIT")
        statement.run = () => {
          calls.push("commit")
          return run()
        }
      return statement
    }
    driver.apply([create(1), admit(1, "a"), acquire(1)])
    calls.length = 0
    const blob = { hash: "bb", bytes: new Uint8Array(2_000_000) }
    const [reply] = driver.apply([append(1, 1, [], { blobs: [blob] })]).replies
    expect(reply).toMatchObject({ ok: true })
    expect(calls).toEqual([
      "write bb.part",
      "sync bb.part",
      "rename bb.part bb",
      `sync ${basename(file)}.blobs`,
      "commit",
    ])
    driver.close()
  }),
)

/** What is done to files from now on, until the scope closes. */
const recordCalls = Effect.acquireRelease(
  Effect.sync(() => {
    const calls: string[] = []
    const names = new Map<number, string>()
    const { openSync, writeSync, fsyncSync, renameSync } = fs
    const record = (call: string) => {
      if (calls.at(-1) !== call) calls.push(call)
    }
    fs.openSync = (path, ...more) => {
      const handle = openSync(path, ...more)
      names.set(handle, basename(String(path)))
      return handle
    }
    fs.writeSync = ((handle: number, ...more: [Uint8Array, number]) => {
      record(`write ${names.get(handle)}`)
      return writeSync(handle, ...more)
    }) as typeof fs.writeSync
    fs.fsyncSync = (handle) => {
      record(`sync ${names.get(handle)}`)
      fsyncSync(handle)
    }
    fs.renameSync = (from, to) => {
      record(`rename ${basename(String(from))} ${basename(String(to))}`)
      renameSync(from, to)
    }
    syncBuiltinESMExports()
    return { calls, before: { openSync, writeSync, fsyncSync, renameSync } }
  }),
  ({ before }) =>
    Effect.sync(() => {
      Object.assign(fs, before)
      syncBuiltinESMExports()
    }),
).pipe(Effect.map(({ calls }) => calls))
