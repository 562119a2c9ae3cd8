/**
 * What a user is told at the limits: of time, of files, of a provider that cannot answer. The tests run
 * beside each other, because they wait for a deadline and between attempts.
 */
import { expect, test } from "vitest"
import { makeDirectedPlace, makePlace } from "../place.ts"

const directive = (...steps: readonly object[]) => `@@SIM${JSON.stringify({ steps })}@@`
const sleeping = directive({ tools: [{ name: "bash", input: { command: "sleep 60" } }] }, { text: "Slept." })

test.concurrent("[SU1] a run that passes its deadline is interrupted, says so and can be resumed", async () => {
  await using place = await makeDirectedPlace()
  const run = await place.call(["run", "--json", "--allow", "bash", "--deadline", "2s", sleeping])
  expect(run.code).toBe(130)
  expect(run.record()).toMatchObject({ status: "interrupted", reason: { code: "deadline" } })
  expect(run.out).toContain('"turn.settled"')
  const { session } = run.record() as { readonly session: string }
  expect((await place.call(["resume", session, "--json"])).record()).toMatchObject({ status: "done" })
})

test.concurrent("[IN1 SU4] a long AGENTS.md is warned of by run, window and doctor; a cut can be asked for", async () => {
  await using place = await makePlace()
  await place.write("project/AGENTS.md", "Be kind. ".repeat(3_145_728 / 9 + 1))
  const warning = /AGENTS\.md has 3\.0 MB: only its first 256 kB are sent, with every request/
  const run = await place.call(["run", "--json", "Read README.md."])
  expect([run.code, run.err]).toEqual([0, expect.stringMatching(warning)])
  const { session } = run.record() as { readonly session: string }
  const window = await place.call(["window", session])
  expect([window.code, window.err]).toEqual([0, expect.stringMatching(warning)])
  const doctor = await place.call(["doctor", "--offline"])
  expect([doctor.code, doctor.out]).toEqual([0, expect.stringMatching(warning)])
  const fold = await place.call(["fold", session])
  expect([fold.code, fold.out]).toEqual([
    0,
    expect.stringMatching(/ not enough can be taken out .* To see what they are: holdfast window ses_/),
  ])
  const find = await place.call(["quarantine", session, "--find"])
  expect([find.code, find.err]).toEqual([2, expect.stringContaining("there is no message to find")])
})

test.concurrent("[CA3] a provider that refuses the connection is replaced, and the next run says who answers for it", async () => {
  await using place = await makePlace()
  const dead = { wire: "anthropic-messages", baseUrl: "http://127.0.0.1:9", models: { m: limits } }
  const settings = { providers: { dead }, model: "dead/m", fallback: ["offline/agent"] }
  await place.write("config/holdfast.jsonc", JSON.stringify(settings))
  const first = await place.call(["run", "Read README.md."])
  expect(first.code).toBe(0)
  expect(first.out.split("\n")[0]).toBe(
    "Local provider: dead/m at http://127.0.0.1:9. This run costs nothing.",
  )
  expect(first.out).toMatch(/dead\/m rests until [\d:]+; offline\/agent goes on, on this machine\./)
  const session = /ses_[0-9a-z]{20}/.exec(first.out)?.[0] ?? ""
  const second = await place.call(["run", "--session", session, "Read README.md."])
  expect(second.out.split("\n")[0]).toMatch(
    /^Offline model: offline\/agent\. .*no cost\. It answers for dead\/m, which failed and rests until [\d:]+\.$/,
  )
})

test.concurrent("[LL7] a message that is refused is named, found by halves, taken out, and the Session goes on", async () => {
  await using place = await makeDirectedPlace()
  const { session } = (await place.call(["run", "--json", "Read README.md."])).record() as {
    readonly session: string
  }
  const fault = { kind: "refused", status: 400, type: "invalid_request_error", message: "Not this." }
  const refused = await place.call(["run", "--session", session, directive({ fault })])
  expect([refused.code, refused.out]).toEqual([
    1,
    expect.stringContaining(`this finds it: holdfast quarantine ${session} --find`),
  ])
  const unasked = await place.call(["quarantine", session, "--find"])
  expect([unasked.code, unasked.err]).toEqual([
    2,
    expect.stringMatching(/takes at most 2 requests of about [\d,]+ tokens .* costs nothing\. Add --yes/),
  ])
  const found = await place.call(["quarantine", session, "--find", "--yes"])
  expect(found.err.trim().split("\n")).toEqual([
    "Without 2 of 2 messages: taken.",
    "Without 1 of 2 messages: refused.",
  ])
  expect([found.code, found.out]).toEqual([
    0,
    expect.stringMatching(/^Models do not read message msg_\w+ any more; it stays stored\.\nGo on with: /),
  ])
  expect((await place.call(["resume", session, "--json"])).record()).toMatchObject({ status: "done" })
})

const limits = { limit: { context: 100_000, output: 1_000 } }
