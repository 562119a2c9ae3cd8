/** Who is let in: token, Host and Origin, alone and together. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeHandler } from "../src/index.ts"
import { openSurface, type Surface, token } from "./surface.ts"

let surface: Surface
beforeAll(async () => {
  surface = await openSurface({
    handler: { allowedHosts: ["holdfast.example:443", "Box.example", "[2001:db8::7]"] },
  })
})
afterAll(() => surface.close())

type Case = [name: string, headers: Record<string, string | null>, status: number, tag?: string]

const letIn = 200
const cases: Case[] = [
  ["the token", {}, letIn],
  ["the token, scheme in small letters", { authorization: `bearer ${token}` }, letIn],
  ["no token", { authorization: null }, 401, "Unauthorized"],
  ["an empty header", { authorization: "" }, 401, "Unauthorized"],
  ["a scheme alone", { authorization: "Bearer " }, 401, "Unauthorized"],
  ["a wrong token", { authorization: "Bearer wrong" }, 401, "Unauthorized"],
  ["the beginning of the token", { authorization: `Bearer ${token.slice(0, -1)}` }, 401, "Unauthorized"],
  ["more than the token", { authorization: `Bearer ${token}x` }, 401, "Unauthorized"],
  ["the token twice", { authorization: `Bearer ${token}, Bearer ${token}` }, 401, "Unauthorized"],
  ["another scheme", { authorization: `Basic ${btoa(`:${token}`)}` }, 401, "Unauthorized"],
  ["Host localhost", { host: "localhost" }, letIn],
  ["Host LOCALHOST with a port", { host: "LOCALHOST:4096" }, letIn],
  ["Host 127.0.0.1 with a port", { host: "127.0.0.1:80" }, letIn],
  ["Host ::1 with a port", { host: "[::1]:4096" }, letIn],
  ["a Host that was allowed", { host: "holdfast.example:443" }, letIn],
  ["its name with another port", { host: "holdfast.example:444" }, 403, "CallerRefused"],
  ["a name that was allowed, with any port", { host: "box.example:4096" }, letIn],
  ["a name that was allowed, without a port", { host: "BOX.example" }, letIn],
  ["an address that was allowed", { host: "[2001:db8::7]:4096" }, letIn],
  ["a foreign Host below an allowed one", { host: "evil.box.example:4096" }, 403, "CallerRefused"],
  ["a foreign Host that begins like an allowed one", { host: "box.example.evil:80" }, 403, "CallerRefused"],
  ["an allowed name with what is no port", { host: "box.example:80:80" }, 403, "CallerRefused"],
  ["an allowed name without token", { host: "box.example", authorization: null }, 401, "Unauthorized"],
  ["a foreign Host", { host: "evil.example:4096" }, 403, "CallerRefused"],
  ["a foreign Host that begins like ours", { host: "localhost.evil.example" }, 403, "CallerRefused"],
  ["a foreign Host that ends like ours", { host: "evil-localhost" }, 403, "CallerRefused"],
  ["a Host with a user in front", { host: "evil@localhost" }, 403, "CallerRefused"],
  ["two Hosts", { host: "localhost, evil.example" }, 403, "CallerRefused"],
  ["an empty Host", { host: "" }, 403, "CallerRefused"],
  ["a foreign Host without token", { host: "evil.example", authorization: null }, 403, "CallerRefused"],
  ["its own Origin", { host: "localhost:4096", origin: "http://localhost:4096" }, letIn],
  [
    "its own Origin behind TLS",
    { host: "holdfast.example:443", origin: "https://holdfast.example:443" },
    letIn,
  ],
  [
    "another port's Origin",
    { host: "localhost:4096", origin: "http://localhost:3000" },
    403,
    "CallerRefused",
  ],
  [
    "another loopback name's Origin",
    { host: "localhost:1", origin: "http://127.0.0.1:1" },
    403,
    "CallerRefused",
  ],
  ["a foreign Origin", { origin: "https://evil.example" }, 403, "CallerRefused"],
  ["an Origin that hides", { origin: "null" }, 403, "CallerRefused"],
  ["an empty Origin", { origin: "" }, 403, "CallerRefused"],
]

describe.each(["/api/health", "/metrics"])("%s", (path) => {
  test.each(cases)("[AU1] judges a caller with %s", async (_, headers, status, tag) => {
    const answer = await surface.call(path, { headers })
    expect(answer.status).toBe(status)
    if (tag !== undefined) expect(answer.json).toMatchObject({ _tag: tag, message: expect.any(String) })
  })
})

test("[AU1] tells a caller without token nothing, not even which paths there are", async () => {
  for (const path of ["/api/session", "/api/session/ses_x/message", "/nothing/here", "/"]) {
    const answer = await surface.call(path, { headers: { authorization: null } })
    expect([path, answer.status, answer.json._tag]).toEqual([path, 401, "Unauthorized"])
  }
})

test("[AU1] changes nothing for a caller that is refused", async () => {
  for (const headers of [
    { authorization: "Bearer wrong" },
    { host: "evil.example" },
    { origin: "https://a.example" },
  ]) {
    const answer = await surface.call("/api/session", { method: "POST", payload: {}, headers })
    expect(answer.status).toBeGreaterThanOrEqual(401)
  }
  expect((await surface.get("/api/session")).json.items).toEqual([])
})

test("[AU1] takes the host from the address where there is no Host header", async () => {
  const authorization = `Bearer ${token}`
  const ask = (url: string) => surface.handler(new Request(url, { headers: { authorization } }))
  expect((await ask("http://127.0.0.1:9/api/health")).status).toBe(200)
  expect((await ask("http://evil.example/api/health")).status).toBe(403)
})

test("[AU1] cannot be opened without a token", () => {
  const options = { defaultDirectory: surface.directory, version: "1.2.3" }
  for (const empty of ["", " ", "two words"]) {
    expect(() => makeHandler(surface.runtime, { ...options, token: empty })).toThrow(/token/)
  }
})

test("[AU1] shows neither token nor key in any answer", async () => {
  const answers = [
    await surface.get("/openapi.json"),
    await surface.post("/api/session", {}),
    await surface.call("/api/health", { headers: { authorization: "Bearer wrong" } }),
    await surface.get(`/api/session?cursor=${token}`),
  ]
  for (const { text } of answers) expect(text).not.toMatch(new RegExp(`${token}|sk-never-shown`))
})
