/** The contract on a real runtime, endpoint by endpoint, in memory. */
import { Deferred, Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { openSurface, type Surface, type SurfaceOptions } from "./surface.ts"

const opened: Surface[] = []
const open = async (options?: SurfaceOptions): Promise<Surface> => {
  const surface = await openSurface(options)
  opened.push(surface)
  return surface
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((surface) => surface.close()))
})

const create = async (surface: Surface): Promise<string> => (await surface.post("/api/session", {})).json.id
const settled = (surface: Surface, session: string) => Effect.runPromise(surface.runtime.settled(session))

test("[EV1] health says that it is there, its version, and that of the contract", async () => {
  const answer = await (await open()).get("/api/health")
  expect(answer.status).toBe(200)
  expect(answer.json).toEqual({ healthy: true, version: "1.2.3", contract: "1.0", degraded: [] })
})

test("[CO2] the OpenAPI document lists the paths of the contract", async () => {
  const answer = await (await open()).get("/openapi.json")
  expect(answer.status).toBe(200)
  expect(Object.keys(answer.json.paths)).toContain("/api/session/{sessionID}/prompt")
})

describe("sessions.create", () => {
  test("[CO3] works in the instance's Location when none is given", async () => {
    const surface = await open()
    const answer = await surface.post("/api/session", {})
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject({
      id: expect.stringMatching(/^ses_/),
      location: { directory: surface.directory, projectRoot: surface.directory },
      title: null,
      model: null,
      policy: "settle",
      seq: 1,
      status: { state: "idle", owing: false, pending: 0 },
    })
  })

  test("takes directory, title, model and policy", async () => {
    const surface = await open()
    const given = {
      directory: surface.directory,
      title: "Mend the roof",
      model: "sim/script",
      policy: "continue",
    }
    const answer = await surface.post("/api/session", given)
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject({
      title: "Mend the roof",
      model: { provider: "sim", model: "script" },
      policy: "continue",
    })
  })

  test("[CO3] names a directory that is not there", async () => {
    const answer = await (await open()).post("/api/session", { directory: "/no/such/place" })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ _tag: "LocationMissing", directory: "/no/such/place" })
  })

  test("[CO3] starts relative directories at the instance's Location", async () => {
    const surface = await open()
    const there = await surface.post("/api/session", { directory: "." })
    expect(there.json.location.directory).toBe(surface.directory)
    const missing = await surface.post("/api/session", { directory: "attic" })
    expect(missing.json).toMatchObject({ _tag: "LocationMissing", directory: `${surface.directory}/attic` })
  })

  test("names a model that is not there", async () => {
    const answer = await (await open()).post("/api/session", { model: "sim/oracle" })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ _tag: "ModelNotFound", model: "oracle" })
  })
})

describe("sessions of one's own id", () => {
  test("[SS1] the same creation again is the same Session, and another is a conflict", async () => {
    const surface = await open()
    const given = { id: "ses_mine", title: "Mine" }
    const first = await surface.post("/api/session", given)
    const again = await surface.post("/api/session", given)
    expect([first.status, again.status, again.json]).toEqual([201, 201, first.json])
    const other = await surface.post("/api/session", { ...given, title: "Yours" })
    expect([other.status, other.json._tag]).toEqual([409, "SessionConflict"])
    const bad = await surface.post("/api/session", { id: "mine" })
    expect([bad.status, bad.json._tag]).toEqual([400, "InvalidId"])
    expect((await surface.get("/api/session")).json.items).toHaveLength(1)
  })
})

describe("sessions.fork", () => {
  test("[SS1] answers with a Session that begins with the same messages, once for each id", async () => {
    const surface = await open()
    const session = await create(surface)
    for (const text of ["One", "Two"]) {
      await surface.post(`/api/session/${session}/prompt`, { text })
      await settled(surface, session)
    }
    const { items } = (await surface.get(`/api/session/${session}/message`)).json
    const given = { messageID: items[1].id, id: "ses_fork", title: "Fork" }
    const made = await surface.post(`/api/session/${session}/fork`, given)
    expect(made.status).toBe(201)
    const origin = { kind: "fork", source: session, message: items[1].id }
    expect(made.json).toMatchObject({ id: "ses_fork", title: "Fork", turns: 1, origin })
    expect((await surface.post(`/api/session/${session}/fork`, given)).json).toEqual(made.json)
    const texts = (list: { id: string; text?: string }[]) => list.map(({ id, text }) => [id, text])
    const forked = (await surface.get("/api/session/ses_fork/message")).json.items
    expect(texts(forked)).toEqual(texts(items.slice(0, 2)))
    await surface.post("/api/session/ses_fork/prompt", { text: "Another way" })
    await settled(surface, "ses_fork")
    const verified = (await surface.get("/api/session/ses_fork/verify")).json.items
    expect(verified.map((turn: { verdict: object }) => turn.verdict)).toEqual([
      { kind: "same" },
      { kind: "same" },
    ])
    expect((await surface.get(`/api/session/${session}`)).json.turns).toBe(2)
  })

  test("[SS1] refuses what it cannot do, and says what", async () => {
    const surface = await open()
    const session = await create(surface)
    const tried = async (path: string, payload: object) => {
      const { status, json } = await surface.post(`/api/session/${path}/fork`, payload)
      return [status, json._tag]
    }
    expect(await tried("ses_none", {})).toEqual([404, "SessionNotFound"])
    expect(await tried(session, { messageID: "msg_none" })).toEqual([404, "MessageNotFound"])
    expect(await tried(session, { id: session })).toEqual([409, "SessionConflict"])
    expect(await tried(session, { id: "Fork!" })).toEqual([400, "InvalidId"])
    expect(await tried(session, { message: "msg_none" })).toEqual([400, "InvalidRequest"])
  })
})

