/** `holdfast run` and `resume`: what they print and how they end. What is stopped or meets another is a real process. */
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeDirectedPlace, makePlace } from "./place.ts"

interface FinalRecord {
  readonly status: string
  readonly session: string
  readonly text: string
  readonly reason: { readonly code: string; readonly message: string } | null
  readonly declined?: unknown
}

const anyId = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-z]{20}$`)) as string
const directive = (...steps: readonly object[]) => `@@SIM${JSON.stringify({ steps })}@@`
const sleeping = directive({ tools: [{ name: "bash", input: { command: "sleep 60" } }] }, { text: "Slept." })
const stubborn = directive({ tools: [{ name: "bash", input: { command: "trap '' TERM INT; sleep 60" } }] })

test("[CA1] AWS keys that are there for other programs leave the offline model in its place", async () => {
  await using place = await makePlace()
  const env = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI" }
  const { code, out } = await place.call(["run", "Read README.md."], { env })
  expect([code, out.split(" ", 3).join(" ")]).toEqual([0, "Offline model: offline/agent"])
  const doctor = await place.call(["doctor", "--offline"], { env })
  expect([doctor.code, doctor.out]).toEqual([
    0,
    expect.stringContaining("✓ none is chosen: the offline model answers"),
  ])
})

test("[LL1] a run with the offline model loads the one wire that it speaks, on both ends, and its writer thread none", async () => {
  await using place = await makePlace()
  const list = join(place.root, "loaded.txt")
  const hook = `import { appendFileSync } from "node:fs"
    import { registerHooks } from "node:module"
    registerHooks({
      load(url, context, next) {
        appendFileSync(${JSON.stringify(list)}, url.slice(url.lastIndexOf("/") + 1) + "\\n")
        return next(url, context)
      },
    })`
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` }
  expect((await place.run(["run", "Read README.md."], { env })).code).toBe(0)
  const loads = (await readFile(list, "utf8")).trim().split("\n")
  const loaded = new Set(loads)
  expect(loaded).toContain("anthropic-messages.js")
  const others = ["sim", "ai-sdk", "bedrock-converse", "gemini", "openai-chat", "openai-responses"]
  expect(others.filter((name) => loaded.has(`${name}.js`))).toEqual([])
  expect(loaded).not.toContain("web-tree-sitter.js")
  const twice = [...loaded].filter((name) => loads.indexOf(name) !== loads.lastIndexOf(name))
  expect(twice.filter((name) => name.endsWith(".js")).sort()).toEqual([
    "categories.js",
    "driver.js",
    "fold.js",
  ])
})

test("[SU1] --json prints durable events and ends with one record", async () => {
  await using place = await makePlace()
  const { code, out, err, record } = await place.run(["run", "--json", "Read README.md."])
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const events = lines.slice(0, -1)
  expect(code).toBe(0)
  expect(err).toContain("Offline model: offline/agent answers, because no provider is configured.")
  expect(events.map(({ type }) => type)).toEqual(events.map(() => "event"))
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
  expect(Object.keys(lines.at(-1) ?? {})).toEqual([
    "type",
    "status",
    "reason",
    "session",
    "prompt",
    "turns",
    "text",
    "usage",
    "accuracy",
    "cost",
    "provider",
    "model",
  ])
  expect(record()).toEqual({
    type: "result",
    status: "done",
    reason: null,
    session: anyId("ses"),
    prompt: anyId("prm"),
    turns: 2,
    text: "`README.md` has 3 lines under the heading “Greeter”. It begins: “Prints a greeting.”",
    usage: {
      input: expect.any(Number) as number,
      output: expect.any(Number) as number,
      cacheRead: expect.any(Number) as number,
      cacheWrite: expect.any(Number) as number,
    },
    accuracy: "exact",
    cost: 0,
    provider: "offline",
    model: "agent",
  })
})

