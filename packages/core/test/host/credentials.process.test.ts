/** A key goes into the header of a request and nowhere else, however it was found (AU1). */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createProviderSim, offlineAgent } from "../../../provider-sim/src/index.ts"
import { tell } from "./tell.ts"

const canary = "canary-5d41402abc4b"
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "holdfast-canary-"))
  await writeFile(join(root, "key"), `${canary}\n`)
  await chmod(join(root, "key"), 0o600)
})
afterAll(() => rm(root, { recursive: true, force: true }))

const limit = { context: 200_000, output: 8_192 }

/** A provider that remembers the keys it was shown, and refuses those that it does not like by quoting them. */
async function serveProvider(likes: (key: string) => boolean) {
  const keys: string[] = []
  const sim = createProviderSim({ models: { agent: offlineAgent() } })
  const server: Server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const key = String(request.headers["x-api-key"] ?? "no header")
    keys.push(key)
    if (!likes(key)) {
      const error = { type: "authentication_error", message: `We do not know ${key}.` }
      response.writeHead(401, { "content-type": "application/json" })
      return response.end(JSON.stringify({ type: "error", error }))
    }
    const headers = request.headers as Record<string, string>
    const call = { method: "POST", path: request.url ?? "", headers, body: Buffer.concat(pieces) }
    const answer = sim.respond(call, Date.now())
    response.writeHead(answer.status, answer.headers)
    for (const frame of answer.frames) if (frame.kind === "bytes") response.write(frame.bytes)
    response.end()
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return {
    keys,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => void server.close(() => closed())),
  }
}

const tellWith = (url: string, key: object, environment: Record<string, string | undefined>) => {
  const mine = { wire: "anthropic-messages", baseUrl: url, models: { agent: { limit } }, ...key }
  return tell(root, { providers: { mine } }, environment, "Hello.")
}

const ways: readonly (readonly [string, () => object, Record<string, string>])[] = [
  ["a variable", () => ({ apiKeyEnv: "MINE" }), { MINE: canary }],
  ["a key file", () => ({ apiKeyFile: "key" }), {}],
  ["a command", () => ({ apiKeyCommand: ["printf", canary.replace("-", "%s"), "-"] }), {}],
  ["the file itself", () => ({ apiKey: canary }), {}],
]

for (const [way, key, more] of ways) {
  const environment = { PATH: process.env["PATH"], ...more }

  test(`[AU1] a key from ${way} reaches the provider and nothing else`, async () => {
    await using provider = await serveProvider(() => true)
    const { result, everything } = await tellWith(provider.url, key(), environment)
    expect(result.status).toBe("done")
    expect(provider.keys).toContain(canary)
    expect(everything).not.toContain(canary)
  })

  test(`[AU1] a key from ${way} that is refused, and quoted, is told nowhere`, async () => {
    await using provider = await serveProvider(() => false)
    const { result, everything } = await tellWith(provider.url, key(), environment)
    expect(result).toMatchObject({ status: "failed", reason: { code: "authentication" } })
    expect(result.reason?.message).toContain("We do not know [hidden].")
    expect(provider.keys).toEqual([canary])
    expect(everything).not.toContain(canary)
  })
}

test("[AU1 TU4] a key that a command gives anew is tried once, and both attempts are on record", async () => {
  const counter = join(root, "asked")
  const script = `echo x >> ${counter}; printf ${canary}; wc -l < ${counter} | tr -d ' '`
  const key = { apiKeyCommand: ["sh", "-c", script] }
  const environment = { PATH: process.env["PATH"] }
  await using provider = await serveProvider((shown) => shown === `${canary}2`)
  const { result, turns, everything } = await tellWith(provider.url, key, environment)
  expect(result.status).toBe("done")
  expect(provider.keys).toEqual([`${canary}1`, `${canary}2`])
  expect(turns[0]?.settled?.ledger.attempts).toMatchObject([
    { failure: { code: "authentication" } },
    { failure: null },
  ])
  expect(everything).not.toContain(canary)
})

test("[AU1] a key file that others may read keeps the prompt and says what to do", async () => {
  const path = join(root, "open-key")
  await writeFile(path, canary)
  await chmod(path, 0o644)
  await using provider = await serveProvider(() => true)
  const { result, everything } = await tellWith(provider.url, { apiKeyFile: path }, {})
  expect(result).toMatchObject({ status: "blocked", reason: { code: "credential" } })
  expect(result.reason?.message).toContain(`chmod 600 ${path}`)
  expect(provider.keys).toEqual([])
  expect(everything).not.toContain(canary)
})

test("[AU1] without a key no header is sent for one, and a refusal says that none is configured", async () => {
  await using friendly = await serveProvider(() => true)
  expect((await tellWith(friendly.url, {}, {})).result.status).toBe("done")
  expect(new Set(friendly.keys)).toEqual(new Set(["no header"]))
  await using strict = await serveProvider(() => false)
  const { result } = await tellWith(strict.url, {}, {})
  expect(result).toMatchObject({ status: "failed", reason: { code: "authentication" } })
  expect(result.reason?.message).toContain(
    "none is configured for it. Say in holdfast.jsonc where its key is",
  )
})
