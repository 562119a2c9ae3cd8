/** The index reads behind the commits: when it does, how far it may stay behind, and what its damage costs (SE2, FA1). */
import { createHash } from "node:crypto"
import { readdirSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, test } from "@effect/vitest"
import { Effect } from "effect"
import type { Fact } from "@holdfast/schema/event"
import { openInlineStore } from "../../src/inline-store.ts"
import type { Command, Store } from "../../src/port.ts"
import { openReadOnlyStore } from "../../src/read-only-store.ts"
import { blobDirectory } from "../../src/sqlite/blob.ts"
import { openDriver } from "../../src/sqlite/driver.ts"
import { embeddingStep } from "../../src/sqlite/search/vectors.ts"
import { openThreadStore } from "../../src/thread-store.ts"
import { makePlace, place } from "../place.ts"
import {
  acquire,
  admit,
  append,
  create,
  fork,
  partRecorded,
  promoted,
  sessionId,
  textPart,
  turnSettled,
  turnStarted,
} from "../records.ts"

const session = sessionId(1)

/** A driver with one Session and an open turn, and what of it stands in the index. */
function opened() {
  const { file, dispose } = makePlace()
  const driver = openDriver({ file, busyMs: 100 })
  const apply = (...commands: Command[]): void => {
    for (const reply of driver.apply(commands).replies) expect(reply).toHaveProperty("outcome")
  }
  let parts = 0
  const say = (...texts: string[]): void =>
    apply(
      append(
        1,
        1,
        texts.map((text): Fact => partRecorded(1, parts++, textPart(text))),
      ),
    )
  const units = (): number =>
    driver.connection.get<{ units: number }>("SELECT count(*) AS units FROM unit")?.units ?? 0
  apply(create(1), acquire(1), append(1, 1, [turnStarted(1)]))
  return { file, driver, apply, say, units, dispose }
}

const release = (): Command => ({ kind: "release", session, token: 1, whenIdle: false })

const longText = (name: string, characters: number): string =>
  `${name} ${"word ".repeat(characters / 5)}`.slice(0, characters)
const megabyte = 1_048_576

describe("an index behind its commits", () => {
  test("[SE2] is read on when the store rests, and not by a commit", () => {
    const { driver, say, units, dispose } = opened()
    say("a walrus", "a heron")
    driver.maintain("between-batches")
    expect(units()).toBe(0)
    while (driver.maintain("idle"));
    expect(units()).toBe(2)
    driver.close()
    dispose()
  })

  test("[SE2] is read on between commits where much was said, a piece at a time", () => {
    const { driver, say, units, dispose } = opened()
    for (let n = 0; n < 5; n++) say(longText(`walrus${n}`, megabyte))
    driver.maintain("between-batches")
    const first = units()
    expect(first).toBeGreaterThan(0)
    driver.maintain("between-batches")
    expect(units()).toBeGreaterThan(first)
    driver.close()
    dispose()
  })

  test("[SE2] stays no further behind than sixteen megabytes, however much is said", () => {
    const { driver, say, units, dispose } = opened()
    const texts = Array.from({ length: 8 }, () => longText("walrus", 60_000))
    for (let n = 0; n < 64; n++) {
      say(...texts)
      driver.maintain("between-batches")
    }
    // Thirty megabytes, four units for each text.
    expect(units()).toBeGreaterThan(700)
    driver.close()
    dispose()
  })

  test("[SE2] is whole when the store is closed", () => {
    const { file, driver, say, dispose } = opened()
    for (let n = 0; n < 100; n++) {
      say(`walrus ${n}`)
      driver.maintain("between-batches")
    }
    say(...Array.from({ length: 1_200 }, (_, n) => `heron ${n}`))
    driver.close()
    const again = new DatabaseSync(file)
    expect(again.prepare("SELECT count(*) AS units FROM unit").get()).toEqual({ units: 1_300 })
    expect(again.prepare("SELECT count(*) AS left FROM unindexed").get()).toEqual({ left: 0 })
    again.close()
    dispose()
  })

  test("[SE2] has all of a fork when the store is closed", () => {
    const { file, driver, apply, say, dispose } = opened()
    say(...Array.from({ length: 40 }, (_, n) => `walrus ${n}`))
    apply(append(1, 1, [turnSettled(1)]))
    driver.close()
    const forking = openDriver({ file, busyMs: 100 })
    expect(forking.apply([fork(2, 1)]).replies[0]).toHaveProperty("outcome")
    forking.close()
    const again = new DatabaseSync(file)
    expect(again.prepare("SELECT session, count(*) AS units FROM unit GROUP BY session").all()).toEqual([
      { session: 1, units: 40 },
      { session: expect.any(Number) as number, units: 40 },
    ])
    again.close()
    dispose()
  })

  test("[SE2] reads what was said last before the log of an older store", () => {
    const { driver, apply, say, dispose } = opened()
    say(...Array.from({ length: 200 }, (_, n) => `walrus ${n}`))
    apply(create(2), acquire(2), append(2, 1, [turnStarted(2), partRecorded(2, 0, textPart("a heron"))]))
    driver.maintain("idle")
    expect(driver.connection.get("SELECT seq FROM unit WHERE session = 2")).toEqual({ seq: 3 })
    driver.close()
    dispose()
  })

  test("[SE2] has what it has not read yet embedded later, and none of it is passed over", () => {
    const { driver, apply, say, dispose } = opened()
    say("a walrus", "a heron")
    const choice = { model: "local", chunkCharacters: 1_000 }
    apply({ kind: "ask-embedding", of: { session }, ...choice })
    expect(embeddingStep(driver.connection, ["local"])).toMatchObject({ through: 2, units: [] })
    while (driver.maintain("idle"));
    expect(embeddingStep(driver.connection, ["local"])?.units).toMatchObject([
      { text: "a walrus" },
      { text: "a heron" },
    ])
    driver.close()
    dispose()
  })

  it.effect("[SE2] says what it lacks where nobody can write it on", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const store = yield* openThreadStore({ file })
      yield* said(store, "a walrus")
      const reader = yield* openReadOnlyStore(file)
      expect(yield* asked(reader, "walrus")).toEqual({ seqs: [], unindexed: 1 })
      expect(yield* asked(store, "walrus")).toEqual({ seqs: [3], unindexed: 0 })
      expect(yield* asked(reader, "walrus")).toEqual({ seqs: [3], unindexed: 0 })
      yield* reader.close()
      yield* store.close()
    }),
  )
})

