/**
 * Every route of the contract, found by reflection: who is let in, and what bad input meets. A
 * refusal is a typed answer 4xx, and leaves every row of the store as it was.
 */
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fill, type Route, routes } from "./routes.ts"
import { readRows } from "./rows.ts"
import {
  type Answer,
  buildRequest,
  type Call,
  openSurface,
  readAnswer,
  type Surface,
  token,
} from "./surface.ts"

const base = "http://localhost:4096"

let surface: Surface
let known: {
  readonly sessionID: string
  readonly promptID: string
  readonly messageID: string
  readonly turnID: string
  readonly handle: string
  readonly ptyID: string
}
beforeAll(async () => {
  surface = await openSurface()
  const sessionID: string = (await surface.post("/api/session", {})).json.id
  await surface.post(`/api/session/${sessionID}/prompt`, { text: "Hello" })
  await surface.get(`/api/session/${sessionID}/wait`)
  await surface.post(`/api/session/${sessionID}/prompt`, { text: "Later", id: "later", resume: false })
  const { items } = (await surface.get(`/api/session/${sessionID}/message`)).json
  const { items: turns } = (await surface.get(`/api/session/${sessionID}/turn`)).json
  known = {
    sessionID,
    promptID: "later",
    messageID: items[0].id,
    turnID: turns[0].started.turn,
    handle: "media:000000000000",
    ptyID: "pty_0000000000000000000a",
  }
})
afterAll(async () => {
  expect(surface.defects).toEqual([])
  await surface.close()
})

/** A stream that was let in says so by its status; reading it would not end. */
async function call(path: string, request: Call): Promise<Answer> {
  const response = await surface.handler(buildRequest(base, path, request))
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true)
    return readAnswer(response)
  await response.body?.cancel()
  return { status: response.status, headers: response.headers, text: "", json: null }
}

const callOf = ({ method, payload }: Route): Call => ({ method, ...(payload !== null && { payload }) })

function expectRefusal(about: unknown, answer: Answer): void {
  expect([about, answer.status >= 400 && answer.status < 500, answer.text]).toEqual([
    about,
    true,
    answer.text,
  ])
  expect([about, answer.json]).toEqual([
    about,
    expect.objectContaining({ _tag: expect.any(String), message: expect.any(String) }),
  ])
}

test("there are as many routes and lists as the contract names", () =>
  expect([routes.length, routes.filter(({ isList }) => isList).length]).toEqual([84, 18]))

type Caller = [name: string, headers: Record<string, string | null>, status: 401 | 403]
const refused: readonly Caller[] = [
  ["no token", { authorization: null }, 401],
  ["a wrong token", { authorization: "Bearer wrong" }, 401],
  ["half a token", { authorization: `Bearer ${token.slice(1)}` }, 401],
  ["another scheme", { authorization: `Basic ${btoa(`:${token}`)}` }, 401],
  ["a foreign Host", { host: "evil.example:4096" }, 403],
  ["a Host that ends like ours", { host: "evil-localhost:4096" }, 403],
  ["a Host that begins like ours", { host: "localhost:4096.evil" }, 403],
  ["an empty Host", { host: "" }, 403],
  ["another loopback address", { host: "[::2]:4096" }, 403],
  ["a foreign Origin", { origin: "https://evil.example" }, 403],
  ["an Origin that ends like ours", { origin: "http://evil-localhost:4096" }, 403],
  ["an Origin that begins like ours", { origin: "http://localhost:4096.evil" }, 403],
  ["an Origin of another port", { origin: "http://localhost:3000" }, 403],
  ["an Origin that hides", { origin: "null" }, 403],
]
const letIn: readonly Record<string, string>[] = [
  {},
  { host: "localhost:4096", origin: "http://localhost:4096" },
  { host: "127.0.0.1:1" },
  { host: "[::1]:4096" },
  { host: "[::1]:4096", origin: "http://[::1]:4096" },
]

