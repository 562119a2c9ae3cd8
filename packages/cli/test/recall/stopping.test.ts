/** `rebuild` that is stopped while its model does not answer: what it says, and that nothing of the job is left. */
import { join } from "node:path"
import { expect, test } from "vitest"
import { createProviderSim, faulty, scripted, textReply } from "@holdfast/provider-sim"
import { openLoopback } from "../../../../test/stage/loopback.ts"
import { stoppedRunText } from "../../src/recall/dream.ts"
import { stoppedText } from "../../src/recall/rebuild.ts"
import { runCommand } from "../terminal.ts"

/** A Session with parts that the program wrote, and a historian that is configured then and does not answer. */
async function makePlace() {
  const asked = Promise.withResolvers<void>()
  const historian = scripted(() => {
    asked.resolve()
    return faulty({ kind: "stall" })
  })
  const agent = scripted(() => textReply("Done."))
  const sim = createProviderSim({ models: { agent, historian } })
  const price = { input: 1, output: 10, cacheRead: 1, cacheWrite: 1 }
  const models = { agent: { limit: { context: 20_000, output: 2_000 }, price }, historian: { price } }
  const loopback = await openLoopback("stopping", { sim: () => sim, models })
  const { root, project: directory, settings, write } = loopback
  const configure = (more: object) => write("config/holdfast.jsonc", JSON.stringify({ ...settings, ...more }))
  await configure({})
  const environment = {
    HOME: root,
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: join(root, "data"),
  }
  const run = (argv: readonly string[], more = {}) => runCommand(argv, { directory, environment, ...more })
  const say = async (session: string | null, text: string) => {
    const of = session === null ? [] : ["--session", session]
    const { out } = await run(["run", text, "--json", ...of])
    return (JSON.parse(out.trim().split("\n").at(-1) ?? "") as { readonly session: string }).session
  }
  const session = await say(null, "Never wake the canary.")
  for (let n = 0; n < 4; n++) await say(session, `Prompt ${n} ${"word ".repeat(2_800)}`)
  await configure({ historian: { model: "offline/historian" } })
  return { run, session, asked: asked.promise, [Symbol.asyncDispose]: loopback[Symbol.asyncDispose] }
}

test("[HI8 SU4] Ctrl-C ends a rebuild at once, with a line of what is done, and leaves no job", async () => {
  await using place = await makePlace()
  const { run, session, asked } = place
  const before = JSON.parse((await run(["sessions", "--json"])).out) as { readonly cost: number }
  expect(before.cost).toBeGreaterThan(0)
  const onStop = (listener: () => void) => {
    void asked.then(listener)
    return () => {}
  }
  const stopped = await run(["rebuild", session], { onStop })
  expect(stopped).toEqual({
    code: 130,
    out: "",
    err: "Stopped. No range of the history was written anew. Repeat the command to begin again.\n",
  })
  const doctor = await run(["doctor", "--json"])
  expect(doctor.out).not.toContain("session_unfinished")
  expect(JSON.parse((await run(["sessions", "--json"])).out)).toMatchObject({
    id: session,
    cost: null,
    accuracy: "incomplete",
  })
}, 60_000)

test("[SU4] what was stopped says what stays, and that a repeat goes on", () => {
  expect(stoppedText(1)).toBe(
    "1 range of the history is written anew and stays. Repeat the command to go on with the rest.",
  )
  expect(stoppedText(3)).toContain("3 ranges of the history are written anew and stay.")
  const run = {
    run: "d2",
    by: "person",
    startedAt: 10,
    outcome: null,
    tasks: [],
    cost: null,
    changes: 2,
  } as never
  expect(stoppedRunText([run], 10)).toBe(
    "2 changes are made and stay. Repeat the command to go on, or take it back: holdfast dream revert d2",
  )
  expect(stoppedRunText([], 10)).toBe("Nothing was changed. Repeat the command to begin again.")
})
