/** `holdfast serve`, the commands that use it, and `attach`, as real processes. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { makeDirectedPlace, makePlace, type Place } from "./place.ts"

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
    expect((await place.run(["doctor"])).out).toContain("has ended without removing")
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
    expect((await place.run(["doctor"])).out).toMatch(/✓ http:\/\/127\.0\.0\.1:\d+ answers/)
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

  test("an address that this machine does not have is refused", async () => {
    await using place = await makePlace()
    const { code, err } = await place.run(["serve", "--host", "192.0.2.1"])
    expect(code).toBe(2)
    expect(err).toContain("This machine has no address 192.0.2.1. Choose another with --host.")
  })
})

describe("commands on a served data directory", () => {
  test("[SU1] give the same results through the server as in their own process", async () => {
    await using place = await makePlace()
    const server = await serve(place)
    const served = await place.run(["run", "--json", "Read README.md."])
    const own = await place.run(["run", "--json", "--no-server", "Read README.md."])
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
      const [there, here] = await Promise.all([place.run(args), place.run([...args, "--no-server"])])
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
    expect(await place.run(["delete", session])).toMatchObject({ code: 2, out: "" })
    expect(await place.run(["delete", session, "--yes"])).toMatchObject({
      code: 0,
      out: `Session ${session} is deleted.\n`,
    })
    expect(await place.run(["delete", session, "--yes"])).toMatchObject({ code: 2 })
  })

  test("[SU1] tools that the server does not offer are refused by its name; more tools are told", async () => {
    await using place = await makePlace()
    const server = await serve(place, "--allow", "write")
    const { url } = server.announced
    const refused = await place.run(["run", "--json", "--allow", "write,bash", "Run `echo hi`."])
    expect(refused.code).toBe(2)
    expect(refused.record()).toMatchObject({ status: "failed", reason: { code: "usage" } })
    expect(refused.err).toContain(`The server at ${url} does not offer bash`)
    expect(refused.err).toContain("holdfast serve --allow write,bash, or add --no-server")
    const embedded = await place.run(["run", "--json", "--allow", "bash", "--no-server", "Run `echo hi`."])
    expect(embedded.record()).toMatchObject({ text: expect.stringContaining("printed `hi`") as string })
    const more = await place.run(["run", "Read README.md."])
    expect(more.out).toContain(`The server at ${url} works, and offers write too.`)
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
    const resumed = await place.run(["resume", session, "--json"])
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
    expect(seen.out.match(/It went\./g)).toHaveLength(1)
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
    await watching.prints("waiting for its successor")
    const second = await serve(place)
    await watching.prints('"turn.settled"')
    await place.run(["resume", session])
    await watching.prints("Slept.")
    watching.kill("SIGINT")
    const { code, out } = await watching.ended
    expect(code).toBe(0)
    const seqs = lines(out).map(({ seq }) => Number(seq))
    expect(seqs).toEqual(seqs.map((_, at) => (seqs[0] ?? 0) + at))
    second.kill("SIGINT")
    await second.ended
  })
})