describe.each(routes)("$name", (route) => {
  test.each(refused)("[AU1] turns away %s", async (_, headers, status) => {
    const before = readRows(surface.directory)
    const answer = await call(fill(route.path, known), { ...callOf(route), headers })
    expect([answer.status, answer.json._tag]).toEqual([
      status,
      status === 401 ? "Unauthorized" : "CallerRefused",
    ])
    expect(readRows(surface.directory)).toEqual(before)
  })

  test("[AU1] lets in whoever has the token, by a loopback name", async () => {
    for (const headers of letIn) {
      // A Session that is not there: the caller comes through, and nothing is done.
      const path = fill(route.path, { ...known, sessionID: "ses_none" })
      const answer = await call(path, { ...callOf(route), headers })
      expect([headers, answer.status]).not.toEqual([headers, 401])
      expect([headers, answer.status]).not.toEqual([headers, 403])
    }
  })

  test("answers bad input 4xx with a typed body, and changes nothing", async () => {
    const before = readRows(surface.directory)
    await fc.assert(
      fc.asyncProperty(badCalls(route), async ({ path, request }) =>
        expectRefusal([request.method, path, request], await call(path, request)),
      ),
      { numRuns: 25, seed: 5 },
    )
    expect(readRows(surface.directory)).toEqual(before)
  })
})

interface BadCall {
  readonly path: string
  readonly request: Call
}

/** Calls of a route of which one part is surely wrong. */
function badCalls(route: Route): fc.Arbitrary<BadCall> {
  const good = callOf(route)
  const parts: fc.Arbitrary<BadCall>[] = [
    fc.constantFrom("text/plain", "application/x-www-form-urlencoded", "x").map((type) => ({
      path: fill(route.path, known),
      request: { ...good, method: route.method, headers: { "content-type": type } },
    })),
    fc.constantFrom("Bearer", "Bearer  ", `Bearer ${token} ${token}`, "token").map((authorization) => ({
      path: fill(route.path, known),
      request: { ...good, headers: { authorization } },
    })),
    // No route has a longer path, nor one with another method.
    fc.webPath({ size: "small" }).map((more) => ({
      path: `${fill(route.path, known)}/nothing${more.replaceAll(/[?#]/g, "")}`,
      request: good,
    })),
    fc.constantFrom("PUT", "OPTIONS").map((method) => ({
      path: fill(route.path, known),
      request: { method },
    })),
  ]
  for (const param of route.params) {
    parts.push(
      badId.map((value) => ({ path: fill(route.path, { ...known, [param]: value }), request: good })),
    )
  }
  if (route.hasQuery)
    parts.push(
      badQuery(route).map((query) => ({ path: `${fill(route.path, known)}?${query}`, request: good })),
    )
  if (route.name === "sessions.events")
    parts.push(
      fc.constantFrom("-1", "1.5", "ten", "1e3", "0x1", "9".repeat(30)).map((id) => ({
        path: fill(route.path, known),
        request: { ...good, headers: { "last-event-id": id } },
      })),
    )
  if (route.payload !== null)
    parts.push(
      badPayload(route.payload).map((raw) => ({
        path: fill(route.path, known),
        request: { method: route.method, raw },
      })),
    )
  return fc.oneof(...parts)
}

/** Of no kind of id, and not empty, which would be another path; dots alone are steps of a path. */
const badId = fc
  .oneof(
    fc.string({ minLength: 1, unit: "binary" }),
    fc.constantFrom("ses_", "SES_A", "ses_a/b", "'--", "💥", "\u0000"),
  )
  .filter((id) => id.isWellFormed() && !/^[A-Za-z0-9][A-Za-z0-9._:-]*$/.test(id) && !/^\.{1,2}$/.test(id))

const queryNames =
  "cursor limit after system order model archived from directory path name offset length provider".split(" ")

const inLocation = /^(locations\.get|config\.get|files\.)/

