/** Real terminals behind a real server: over the contract, and over WebSockets. */
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterEach, expect, test } from "vitest"
import { makeEffectClient, withToken } from "../../../client/src/effect.ts"
import { attachTerminal, makeClient, type TerminalItem } from "../../../client/src/index.ts"
import { serve } from "../../src/index.ts"
import { commandsOf, operationOf, parseCommand, play, type Variables } from "../page-commands.ts"
import { routes } from "../routes.ts"
import { openTestRuntime } from "../runtime.ts"
import { buildRequest, openSurface, token } from "../surface.ts"

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function open() {
  const runtime = await openTestRuntime()
  ends.push(runtime.close)
  const server = await serve(runtime.runtime, {
    token,
    defaultDirectory: runtime.directory,
    version: "1.2.3",
    terminalOverlay: (directory) => Promise.resolve({ WHERE: directory }),
  })
  ends.push(server.close)
  const client = makeClient({ baseUrl: server.url, token })
  const shell = async (command: string) => (await client.ptys.create({ argv: ["/bin/sh", "-c", command] })).id
  const attach = (ptyID: string, from?: number) =>
    attachTerminal(client, { baseUrl: server.url, ptyID, ...(from !== undefined && { from }) })
  return { ...runtime, server, client, shell, attach }
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Reads until the output holds the text, and tells all of it. */
async function readUntil(items: AsyncIterator<TerminalItem>, wanted: string): Promise<string> {
  for (let seen = ""; ;) {
    const { value, done } = await items.next()
    if (done === true) throw new Error(`It ended before ${wanted}: ${seen}`)
    if ("data" in value) seen += Buffer.from(value.data).toString()
    if (seen.includes(wanted)) return seen
  }
}

test("[PT1 CO1] over the contract: create, list, write, resize, attach, close", async () => {
  const { client, directory } = await open()
  const { id } = await client.ptys.create({
    argv: ["/bin/sh", "-c", "echo $MINE $WHERE; read a; stty size; exit 4"],
    env: { MINE: "given", WHERE: "nowhere" },
    title: "Mine",
    columns: 120,
  })
  expect(await client.ptys.get({ ptyID: id })).toMatchObject({
    title: "Mine",
    columns: 120,
    rows: 24,
    exit: null,
  })
  await client.ptys.resize({ ptyID: id, columns: 90, rows: 30 })
  for await (const item of client.ptys.attach({ ptyID: id, from: 0 }))
    if (item.type === "output" && atob(item.data).includes(directory)) break
  await client.ptys.write({ ptyID: id, input: "\r" })
  const items = await allOf(client.ptys.attach({ ptyID: id, from: 0 }))
  const output = items.map((item) =>
    item.type === "output" ? Buffer.from(item.data, "base64") : Buffer.of(),
  )
  expect(Buffer.concat(output).toString()).toBe(`given ${directory}\r\n\r\n30 90\r\n`)
  expect(items.at(-1)).toMatchObject({ type: "exit", code: 4, signal: null })
  const { cursor } = items.at(-1) as { cursor: number }
  const again = await allOf(client.ptys.attach({ ptyID: id, from: cursor - 7 }))
  expect(again.map((item) => ("data" in item ? atob(item.data) : item.type))).toEqual(["30 90\r\n", "exit"])

  const { id: other } = await client.ptys.create({ argv: ["/bin/sh", "-c", "sleep 600"] })
  const first = await client.ptys.list({ limit: 1 })
  expect(first.items.map((pty) => [pty.id, pty.exit?.code])).toEqual([[id, 4]])
  const second = await client.ptys.list({ cursor: first.next ?? "" })
  expect([second.items.map((pty) => pty.id), second.next]).toEqual([[other], null])
  for (const ptyID of [id, other]) await client.ptys.close({ ptyID })
  await expect(client.ptys.close({ ptyID: id })).rejects.toMatchObject({ _tag: "PtyNotFound", pty: id })
  expect((await client.ptys.list()).items).toEqual([])
})

test("[PT1 CL4] over the Effect client: bytes that are decoded already", async () => {
  const { server } = await open()
  const program = Effect.gen(function* () {
    const { ptys } = yield* makeEffectClient({ baseUrl: server.url })
    const { id: ptyID } = yield* ptys.create({ argv: ["/bin/sh", "-c", "read go; printf grün"] })
    yield* ptys.write({ ptyID, input: "\r" })
    const items = yield* Stream.runCollect(ptys.attach({ ptyID, from: 0 }))
    const bytes = items.flatMap((item) => (item.type === "output" ? [item.data] : []))
    return [Buffer.concat(bytes).toString().trim(), items.at(-1)?.type]
  })
  const layer = Layer.mergeAll(FetchHttpClient.layer, withToken(token))
  expect(await Effect.runPromise(Effect.provide(program, layer))).toEqual(["grün", "exit"])
})

test("[PT1] over a WebSocket: the screen, output, input and a size, seen by two", async () => {
  const { client, shell, attach } = await open()
  const ptyID = await shell(
    "printf 'hello \\033[31mred'; while read line; do echo \"<$line>\"; stty size; done",
  )
  const one = await attach(ptyID, 0)
  const items = one[Symbol.asyncIterator]()
  await readUntil(items, "red")
  const two = await attach(ptyID)
  const others = two[Symbol.asyncIterator]()
  const { value: screen } = await others.next()
  expect(screen).toMatchObject({ type: "screen", cursor: 14, columns: 80, rows: 24 })
  expect(two.cursor).toBe(14)
  two.resize(100, 40)
  expect((await items.next()).value).toEqual({ type: "resized", columns: 100, rows: 40 })
  one.write("grüße\r")
  expect(await readUntil(items, "40 100")).toContain("<grüße>")
  expect(await readUntil(others, "40 100")).toContain("<grüße>")
  expect(one.cursor).toBe(two.cursor)

  const { cursor } = one
  one.close()
  two.write(Uint8Array.of(4))
  const resumed = await attach(ptyID, cursor ?? 0)
  const rest = await allOf(resumed)
  expect(rest.at(-1)).toMatchObject({ type: "exit", code: 0, cursor: resumed.cursor })
  expect((await client.ptys.get({ ptyID })).exit).toEqual({ code: 0, signal: null })
})

test("[PT1] a WebSocket that the server closes fails explicitly, and the server ends at once", async () => {
  const { server, shell, attach } = await open()
  const attached = await attach(await shell("sleep 600"), 0)
  const reading = allOf(attached)
  await Promise.all([
    expect(reading).rejects.toMatchObject({ _tag: "ClientError", reason: { kind: "transport" } }),
    server.close(),
  ])
})

test("[PT1] a frame that is no input and no size ends the WebSocket, not the terminal", async () => {
  const { client, server, shell } = await open()
  const ptyID = await shell("sleep 600")
  for (const frame of ["{", '{"type":"resize","columns":0,"rows":1}', '{"type":"exit"}']) {
    const { ticket } = await client.ptys.ticket({ ptyID })
    const address = `${server.url.replace("http", "ws")}/api/pty/${ptyID}/socket?ticket=${ticket}&from=0`
    const webSocket = new WebSocket(address)
    webSocket.addEventListener("open", () => webSocket.send(frame))
    const closed = await new Promise<CloseEvent>((resolve) => webSocket.addEventListener("close", resolve))
    expect([frame, closed.code]).toEqual([frame, 1_008])
  }
  expect((await client.ptys.get({ ptyID })).exit).toBeNull()
})

const upgradeHeaders = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}