test("a person reads who answers, what was done, the answer and how to go on", async () => {
  await using place = await makePlace()
  const { code, out, err } = await place.call(["run", "Read README.md."])
  const lines = out.trimEnd().split("\n")
  expect(code).toBe(0)
  expect(err).toBe("")
  expect(lines[0]).toContain("Offline model: offline/agent answers, because no provider is configured.")
  expect(out).toContain("✓ read README.md · 3 lines\n")
  expect(out.split("under the heading “Greeter”").length).toBe(2)
  expect(lines.at(-2)).toMatch(/^done · 2 turns · [\d,]+ tokens in \(\d+ % from cache\), \d+ out · cost \$0$/)
  expect(lines.at(-1)).toMatch(/^Session (ses_\w+)\. Go on with: holdfast run --session \1 "…"$/)
  expect(out).not.toContain("\u001b")
})

test("a Session goes on in another process, and every request of both can be rebuilt", async () => {
  await using place = await makePlace()
  const first = (await place.call(["run", "--json", "Read README.md."])).record() as FinalRecord
  const second = await place.run(["run", "--json", "--session", first.session, "-"], {
    input: "Read README.md again.",
  })
  expect(second.record()).toMatchObject({ status: "done", session: first.session, turns: 2 })
  const turns = await place.call(["turns", first.session, "--verify"])
  expect(turns.code).toBe(0)
  const [head, ...rows] = turns.out.trimEnd().split("\n")
  expect(head?.split(/\s{2,}/)).toEqual([
    "TURN",
    "MODEL",
    "STATUS",
    "IN",
    "OUT",
    "CACHE READ",
    "WRITTEN",
    "COST",
    "CACHE LOST (BREAK)",
    "ATTEMPTS",
    "MS",
    "REBUILT",
  ])
  expect(rows.map((row) => row.trim().split(/\s+/).at(-1))).toEqual(["same", "same", "same", "same"])
})

test("[PE4] without --allow only what reads is done, and the rest is declined", async () => {
  await using place = await makePlace()
  const run = async (...args: readonly string[]) =>
    (await place.call(["run", "--json", ...args])).record() as FinalRecord
  expect((await run("Run `echo hi`.")).text).toContain("`echo hi` printed `hi`")
  expect((await run("Run `sleep 0`.")).declined).toMatchObject([
    { name: "bash", resources: [{ action: "bash", resource: "sleep 0" }] },
  ])
  expect(await run("--allow", "read,bash", "Run `sleep 0`.")).not.toHaveProperty("declined")
})

test("[DR4 PR8] killed in the middle of a call, a Session is settled by the next process and resumed", async () => {
  await using place = await makeDirectedPlace()
  const running = place.start(["run", "--json", "--allow", "bash", sleeping])
  await running.prints('"call.started"')
  running.kill("SIGKILL")
  expect((await running.ended).signal).toBe("SIGKILL")
  const listed = await place.call(["sessions", "--json"])
  const { id, status } = listed.record() as { id: string; status: object }
  expect(status).toMatchObject({ state: "interrupted", owing: true, pending: 0 })
  const resumed = await place.run(["resume", id, "--json"])
  expect(resumed.code).toBe(0)
  expect(resumed.record()).toMatchObject({ status: "done", session: id, text: "Slept.", turns: 2 })
  expect(resumed.out.match(/"call.started"/g)).toBeNull()
  const again = await place.call(["resume", id])
  expect(again.code).toBe(1)
  expect(again.err).toContain("owes nothing")
})

test.each(["queue", "steer"])(
  "[PR3] a run keeps its own result when a %s comes in beside it",
  async (delivery) => {
    await using place = await makeDirectedPlace()
    // The command ends when the second prompt is there.
    const waits = directive({ tools: [{ name: "bash", input: { command: "until test -e go; do :; done" } }] })
    const first = place.start(["run", "--json", "--allow", "bash", waits])
    await first.prints('"call.started"')
    const session = /ses_[0-9a-z]{20}/.exec(first.printed())?.[0] ?? ""
    const args = ["run", "--json", "--session", session, "--delivery", delivery, "Read README.md."]
    const second = place.start(args)
    await second.prints('"prompt.admitted"')
    await place.write("project/go", "")
    const [one, other] = [await first.ended, await second.ended]
    const own = one.record() as FinalRecord
    expect([one.code, own.status, own.session]).toEqual([0, "done", session])
    expect(own).toMatchObject({ turns: delivery === "queue" ? 2 : 3, cost: 0, model: "agent" })
    expect(own.text).not.toBe("")
    expect(other.record()).toMatchObject({ status: "done", turns: 2, session })
  },
)