const badQuery = ({ name, isList }: Route): fc.Arbitrary<string> => {
  const unknownKey = fc
    .string({ minLength: 1, unit: "grapheme-ascii" })
    .filter((key) => !queryNames.includes(key))
    .map((key) => `${encodeURIComponent(key)}=1`)
  const badLimit = fc
    .oneof(
      fc.constantFrom("0", "-1", "201", "1.5", "ten", "", "1e2", "NaN"),
      fc.string({ unit: "grapheme-ascii" }),
    )
    .filter((limit) => !/^[0-9]+$/.test(limit) || Number(limit) < 1 || Number(limit) > 200)
    .map((limit) => `limit=${encodeURIComponent(limit)}`)
  const badCursor = fc
    .string()
    .filter((text) => text.isWellFormed())
    .map((cursor) => `cursor=${encodeURIComponent(cursor)}`)
  const badAfter = fc.constantFrom("-1", "x", "", "1.0").map((after) => `after=${after}`)
  const badModel = fc.constantFrom("none", "/", "a/", "/a", "sim/other").map((model) => `model=${model}`)
  const badDirectory = fc
    .constantFrom("", "/no/such/place", "a\0b", "x".repeat(5_000), "..")
    .map((directory) => `directory=${encodeURIComponent(directory)}`)
  const badPath = fc
    .constantFrom("", "..", "/", "../..", "a\0b", "no/such/file", "x".repeat(300), "x".repeat(5_000))
    .map((path) => `path=${encodeURIComponent(path)}`)
  const badPiece = fc
    .constantFrom("offset=-1", "offset=x", "length=0", "length=1048577", "length=1e3", "offset=")
    .map((piece) => `path=holdfast.db&${piece}`)
  return fc.oneof(
    unknownKey,
    ...(isList ? [badLimit, badCursor] : []),
    ...(name === "sessions.history" || name === "sessions.events" ? [badAfter] : []),
    ...(name === "models.get" ? [badModel] : []),
    ...(inLocation.test(name) ? [badDirectory] : []),
    ...(name.startsWith("files.") ? [badPath] : []),
    ...(name === "files.read" ? [badPiece] : []),
    ...(name === "ptys.attach" ? [fc.constantFrom("from=-1", "from=x", "from=", "from=1.0")] : []),
    ...(name === "sessions.messages"
      ? [fc.constantFrom("system=1", "order=sideways", "system=", "order=")]
      : []),
    ...(name === "sessions.list" ? [fc.constantFrom("archived=1", "archived=", "archived=yes")] : []),
  )
}

function badPayload(good: Readonly<Record<string, unknown>>): fc.Arbitrary<string> {
  const names = Object.keys(good)
  const notAnObject = fc.oneof(
    fc.constantFrom("", "{", "null", "[]", "0", '"text"', "{]", "\u0000"),
    fc.string().filter((text) => !text.trimStart().startsWith("{")),
    fc.array(fc.jsonValue()).map((value) => JSON.stringify(value)),
  )
  const unknownKey = fc
    .string({ minLength: 1, unit: "grapheme-ascii" })
    .filter(
      (key) =>
        ![
          "directory",
          "title",
          "model",
          "policy",
          "text",
          "id",
          "delivery",
          "resume",
          "images",
          "messageID",
          "archived",
          "argv",
          "env",
          "columns",
          "rows",
          "input",
        ].includes(key),
    )
    .map((key) => `${JSON.stringify(good).slice(0, -1)},${JSON.stringify(key)}:1}`)
  const wrongType = fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(7, null, [], { a: 1 }, [[]]))
    .map(([name, value]) => JSON.stringify({ ...good, [name]: value }))
  const tooLarge = fc.constant(JSON.stringify({ ...good, text: "a".repeat(2_200_000) }))
  return fc.oneof(
    { weight: 6, arbitrary: notAnObject },
    { weight: 6, arbitrary: unknownKey },
    { weight: 6, arbitrary: wrongType },
    { weight: 1, arbitrary: tooLarge },
  )
}