/** The status of an upgrade, and the tag of its refusal. */
const upgrade = (url: string, headers: Record<string, string> = {}): Promise<readonly [number, string]> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: { ...upgradeHeaders, ...headers } })
    outgoing.on("upgrade", (_, socket) => {
      socket.destroy()
      resolve([101, ""])
    })
    outgoing.on("response", async (incoming) =>
      resolve([incoming.statusCode ?? 0, (JSON.parse(await text(incoming)) as { _tag: string })._tag]),
    )
    outgoing.on("error", reject)
    outgoing.end()
  })

test("[PT1 AU1] refuses a WebSocket without a ticket, with a used or foreign one, and foreign callers", async () => {
  const { client, server, shell } = await open()
  const [mine, other] = [await shell("sleep 600"), await shell("sleep 600")]
  const socket = `${server.url}/api/pty/${mine}/socket`
  const ticketOf = async (ptyID: string, headers = {}) =>
    (await client.ptys.ticket({ ptyID }, { headers })).ticket
  const withTicket = async (ptyID = mine, headers = {}) =>
    `${socket}?ticket=${await ticketOf(ptyID, headers)}`
  const bearer = { authorization: `Bearer ${token}` }
  const page = { origin: server.url }

  expect(await upgrade(socket)).toEqual([401, "Unauthorized"])
  expect(await upgrade(socket, bearer)).toEqual([401, "Unauthorized"])
  expect(await upgrade(socket, { host: "evil.example" })).toEqual([401, "Unauthorized"])
  expect(await upgrade(`${socket}?ticket=made-up`)).toEqual([401, "Unauthorized"])
  const used = await withTicket()
  expect(await upgrade(used)).toEqual([101, ""])
  expect(await upgrade(used)).toEqual([401, "Unauthorized"])
  expect(await upgrade(await withTicket(other))).toEqual([401, "Unauthorized"])
  expect(await upgrade(await withTicket(mine, page), page)).toEqual([101, ""])
  expect(await upgrade(await withTicket(mine, page))).toEqual([401, "Unauthorized"])
  expect(await upgrade(await withTicket(), page)).toEqual([401, "Unauthorized"])
  expect(await upgrade(await withTicket(), { host: "evil.example" })).toEqual([403, "CallerRefused"])
  expect(await upgrade(await withTicket(), { origin: "https://evil.example" })).toEqual([
    403,
    "CallerRefused",
  ])
  expect(await upgrade(await withTicket(), { host: "127.0.0.1.evil.example" })).toEqual([
    403,
    "CallerRefused",
  ])
  const closed = await withTicket(other)
  await client.ptys.close({ ptyID: other })
  expect(await upgrade(closed.replace(mine, other))).toEqual([404, "PtyNotFound"])
  // Anywhere else a WebSocket is a request like any other.
  expect(await upgrade(`${server.url}/api/health`)).toEqual([401, "Unauthorized"])
  expect(await upgrade(`${server.url}/api/event`, { ...bearer, host: "evil.example" })).toEqual([
    403,
    "CallerRefused",
  ])
})