test("[PR8] killed in the middle of a call, a Session takes a new prompt at once", async () => {
  await using place = await makeDirectedPlace()
  const running = place.start(["run", "--json", "--allow", "bash", sleeping])
  await running.prints('"call.started"')
  running.kill("SIGKILL")
  const session = /ses_[0-9a-z]{20}/.exec((await running.ended).out)?.[0] ?? ""
  const next = await place.run(["run", "--json", "--session", session, "Read README.md."])
  expect(next.record()).toMatchObject({ status: "done", session })
})

test("[DR3] Ctrl-C interrupts, waits for the settlement and exits with 130", async () => {
  await using place = await makeDirectedPlace()
  const running = place.start(["run", "--json", "--allow", "bash", sleeping])
  await running.prints('"call.started"')
  running.kill("SIGINT")
  const { code, out, record } = await running.ended
  expect(code).toBe(130)
  expect(out).toContain('"turn.settled"')
  expect(record()).toMatchObject({ status: "interrupted", reason: { code: "interrupted" } })
})

test("a second Ctrl-C ends at once", async () => {
  await using place = await makeDirectedPlace()
  const running = place.start(["run", "--json", "--allow", "bash", stubborn])
  await running.prints('"call.started"')
  running.kill("SIGINT")
  await running.prints("once more ends at once")
  running.kill("SIGINT")
  const { code, out, record } = await running.ended
  expect(code).toBe(130)
  expect(out).not.toContain('"turn.settled"')
  expect(record()).toMatchObject({ status: "interrupted", session: anyId("ses") })
})

test("a failed turn exits with 1 and says why", async () => {
  await using place = await makeDirectedPlace()
  const failed = await place.call(["run", directive({ text: "No.", stopReason: "refusal" })])
  expect(failed.code).toBe(1)
  expect(failed.out).toMatch(/\nfailed · 1 turn · /)
  expect(failed.out).toContain("The model declined to answer.")
  expect(failed.out.trimEnd()).toMatch(/Go on with: holdfast resume ses_\w+$/)
})

test("a blocked Session exits with 3, keeps the prompt and tells no older answer as its own", async () => {
  await using place = await makePlace()
  await place.write("gone/README.md", "# Gone\n")
  const directory = join(place.root, "gone")
  const first = await place.call(["run", "--json", "--dir", directory, "Read README.md."])
  const { session } = first.record() as FinalRecord
  await rm(directory, { recursive: true })
  const blocked = await place.call(["run", "--json", "--session", session, "Read it again."])
  expect(blocked.code).toBe(3)
  expect(blocked.record()).toMatchObject({
    status: "blocked",
    reason: { code: "location_missing" },
    session,
    prompt: anyId("prm"),
    turns: 0,
    text: "",
  })
  const [row] = (await place.call(["sessions"])).out.split("\n").slice(1)
  expect(row?.split(/ {2,}/).slice(0, 4)).toEqual([session, "cannot begin yet (blocked)", "no", "1"])
})

test("a paid provider is named in the first line", async () => {
  await using place = await makePlace()
  // An address of this machine that is not loopback: refused at once, and nothing leaves.
  const env = { ANTHROPIC_API_KEY: "sk-very-secret", ANTHROPIC_BASE_URL: "http://0.0.0.0:9" }
  const running = place.start(["run", "Hello."], { env })
  await running.prints("Trying again")
  running.kill("SIGINT")
  const { code, out, err } = await running.ended
  expect(code).toBe(130)
  expect(out.split("\n")[0]).toBe(
    "Paid provider: anthropic/claude-sonnet-4-6 at 0.0.0.0:9. This run costs money.",
  )
  expect(out + err).not.toContain("sk-very-secret")
})
