/** Sessions carried from one Holdfast to another by the client alone (ST4, SS1). */
import { gzipSync } from "node:zlib"
import { afterEach, expect, test } from "vitest"
import { openSurface, type Surface, token } from "../../server/test/surface.ts"
import {
  type HoldfastClient,
  importBundle,
  isBundleRefused,
  isSessionNotFound,
  makeClient,
  settled,
} from "../src/index.ts"

const opened: Surface[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

async function open(): Promise<{ readonly client: HoldfastClient; readonly surface: Surface }> {
  const surface = await openSurface()
  opened.push(surface)
  const fetch = (address: string | URL | Request, init?: RequestInit) =>
    surface.handler(new Request(address, init))
  return { surface, client: makeClient({ baseUrl: "http://localhost:4096", token, fetch }) }
}

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const bytes of source) pieces.push(bytes)
  return Buffer.concat(pieces)
}

async function talk({ sessions }: HoldfastClient, text: string): Promise<string> {
  const { id: sessionID } = await sessions.create({ title: "A talk" })
  await sessions.prompt({ sessionID, text })
  await settled({ sessions }, { sessionID })
  return sessionID
}

test("[ST4 SS1] a Session leaves by one call and comes in by pieces, with the same log, once", async () => {
  const here = await open()
  const there = await open()
  // Longer than a piece.
  const sessionID = await talk(here.client, `Read this: ${"ö word ".repeat(100_000)}`)
  const bundle = await bytesOf(here.client.sessions.export({ sessionID }))
  expect(bundle.length).toBeGreaterThan(600_000)
  const imported = await importBundle(there.client, [bundle])
  expect(imported).toMatchObject({ change: "created", source: sessionID, permissions: "none", absent: 0 })
  const { items } = await there.client.sessions.history({ sessionID })
  expect(items).toEqual((await here.client.sessions.history({ sessionID })).items)
  expect(await bytesOf(there.client.sessions.export({ sessionID }))).toEqual(bundle)
  expect(await importBundle(there.client, [gzipSync(bundle)])).toMatchObject({ change: "same" })
  const verdicts = (await there.client.sessions.verify({ sessionID })).items
  expect(verdicts.map(({ verdict }) => verdict.kind)).toEqual(["same"])
})

test("[ST4 SS1] what cannot be taken in or handed out is a failure with its name, and nothing changes", async () => {
  const { client } = await open()
  const sessionID = await talk(client, "Hello")
  const bundle = await bytesOf(client.sessions.export({ sessionID }))
  await client.sessions.delete({ sessionID })
  const cut = await importBundle(client, [bundle.subarray(0, -20)]).catch((failure: unknown) => failure)
  expect([isBundleRefused(cut), (await client.sessions.list()).items]).toEqual([true, []])
  const missing = await bytesOf(client.sessions.export({ sessionID })).catch((failure: unknown) => failure)
  expect(isSessionNotFound(missing)).toBe(true)
  const nowhere = importBundle(client, [bundle], { directory: "/nowhere/at/all" })
  await expect(nowhere).rejects.toMatchObject({ _tag: "LocationMissing" })
  expect((await client.sessions.list()).items).toEqual([])
})

test("[ST4 EP11 AU1] pages for people hold the conversation, without secrets, and more on request", async () => {
  const { client } = await open()
  const key = `sk-ant-api03-${"a1B2".repeat(20)}AA`
  const sessionID = await talk(client, `My key is ${key}. \u001b[31mRed <b>bold</b>`)
  const page = async (format: "markdown" | "html") =>
    (await bytesOf(client.sessions.export({ sessionID, format }))).toString()
  for (const format of ["markdown", "html"] as const) {
    const text = await page(format)
    expect(text).toContain("A talk")
    expect(text).toContain("⟦secret:")
    expect(text).toContain("\\u{1b}[31mRed")
    expect(text).not.toContain(key)
    expect(text).not.toContain("\u001b")
  }
  expect(await page("html")).toContain("&lt;b&gt;bold&lt;/b&gt;")
  expect(await page("html")).toMatch(/<\/html>\n$/)
})