const said = Effect.fnUntraced(function* (store: Store, ...texts: string[]) {
  yield* store.commit(create(1))
  yield* store.commit(acquire(1))
  const parts = texts.map((text, n): Fact => partRecorded(1, n, textPart(text)))
  yield* store.commit(append(1, 1, [turnStarted(1), ...parts]))
})

const asked = (store: Store, word: string) =>
  Effect.map(
    store.search({ words: [word], phrases: [], projectRoot: null, limit: 20 }),
    ({ hits, unindexed }) => ({
      seqs: hits.flatMap(({ seq, score }) => (score > 0 ? [seq] : [])).toSorted((a, b) => a - b),
      unindexed,
    }),
  )

/** As a disk may leave it. */
function damage(file: string, table = "word_data"): void {
  const db = new DatabaseSync(file, { defensive: false })
  db.exec(`UPDATE ${table} SET block = x'ffffffffffff'`)
  db.close()
}

function integrity(file: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true })
  const found = db.prepare("PRAGMA integrity_check").get()?.["integrity_check"]
  db.close()
  return found
}

describe.each([
  ["inline", openInlineStore],
  ["on a writer thread", openThreadStore],
] as const)("an index that is damaged, %s", (_, open) => {
  it.effect("[FA1] keeps nothing from being committed, and is made anew for whoever searches", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const before = yield* open({ file })
      yield* said(before, "a walrus", "a heron")
      yield* before.close()
      damage(file)
      const store = yield* open({ file })
      yield* store.commit(append(1, 1, [partRecorded(1, 2, textPart("another walrus"))]))
      // The words of a unit count a little for the next one, too.
      expect(yield* asked(store, "walrus")).toEqual({ seqs: [3, 4, 5], unindexed: 0 })
      expect(yield* asked(store, "heron")).toEqual({ seqs: [4, 5], unindexed: 0 })
      yield* store.close()
      expect(integrity(file)).toBe("ok")
    }),
  )

  it.effect("[FA1] is made anew by a rebuild of the store", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const before = yield* open({ file })
      yield* said(before, "a walrus")
      yield* before.close()
      damage(file)
      const store = yield* open({ file })
      yield* store.rebuild()
      expect(integrity(file)).toBe("ok")
      expect(yield* asked(store, "walrus")).toEqual({ seqs: [3], unindexed: 0 })
      yield* store.close()
    }),
  )

  it.effect("[FA1] is made anew where nothing was said since", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const before = yield* open({ file })
      yield* said(before, "a walrus")
      yield* before.close()
      damage(file)
      const store = yield* open({ file })
      expect(yield* asked(store, "walrus")).toEqual({ seqs: [3], unindexed: 0 })
      yield* store.close()
    }),
  )
})

describe.each([
  ["no JSON any more", "UPDATE event SET data = 'x' WHERE session = 1 AND seq = 3"],
  [
    "of another shape",
    "UPDATE event SET data = replace(data, '\"part\"', '\"qart\"') WHERE session = 1 AND seq = 3",
  ],
])("a record that is %s", (_, sql) => {
  test("[FA1 ST3] says nothing, and the index reads on behind it", () => {
    const { driver, apply, say, units, dispose } = opened()
    say("a walrus", "a heron")
    apply(create(2), acquire(2), append(2, 1, [turnStarted(2), partRecorded(2, 0, textPart("a pelican"))]))
    driver.connection.db.exec(sql)
    while (driver.maintain("idle"));
    expect(units()).toBe(2)
    expect(driver.connection.get("SELECT count(*) AS left FROM unindexed")).toEqual({ left: 0 })
    driver.close()
    dispose()
  })
})

