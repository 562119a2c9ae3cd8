/** Whatever the umask, files of the data directory are readable by their owner alone. */
import { hash } from "node:crypto"
import { chmodSync, readdirSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makePrivateDirectory } from "../src/data-file.ts"
import { openInlineStore } from "../src/inline-store.ts"
import { examineStore } from "../src/sqlite/examine.ts"
import { openThreadStore } from "../src/thread-store.ts"
import { place } from "./place.ts"
import { acquire, admit, append, create, promoted, turnStarted } from "./records.ts"

const large = Buffer.alloc(2_000_000, "large")
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Everything in the data directory with its mode. */
const modes = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(dirname(file), { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((name) => [name, modeOf(join(dirname(file), name))]),
  )

/** The umask is the process's own; it is put back whatever happens. */
const withUmask = (umask: number) =>
  Effect.acquireRelease(
    Effect.sync(() => process.umask(umask)),
    (before) => Effect.sync(() => process.umask(before)),
  )

const blobHash = hash("sha256", large)
const whole = {
  "holdfast.db": "600",
  "holdfast.db-shm": "600",
  "holdfast.db-wal": "600",
  "holdfast.db.blobs": "700",
  [`holdfast.db.blobs/${blobHash}`]: "600",
}

const write = Effect.fnUntraced(function* (file: string) {
  const store = yield* openThreadStore({ file })
  yield* store.commit(create(1))
  yield* store.commit(admit(1, 1))
  yield* store.commit(acquire(1))
  const blobs = [{ hash: blobHash, bytes: large }]
  yield* store.commit(append(1, 1, [promoted(1, 2), turnStarted(1)], { blobs }))
  return store
})

describe.skipIf(process.platform === "win32")("private files", () => {
  for (const umask of [0o000, 0o022, 0o277]) {
    it.effect(`are made so under the umask ${umask.toString(8)}, with their directories`, () =>
      Effect.gen(function* () {
        const { file } = yield* place
        const below = join(dirname(file), "a", "b", "holdfast.db")
        yield* withUmask(umask)
        const store = yield* write(below)
        expect(modes(below)).toEqual(whole)
        expect([modeOf(dirname(below)), modeOf(dirname(dirname(below)))]).toEqual(["700", "700"])
        yield* store.close()
      }),
    )
  }

  it.effect("become so when a store that others could read is opened for writing", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      yield* withUmask(0)
      const before = yield* write(file)
      const reader = new DatabaseSync(file)
      reader.prepare("SELECT count(*) FROM session").get() // keeps what SQLite has beside it
      yield* before.close()
      for (const name of ["", "-wal", "-shm"]) chmodSync(`${file}${name}`, 0o644)
      const store = yield* openInlineStore({ file })
      expect(modes(file)).toEqual(whole)
      reader.close()
      yield* store.close()
      expect(Object.keys(modes(file))).toEqual([
        "holdfast.db",
        "holdfast.db.blobs",
        `holdfast.db.blobs/${blobHash}`,
      ])
      const again = yield* openInlineStore({ file })
      yield* again.commit(create(2))
      expect(modes(file)).toEqual(whole)
      yield* again.close()
    }),
  )

  it.effect("stay as they are when a store is only examined", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      yield* (yield* write(file)).close()
      chmodSync(file, 0o644)
      examineStore(file)
      expect(modeOf(file)).toBe("644")
    }),
  )
})

describe("a private directory", () => {
  it.effect("is refused where a file is, and below one", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      yield* (yield* openInlineStore({ file })).close()
      expect(() => makePrivateDirectory(file)).toThrow("EEXIST")
      expect(() => makePrivateDirectory(join(file, "below", "it"))).toThrow("ENOTDIR")
      rmSync(file)
    }),
  )

  // Node's own recursive mkdir never comes back from here.
  it.skipIf(process.platform !== "linux")("is refused at once where none can be made", () => {
    expect(() => makePrivateDirectory("/proc/holdfast-none")).toThrow(/ENOENT|EACCES|EPERM/)
  })
})
