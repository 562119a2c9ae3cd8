/** Pages of other origins: which may send a request, and what a browser is told about it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fill, routes } from "./routes.ts"
import { openSurface, type Surface } from "./surface.ts"

const allowed = "https://app.example"
const other = "http://localhost:5173"
const preflight = { origin: allowed, "access-control-request-method": "POST", authorization: null }

let surface: Surface
let closed: Surface
beforeAll(async () => {
  surface = await openSurface({ handler: { allowedOrigins: [allowed, other] } })
  closed = await openSurface()
})
afterAll(() => Promise.all([surface.close(), closed.close()]))

const ask = (headers: Record<string, string | null>, path = "/api/session", on = surface) =>
  on.call(path, { method: "OPTIONS", headers })

type Row = [what: string, headers: Record<string, string | null>, status: number, tag: string | null]

describe("a preflight", () => {
  const rows: readonly Row[] = [
    ["of an allowed page", preflight, 204, null],
    ["of the other allowed page", { ...preflight, origin: other }, 204, null],
    ["whose origin is written in capitals", { ...preflight, origin: "HTTPS://APP.example" }, 204, null],
    ["with a wrong token", { ...preflight, authorization: "Bearer wrong" }, 204, null],
    ["of a foreign page", { ...preflight, origin: "https://evil.example" }, 403, "CallerRefused"],
    ["of the same name over http", { ...preflight, origin: "http://app.example" }, 403, "CallerRefused"],
    ["of another port", { ...preflight, origin: `${allowed}:8443` }, 403, "CallerRefused"],
    ["of a name below", { ...preflight, origin: "https://evil.app.example" }, 403, "CallerRefused"],
    ["of a name that begins alike", { ...preflight, origin: `${allowed}.evil` }, 403, "CallerRefused"],
    ["of a page that hides", { ...preflight, origin: "null" }, 403, "CallerRefused"],
    [
      "of two pages at once",
      { ...preflight, origin: `${allowed}, https://evil.example` },
      403,
      "CallerRefused",
    ],
    ["by a foreign Host", { ...preflight, host: "evil.example" }, 403, "CallerRefused"],
    ["without an origin", { ...preflight, origin: null }, 401, "Unauthorized"],
    ["that asks for no method", { ...preflight, "access-control-request-method": null }, 401, "Unauthorized"],
  ]
  test.each(rows)("[AU1] %s is answered, or refused", async (_, headers, status, tag) => {
    const answer = await ask(headers)
    expect([answer.status, answer.json?._tag ?? null]).toEqual([status, tag])
    // A page that was allowed may read why its request was refused.
    const { origin = null } = headers
    const reads = [allowed, other].includes(origin?.toLowerCase() ?? "") ? origin : null
    expect(answer.headers.get("access-control-allow-origin")).toBe(reads)
  })

  test("[AU1] is told what it may send, and for how long that holds", async () => {
    const { headers, text } = await ask(preflight)
    expect(text).toBe("")
    expect(Object.fromEntries(headers)).toMatchObject({
      "access-control-allow-origin": allowed,
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers":
        "authorization, content-type, if-none-match, last-event-id, traceparent, holdfast-contract",
      "access-control-max-age": "600",
      vary: "origin",
    })
    expect(headers.has("access-control-allow-credentials")).toBe(false)
  })

  test.each(routes)(
    "[AU1] of $name is answered without a token, and does nothing",
    async ({ path, method }) => {
      const at = fill(path, {
        sessionID: "ses_none",
        promptID: "p",
        messageID: "m",
        turnID: "t",
        handle: "h",
      })
      const answer = await ask({ ...preflight, "access-control-request-method": method }, at)
      expect(answer.status).toBe(204)
      const methods = answer.headers.get("access-control-allow-methods")?.split(", ")
      expect(methods).toContain(method)
    },
  )

  test("[AU1] is refused where no origin was allowed", async () => {
    const answer = await ask(preflight, "/api/session", closed)
    expect([answer.status, answer.json._tag]).toEqual([403, "CallerRefused"])
    expect(answer.json.message).toContain("--allowed-origin")
    expect(answer.headers.has("vary")).toBe(false)
  })
})

describe("a request", () => {
  const rows: readonly Row[] = [
    ["of an allowed page", { origin: allowed }, 200, null],
    ["of an allowed page without a token", { origin: allowed, authorization: null }, 401, "Unauthorized"],
    ["of a foreign page", { origin: "https://evil.example" }, 403, "CallerRefused"],
    ["of the server's own page", { host: "localhost:4096", origin: "http://localhost:4096" }, 200, null],
    ["of no page", {}, 200, null],
  ]
  test.each(rows)(
    "[AU1] %s is let in or not, and only an allowed page may read the answer",
    async (_, headers, status, tag) => {
      const answer = await surface.call("/api/session", { headers })
      expect([answer.status, answer.json._tag ?? null]).toEqual([status, tag])
      const reads = headers["origin"] === allowed ? allowed : null
      expect(answer.headers.get("access-control-allow-origin")).toBe(reads)
      expect(answer.headers.get("access-control-expose-headers")).toBe(
        reads === null ? null : "etag, www-authenticate, holdfast-media, holdfast-file",
      )
      expect(answer.headers.get("vary")).toBe("origin")
    },
  )

  test("[AU1] of an allowed page may read what went wrong, and streams", async () => {
    const headers = { origin: allowed }
    const missing = await surface.call("/api/session/ses_none", { headers })
    expect([missing.status, missing.headers.get("access-control-allow-origin")]).toEqual([404, allowed])
    const response = await surface.handler(
      new Request("http://localhost:4096/api/event", {
        headers: { ...headers, authorization: "Bearer token-for-tests" },
      }),
    )
    expect(response.headers.get("access-control-allow-origin")).toBe(allowed)
    await response.body?.cancel()
  })
})
