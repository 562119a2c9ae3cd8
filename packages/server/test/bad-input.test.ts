/** Ids, queries and payloads that do not fit: each is a typed answer 4xx, never a defect. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openSurface, type Surface } from "./surface.ts"

let surface: Surface
let session: string
beforeAll(async () => {
  surface = await openSurface()
  session = (await surface.post("/api/session", {})).json.id
})
afterAll(async () => {
  expect(surface.defects).toEqual([])
  await surface.close()
})

const ids = [
  "x",
  "ses_",
  "SES_abc",
  "ses_ABC",
  "ses_a%2Fb",
  "ses_a%00",
  "%F0%9F%92%A5",
  "..%2F..",
  "prm_abc",
  "ses_a'--",
]
const routes = [
  ["GET", ""],
  ["GET", "/message"],
  ["GET", "/history"],
  ["GET", "/turn"],
  ["POST", "/prompt"],
  ["POST", "/interrupt"],
  ["POST", "/resume"],
] as const

describe.each(routes)("%s /api/session/…%s", (method, path) => {
  test.each([...ids, "a".repeat(1_000)])("the id %s is InvalidId", async (id) => {
    const payload = path === "/prompt" ? { payload: { text: "Hello" } } : {}
    const answer = await surface.call(`/api/session/${id}${path}`, { method, ...payload })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ _tag: "InvalidId", value: decodeURIComponent(id) })
  })
})

test.each([
  "limit=0",
  "limit=-1",
  "limit=201",
  "limit=1.5",
  "limit=1e2",
  "limit=0x10",
  "limit=",
  "limit=%20",
  "limit=ten",
  "limit=NaN",
  "limit=Infinity",
  "limit=99999999999999999999",
  "limit=1&limit=2",
  "after=-1",
  "after=",
  "after=1.5",
  "after=9".padEnd(40, "9"),
  "after=1&after=2",
  "cursor=a&cursor=b",
  "cursor=a&limit=2",
  "limt=2",
  "__proto__=1",
  "constructor=1",
])("the query %s is InvalidRequest", async (query) => {
  const answer = await surface.get(`/api/session/${session}/history?${query}`)
  expect(answer.status).toBe(400)
  expect(answer.json).toMatchObject({ _tag: "InvalidRequest", part: "query" })
  expect(answer.json.message).toMatch(
    /^(The field "\w+" must be |There is no field "\w+"\.|The query must be ).*[.?]$/,
  )
})

const text = '"text":"Hello"'
const payloads: readonly (readonly [path: string, raw: string, tag: string])[] = [
  ["/prompt", "", "InvalidRequest"],
  ["/prompt", "{", "InvalidRequest"],
  ["/prompt", "null", "InvalidRequest"],
  ["/prompt", "[]", "InvalidRequest"],
  ["/prompt", '"Hello"', "InvalidRequest"],
  ["/prompt", "{}", "InvalidRequest"],
  ["/prompt", '{"text":1}', "InvalidRequest"],
  ["/prompt", '{"text":null}', "InvalidRequest"],
  ["/prompt", `{${text},"delivery":"later"}`, "InvalidRequest"],
  ["/prompt", `{${text},"resume":"no"}`, "InvalidRequest"],
  ["/prompt", `{${text},"id":7}`, "InvalidRequest"],
  ["/prompt", `{${text},"id":null}`, "InvalidRequest"],
  ["/prompt", `{${text},"session":"ses_other"}`, "InvalidRequest"],
  ["/prompt", `{${text},"__proto__":{"a":1}}`, "InvalidRequest"],
  ["/prompt", `${"[".repeat(50_000)}${"]".repeat(50_000)}`, "InvalidRequest"],
  ["/prompt", `{${text},"id":""}`, "InvalidId"],
  ["/prompt", `{${text},"id":"-a"}`, "InvalidId"],
  ["/prompt", `{${text},"id":"${"a".repeat(129)}"}`, "InvalidId"],
  ["/prompt", `{${text},"id":"a\\u0000"}`, "InvalidId"],
  ["/prompt", '{"text":""}', "PromptRefused"],
  ["/prompt", '{"text":" \\n\\t"}', "PromptRefused"],
  ["/prompt", '{"text":"a\\u0000b"}', "PromptRefused"],
  ["/prompt", '{"text":"a\\ud800b"}', "PromptRefused"],
  ["", "", "InvalidRequest"],
  ["", "null", "InvalidRequest"],
  ["", "[]", "InvalidRequest"],
  ["", '{"directory":7}', "InvalidRequest"],
  ["", '{"directory":null}', "InvalidRequest"],
  ["", '{"directory":""}', "InvalidRequest"],
  ["", `{"directory":"/${"a".repeat(5_000)}"}`, "InvalidRequest"],
  ["", '{"directroy":"/tmp"}', "InvalidRequest"],
  ["", '{"title":7}', "InvalidRequest"],
  ["", `{"title":"${"a".repeat(1_001)}"}`, "InvalidRequest"],
  ["", '{"title":"a\\ud800b"}', "InvalidRequest"],
  ["", '{"model":{"provider":"sim","model":"script"}}', "InvalidRequest"],
  ["", '{"model":"sim"}', "ModelNotFound"],
  ["", '{"model":"/script"}', "ModelNotFound"],
  ["", '{"policy":"ignore"}', "InvalidRequest"],
  ["", '{"directory":"a\\u0000b"}', "LocationMissing"],
  ["", '{"model":"sim/oracle"}', "ModelNotFound"],
]

test.each(payloads)("POST /api/session…%s of %s is %s", async (path, raw, tag) => {
  const target = path === "" ? "/api/session" : `/api/session/${session}${path}`
  const answer = await surface.call(target, { method: "POST", raw })
  expect([answer.status, answer.json?._tag]).toEqual([400, tag])
  expect(answer.json.message.length).toBeLessThan(1_000)
})

test("refused input leaves nothing behind", async () => {
  expect((await surface.get("/api/session")).json.items).toHaveLength(1)
  expect((await surface.get(`/api/session/${session}`)).json).toMatchObject({
    seq: 1,
    status: { pending: 0 },
  })
})
