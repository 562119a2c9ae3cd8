/** What is told of the changes of a memory: what each made of it, and why where the log says so (MM1). */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { MemoryChange, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"
import type { MemoryEvent } from "@holdfast/schema/memory/told"
import { openInlineStore } from "@holdfast/store/inline-store"
import type { Store } from "@holdfast/store/port"
import { historyOfMemory } from "../../src/memory/detail.ts"
import { refusalText } from "../../src/memory/refusal.ts"

let folder = ""
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "holdfast-detail-"))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const m1 = "m1" as MemoryId
const from = (by: MemorySource["by"]): MemorySource => ({ by, session: null, messages: [] })

const written: MemoryChange = {
  change: "write",
  category: "ARCHITECTURE",
  text: "The port is 3.",
  source: from("person"),
  expiresAt: null,
  supersedes: [],
}
const updated = (by: MemorySource["by"], text: string): MemoryChange => ({
  change: "update",
  memory: m1,
  text,
  category: "ARCHITECTURE",
  expiresAt: null,
  source: from(by),
})

const told = (acts: (store: Store) => Effect.Effect<unknown, unknown>): Promise<readonly MemoryEvent[]> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* openInlineStore({ file: join(folder, "store.db") })
      yield* acts(store)
      const history = yield* historyOfMemory(store, "/work", m1)
      yield* store.close()
      return history
    }),
  )

const change = (store: Store, time: number, ...changes: readonly MemoryChange[]) =>
  store.commit({ kind: "change-memory", project: { root: "/work", origin: null }, time, changes })

test("[MM1] a change tells what it made of the memory, and what a run of the dreamer had made is told as taken back", async () => {
  const [, dreamt, back, own] = await told((store) =>
    Effect.gen(function* () {
      yield* change(store, 1, written)
      yield* change(store, 2, updated("dreamer", "Port 3."))
      yield* change(store, 3, updated("person", "The port is 3."))
      yield* change(store, 4, { ...updated("person", "The port is 4."), expiresAt: 9 } as MemoryChange)
    }),
  )
  expect(dreamt).toMatchObject({ text: "Port 3.", category: null, reason: null })
  expect(back).toMatchObject({
    text: "The port is 3.",
    category: null,
    reason: "It says again what it said before the dreamer changed it.",
  })
  expect([dreamt, back].map((event) => event !== undefined && "expiresAt" in event)).toEqual([false, false])
  expect(own).toMatchObject({ text: "The port is 4.", category: null, expiresAt: 9, reason: null })
})

test("[MM1] what a parting made of a memory is told as that", async () => {
  const settle = (store: Store, shares: string | null, time: number) =>
    store.commit({ kind: "settle-project", root: "/copy", shares, time })
  const history = await told((store) =>
    Effect.gen(function* () {
      yield* change(store, 1, written)
      yield* settle(store, "/work", 2)
      const project = { root: "/copy", origin: null }
      const changes = [updated("person", "The port is 4.")]
      yield* store.commit({ kind: "change-memory", project, time: 3, changes })
      yield* settle(store, null, 4)
    }),
  )
  expect(history.at(-1)).toMatchObject({
    change: "updated",
    text: "The port is 3.",
    category: null,
    reason: "A directory that shared this memory has parted from it.",
  })
  expect(history.map(({ change: made, reason }) => [made, reason === null])).toEqual([
    ["written", true],
    ["updated", true],
    ["updated", false],
  ])
})

test("[MM1] what is brought back tells in one change what it took the place of", async () => {
  const history = await told((store) =>
    Effect.gen(function* () {
      yield* change(store, 1, { ...written, text: "Use tabs." } as MemoryChange)
      yield* change(store, 2, { ...written, text: "Do not use tabs." } as MemoryChange)
      yield* change(store, 3, { change: "restore", memory: m1, source: from("person") })
    }),
  )
  expect(history.map((event) => [event.change, event.others])).toEqual([
    ["written", []],
    ["superseded", ["m2"]],
    ["restored", ["m2"]],
  ])
})

test("[MM1] a merge of one memory with itself says what it needs, and one of several categories what it lacks", () => {
  expect(refusalText({ problem: "categories" }, ["m9"])).toBe(
    "A merge needs two different memories or more, and m9 is one. Nothing was changed.",
  )
  expect(refusalText({ problem: "categories" }, ["m8", "m9"])).toMatch(
    /several categories\. Name the category/,
  )
})
