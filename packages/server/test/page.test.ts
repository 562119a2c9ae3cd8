/** Pages: walked both ways, continued by cursor alone, deaf to cursors that are not theirs. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SessionId } from "@holdfast/schema/id"
import { makeCursors } from "@holdfast/core/page/cursor"
import { forwardOnly, planPage, readPage, sequenceSource } from "@holdfast/core/page/page"
import { openSurface, type Surface, token } from "./surface.ts"

let surface: Surface
let busy: string
let other: string
let waiting: string

beforeAll(async () => {
  surface = await openSurface()
  for (const name of ["a", "b/c", "b/d"])
    await Effect.runPromise(surface.runtime.keepLocation({ directory: `/srv/${name}`, projectRoot: "/srv" }))
  mkdirSync(join(surface.directory, "folder/inner"), { recursive: true })
  for (const name of ["one", "two", "folder/three", "folder/inner/four"])
    writeFileSync(join(surface.directory, name), name)
  for (let i = 0; i < 5; i++) await surface.post("/api/session", { title: `Session ${i}` })
  busy = (await surface.post("/api/session", { title: "Session 5" })).json.id
  other = (await surface.post("/api/session", { title: "Session 6" })).json.id
  waiting = (await surface.post("/api/session", { title: "Session 7" })).json.id
  for (let i = 0; i < 6; i++)
    await surface.post(`/api/session/${waiting}/prompt`, { text: `Later ${i}`, resume: false })
  for (const session of [busy, other]) {
    for (let i = 0; i < 4; i++) {
      await surface.post(`/api/session/${session}/prompt`, { text: `Prompt ${i}` })
      await Effect.runPromise(surface.runtime.settled(session))
    }
  }
})
afterAll(() => surface.close())

interface Item {
  readonly id?: string
  readonly seq?: number
  readonly startedSeq?: number
}
interface Pages {
  readonly items: readonly Item[]
  readonly sizes: readonly number[]
  readonly last: string | null
}

const pagesMax = 100

/** Follows `next` or `previous` from a path until it ends. */
async function walk(path: string, first: string, link: "next" | "previous"): Promise<Pages> {
  const items: Item[][] = []
  let query: string | null = first
  let last: string | null = null
  while (query !== null) {
    if (items.length > pagesMax) throw new Error("the pages do not end")
    const { status, json } = await surface.get(`${path}${query}`)
    expect(status).toBe(200)
    items.push(json.items)
    last = json[link === "next" ? "previous" : "next"]
    query = json[link] === null ? null : `?cursor=${json[link]}`
  }
  const inOrder = link === "next" ? items : items.toReversed()
  return { items: inOrder.flat(), sizes: items.map((page) => page.length), last }
}

const lists: readonly (readonly [name: string, path: () => string])[] = [
  ["sessions", () => "/api/session"],
  ["messages", () => `/api/session/${busy}/message`],
  ["history", () => `/api/session/${busy}/history`],
  ["turns", () => `/api/session/${busy}/turn`],
  ["verify", () => `/api/session/${busy}/verify`],
  ["context", () => `/api/session/${busy}/context`],
  ["inbox", () => `/api/session/${waiting}/inbox`],
  ["locations", () => "/api/locations"],
  ["files", () => "/api/files"],
  ["found files", () => "/api/files/find"],
]

describe.each(lists)("%s", (_, path) => {
  test.each([1, 2, 3, 7])("[PG1 PG4] gives every item once, in order, by pages of %i", async (limit) => {
    const whole = (await surface.get(`${path()}?limit=200`)).json
    expect(whole).toMatchObject({ next: null, previous: null })
    expect(whole.items.length).toBeGreaterThan(3)

    const forward = await walk(path(), `?limit=${limit}`, "next")
    expect(forward.items).toEqual(whole.items)
    expect(forward.sizes.slice(0, -1).every((size) => size === limit)).toBe(true)
    expect(forward.sizes.at(-1)).toBeGreaterThan(0)
    if (forward.last === null) return

    const back = await walk(path(), `?cursor=${forward.last}`, "previous")
    expect(back.items).toEqual(whole.items.slice(0, -(forward.sizes.at(-1) ?? 0)))
    expect(back.sizes.slice(0, -1).every((size) => size === limit)).toBe(true)
  })
})

test.each([1, 3, 200])("[PG1] gives messages newest first, both ways, by pages of %i", async (limit) => {
  const path = `/api/session/${busy}/message`
  const whole = (await surface.get(`${path}?limit=200`)).json.items
  const forward = await walk(path, `?order=newest-first&limit=${limit}`, "next")
  expect(forward.items).toEqual(whole.toReversed())
  if (forward.last === null) return
  const back = await walk(path, `?cursor=${forward.last}`, "previous")
  expect(back.items).toEqual(whole.toReversed().slice(0, -(forward.sizes.at(-1) ?? 0)))
})

test("[PG1] keeps the start of a history on the way back", async () => {
  const path = `/api/session/${busy}/history`
  const forward = await walk(path, "?after=3&limit=4", "next")
  expect(forward.items[0]).toMatchObject({ seq: 4 })
  const back = await walk(path, `?cursor=${forward.last}`, "previous")
  expect(back.items[0]).toMatchObject({ seq: 4 })
})

test("[PG1] goes on where it was while Sessions are added", async () => {
  const first = (await surface.get("/api/session?limit=2")).json
  const added = (await surface.post("/api/session", { title: "Late" })).json.id
  const second = (await surface.get(`/api/session?cursor=${first.next}`)).json
  const back = (await surface.get(`/api/session?cursor=${second.previous}`)).json
  expect(back.items.map((item: Item) => item.id)).toEqual(first.items.map((item: Item) => item.id))
  const before = (await surface.get(`/api/session?cursor=${back.previous}`)).json
  expect(before.items.map((item: Item) => item.id)).toEqual([added])
  await Effect.runPromise(surface.runtime.remove(added))
})

