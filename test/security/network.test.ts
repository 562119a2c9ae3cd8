/**
 * Addresses through a whole Session: redirects, and names that answer differently the second time. Names
 * are resolved by the test, in the place of the system's resolver; the one server is on loopback.
 */
import { createServer, type Server } from "node:http"
import dns from "node:dns/promises"
import { syncBuiltinESMExports } from "node:module"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openPlace, secret } from "./place.ts"

let server: Server
let port = 0
const requested: string[] = []
const resolved: string[] = []
const { lookup } = dns

/** What a name answers, the last of it for ever. Nobody listens on 127.0.0.2. */
const answers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "site.example": [["127.0.0.1"]],
  "turning.example": [["127.0.0.1"], ["127.0.0.2"]],
  "inside.example": [["127.0.0.1"]],
  "both.example": [["93.184.215.14", "127.0.0.1"]],
  "mapped.example": [["::ffff:127.0.0.1"]],
  "metadata.example": [["169.254.169.254"]],
}
const asked = new Map<string, number>()

const resolveName = async (name: string) => {
  const before = asked.get(name) ?? 0
  asked.set(name, before + 1)
  resolved.push(name)
  const known = answers[name] ?? []
  return (known[before] ?? known.at(-1) ?? []).map((address) => ({
    address,
    family: address.includes(":") ? 6 : 4,
  }))
}

const leads: Readonly<Record<string, () => string>> = {
  "/to-loopback": () => `http://127.0.0.1:${port}/secret`,
  "/to-decimal": () => `http://2130706433:${port}/secret`,
  "/to-inside": () => `http://inside.example:${port}/secret`,
  "/to-both": () => `http://both.example:${port}/secret`,
  "/to-mapped": () => `http://mapped.example:${port}/secret`,
  "/to-metadata": () => "http://metadata.example/latest/meta-data/",
  "/to-itself-first": () => `http://site.example:${port}/to-inside`,
  "/to-file": () => "file:///etc/passwd",
  "/to-user": () => `http://me:${secret}@site.example:${port}/page`,
  "/for-ever": () => "/for-ever",
}

beforeAll(async () => {
  server = createServer(({ url = "", headers }, answer) => {
    requested.push(`${headers.host?.split(":")[0]}${url}`)
    const location = leads[url]?.()
    if (location !== undefined) answer.writeHead(302, { location }).end()
    else answer.setHeader("content-type", "text/plain").end(url === "/page" ? "a page" : secret)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  port = (server.address() as AddressInfo).port
  Object.assign(dns, { lookup: resolveName })
  syncBuiltinESMExports()
})
afterAll(() => {
  Object.assign(dns, { lookup })
  syncBuiltinESMExports()
  server.closeAllConnections()
  server.close()
})

const config = { webfetchPrivateHosts: ["site.example", "turning.example"] }
const fetched = (host: string, path: string) =>
  ["webfetch", { url: `http://${host}:${port}${path}` }] as const

const attacks: readonly (readonly [path: string, says: RegExp])[] = [
  ["/to-loopback", /127\.0\.0\.1 is at 127\.0\.0\.1, which is loopback/],
  ["/to-decimal", /which is loopback/],
  ["/to-inside", /inside\.example is at 127\.0\.0\.1, which is loopback/],
  ["/to-both", /both\.example is at 127\.0\.0\.1, which is loopback/],
  ["/to-mapped", /mapped\.example is at ::ffff:127\.0\.0\.1, which is loopback/],
  ["/to-metadata", /metadata\.example is at 169\.254\.169\.254, which is link-local/],
  ["/to-itself-first", /inside\.example is at 127\.0\.0\.1, which is loopback/],
  ["/to-file", /cannot be fetched: only http and https are/],
  ["/to-user", /cannot be fetched: a URL may hold no user/],
  ["/for-ever", /more than 5 times/],
]

test("[PE1 PE2] no redirect of an allowed host leads inside, whatever it names, and each refusal says why", async () => {
  await using place = await openPlace({ allow: ["webfetch"], config })
  const ends = await place.attack([
    fetched("site.example", "/page"),
    ...attacks.map(([path]) => fetched("site.example", path)),
    ...["inside.example", "both.example", "mapped.example"].map((host) => fetched(host, "/secret")),
  ])
  expect([ends[0]?.state, ends[0]?.output]).toEqual(["done", "a page"])
  expect(ends.slice(1, attacks.length + 1).map(({ state, output }) => [state, output])).toEqual(
    attacks.map(([, says]) => ["failed", expect.stringMatching(says)]),
  )
  for (const { state, output } of ends.slice(attacks.length + 1))
    expect([state, output]).toEqual(["failed", expect.stringContaining("which is loopback")])
  expect(requested.filter((each) => each.endsWith("/secret"))).toEqual([])
  expect(place.sent().includes(secret)).toBe(false)
})

test("[PE1] a redirect to a host that would be asked for is told, and nothing is sent there", async () => {
  await using place = await openPlace({ allow: ["webfetch(site.example)"], config })
  resolved.length = 0
  const [end] = await place.attack([fetched("site.example", "/to-inside")])
  expect([end?.state, end?.output]).toEqual(["failed", expect.stringContaining("Nothing was sent there")])
  expect(resolved).toEqual(["site.example"])
})

test("[PE2] a name that answers differently the second time is connected to by its first answer", async () => {
  await using place = await openPlace({ allow: ["webfetch"], config })
  resolved.length = 0
  const [first, second] = await place
    .attack([fetched("turning.example", "/page")])
    .then(async (ends) => [...ends, ...(await place.attack([fetched("turning.example", "/page")]))])
  expect([first?.state, first?.output]).toEqual(["done", "a page"])
  expect(second?.state).toBe("failed")
  expect(resolved).toEqual(["turning.example", "turning.example"])
})
