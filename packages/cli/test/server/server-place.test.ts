/** Where a command does its work, decided from values and from the record in a data directory. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { ownProcess } from "@holdfast/sdk"
import {
  addressesOf,
  addressLines,
  hostWarning,
  hostNames,
  reachable,
  readHostName,
} from "../../src/server/host-name.ts"
import {
  configurationNotices,
  elsewhereNotice,
  findMisfit,
  findServer,
  serverNotice,
} from "../../src/server/place.ts"
import {
  claimServer,
  readServerRecord,
  removeServerRecord,
  type ServerRecord,
  tokenFile,
  tokenFor,
} from "../../src/server/record.ts"
import { recordFile } from "../../src/server/record-file.ts"
import { version } from "../../src/version.ts"

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "holdfast-record-"))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const record: ServerRecord = {
  url: "http://127.0.0.1:4096",
  version: version(),
  process: ownProcess(),
  allow: ["write"],
  configuration: "/config",
  options: ["--port", "4096", "--dir", "/my work"],
}
const silent = async (): Promise<boolean> => false
const dead: ServerRecord = { ...record, process: { ...record.process, start: "0" } }

describe("the record of a server", () => {
  test("[AU1] is read by its user alone, names no secret, and is removed by its owner", async () => {
    expect(readServerRecord(data)).toEqual({ kind: "none" })
    expect(await claimServer(data, record, "secret-token", silent)).toBe(true)
    expect(readServerRecord(data)).toEqual({ kind: "there", record, token: "secret-token", certain: true })
    expect(readFileSync(recordFile(data), "utf8")).not.toContain("secret")
    for (const file of [recordFile(data), tokenFile(data)]) expect(statSync(file).mode & 0o777).toBe(0o600)
    removeServerRecord(data, dead.process)
    expect(readServerRecord(data).kind).toBe("there")
    removeServerRecord(data, record.process)
    expect(readServerRecord(data)).toEqual({ kind: "none" })
  })

  test("belongs to the first that claims it, until its process has ended", async () => {
    expect(await claimServer(data, dead, "first", silent)).toBe(true)
    expect(readServerRecord(data)).toMatchObject({ kind: "gone", record: dead })
    expect(await claimServer(data, record, "second", silent)).toBe(true)
    expect(await claimServer(data, { ...record, url: "http://127.0.0.1:1" }, "third", silent)).toBe(false)
    expect(readServerRecord(data)).toEqual({ kind: "there", record, token: "second", certain: true })
  })

  test("of another boot is kept while somebody answers for it", async () => {
    const elsewhere = { ...record, process: { ...record.process, boot: "another" } }
    expect(await claimServer(data, elsewhere, "first", silent)).toBe(true)
    expect(readServerRecord(data)).toMatchObject({ kind: "there", certain: false })
    expect(await claimServer(data, record, "second", async () => true)).toBe(false)
    expect(await claimServer(data, record, "third", silent)).toBe(true)
    expect(readServerRecord(data)).toMatchObject({ record, token: "third" })
    expect(readdirSync(data).sort()).toEqual(["server.json", "server.token"])
  })

  test("that has changed while it was judged is left to its new owner", async () => {
    await claimServer(data, { ...record, process: { ...record.process, boot: "another" } }, "first", silent)
    const meanwhile = async () => {
      rmSync(recordFile(data))
      await claimServer(data, record, "second", silent)
      return false
    }
    expect(await claimServer(data, { ...record, url: "http://127.0.0.1:1" }, "third", meanwhile)).toBe(false)
    expect(readServerRecord(data)).toMatchObject({ record, token: "second" })
  })

  test.each([
    "",
    "{",
    "[]",
    '{"url":"x"}',
    JSON.stringify({ ...record, process: {} }),
    JSON.stringify({ ...record, configuration: {} }),
  ])("is told to be unreadable if it is %j, and the work is done here", async (text) => {
    writeFileSync(recordFile(data), text)
    expect(readServerRecord(data)).toMatchObject({ kind: "unreadable", file: recordFile(data) })
    expect(await findServer(data)).toBeNull()
  })

  test("[AU1] a token is kept only where nobody else could read it", () => {
    const shared = tokenFor(data)
    expect(shared).toMatch(/^[\w-]{43}$/)
    writeFileSync(tokenFile(data), shared, { mode: 0o600 })
    expect(tokenFor(data)).toBe(shared)
    chmodSync(tokenFile(data), 0o640)
    expect(tokenFor(data)).not.toBe(shared)
    writeFileSync(tokenFile(data), "short", { mode: 0o600 })
    chmodSync(tokenFile(data), 0o600)
    expect(tokenFor(data)).toMatch(/^[\w-]{43}$/)
  })

  test("without its token, or without an answer, does not count", async () => {
    await claimServer(data, { ...record, url: "http://127.0.0.1:1" }, "token", silent)
    expect(await findServer(data)).toBeNull()
    rmSync(tokenFile(data))
    expect(readServerRecord(data)).toMatchObject({ kind: "unreadable", file: tokenFile(data) })
  })
})

describe("a server that is there", () => {
  const server = { record, token: "t" }
  test("what it allows every Session is told", () => {
    expect(findMisfit(server)).toBeNull()
    expect(serverNotice(server)).toBe(
      `The server at ${record.url} works, and allows every Session write without asking.`,
    )
    expect(serverNotice({ ...server, record: { ...record, allow: [] } })).toBeNull()
  })

  test("a server of another version is refused by its name", () => {
    const old = { record: { ...record, version: "0.0.1" }, token: "t" }
    expect(findMisfit(old)?.message).toContain(
      `The server at ${record.url} has version 0.0.1, this command ${version()}.`,
    )
  })
})

describe("[CF1] what a server says of its configuration is told", () => {
  test("it works with the files of another folder", () => {
    expect(elsewhereNotice(record, "/config")).toBeNull()
    expect(elsewhereNotice(record, "/elsewhere")).toBe(
      "The server at http://127.0.0.1:4096 works with the configuration in /config, not with that in /elsewhere.",
    )
  })

  test("its file has a fault, or a part of it waits for the next start", () => {
    const degraded = [
      { part: "configuration", cause: "/config/holdfast.jsonc:3: …", since: 1 },
      { part: "configuration/start", cause: "maskShapes changed.", since: 2 },
      { part: "historian", cause: "It did not answer.", since: 3 },
    ]
    expect(configurationNotices({ record, degraded })).toEqual([
      "/config/holdfast.jsonc:3: …",
      "maskShapes changed. To start it: holdfast serve --port 4096 --dir '/my work' --allow write",
    ])
  })
})

describe("[AU1] host names", () => {
  test.each([
    ["127.0.0.1", false, ["127.0.0.1", "box.example"]],
    ["127.1.2.3", false, ["127.1.2.3", "box.example"]],
    ["localhost", false, ["localhost", "box.example"]],
    ["::1", false, ["[::1]", "box.example"]],
    ["192.0.2.7", true, ["192.0.2.7", "box.example"]],
    ["2001:db8::1", true, ["[2001:db8::1]", "box.example"]],
    ["box.example", true, ["box.example"]],
    ["127.0.0.1.example", true, ["127.0.0.1.example", "box.example"]],
    ["0.0.0.0", true, ["box.example"]],
    ["::", true, ["box.example"]],
  ])("%s warns: %j, and lets in %j", (host, warns, names) => {
    expect(hostWarning(host) !== null).toBe(warns)
    expect(hostNames(host, ["box.example"])).toEqual(names)
  })

  test.each([
    ["http://0.0.0.0:80", "http://127.0.0.1"],
    ["http://[::]:4096", "http://127.0.0.1:4096"],
    ["http://192.0.2.7:4096", "http://192.0.2.7:4096"],
  ])("%s is reached at %s", (url, address) => expect(reachable(url)).toBe(address))

  test.each([
    ["box.example", "box.example"],
    ["Box.Example:8080", "box.example:8080"],
    ["192.0.2.7", "192.0.2.7"],
    ["2001:db8::1", "[2001:db8::1]"],
    ["[2001:DB8::1]:80", "[2001:db8::1]:80"],
    ["host_1", "host_1"],
  ])("%j is the name %j", (text, name) => expect(readHostName(text)).toBe(name))

  test.each([
    "",
    "*",
    "*.example",
    "http://box.example",
    "box.example/",
    "a b",
    "me@box",
    "box:port",
    "box:70000",
  ])("%j is no name", (text) => expect(readHostName(text)).toBeNull())

  test("others are told the port, unless a name has its own", () =>
    expect(
      addressesOf("0.0.0.0", "http://127.0.0.1:4096", ["box.example", "[2001:db8::1]", "box.example:8080"]),
    ).toEqual(["http://box.example:4096", "http://[2001:db8::1]:4096", "http://box.example:8080"]))
})

test("[AU1] a name that a server on loopback is given lets no other machine in, and it says so", () => {
  const url = "http://127.0.0.1:4096"
  expect(addressesOf("127.0.0.1", url, ["box.example"])).toEqual([])
  expect(addressLines("127.0.0.1", url, ["box.example"])).toEqual([
    "It also answers to box.example, for a proxy on this machine. Other machines cannot reach it; --host 0.0.0.0 lets them in.",
  ])
  expect(addressLines("127.0.0.1", url, [])).toEqual([])
  expect(addressLines("0.0.0.0", url, ["box.example"])).toEqual([
    "Other machines reach it at http://box.example:4096",
  ])
})