test("[PG1] says so when the Session at a cursor's place was removed", async () => {
  const doomed = (await surface.post("/api/session", { title: "Doomed" })).json.id
  const { next } = (await surface.get("/api/session?limit=1")).json
  const { previous } = (await surface.get(`/api/session?cursor=${next}`)).json
  await Effect.runPromise(surface.runtime.remove(doomed))
  const gone = await surface.get(`/api/session?cursor=${next}`)
  expect([gone.status, gone.json._tag, gone.json.code]).toEqual([400, "InvalidCursor", "gone"])
  const first = (await surface.get(`/api/session?cursor=${previous}`)).json
  expect(first).toMatchObject({ items: [{ title: "Session 7" }], previous: null })
})

test("[PG1] says so too where a page before a Session that was removed is asked for", async () => {
  const doomed = (await surface.post("/api/session", { title: "Doomed" })).json.id
  const newer = (await surface.post("/api/session", { title: "Newer" })).json.id
  const { next } = (await surface.get("/api/session?limit=1")).json
  const { previous } = (await surface.get(`/api/session?cursor=${next}`)).json
  await Effect.runPromise(surface.runtime.remove(doomed))
  const gone = await surface.get(`/api/session?cursor=${previous}`)
  expect([gone.status, gone.json._tag, gone.json.code]).toEqual([400, "InvalidCursor", "gone"])
  await Effect.runPromise(surface.runtime.remove(newer))
})

test("[PG1] a continuation takes the cursor alone", async () => {
  const { next } = (await surface.get(`/api/session/${busy}/history?limit=2`)).json
  for (const more of ["limit=2", "after=1"]) {
    const answer = await surface.get(`/api/session/${busy}/history?cursor=${next}&${more}`)
    expect([answer.status, answer.json._tag, answer.json.part]).toEqual([400, "InvalidRequest", "query"])
  }
})

test("[PG1] a cursor of another list or Session is refused", async () => {
  const { next } = (await surface.get(`/api/session/${busy}/message?limit=2`)).json
  const wrong = [
    `/api/session/${other}/message`,
    `/api/session/${busy}/turn`,
    `/api/session/${busy}/context`,
    `/api/session/${busy}/verify`,
    `/api/session/${busy}/inbox`,
    "/api/session",
    "/api/active",
    "/api/locations",
    "/api/providers",
    "/api/models",
    "/api/files",
    "/api/files/find",
  ]
  for (const path of wrong) {
    const answer = await surface.get(`${path}?cursor=${next}`)
    expect([path, answer.status, answer.json._tag]).toEqual([path, 400, "InvalidCursor"])
    expect(answer.json.code).toBe("foreign")
  }
})

test("[PG1] a cursor that this server did not make is refused", async () => {
  const { next } = (await surface.get("/api/session?limit=2")).json as { next: string }
  const [body = "", seal = ""] = next.split(".")
  const place = {
    list: "sessions",
    session: null,
    size: 200,
    after: 0,
    system: false,
    order: "oldest-first",
    archived: false,
    direction: "next",
    anchor: other,
  } as const
  const larger = Buffer.from(JSON.stringify(place)).toString("base64url")
  const elsewhere = makeCursors("another token").seal({ ...place, anchor: SessionId.make(other) })
  const forged = ["", ".", "x", body, `${body}.`, `${larger}.${seal}`, `${body}.${seal}.`, `${body}.${seal}x`]
  // The last letter carries two bits; its neighbour in the alphabet stands for the same bytes.
  const spelt = next.slice(0, -1) + String.fromCharCode(next.charCodeAt(next.length - 1) + 1)
  expect(Buffer.from(spelt.slice(body.length + 1), "base64url")).toEqual(Buffer.from(seal, "base64url"))
  for (const cursor of [...forged, elsewhere, spelt, next.toUpperCase(), "\u0000", "💥".repeat(50)]) {
    const answer = await surface.get(`/api/session?cursor=${encodeURIComponent(cursor)}`)
    expect([cursor, answer.status, answer.json._tag]).toEqual([cursor, 400, "InvalidCursor"])
    expect(answer.json.code).toBe("unreadable")
  }
})

test("[PG1] a cursor survives the server that made it, as long as the token stays", () => {
  const query = { after: 0, system: false, order: "oldest-first", archived: false } as const
  const place = { list: "turns", session: busy, size: 2, ...query, direction: "previous", anchor: 7 } as const
  expect(makeCursors(token).open(makeCursors(token).seal(place))).toEqual(place)
})

test("[PG1 ST3] damaged items do not end a list early", async () => {
  const cursors = makeCursors(token)
  const sound = [1, 2, 5, 9, 10, 11, 16]
  // Answers as the store does: the limit counts damaged rows too, which are then left out.
  const read = (after: number, limit: number) => {
    const rows = Array.from({ length: 16 }, (_, index) => index + 1).filter((seq) => seq > after)
    return Effect.succeed(rows.slice(0, limit).filter((seq) => sound.includes(seq)))
  }
  const bySeq = (seq: number) => seq
  const source = sequenceSource({ after: 0, order: "oldest-first" }, bySeq, forwardOnly(bySeq, read))
  const page = (query: Parameters<typeof planPage>[3]) =>
    Effect.runSync(
      Effect.flatMap(planPage(cursors, "history", "ses_a", query), (start) =>
        readPage(cursors, start, source),
      ),
    )
  const first = page({ limit: 4 })
  expect(first.items).toEqual([1, 2, 5, 9])
  const second = page({ cursor: first.next! })
  expect([second.items, second.next]).toEqual([[10, 11, 16], null])
})