test("[FA1 ST3] a prompt whose words are damaged says nothing, and what is said behind it is found", () => {
  const { driver, apply, units, dispose } = opened()
  apply(create(2), admit(2, 1), acquire(2))
  apply(append(2, 1, [promoted(1, 2), turnStarted(2), partRecorded(2, 0, textPart("a pelican"))]))
  driver.connection.db.exec("UPDATE event SET data = 'x' WHERE session = 2 AND seq = 2")
  while (driver.maintain("idle"));
  expect(units()).toBe(1)
  driver.close()
  dispose()
})

test("[FA1 ST3] a log whose last records are gone is read to its end", () => {
  const { driver, say, units, dispose } = opened()
  say("a walrus", "a heron")
  driver.connection.db.exec("DELETE FROM event WHERE session = 1 AND seq = 4")
  expect(driver.maintain("idle")).toBe(false)
  expect(units()).toBe(1)
  driver.close()
  dispose()
})

test("[FA1 ST3] where the index cannot be read on, the log beside the store is written back all the same, and what was deleted is given back", () => {
  const { file, driver, apply, say, dispose } = opened()
  const { connection } = driver
  const bytes = new Uint8Array(3_000_000)
  const hash = createHash("sha256").update(bytes).digest("hex")
  apply({ ...append(1, 1, []), blobs: [{ hash, bytes }] }, create(2))
  connection.db.exec("CREATE TRIGGER broken BEFORE INSERT ON unit BEGIN SELECT json('x'); END")
  for (let n = 0; n < 1_500; n++) {
    say("a walrus")
    if (n % 100 === 0) driver.maintain("idle")
    else driver.maintain("between-batches")
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(12_000_000)
  apply(release(), { kind: "delete-session", session })
  while (driver.maintain("idle"));
  expect(readdirSync(blobDirectory(file))).toEqual([])
  connection.db.exec("DROP TRIGGER broken")
  driver.close()
  dispose()
})

test("[FA1] a Session whose words cannot be taken out of a damaged index is deleted all the same, and its neighbours are found", () => {
  const { driver, apply, say, units, dispose, file } = opened()
  say("a walrus")
  apply(create(2), acquire(2), append(2, 1, [turnStarted(2), partRecorded(2, 0, textPart("a pelican"))]))
  while (driver.maintain("idle"));
  damage(file)
  apply(release())
  apply({ kind: "delete-session", session }, create(3))
  while (driver.maintain("idle"));
  expect(units()).toBe(1)
  expect(integrity(file)).toBe("ok")
  driver.close()
  dispose()
})

it.effect(
  "[FA1 SE3] an index that is made anew keeps the numbers of its units and their vectors, and the words of commits",
  () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const store = yield* openInlineStore({ file })
      yield* said(store, ...Array.from({ length: 200 }, (_, n) => `walrus ${n}`))
      const commit = { hash: "a".repeat(40), time: 1, text: "Feed the pelican" }
      yield* store.commit({ kind: "write-commits", root: "/p", commits: [commit], gone: [] })
      yield* asked(store, "walrus")
      const db = new DatabaseSync(file)
      db.exec(
        "INSERT INTO vector (unit, chunk, model, dimension, bits, data) VALUES (7, 0, 'local', 1, x'00', x'0000')",
      )
      const before = db.prepare("SELECT * FROM unit ORDER BY id").all()
      damage(file, "git_word_data")
      expect(yield* store.searchCommits(null, ["pelican"], 5)).toMatchObject([{ hash: commit.hash }])
      damage(file)
      const hits = yield* store.search({ words: ["walrus"], phrases: [], projectRoot: null, limit: 300 })
      expect({ hits: hits.hits.length, unindexed: hits.unindexed }).toEqual({ hits: 200, unindexed: 0 })
      expect(db.prepare("SELECT * FROM unit ORDER BY id").all()).toEqual(before)
      expect(db.prepare("SELECT unit FROM vector").all()).toEqual([{ unit: 7 }])
      expect(db.prepare("INSERT INTO word (word) VALUES ('integrity-check')").run().changes).toBeDefined()
      db.close()
      yield* store.close()
    }),
)

test("[FA1] an index that is damaged is made anew when the store rests", () => {
  const { driver, say, units, dispose, file } = opened()
  say("a walrus")
  while (driver.maintain("idle"));
  damage(file)
  say("a heron")
  while (driver.maintain("idle"));
  expect(units()).toBe(2)
  expect(integrity(file)).toBe("ok")
  driver.close()
  dispose()
})