describe("sessions.move", () => {
  test("[SS1 EP9] moves a Session to a directory that is there, also by a relative path", async () => {
    const surface = await open()
    const session = await create(surface)
    const move = (directory: string) => surface.post(`/api/session/${session}/move`, { directory })
    const { json: same } = await move(".")
    expect([same.seq, same.location.directory]).toEqual([1, surface.directory])
    expect((await move("other")).json).toMatchObject({
      _tag: "LocationUnknown",
      directory: surface.otherDirectory,
    })
    await surface.post("/api/location", { directory: "other" })
    const moved = await move("other")
    expect(moved.status).toBe(200)
    expect(moved.json).toMatchObject({ seq: 2, location: { directory: surface.otherDirectory } })
    expect((await move(surface.otherDirectory)).json).toEqual(moved.json)
    const missing = await move("attic")
    expect([missing.status, missing.json._tag]).toEqual([400, "LocationMissing"])
    await surface.post(`/api/session/${session}/prompt`, { text: "Where am I?" })
    await settled(surface, session)
    const history = (await surface.get(`/api/session/${session}/history`)).json.items
    expect(history.map((event: { fact: { type: string } }) => event.fact.type).slice(0, 4)).toEqual([
      "session.created",
      "session.moved",
      "prompt.admitted",
      "epoch.started",
    ])
  })
})

describe("sessions.archive", () => {
  test("[SS1] archived Sessions have a list of their own, with pages of its own", async () => {
    const surface = await open()
    const sessions: string[] = []
    for (let n = 0; n < 5; n++) sessions.push(await create(surface))
    const archive = (session: string | undefined, archived: boolean) =>
      surface.post(`/api/session/${session}/archive`, { archived })
    for (const at of [0, 2, 4]) expect((await archive(sessions[at], true)).json.archived).toBe(true)
    const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id)
    expect(ids((await surface.get("/api/session")).json)).toEqual([sessions[3], sessions[1]])
    const first = (await surface.get("/api/session?archived=true&limit=2")).json
    expect(ids(first)).toEqual([sessions[4], sessions[2]])
    const second = (await surface.get(`/api/session?cursor=${first.next}`)).json
    expect([ids(second), second.next]).toEqual([[sessions[0]], null])
    await surface.post(`/api/session/${sessions[2]}/prompt`, { text: "Are you there?" })
    expect((await archive(sessions[0], false)).json.archived).toBe(false)
    expect(ids((await surface.get("/api/session?archived=true")).json)).toEqual([sessions[4]])
    expect((await archive("ses_none", true)).json._tag).toBe("SessionNotFound")
  })
})

describe("sessions.prompt", () => {
  test("[PR1] answers with a receipt, and the Session goes on by itself", async () => {
    const surface = await open()
    const session = await create(surface)
    const answer = await surface.post(`/api/session/${session}/prompt`, { text: "Hello", id: "first" })
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      session,
      prompt: "first",
      admittedSeq: 2,
      delivery: "steer",
      state: "pending",
    })
    await settled(surface, session)
    const info = await surface.get(`/api/session/${session}`)
    expect(info.json).toMatchObject({ turns: 1, status: { state: "idle", owing: false, pending: 0 } })
  })

  test("[PR2] takes the same prompt again, and refuses its id with another text", async () => {
    const surface = await open()
    const session = await create(surface)
    const send = (text: string) =>
      surface.post(`/api/session/${session}/prompt`, { text, id: "first", resume: false })
    const first = await send("Hello")
    expect((await send("Hello")).json).toEqual(first.json)
    const conflict = await send("Goodbye")
    expect(conflict.status).toBe(409)
    expect(conflict.json).toMatchObject({ _tag: "PromptConflict", prompt: "first" })
  })

  test("[PR5] wakes the Session even if the caller hangs up during admission", async () => {
    const reached = Deferred.makeUnsafe<void>()
    const released = Deferred.makeUnsafe<void>()
    let held = false
    const surface = await open({
      gate: (commit) =>
        Effect.gen(function* () {
          if (held) {
            held = false
            yield* Deferred.succeed(reached, undefined)
            yield* Deferred.await(released)
          }
          return commit()
        }),
    })
    const session = await create(surface)
    const caller = new AbortController()
    held = true
    const answer = surface.call(`/api/session/${session}/prompt`, {
      method: "POST",
      payload: { text: "Hello" },
      signal: caller.signal,
    })
    await Effect.runPromise(Deferred.await(reached))
    caller.abort()
    await Effect.runPromise(Deferred.succeed(released, undefined))
    await answer
    await settled(surface, session)
    expect((await surface.get(`/api/session/${session}`)).json).toMatchObject({ turns: 1 })
  })
})