test("[PT1] what only begins like a WebSocket is refused, and harms nobody", async () => {
  const { client, server, shell } = await open()
  const ptyID = await shell("sleep 600")
  const { ticket } = await client.ptys.ticket({ ptyID })
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () =>
    socket.write(
      `GET /api/pty/${ptyID}/socket?ticket=${ticket} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ),
  )
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
  expect((await client.ptys.get({ ptyID })).exit).toBeNull()
})

test("[PT1] a terminal is made to its end though its caller hangs up", async () => {
  const surface = await openSurface()
  ends.push(surface.close)
  const caller = new AbortController()
  const payload = { argv: ["/bin/sh", "-c", "sleep 600"] }
  const asking = surface.handler(
    buildRequest("http://localhost:4096", "/api/pty", { method: "POST", payload, signal: caller.signal }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  caller.abort()
  await Promise.allSettled([asking])
  while ((await surface.get("/api/pty")).json.items.length === 0)
    await new Promise((resolve) => setImmediate(resolve))
})

test("docs/terminals.md has a command for every operation on terminals, and each is answered", async () => {
  const surface = await openSurface()
  ends.push(surface.close)
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/terminals.md"), "utf8")
  const variables: Variables = { AUTH: `Authorization: Bearer ${token}`, URL: "http://localhost:4096" }
  const played = new Set<string>()
  for (const line of commandsOf(page)) {
    const command = parseCommand(line, variables)
    const name = operationOf(command)
    const { status, json } = await play(surface.handler, command)
    expect([line, status, json?._tag]).toEqual([line, expect.toSatisfy((code) => code < 300), undefined])
    played.add(name)
    if (name === "ptys.create") variables["PTY"] = json.id
  }
  const operations = routes.map(({ name }) => name).filter((name) => name.startsWith("ptys."))
  expect([...played].toSorted()).toEqual(operations.toSorted())
})
