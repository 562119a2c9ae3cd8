/** webfetch against a server of this process; names are resolved by the test. */
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { png } from "../../../../../test/stage/png.ts"
import { documentBytesMax, type Reach } from "../../../src/tools/web/exchange.ts"
import { fetchedHost } from "../../../src/tools/web/fetch-document.ts"
import { createWebfetchTool } from "../../../src/tools/web/webfetch.ts"
import { runTool } from "../workspace.ts"

let server: Server
let port = 0
const requested: string[] = []
const resolved: string[] = []

const page = `<!doctype html><title>T</title><p>Some <b>bold</b> text, <a href="/next?a=1&amp;b=2">a link</a>.</p>`
const pages: Readonly<Record<string, RequestListener>> = {
  "/page": (_, answer) => answer.setHeader("content-type", "text/html; charset=utf-8").end(page),
  "/latin": (_, answer) =>
    answer.setHeader("content-type", "text/plain; charset=iso-8859-1").end(Buffer.from([0xe9])),
  "/data.json": (_, answer) => answer.setHeader("content-type", "application/json").end('{"a":1}'),
  "/packed": (_, answer) =>
    answer
      .setHeader("content-encoding", "gzip")
      .setHeader("content-type", "text/plain")
      .end(gzipSync("packed")),
  "/bomb": (_, answer) =>
    answer
      .setHeader("content-encoding", "gzip")
      .setHeader("content-type", "text/plain")
      .end(gzipSync(Buffer.alloc(2 * documentBytesMax))),
  "/large": (_, answer) => {
    answer.setHeader("content-type", "text/plain")
    answer.end(Buffer.alloc(documentBytesMax + 1, 97))
  },
  "/image": (_, answer) => answer.setHeader("content-type", "image/png").end(png(3, 2)),
  "/program": (_, answer) => answer.setHeader("content-type", "application/zip").end("PK\u0003\u0004"),
  "/never": () => {},
  "/loop": (_, answer) => answer.writeHead(302, { location: "/loop" }).end(),
  "/moved": (_, answer) => answer.writeHead(301, { location: "page" }).end(),
  "/to-loopback": (_, answer) => answer.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end(),
  "/to-name": (_, answer) => answer.writeHead(302, { location: `http://inside.test:${port}/secret` }).end(),
  "/to-file": (_, answer) => answer.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/to-user": (_, answer) => answer.writeHead(302, { location: `http://a:b@site.test:${port}/page` }).end(),
  "/gone": (_, answer) => answer.writeHead(404).end("<p>nothing"),
}

beforeAll(async () => {
  server = createServer((request, answer) => {
    requested.push(request.url ?? "")
    const show = pages[request.url ?? ""] ?? ((_, secret) => secret.end("secret"))
    show(request, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const names: Readonly<Record<string, readonly string[]>> = {
  "site.test": ["127.0.0.1"],
  "inside.test": ["127.0.0.1"],
  "both.test": ["93.184.215.14", "127.0.0.1"],
  "mapped.test": ["::ffff:127.0.0.1"],
}
const reach: Reach = {
  privateHosts: new Set(["site.test"]),
  resolve: async (name) => {
    resolved.push(name)
    return (names[name] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  },
}

const fetchUrl = (url: string, more: Record<string, string | number> = {}) =>
  runTool(
    createWebfetchTool(() => reach),
    { url, ...more },
    ".",
  )
const site = (path: string, more = {}) => fetchUrl(`http://site.test:${port}${path}`, more)

describe("a document", () => {
  test("[TL1] of HTML is shown as Markdown, with complete links, or as it is", async () => {
    const { result } = await site("/page")
    expect(result?.text).toBe(`# T\n\nSome **bold** text, [a link](http://site.test:${port}/next?a=1&b=2).`)
    expect(result?.structured).toMatchObject({ status: 200, url: `http://site.test:${port}/page` })
    expect((await site("/page", { format: "html" })).result?.text).toBe(page)
  })

  test.each([
    ["/data.json", '{"a":1}'],
    ["/latin", "é"],
    ["/packed", "packed"],
  ])("[TL1] %s is shown as its text", async (path, text) =>
    expect((await site(path)).result?.text).toBe(text),
  )

  test("[TL1 LL7] that is an image is shown as one", async () => {
    const { result } = await site("/image")
    expect(result?.text).toBe("(image/png, 3 × 2)")
    expect(result?.images).toHaveLength(1)
  })

  test("[TL1] is found behind a redirect, by the address that was judged", async () => {
    resolved.length = 0
    expect((await site("/moved")).result?.text).toContain("Some **bold** text")
    expect(resolved).toEqual(["site.test", "site.test"])
  })

  test.each([
    ["/large", "too_large"],
    ["/bomb", "too_large"],
    ["/program", "not_text"],
    ["/loop", "too_many_redirects"],
    ["/gone", "http_status"],
    ["/to-file", "invalid_url"],
    ["/to-user", "invalid_url"],
  ])("[TL1] %s is refused: %s", async (path, code) => expect((await site(path)).failure?.code).toBe(code))

  test("[TL1] that does not come is given up", async () => {
    const { failure } = await site("/never", { timeoutMs: 50 })
    expect(failure).toMatchObject({ code: "timeout" })
    expect(failure?.message).toContain("did not answer within 50 ms")
  })
})

describe("an address that is not public", () => {
  test.each([
    "http://127.0.0.1/secret",
    "http://127.1/secret",
    "http://2130706433/secret",
    "http://0x7f.0.0.1/secret",
    "http://0177.0.0.1/secret",
    "http://[::1]/secret",
    "http://[::ffff:7f00:1]/secret",
    "http://[64:ff9b::127.0.0.1]/secret",
    "http://169.254.169.254/latest/meta-data/",
    "http://inside.test/secret",
    "http://both.test/secret",
    "http://mapped.test/secret",
  ])("[TL1 PE2] %s is refused before anything is sent", async (url) => {
    requested.length = 0
    const { failure } = await fetchUrl(url.replace(/(?<=\/\/[^/]+)\//, `:${port}/`))
    expect(failure?.code).toBe("private_address")
    expect(failure?.message).toContain("webfetchPrivateHosts")
    expect(requested).toEqual([])
  })

  test.each(["/to-loopback", "/to-name"])("[TL1 PE2] %s is refused behind a redirect", async (path) => {
    requested.length = 0
    expect((await site(path)).failure?.code).toBe("private_address")
    expect(requested).toEqual([path])
  })
})

test("[TL1 PE1] a redirect to another host is followed only where that host may be fetched without asking", async () => {
  const other = createWebfetchTool(() => ({ ...reach, privateHosts: new Set(["site.test", "inside.test"]) }))
  const fetchTo = (hosts: readonly string[]) =>
    runTool(other, { url: `http://site.test:${port}/to-name` }, ".", {
      mayFetch: (host) => hosts.includes(host),
    })
  expect((await fetchTo(["inside.test"])).result?.text).toBe("secret")
  requested.length = 0
  const { failure } = await fetchTo([])
  expect(failure).toMatchObject({ code: "other_host" })
  expect(failure?.message).toContain(`http://inside.test:${port}/secret. Nothing was sent there.`)
  expect(requested).toEqual(["/to-name"])
})

test.each([
  ["https://Example.COM/a", "example.com"],
  ["http://0x7f.1:8080/", "127.0.0.1"],
  ["ftp://example.com", null],
  ["https://a:b@example.com", null],
  ["example.com", null],
])("[TL1] the host of %s is %s", (url, host) => expect(fetchedHost(url)).toBe(host))