describe("sessions.interrupt and sessions.resume", () => {
  test("[DR3 PR8] stop a turn that runs, and take it up again", async () => {
    const asked = Deferred.makeUnsafe<void>()
    let patient = true
    const beforeAnswer = Effect.suspend(() =>
      patient ? Effect.andThen(Deferred.succeed(asked, undefined), Effect.never) : Effect.void,
    )
    const surface = await open({ beforeAnswer })
    const session = await create(surface)
    await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
    await Effect.runPromise(Deferred.await(asked))

    const interrupted = await surface.post(`/api/session/${session}/interrupt`)
    expect([interrupted.status, interrupted.text]).toEqual([204, ""])
    await settled(surface, session)
    expect((await surface.get(`/api/session/${session}`)).json.status).toMatchObject({
      state: "interrupted",
      owing: true,
    })

    patient = false
    const resumed = await surface.post(`/api/session/${session}/resume`)
    expect([resumed.status, resumed.json]).toEqual([200, { asks: [] }])
    await settled(surface, session)
    expect((await surface.get(`/api/session/${session}`)).json.status).toMatchObject({ owing: false })
  })

  test("[PR8] resume refuses a Session that owes nothing", async () => {
    const surface = await open()
    const session = await create(surface)
    const answer = await surface.post(`/api/session/${session}/resume`)
    expect(answer.status).toBe(409)
    expect(answer.json).toMatchObject({ _tag: "NothingOwed", session })
  })
})

describe("what a Session holds", () => {
  test("messages, events and turns are Pages of their values", async () => {
    const surface = await open()
    const session = await create(surface)
    await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
    await settled(surface, session)

    const messages = await surface.get(`/api/session/${session}/message`)
    expect(messages.json).toMatchObject({ next: null, previous: null })
    expect(messages.json.items).toMatchObject([
      { kind: "user", text: "Hello" },
      { kind: "assistant", parts: [{ index: 0, part: { type: "text", text: "Understood." } }] },
    ])
    const turns = await surface.get(`/api/session/${session}/turn`)
    expect(turns.json).toMatchObject({ next: null, previous: null })
    expect(turns.json.items).toMatchObject([
      { started: { type: "turn.started" }, settled: { type: "turn.settled", status: "done" } },
    ])
  })

  test("[EV1] history returns the durable events after a sequence, and ends", async () => {
    const surface = await open()
    const session = await create(surface)
    await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
    await settled(surface, session)
    const whole = await surface.get(`/api/session/${session}/history`)
    const { seq } = (await surface.get(`/api/session/${session}`)).json
    expect(whole.json.items.map((event: { seq: number }) => event.seq)).toEqual(
      Array.from({ length: seq }, (_, index) => index + 1),
    )
    expect(whole.json.items[0]).toMatchObject({ session, fact: { type: "session.created" } })
    const rest = await surface.get(`/api/session/${session}/history?after=2`)
    expect(rest.json.items).toEqual(whole.json.items.slice(2))
    const none = await surface.get(`/api/session/${session}/history?after=${seq}`)
    expect(none.json).toEqual({ items: [], next: null, previous: null })
  })
})

const paths = ["", "/message", "/history", "/turn"].map((path) => ["GET", path] as const)
const actions = ["/interrupt", "/resume", "/prompt"].map((path) => ["POST", path] as const)

test.each([...paths, ...actions])("%s %s of an unknown Session is SessionNotFound", async (method, path) => {
  const surface = await open()
  const payload = path === "/prompt" ? { payload: { text: "Hello" } } : {}
  const answer = await surface.call(`/api/session/ses_unknown${path}`, { method, ...payload })
  expect(answer.status).toBe(404)
  expect(answer.json).toMatchObject({ _tag: "SessionNotFound", session: "ses_unknown" })
})

test("a store that cannot answer is StoreFailure", async () => {
  const surface = await open()
  const session = await create(surface)
  await Effect.runPromise(surface.store.close())
  const answer = await surface.get(`/api/session/${session}`)
  expect(answer.status).toBe(503)
  expect(answer.json).toMatchObject({ _tag: "StoreFailure", code: "closed" })
})
