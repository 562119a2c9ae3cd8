/** Health of an instance whose parts fail, and what then still works. */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import { StoreFailure } from "@holdfast/schema/error"
import type { Command, Store } from "@holdfast/store/port"
import { makeDegradations, watchWrites } from "@holdfast/core/health/degradation"
import { openSurface, type Surface } from "./surface.ts"

const opened: Surface[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((surface) => surface.close()))
})

const full = new StoreFailure({
  code: "full",
  message: "The disk is full. Make room, then try again.",
  outcomeUnknown: false,
  detail: "",
})

interface Disk {
  refuses: boolean
}

async function open(disk: Disk, sent: { count: number }): Promise<Surface> {
  const surface = await openSurface({
    beforeAnswer: Effect.sync(() => void sent.count++),
    replace: (store: Store): Store => ({
      ...store,
      commit: <C extends Command>(command: C) =>
        Effect.suspend(() => (disk.refuses ? Effect.fail(full) : store.commit(command))),
    }),
  })
  opened.push(surface)
  return surface
}

test("[FA1] a store that cannot write is named with cause and time, and clears when it can again", async () => {
  const disk: Disk = { refuses: false }
  const sent = { count: 0 }
  const surface = await open(disk, sent)
  const session: string = (await surface.post("/api/session", {})).json.id
  expect((await surface.get("/api/health")).json).toEqual({
    healthy: true,
    version: "1.2.3",
    contract: "1.0",
    degraded: [],
  })

  disk.refuses = true
  const before = Date.now()
  const refused = await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
  expect([refused.status, refused.json._tag, refused.json.code]).toEqual([503, "StoreFailure", "full"])
  const { healthy, degraded } = (await surface.get("/api/health")).json
  expect(healthy).toBe(false)
  expect(degraded).toEqual([{ part: "storage/write", cause: full.message, since: expect.any(Number) }])
  expect(degraded[0].since).toBeGreaterThanOrEqual(before)
  await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
  expect((await surface.get("/api/health")).json.degraded).toEqual(degraded)
  // Nothing was sent to a provider, and what is stored can still be read.
  expect(sent.count).toBe(0)
  expect((await surface.get(`/api/session/${session}`)).status).toBe(200)

  disk.refuses = false
  await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
  expect((await surface.get("/api/health")).json).toMatchObject({ healthy: true, degraded: [] })
})

test("[FA1] a store that fails under a pending prompt sends nothing and keeps it", async () => {
  const disk: Disk = { refuses: false }
  const sent = { count: 0 }
  const surface = await open(disk, sent)
  const session: string = (await surface.post("/api/session", {})).json.id
  await surface.post(`/api/session/${session}/prompt`, { text: "Hello", resume: false })
  disk.refuses = true
  await surface.post(`/api/session/${session}/resume`)
  await Effect.runPromise(surface.runtime.settled(session))
  expect(sent.count).toBe(0)
  expect((await surface.get(`/api/session/${session}/inbox`)).json.items).toMatchObject([{ text: "Hello" }])
  disk.refuses = false
  await surface.post(`/api/session/${session}/resume`)
  await surface.get(`/api/session/${session}/wait`)
  expect(sent.count).toBe(1)
})

test("[FA1] a store that cannot be read is named too", async () => {
  const surface = await open({ refuses: false }, { count: 0 })
  await Effect.runPromise(surface.store.close())
  const { healthy, degraded } = (await surface.get("/api/health")).json
  expect([healthy, degraded.map(({ part }: { part: string }) => part)]).toEqual([false, ["storage/read"]])
})

test("[FA1] a part that keeps failing keeps the time of its first failure, and a bad command is no failure of storage", async () => {
  const degradations = makeDegradations()
  await Effect.runPromise(degradations.report("index", "first"))
  const [first] = degradations.list()
  await Effect.runPromise(degradations.report("index", "second"))
  expect(degradations.list()).toEqual([{ part: "index", cause: "second", since: first?.since }])
  degradations.clear("index")
  const mismatch = new StoreFailure({ code: "mismatch", message: "", outcomeUnknown: false, detail: "" })
  const store = watchWrites({ commit: () => Effect.fail(mismatch) } as unknown as Store, degradations)
  await Effect.runPromise(Effect.flip(store.commit({ kind: "delete-session", session: "ses_1" as never })))
  expect(degradations.list()).toEqual([])
})
