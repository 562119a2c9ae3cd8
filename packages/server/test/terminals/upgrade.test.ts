/** Who is let in with a WebSocket, judged from the address and the headers alone. */
import { beforeEach, expect, test } from "vitest"
import { Tickets } from "../../src/terminals/tickets.ts"
import { judgeUpgrade } from "../../src/terminals/upgrade.ts"

const host = "localhost:4096"
const page = `http://${host}`
let tickets: Tickets
let drawn = 0
beforeEach(() => {
  tickets = new Tickets({ nowMs: () => 0, secret: () => `ticket-${drawn++}` })
})

const policy = {
  isToken: () => false,
  allowedHosts: ["named.example"],
  allowedOrigins: ["https://app.example"],
}

const judge = (url: string, headers: Record<string, string>) =>
  judgeUpgrade({ url, headers }, { policy, tickets })

const fresh = (ptyID: string, origin: string | null = null) => tickets.issue({ ptyID, origin })

test("[PT1 AU1] lets in a program, a page of this host or of an allowed Origin, and one by an allowed name", () => {
  expect(judge(`/api/pty/pty_a/socket?ticket=${fresh("pty_a")}`, { host })).toEqual({
    ptyID: "pty_a",
    from: null,
  })
  const ofPage = `/api/pty/pty_a/socket?ticket=${fresh("pty_a", page)}&from=17`
  expect(judge(ofPage, { host, origin: page })).toEqual({ ptyID: "pty_a", from: 17 })
  const origin = "https://app.example"
  const ofApp = `/api/pty/pty_a/socket?ticket=${fresh("pty_a", origin)}`
  expect(judge(ofApp, { host, origin })).toEqual({ ptyID: "pty_a", from: null })
  const named = `/api/pty/pty_a/socket?ticket=${fresh("pty_a")}`
  expect(judge(named, { host: "named.example" })).toEqual({ ptyID: "pty_a", from: null })
})

test.each([
  ["no ticket", "/api/pty/pty_a/socket"],
  ["an empty one", "/api/pty/pty_a/socket?ticket="],
  ["a token in its place", "/api/pty/pty_a/socket?token=x"],
])("[AU1] refuses %s before anything else, also from a foreign page", (_, url) =>
  expect(judge(url, { host: "evil.example", origin: "https://evil.example" })).toMatchObject({
    _tag: "Unauthorized",
  }),
)

test.each([
  ["a foreign Host", { host: "evil.example:4096" }, "host"],
  ["no Host", {}, "host"],
  ["a foreign Origin", { host, origin: "https://evil.example" }, "origin"],
  ["an Origin of another port", { host, origin: "http://localhost:3000" }, "origin"],
  ["an Origin that hides", { host, origin: "null" }, "origin"],
] as const)("[AU1] refuses %s, whatever the ticket says, and leaves it unused", (_, headers, header) => {
  const ticket = fresh("pty_a", "origin" in headers ? headers.origin : null)
  const url = `/api/pty/pty_a/socket?ticket=${ticket}`
  expect(judge(url, headers as Record<string, string>)).toMatchObject({ _tag: "CallerRefused", header })
  expect(
    tickets.redeem(ticket, { ptyID: "pty_a", origin: "origin" in headers ? headers.origin : null }),
  ).toBe(true)
})

test("[PT1 AU1] refuses a ticket that was used, is another terminal's, or another Origin's", () => {
  const used = fresh("pty_a")
  judge(`/api/pty/pty_a/socket?ticket=${used}`, { host })
  const others = [
    judge(`/api/pty/pty_a/socket?ticket=${used}`, { host }),
    judge(`/api/pty/pty_b/socket?ticket=${fresh("pty_a")}`, { host }),
    judge(`/api/pty/pty_a/socket?ticket=${fresh("pty_a")}`, { host, origin: page }),
    judge(`/api/pty/pty_a/socket?ticket=${fresh("pty_a", page)}`, { host }),
    judge(`/api/pty/pty_%/socket?ticket=${fresh("pty_a")}`, { host }),
  ]
  expect(others.map((judged) => "_tag" in judged && judged._tag)).toEqual(others.map(() => "Unauthorized"))
})

test("[PT1] refuses a cursor that is none", () => {
  const url = `/api/pty/pty_a/socket?ticket=${fresh("pty_a")}&from=-1`
  expect(judge(url, { host })).toMatchObject({ _tag: "InvalidRequest", part: "query" })
})
