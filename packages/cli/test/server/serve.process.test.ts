/** `holdfast serve`, the commands that use it, and `attach`. What stays or is stopped is a real process. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { makeDirectedPlace, makePlace, type Place } from "../place.ts"

interface Announcement {
  readonly type: string
  readonly url: string
  readonly tokenFile: string
  readonly pid: number
}

const directive = (...steps: readonly object[]) => `@@SIM${JSON.stringify({ steps })}@@`
const sleeping = directive({ tools: [{ name: "bash", input: { command: "sleep 60" } }] }, { text: "Slept." })

async function serve(place: Place, ...more: readonly string[]) {
  const server = place.start(["serve", "--port", "0", "--json", ...more])
  await server.prints("}\n")
  const announced = JSON.parse(server.printed()) as Announcement
  return { ...server, announced, token: readFileSync(announced.tokenFile, "utf8").trim() }
}

const recordFile = (place: Place) => join(place.root, "data/server.json")

const lines = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe("serve", () => {
  test("[AU1] announces itself in one line, on loopback, and keeps the token to its user", async () => {
    await using place = await makePlace()
    const { announced, token, kill, ended, printed } = await serve(place)
    expect(announced).toEqual({
      type: "serving",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      addresses: [],
      tokenFile: join(place.root, "data/server.token"),
      pid: expect.any(Number) as number,
    })
    expect(token).toMatch(/^[\w-]{43}$/)
    const record = readFileSync(recordFile(place), "utf8")
    expect(JSON.parse(record)).toMatchObject({
      url: announced.url,
      process: { pid: announced.pid },
      allow: [],
    })
    expect(record + printed()).not.toContain(token)
    for (const file of [recordFile(place), announced.tokenFile])
      expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await fetch(`${announced.url}/api/health`)).status).toBe(401)
    const authorization = `Bearer ${token}`
    expect((await fetch(`${announced.url}/api/health`, { headers: { authorization } })).status).toBe(200)
    kill("SIGTERM")
    expect(await ended).toMatchObject({ code: 0, signal: null, out: printed() })
    expect(existsSync(recordFile(place))).toBe(false)
    const next = await serve(place)
    expect(next.token).toBe(token)
    next.kill("SIGTERM")
    await next.ended
  })

  test("[SU1] is refused where one serves already, and takes over from one that was killed", async () => {
    await using place = await makePlace()
    const first = await serve(place)
    const second = await place.run(["serve"])
    expect(second).toMatchObject({ code: 2, out: "" })
    expect(second.err).toContain(
      `The server at ${first.announced.url} (process ${first.announced.pid}) serves`,
    )
    const port = new URL(first.announced.url).port
    const taken = await place.run(["serve", "--port", port, "--data-dir", join(place.root, "other")])
    expect(taken.err).toContain(`Port ${port} is taken. Choose another with --port.`)
    first.kill("SIGKILL")
    await first.ended
    expect(existsSync(recordFile(place))).toBe(true)
    expect((await place.call(["doctor"])).out).toContain("has ended without removing")
    const next = await serve(place)
    expect(next.announced.pid).not.toBe(first.announced.pid)
    next.kill("SIGINT")
    expect(await next.ended).toMatchObject({ code: 0 })
  })

  test("[AU1] of several that start at once one serves and the others are refused", async () => {
    await using place = await makePlace()
    const starting = [0, 1, 2].map(() => place.start(["serve", "--json"]))
    const first = await Promise.race(starting.map(async (each) => (await each.prints("}\n"), each)))
    const others = starting.filter((each) => each !== first)
    for (const { code, err } of await Promise.all(others.map((each) => each.ended))) {
      expect(code).toBe(2)
      expect(err).toMatch(/already|does not answer yet/)
    }
    expect((await place.call(["doctor"])).out).toMatch(/✓ http:\/\/127\.0\.0\.1:\d+ answers/)
    first.kill("SIGINT")
    expect(await first.ended).toMatchObject({ code: 0 })
  })

  test("[SU1] a second signal ends it at once", async () => {
    await using place = await makeDirectedPlace()
    const server = await serve(place, "--allow", "bash")
    const stubborn = directive({
      tools: [{ name: "bash", input: { command: "trap '' TERM INT; sleep 60" } }],
    })
    const running = place.start(["run", "--json", stubborn])
    await running.prints('"call.started"')
    server.kill("SIGINT")
    await server.prints("Stopping; once more ends at once.")
    server.kill("SIGINT")
    expect(await server.ended).toMatchObject({ code: 130 })
    running.kill("SIGKILL")
  })

  test("[AU1] --log-format json says everything in lines of JSON, and names no secret", async () => {
    await using place = await makePlace()
    const server = place.start(["serve", "--log-format", "json", "--log-level", "debug"])
    await server.prints('"event":"serving"')
    const [serving] = lines(server.printed())
    expect(serving).toMatchObject({ level: "info", event: "serving", pid: server.pid })
    const { url, tokenFile } = serving as { url: string; tokenFile: string }
    const token = readFileSync(tokenFile, "utf8").trim()
    const headers = { authorization: `Bearer ${token}` }
    await fetch(`${url}/api/session/ses_0000none0000/message?limit=5`, { headers })
    await server.prints(":sessionID/message")
    await place.call(["run", "A secret plan"])
    await server.prints('"event":"turn"')
    server.kill("SIGTERM")
    const { code, out, err } = await server.ended
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const events = lines(out)
    for (const line of events)
      expect(line).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        level: expect.stringMatching(/^(debug|info)$/) as string,
      })
    const kinds = events.map(({ event }) => event)
    expect(kinds.slice(0, 2)).toEqual(["serving", "request"])
    expect(kinds.slice(-2)).toEqual(["stopping", "stopped"])
    expect(events.find(({ event }) => event === "turn")).toMatchObject({
      level: "debug",
      session: expect.stringMatching(/^ses_/) as string,
      status: "done",
      tokensOut: expect.any(Number) as number,
    })
    expect(events[1]).toMatchObject({
      method: "GET",
      route: "/api/session/:sessionID/message",
      status: 404,
      ms: expect.any(Number) as number,
    })
    expect(out).not.toContain(token)
    expect(out).not.toContain("ses_0000none0000")
    expect(out).not.toContain("secret plan")
  })

  test("[AU1] --allowed-origin lets the pages of that origin in, without a token for their preflights", async () => {
    await using place = await makePlace()
    const { announced, token, kill, ended } = await serve(place, "--allowed-origin", "https://App.example/")
    const ask = (origin: string) =>
      fetch(`${announced.url}/api/session`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      })
    const allowed = await ask("https://app.example")
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "https://app.example",
    ])
    expect((await ask("https://evil.example")).status).toBe(403)
    expect(readFileSync(recordFile(place), "utf8")).toContain('"--allowed-origin",')
    const page = await fetch(`${announced.url}/docs/swagger-ui-bundle.js`)
    expect([page.status, (await page.text()).length > 100_000]).toEqual([200, true])
    const scraped = await fetch(`${announced.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    expect(await scraped.text()).toContain("holdfast_admissions_total 0\n")
    kill("SIGTERM")
    await ended
    const refused = await place.call(["serve", "--allowed-origin", "*"])
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.err).toContain("Give the origin of the page, without a path")
    const unclear = await place.call(["serve"], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" } })
    expect(unclear).toMatchObject({ code: 2, out: "" })
    expect(unclear.err).toContain("The variable OTEL_EXPORTER_OTLP_ENDPOINT is no address")
  })

  test("an address that this machine does not have is refused", async () => {
    await using place = await makePlace()
    const { code, err } = await place.call(["serve", "--host", "192.0.2.1", "--allowed-host", "box.example"])
    expect(code).toBe(2)
    expect(err).toContain("This machine has no address 192.0.2.1. Choose another with --host.")
  })

  test("[AU1] an address for other machines is refused without the names it answers to", async () => {
    await using place = await makePlace()
    const { code, err } = await place.call(["serve", "--host", "0.0.0.0"])
    expect(code).toBe(2)
    expect(err).toContain("--host 0.0.0.0 lets other machines in: say by which names they call this one")
    expect(existsSync(recordFile(place))).toBe(false)
  })

  test("[AU1] on another loopback address it is used by commands, and by the names it was given", async () => {
    await using place = await makePlace()
    const server = place.start(["serve", "--host", "127.8.7.6", "--allowed-host", "Box.example"])
    await server.prints("follows a Session.")
    const { port } = new URL((JSON.parse(readFileSync(recordFile(place), "utf8")) as Announcement).url)
    expect(server.printed()).toContain(`Holdfast serves on http://127.8.7.6:${port}`)
    expect(server.printed()).toContain("It also answers to box.example, for a proxy on this machine.")
    expect((await place.call(["doctor"])).out).toContain(`✓ http://127.8.7.6:${port} answers`)
    server.kill("SIGINT")
    await server.ended
  })
})

describe("commands on a served data directory", () => {
  test("[SU1] give the same results through the server as in their own process", async () => {
    await using place = await makePlace()
    const server = await serve(place)
    const served = await place.call(["run", "--json", "Read README.md."])
    const own = await place.call(["run", "--json", "--no-server", "Read README.md."])
    const types = (out: string) => lines(out).map(({ fact }) => (fact as { type?: string } | undefined)?.type)
    const bare = (record: unknown) => ({ ...(record as object), session: "", prompt: "" })
    expect({ code: served.code, err: served.err }).toEqual({ code: own.code, err: own.err })
    expect(types(served.out)).toEqual(types(own.out))
    expect(bare(served.record())).toEqual(bare(own.record()))
    const { session } = served.record() as { session: string }
    for (const args of [
      ["sessions", "--json"],
      ["turns", session, "--verify"],
      ["window", session, "--json"],
      ["run", "--dir", "nowhere", "x"],
      ["attach", session, "--until-idle", "--json"],
    ]) {
      const [there, here] = await Promise.all([place.call(args), place.call([...args, "--no-server"])])
      // The server writes the fields of a value in another order.
      const said = (out: string) => (args.includes("--json") ? lines(out) : out)
      expect({ args, ...there, out: said(there.out), record: null }).toEqual({
        args,
        ...here,
        out: said(here.out),
        record: null,
      })
    }
    server.kill("SIGINT")
    await server.ended
  })

  test("[DR3] interrupt and delete reach a Session that the server leads", async () => {
    await using place = await makeDirectedPlace()
    await serve(place, "--allow", "bash")
    const running = place.start(["run", "--json", sleeping])
    await running.prints('"call.started"')
    const session = /ses_[0-9a-z]{20}/.exec(running.printed())?.[0] ?? ""
    expect(await place.run(["interrupt", session])).toMatchObject({
      code: 0,
      out: `Session ${session} is interrupted.\nGo on with: holdfast resume ${session}\n`,
    })
    expect((await running.ended).record()).toMatchObject({ status: "interrupted", session })
    expect(await place.call(["delete", session])).toMatchObject({ code: 2, out: "" })
    expect(await place.run(["delete", session, "--yes"])).toMatchObject({
      code: 0,
      out: `Session ${session} is deleted.\n`,
    })
    expect(await place.call(["delete", session, "--yes"])).toMatchObject({ code: 2 })
  })

  test("[SU1 PE5] a server allows what it was started with, a run its Session more, and an answer the rest", async () => {
    await using place = await makePlace()
    const server = await serve(place, "--allow", "write")
    const { url } = server.announced
    const more = await place.call(["run", "--allow", "bash", "Run `sleep 0; echo hi`."])
    expect(more.out).toContain(`The server at ${url} works, and allows every Session write without asking.`)
    expect(more.out).toContain("printed `hi`")
    const asking = await place.call(["run", "--json", "--on-ask", "wait", "Run `sleep 0; echo hi`."])
    const { session, asks } = asking.record() as { session: string; asks: readonly { id: string }[] }
    expect([asking.code, asks.length]).toEqual([3, 1])
    const answered = await place.call(["answer", asks[0]?.id ?? "", "allow"])
    expect([answered.code, answered.out]).toEqual([
      0,
      `Answered. The server goes on with Session ${session}. Follow it with: holdfast attach ${session}\n`,
    ])
    const followed = await place.call(["attach", "--until-idle", "--json", session])
    expect(followed.record()).toMatchObject({
      status: "done",
      text: expect.stringContaining("printed `hi`") as string,
    })
    server.kill("SIGINT")
    await server.ended
  })

  test("[CF1 DR2] a server takes a changed file; one with a fault is told by every command and by doctor", async () => {
    await using place = await makePlace()
    const server = await serve(place)
    expect((await place.call(["sessions"])).err).toBe("")
    await place.write("config/holdfast.jsonc", '{ "onRestart": "continue" }')
    const taken = await place.call(["run", "--json", "Read README.md."])
    expect([taken.code, taken.err]).toEqual([0, expect.not.stringContaining("configuration")])
    const { session } = taken.record() as { session: string }
    const shown = await place.call(["sessions", "--json"])
    expect(shown.out).toContain('"policy":"continue"')
    await place.write("config/holdfast.jsonc", '{\n  "budget": 5\n}')
    const file = join(place.root, "config", "holdfast.jsonc")
    const said = `${file}:2: budget must be an object in braces. Until it is mended, the settings before it hold.`
    for (const command of [["sessions"], ["run", "--session", session, "Read README.md."]]) {
      const { code, err } = await place.call(command)
      expect([command, code, err]).toEqual([command, 0, expect.stringContaining(said) as string])
    }
    const doctor = await place.call(["doctor", "--offline"])
    expect(doctor.out).toMatch(/configuration is degraded, since .*: .*holdfast\.jsonc:2: budget must be/)
    await place.write("config/holdfast.jsonc", '{ "maskShapes": false }')
    const waiting = await place.call(["sessions"])
    expect(waiting.err).toContain("maskShapes changed in your configuration.")
    server.kill("SIGINT")
    await server.ended
  })

  test("[SU1 PR8] a run whose server is killed still ends with a record, and can be resumed", async () => {
    await using place = await makeDirectedPlace()
    const server = await serve(place, "--allow", "bash")
    const running = place.start(["run", "--json", sleeping])
    await running.prints('"call.started"')
    server.kill("SIGKILL")
    const { code, err, record, out } = await running.ended
    expect(err).toContain("has gone; going on without it.")
    expect(code).toBe(130)
    const { session } = record() as { session: string }
    expect(record()).toMatchObject({ status: "interrupted", session })
    const seqs = lines(out).flatMap(({ seq }) => (typeof seq === "number" ? [seq] : []))
    expect(seqs).toEqual(seqs.map((_, at) => at + 1))
    const resumed = await place.call(["resume", session, "--json"])
    expect(resumed.record()).toMatchObject({ status: "done", text: "Slept." })
  })
})

describe("attach", () => {
  test("[SU1] Ctrl-C detaches and lets the Session go on; --until-idle waits for its end", async () => {
    await using place = await makeDirectedPlace()
    const server = await serve(place, "--allow", "bash")
    const waiting = directive(
      {
        text: "Waiting.",
        tools: [{ name: "bash", input: { command: "while ! test -e go; do sleep 0.05; done" } }],
      },
      { text: "It went." },
    )
    const running = place.start(["run", "--json", waiting])
    await running.prints('"call.started"')
    const session = /ses_[0-9a-z]{20}/.exec(running.printed())?.[0] ?? ""
    const watching = place.start(["attach", session, "--json"])
    await watching.prints('"call.started"')
    watching.kill("SIGINT")
    expect(await watching.ended).toMatchObject({ code: 0, signal: null })
    const person = place.start(["attach", session, "--until-idle"])
    const program = place.start(["attach", session, "--until-idle", "--json"])
    await program.prints('"call.started"')
    await person.prints("Waiting.")
    await place.write("project/go", "")
    expect((await running.ended).record()).toMatchObject({ status: "done" })
    const { code, record } = await program.ended
    expect({ code, record: record() }).toMatchObject({
      code: 0,
      record: { status: "done", text: "It went." },
    })
    const seen = await person.ended
    expect(seen.code).toBe(0)
    expect(seen.out).toContain("It went.")
    expect(seen.out.match(/^It went\.$/gm)).toHaveLength(1)
    server.kill("SIGINT")
    await server.ended
  })

  test("[EV3] goes on with the next server after the last sequence, without gap or repetition", async () => {
    await using place = await makeDirectedPlace()
    const first = await serve(place, "--allow", "bash")
    const running = place.start(["run", "--json", sleeping])
    await running.prints('"call.started"')
    const session = /ses_[0-9a-z]{20}/.exec(running.printed())?.[0] ?? ""
    const watching = place.start(["attach", session, "--json"])
    await watching.prints('"call.started"')
    running.kill("SIGKILL")
    first.kill("SIGKILL")
    await watching.prints("has gone; following what is stored.")
    await watching.prints('"turn.settled"')
    const second = await serve(place)
    await watching.prints("There is a server; following it.")
    await place.call(["resume", session])
    await watching.prints("Slept.")
    watching.kill("SIGINT")
    const { code, out } = await watching.ended
    expect(code).toBe(0)
    const seqs = lines(out).map(({ seq }) => Number(seq))
    expect(seqs).toEqual(seqs.map((_, at) => (seqs[0] ?? 0) + at))
    second.kill("SIGINT")
    await second.ended
  })

  test("[EV3 EV5] sees the Session go on in another process after its server died", async () => {
    await using place = await makeDirectedPlace()
    const server = await serve(place, "--allow", "bash")
    const running = place.start(["run", "--json", sleeping])
    await running.prints('"call.started"')
    const session = /ses_[0-9a-z]{20}/.exec(running.printed())?.[0] ?? ""
    const watching = place.start(["attach", session, "--json"])
    const waiting = place.start(["attach", session, "--until-idle", "--json"])
    for (const each of [watching, waiting]) await each.prints('"call.started"')
    running.kill("SIGKILL")
    server.kill("SIGKILL")
    for (const each of [watching, waiting]) await each.prints("has gone; following what is stored.")
    expect((await place.call(["resume", session])).code).toBe(0)
    await watching.prints("Slept.")
    const { code, record } = await waiting.ended
    expect([code, record()]).toMatchObject([0, { status: "done", text: "Slept." }])
    watching.kill("SIGINT")
    expect(await watching.ended).toMatchObject({ code: 0 })
  })
})

describe("Ctrl-C where a prompt only waits", () => {
  test.each([
    ["at a server", "queue", [["server"], []]],
    ["in another process", "queue", [[], ["--allow", "bash"]]],
    ["in another process", "steer", [[], ["--allow", "bash"]]],
  ] as const)(
    "[DR3 PR3] behind work %s (%s) takes the prompt back, and the work goes on",
    async (_, delivery, [served, allow]) => {
      await using place = await makeDirectedPlace()
      if (served.length > 0) await serve(place, "--allow", "bash")
      const waits = directive(
        { tools: [{ name: "bash", input: { command: "until test -e go; do sleep 0.05; done" } }] },
        { text: "It went." },
      )
      const working = place.start(["run", "--json", ...allow, waits])
      await working.prints('"call.started"')
      const session = /ses_[0-9a-z]{20}/.exec(working.printed())?.[0] ?? ""
      const args = ["run", "--json", "--session", session, "--delivery", delivery, "Read README.md."]
      const waiting = place.start(args)
      await waiting.prints('"prompt.admitted"')
      waiting.kill("SIGINT")
      const { code, record } = await waiting.ended
      expect([code, record()]).toMatchObject([
        130,
        { status: "interrupted", reason: { code: "withdrawn" }, session, turns: 0, cost: 0 },
      ])
      await place.write("project/go", "")
      expect((await working.ended).record()).toMatchObject({ status: "done", text: "It went." })
      const [row] = lines((await place.call(["sessions", "--json"])).out)
      expect(row).toMatchObject({ status: { state: "idle", owing: false, pending: 0 } })
    },
  )
})

describe("A run whose prompt is answered", () => {
  const waits = directive(
    { tools: [{ name: "bash", input: { command: "until test -e go; do sleep 0.05; done" } }] },
    { text: "It went." },
  )
  const next = directive(
    { tools: [{ name: "bash", input: { command: "until test -e on; do sleep 0.05; done" } }] },
    { text: "That too." },
  )

  test("[PR3 SU1] at a server ends, and leaves the prompt behind it alone", async () => {
    await using place = await makeDirectedPlace()
    await serve(place, "--allow", "bash")
    const working = place.start(["run", "--json", waits])
    await working.prints('"call.started"')
    const session = /ses_[0-9a-z]{20}/.exec(working.printed())?.[0] ?? ""
    const queued = place.start(["run", "--json", "--session", session, "--delivery", "queue", next])
    await queued.prints('"prompt.admitted"')
    await place.write("project/go", "")
    const { code, record } = await working.ended
    expect([code, record()]).toMatchObject([0, { status: "done", text: "It went.", turns: 2 }])
    await place.write("project/on", "")
    expect((await queued.ended).record()).toMatchObject({ status: "done", text: "That too.", turns: 2 })
  })

  test("[PR3 SU1] says that the next one runs here too, where it leads the Session", async () => {
    await using place = await makeDirectedPlace()
    const working = place.start(["run", "--json", "--allow", "bash", waits])
    await working.prints('"call.started"')
    const session = /ses_[0-9a-z]{20}/.exec(working.printed())?.[0] ?? ""
    const queued = place.start(["run", "--json", "--session", session, "--delivery", "queue", next])
    await queued.prints('"prompt.admitted"')
    await place.write("project/go", "")
    await queued.prints('"call.started"')
    await place.write("project/on", "")
    const { err, record } = await working.ended
    expect(record()).toMatchObject({ status: "done", text: "It went.", turns: 2 })
    expect(err).toContain("The Session goes on in this process with another prompt that waited")
    expect((await queued.ended).record()).toMatchObject({ status: "done", text: "That too." })
  })
})
