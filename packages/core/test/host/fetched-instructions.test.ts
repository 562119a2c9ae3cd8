/** Instructions at addresses: their place, and what holds while one does not answer (IN4). */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { initialize, observe, reconcile } from "../../src/context/index.ts"
import { makeFetchedInstructions } from "../../src/host/fetched-instructions.ts"
import { nothingAllowed } from "../../src/host/permissions.ts"
import { makeSamples } from "../../src/host/samples.ts"
import { makeFilePlace } from "../agent/place.ts"
import { useHost } from "../../../../test/stage/host.ts"
import { openLoopback } from "../../../../test/stage/loopback.ts"
import { createProviderSim, offlineAgent } from "../../../provider-sim/src/index.ts"

/** A server on loopback under a name that the user allowed; `says` is what it answers with. */
async function makeSite() {
  const site = { status: 200, type: "text/markdown", says: "Team rules.", asked: 0, location: "" }
  const server = createServer((_, response) => {
    site.asked += 1
    if (site.location !== "") return response.writeHead(302, { location: site.location }).end()
    response.writeHead(site.status, { "content-type": site.type }).end(site.says)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    site,
    url: `http://team.test:${port}/rules.md`,
    other: `http://other.test:${port}/rules.md`,
    reach: {
      privateHosts: new Set(["team.test"]),
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

type Site = Awaited<ReturnType<typeof makeSite>>

async function makeHost({ url, reach }: Site) {
  const place = await makeFilePlace()
  const { configDirectory, project } = place
  await place.write("project/AGENTS.md", "root")
  await place.write("config/style.md", "style")
  await place.write("project/nested/AGENTS.md", "nested")
  const open = () =>
    makeFetchedInstructions({
      urls: () => [url],
      directory: join(place.root, "data/instructions"),
      reach: () => reach,
    })
  const look = (fetched = open()) =>
    Effect.gen(function* () {
      const instructions = [url, "style.md"]
      const settings = { configDirectory, timeZone: null, disableProject: false, instructions, fetched }
      const samples = yield* makeSamples([], settings, nothingAllowed)
      const location = { directory: project, projectRoot: project }
      const { context } = yield* samples.sample(location, "build", [join(project, "nested/x.ts")])
      return yield* observe(context)
    }).pipe(Effect.scoped)
  return { place, open, look, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

const run = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(effect, TestClock.layer()))
const texts = (text: string) =>
  ["root", "style", "Team rules.", "nested"].filter((word) => text.includes(`\n\n${word}`))

test("[IN1 IN4] what stands at an address follows the configured files, and goes before nested ones", async () => {
  await using served = await makeSite()
  await using host = await makeHost(served)
  const begun = await run(Effect.flatMap(host.look(), (seen) => Effect.fromResult(initialize(seen))))
  const text = begun.kind === "blocked" ? "" : begun.generation.text
  const order = ["root", "style", "Team rules.", "nested"].map((word) => text.indexOf(`\n\n${word}`))
  expect([order, texts(text)]).toEqual([
    [...order].sort((a, b) => a - b),
    ["root", "style", "Team rules.", "nested"],
  ])
  expect(text).toContain(`## ${served.url}`)
})

test("[IN4 SC8] one that was reached before keeps its text while it does not answer, also in the next process", async () => {
  await using served = await makeSite()
  await using host = await makeHost(served)
  await run(
    Effect.gen(function* () {
      const fetched = host.open()
      const begun = yield* Effect.fromResult(initialize(yield* host.look(fetched)))
      const snapshot = begun.kind === "blocked" ? {} : begun.generation.snapshot
      served.site.status = 503
      yield* TestClock.adjust("6 minutes")
      const again = yield* Effect.fromResult(reconcile(yield* host.look(fetched), snapshot))
      expect(again.kind).toBe("unchanged")
      expect(fetched.unreached()).toMatchObject([{ url: served.url, known: true }])
      const next = host.open()
      expect((yield* Effect.fromResult(reconcile(yield* host.look(next), snapshot))).kind).toBe("unchanged")
      served.site.status = 200
      served.site.says = "Other rules."
      yield* TestClock.adjust("6 minutes")
      expect((yield* Effect.fromResult(reconcile(yield* host.look(next), snapshot))).kind).toBe("updated")
      expect(next.unreached()).toEqual([])
    }),
  )
})

test("[IN4] one that was never reached is absent, told, and asked again only after a while", async () => {
  await using served = await makeSite()
  await using host = await makeHost(served)
  served.site.status = 404
  await run(
    Effect.gen(function* () {
      const fetched = host.open()
      const begun = yield* Effect.fromResult(initialize(yield* host.look(fetched)))
      expect(texts(begun.kind === "blocked" ? "" : begun.generation.text)).toEqual([
        "root",
        "style",
        "nested",
      ])
      expect(fetched.unreached()).toMatchObject([
        { known: false, message: `${served.url} answered 404.`, since: 0 },
      ])
      yield* host.look(fetched)
      expect(served.site.asked).toBe(1)
      yield* TestClock.adjust("1 minute")
      yield* host.look(fetched)
      expect(served.site.asked).toBe(2)
    }),
  )
})

test.each<readonly [string, (site: Site) => void, string]>([
  [
    "a redirect to a private address",
    (s) => (s.site.location = s.other),
    "other.test is at 127.0.0.1, which is loopback",
  ],
  ["a web page", (s) => (s.site.type = "text/html"), "is a web page"],
  ["bytes", (s) => (s.site.says = "a\0b"), "is no text"],
])("[IN4 PE2] %s is not taken", async (_, change, message) => {
  await using served = await makeSite()
  await using host = await makeHost(served)
  change(served)
  const fetched = host.open()
  expect(await run(fetched.current)).toEqual([])
  expect(fetched.unreached()).toMatchObject([{ message: expect.stringContaining(message) as string }])
})

test("[IN4] an address is asked at most once in five minutes, and what is too long is cut", async () => {
  await using served = await makeSite()
  await using host = await makeHost(served)
  served.site.says = "x".repeat(300 * 1024)
  await run(
    Effect.gen(function* () {
      const fetched = host.open()
      const [first] = yield* fetched.current
      expect(first?.content).toMatchObject({ kind: "text", cut: true, bytes: 300 * 1024 })
      yield* TestClock.adjust("4 minutes")
      yield* fetched.current
      expect([served.site.asked, (yield* host.open().current).length, served.site.asked]).toEqual([1, 1, 1])
      yield* TestClock.adjust("2 minutes")
      yield* fetched.current
      expect(served.site.asked).toBe(2)
    }),
  )
})

test("[IN4 FA1] a host tells in its health which address a turn went without", async () => {
  await using served = await makeSite()
  await using place = await openLoopback("unreached", {
    sim: () => createProviderSim({ models: { agent: offlineAgent() } }),
  })
  served.site.status = 404
  const { host: address, port } = new URL(served.url.replace("team.test", "127.0.0.1"))
  const url = `http://127.0.0.1:${port}/rules.md`
  const settings = { ...place.settings, instructions: [url], webfetchPrivateHosts: ["127.0.0.1"] }
  const told = await useHost({ ...place, settings }, (host) =>
    Effect.gen(function* () {
      const before = yield* host.health()
      const { id } = yield* host.create({ directory: place.project })
      yield* host.prompt({ sessionID: id, text: "Hello." })
      const { status } = yield* host.result(id)
      return { before, status, after: yield* host.health() }
    }),
  )
  expect(told).toEqual({
    before: [],
    status: "done",
    after: [
      {
        part: `instructions/${address}`,
        cause: `${url} answered 404.`,
        since: expect.any(Number) as number,
      },
    ],
  })
})
