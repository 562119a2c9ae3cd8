/** Records that a newer program wrote into a store which the fence did not refuse. */
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import { projectFactVersions } from "@holdfast/schema/memory/version"
import { openInlineStore } from "../src/inline-store.ts"
import type { Command } from "../src/port.ts"
import { checksumOf } from "../src/sqlite/event-row.ts"
import { examineStore } from "../src/sqlite/examine.ts"
import { projectChecksum } from "../src/sqlite/memory/rows.ts"
import { place } from "./place.ts"
import { admit, create, promptId, sessionId } from "./records.ts"

const session = sessionId(1)

/** A closed store whose third event, the last, is the admission of a second prompt. */
const written = Effect.gen(function* () {
  const { file } = yield* place
  const store = yield* openInlineStore({ file })
  yield* store.commit(create(1))
  yield* store.commit(admit(1, 1))
  yield* store.commit(admit(1, 2))
  yield* store.close()
  return file
})

/** Says of the third event that it is of this type and version, with a checksum that fits. */
function retype(file: string, type: string, version: number): void {
  const db = new DatabaseSync(file)
  const row = db.prepare("SELECT seq, time, data FROM event WHERE seq = 3").get() as {
    readonly seq: number
    readonly time: number
    readonly data: string
  }
  const checksum = checksumOf(session, { ...row, type, version })
  db.prepare("UPDATE event SET type = ?, version = ?, checksum = ? WHERE seq = 3").run(
    type,
    version,
    checksum,
  )
  db.close()
}

const openInline = (file: string) =>
  Effect.acquireRelease(openInlineStore({ file }), (store) => Effect.ignore(store.close()))

describe("a store with a record of a newer program", () => {
  for (const [name, type, version] of [
    ["an unknown type", "prompt.sung", 1],
    ["a higher version", "prompt.admitted", 2],
  ] as const) {
    it.effect(`[ST1] answers reads of ${name} with \`newer\`, calls it no damage and loses nothing`, () =>
      Effect.gen(function* () {
        const file = yield* written
        retype(file, type, version)
        const store = yield* openInline(file)
        const reads: readonly Effect.Effect<unknown, { readonly code: string; readonly detail: string }>[] = [
          store.events(session, 0, 10),
          store.inbox(session),
          store.window(session),
          store.inspect(),
          store.rebuild(),
        ]
        for (const read of reads) {
          const failure = yield* Effect.flip(read)
          expect([failure.code, failure.detail]).toEqual(["newer", expect.stringContaining(type)])
        }
        expect((yield* store.events(session, 0, 2)).events).toHaveLength(2)
        yield* store.close()
        expect(examineStore(file)).toMatchObject({ events: 3, damage: [], failure: { code: "newer" } })
        retype(file, "prompt.admitted", 1)
        const after = yield* openInline(file)
        expect(yield* after.inspect()).toMatchObject({ damage: [], stale: [] })
        expect((yield* after.inbox(session)).map(({ id }) => id)).toEqual([promptId(1), promptId(2)])
      }),
    )
  }
})

describe("a project's log with a record of a newer program", () => {
  const root = "/p"
  const remember = {
    kind: "change-memory",
    project: { root, origin: null },
    time: 5_000,
    changes: ["a", "b"].map((text) => ({
      change: "write",
      category: "CONSTRAINTS",
      text,
      source: { by: "person", session: null, messages: [] },
      expiresAt: null,
      supersedes: [],
    })),
  } satisfies Command

  /** Says of the second event that it is of this type and version, with a checksum that fits. */
  function retypeProject(file: string, type: string, version: number): void {
    const db = new DatabaseSync(file)
    const row = db.prepare("SELECT project, seq, time, data FROM project_event WHERE seq = 2").get() as {
      readonly project: number
      readonly seq: number
      readonly time: number
      readonly data: string
    }
    const checksum = projectChecksum(row.project, { ...row, type, version })
    const sql = "UPDATE project_event SET type = ?, version = ?, checksum = ? WHERE seq = 2"
    db.prepare(sql).run(type, version, checksum)
    db.close()
  }

  for (const [name, type, version] of [
    ["an unknown type", "memory.sung", 1],
    ["a higher version", "memory.written", projectFactVersions["memory.written"] + 1],
  ] as const) {
    it.effect(`[ST1] answers reads of ${name} with \`newer\`, calls it no damage and loses nothing`, () =>
      Effect.gen(function* () {
        const { file } = yield* place
        const before = yield* openInline(file)
        yield* before.commit(remember)
        yield* before.close()
        retypeProject(file, type, version)
        const store = yield* openInline(file)
        for (const read of [store.memoryLog(root, 0, 10), store.inspect(), store.rebuild()]) {
          const failure = yield* Effect.flip(read as Effect.Effect<unknown, StoreFailure>)
          expect([failure.code, failure.detail]).toEqual(["newer", expect.stringContaining(type)])
        }
        expect(yield* store.memoryLog(root, 0, 1)).toHaveLength(1)
        expect((yield* store.memories(root, { limit: 10 })).memories).toHaveLength(2)
        yield* store.close()
        retypeProject(file, "memory.written", 1)
        const after = yield* openInline(file)
        yield* after.rebuild()
        expect(yield* after.inspect()).toMatchObject({ damage: [], stale: [] })
        expect((yield* after.memories(root, { limit: 10 })).memories.map(({ text }) => text)).toEqual([
          "a",
          "b",
        ])
      }),
    )
  }
})
