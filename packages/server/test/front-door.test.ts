/** What is answered when no endpoint answers: each in its typed form, none with a detail of ours. */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ServedRequest } from "../src/index.ts"
import { openSurface, type Call, type Surface, token } from "./surface.ts"

const limit = 2 * 1024 * 1024
/** Of a prompt, which may bring images. */
const promptLimit = 64 * 1024 * 1024

let surface: Surface
let session: string
beforeAll(async () => {
  surface = await openSurface()
  session = (await surface.post("/api/session", {})).json.id
})
afterAll(() => surface.close())

test.each([
  ["GET", "/"],
  ["GET", "/api"],
  ["GET", "/api/nothing"],
  ["DELETE", "/api/health"],
  ["PUT", "/api/session"],
  ["OPTIONS", "/api/session"],
  ["GET", "/api/session/ses_a/nothing"],
  ["GET", `/api/session/${"a".repeat(2_000)}`],
  ["GET", "/%zz"],
])("%s %s is RouteNotFound", async (method, path) => {
  const answer = await surface.call(path, { method })
  expect(answer.status).toBe(404)
  expect(answer.json).toEqual({ _tag: "RouteNotFound", message: expect.stringContaining("/openapi.json") })
})

test.each(["/API/health", "/api/Health", "/api/health/", "/api/session/ses_a/Message"])(
  "[CO1] %s is not a path of the contract",
  async (path) => {
    const answer = await surface.get(path)
    expect([answer.status, answer.json._tag]).toEqual([404, "RouteNotFound"])
  },
)

test("[CO1] what an operation takes nothing of is refused, and not passed over", async () => {
  const query = await surface.get("/api/health?verbose=true")
  expect(query.json).toMatchObject({ _tag: "InvalidRequest", part: "query" })
  const raw = '{"force":true}'
  const headers = { "content-length": String(raw.length) }
  const payload = await surface.call(`/api/session/${session}`, { method: "DELETE", raw, headers })
  expect(payload.json).toMatchObject({ _tag: "InvalidRequest", part: "payload" })
  const empty = { method: "POST", raw: "{}", headers: { "content-length": "2" } }
  expect((await surface.call(`/api/session/${session}/interrupt`, empty)).status).toBe(204)
  const unsized = { "transfer-encoding": "chunked" }
  const chunked = await surface.call(`/api/session/${session}/fold`, {
    method: "POST",
    raw,
    headers: unsized,
  })
  expect(chunked.json).toMatchObject({ _tag: "InvalidRequest", part: "payload" })
  expect((await surface.get(`/api/session/${session}`)).json.seq).toBe(1)
})

describe("a payload", () => {
  const prompt = (call: Call) => surface.call(`/api/session/${session}/prompt`, { method: "POST", ...call })
  const edit = (call: Call) => surface.call(`/api/session/${session}/inbox/one`, { method: "PATCH", ...call })
  const fill = (bytes: number) => `{"text":"${"a".repeat(bytes - 11)}"}`

  test("of the limit is read, and refused only as a prompt", async () => {
    const answer = await edit({ raw: fill(limit) })
    expect(answer.json).toMatchObject({ _tag: "PromptRefused", code: "too_long" })
  })

  test("of a prompt may be larger, since it brings images", async () => {
    const answer = await prompt({ raw: fill(2 * limit) })
    expect(answer.json).toMatchObject({ _tag: "PromptRefused", code: "too_long" })
  })

  const isRefused = async (send: typeof edit, call: Call, bytesMax: number) => {
    const answer = await send(call)
    expect(answer.status).toBe(413)
    const message = `This request holds at most ${bytesMax} bytes. Send less at once.`
    expect(answer.json).toEqual({ _tag: "RequestTooLarge", bytesMax, message })
  }

  test.each([
    ["that says its length", { raw: fill(limit + 1), headers: { "content-length": String(limit + 1) } }],
    ["that does not", { raw: fill(limit + 1) }],
    ["that lies about it", { raw: fill(limit + 1), headers: { "content-length": "20" } }],
  ])("above the limit %s is RequestTooLarge", (_, call) => isRefused(edit, call, limit))

  test.each([
    ["that says its length", { raw: "{}", headers: { "content-length": String(promptLimit + 1) } }],
    ["that does not", { raw: new Uint8Array(promptLimit + 1) }],
  ])("above the limit of a prompt %s is RequestTooLarge", (_, call) => isRefused(prompt, call, promptLimit))

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "x"])(
    "of type %s is ContentTypeRefused",
    async (type) => {
      const answer = await prompt({ raw: "{}", headers: { "content-type": type } })
      expect(answer.status).toBe(415)
      expect(answer.json).toMatchObject({ _tag: "ContentTypeRefused" })
    },
  )

  test("may name its character set, or no type at all", async () => {
    for (const type of ["application/json; charset=utf-8", "Application/JSON", null]) {
      const raw = new TextEncoder().encode('{"text":"Hello","resume":false}')
      const answer = await prompt({ raw, headers: { "content-type": type } })
      expect([type, answer.status]).toEqual([type, 200])
    }
  })
})

test("a defect is told by reference only, and to the operator in full", async () => {
  const broken = await openSurface({
    host: (runtime) => ({
      ...runtime,
      get: () => Effect.die(new Error("the cellar is flooded")),
      list: () => Effect.succeed([{ id: "no session at all" } as never]),
    }),
  })
  for (const path of ["/api/session/ses_a", "/api/session"]) {
    const answer = await broken.get(path)
    expect(answer.status).toBe(500)
    expect(answer.json).toEqual({
      _tag: "InternalFailure",
      ref: expect.stringMatching(/^[0-9a-f-]{36}$/),
      message: expect.any(String),
    })
    expect(answer.text).not.toMatch(/cellar|session at all|Error|\.ts/)
    expect(broken.defects.at(-1)?.ref).toBe(answer.json.ref)
  }
  expect(broken.defects[0]?.detail).toMatch(/GET \/api\/session\/ses_a\n[^]*the cellar is flooded/)
  await broken.close()
})

test("[AU1] what the operator is told of a defect holds no secret", async () => {
  const key = `sk-${"a1b2".repeat(6)}`
  const broken = await openSurface({
    host: (runtime) => ({
      ...runtime,
      get: () => Effect.die(new Error(`${key} was refused, Bearer abcdefghijklmnopqrstuvwx, ${token}`)),
    }),
  })
  await broken.get("/api/session/ses_a")
  expect(broken.defects[0]?.detail).toContain("[hidden] was refused, [hidden], [hidden]")
  for (const secret of [key, token, "abcdefghijklmnop"])
    expect(broken.defects[0]?.detail).not.toContain(secret)
  await broken.close()
})

test("each request is told by its pattern, its status and its time, and by nothing that it says", async () => {
  const told: ServedRequest[] = []
  const watched = await openSurface({ handler: { onRequest: (request) => told.push(request) } })
  await watched.post("/api/session", { title: "A secret plan" })
  await watched.get("/api/session/ses_none?secret=plan")
  await watched.call("/api/secret/plan", { headers: { authorization: null } })
  await watched.close()
  expect(told).toEqual([
    { method: "POST", route: "/api/session", status: 201, durationMs: expect.any(Number) },
    { method: "GET", route: "/api/session/:sessionID", status: 400, durationMs: expect.any(Number) },
    { method: "GET", route: "none", status: 401, durationMs: expect.any(Number) },
  ])
  expect(told.every(({ durationMs }) => durationMs > 0 && durationMs < 60_000)).toBe(true)
})
