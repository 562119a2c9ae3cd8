/** `holdfast interrupt` and `holdfast delete`: in this process, through a server, and at another process. */
import { join } from "node:path"
import { expect, test } from "vitest"
import { createProviderSim, scripted } from "@holdfast/provider-sim"
import { openHoldfast, settled } from "@holdfast/sdk"
import { openLoopback } from "../../../test/stage/loopback.ts"
import { runCommand } from "./terminal.ts"

const calling = scripted(() => ({
  blocks: [{ type: "tool_use", name: "bash", input: { command: "sleep 60" } }],
}))

/** A directory with a runtime of its own in it, and commands that open a second one beside it. */
async function makePlace() {
  const sim = createProviderSim({ models: { agent: calling } })
  const loopback = await openLoopback("ending", { sim: () => sim })
  const { root } = loopback
  const environment = {
    PATH: process.env["PATH"],
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: join(root, "data"),
  }
  const options = { environment, ...loopback.settings, directory: root }
  const holdfast = await openHoldfast({ ...options, allow: ["bash"] })
  const run = async (argv: readonly string[], answer: string | null = null) => {
    let asked = ""
    const ask = async (question: string) => {
      asked += question
      return answer
    }
    const ended = await runCommand(argv, { interactive: answer !== null, directory: root, environment, ask })
    return { ...ended, asked }
  }
  /** A Session whose call has started and does not end by itself. */
  const working = async (): Promise<string> => {
    const { id: sessionID } = await holdfast.sessions.create({ directory: root, title: "Loop" })
    await holdfast.sessions.prompt({ sessionID, text: "Work." })
    for await (const { fact } of holdfast.sessions.events({ sessionID }))
      if (fact.type === "call.started") break
    return sessionID
  }
  return {
    root,
    run,
    holdfast,
    working,
    [Symbol.asyncDispose]: async () => {
      await holdfast.close()
      await loopback[Symbol.asyncDispose]()
    },
  }
}

test("[DR3] interrupt stops a Session that another process leads, and says how to go on", async () => {
  await using place = await makePlace()
  const session = await place.working()
  const stopped = await place.run(["interrupt", session])
  expect(stopped).toMatchObject({
    code: 0,
    err: "",
    out: `Session ${session} is interrupted.\nGo on with: holdfast resume ${session}\n`,
  })
  expect(await settled(place.holdfast, { sessionID: session })).toMatchObject({
    status: "interrupted",
  })
  const again = await place.run(["interrupt", session, "--json"])
  expect([again.code, JSON.parse(again.out)]).toMatchObject([
    0,
    { id: session, status: { state: "interrupted", owing: true } },
  ])
  expect(await place.run(["interrupt", "ses_none"])).toMatchObject({ code: 2, out: "" })
})

test("[SS1] delete asks a person, needs --yes where nobody can be asked, and tells what is gone", async () => {
  await using place = await makePlace()
  const { id: session } = await place.holdfast.sessions.create({ directory: place.root, title: "Mine" })
  const unasked = await place.run(["delete", session])
  expect([unasked.code, unasked.out]).toEqual([2, ""])
  expect(unasked.err).toContain("cannot be undone. Add --yes if that is meant.")
  const unseen = await place.run(["delete", session, "--json"], "yes")
  expect([unseen.code, unseen.asked]).toEqual([2, ""])
  for (const answer of ["", "n", "nay"]) {
    const declined = await place.run(["delete", session], answer)
    expect(declined).toMatchObject({ code: 1, out: "", err: "Nothing was deleted.\n" })
    expect(declined.asked).toBe(
      `Delete Session ${session} (Mine) with its 0 turns? It cannot be undone. [y/N] `,
    )
  }
  expect(await place.run(["delete", session], " Yes")).toMatchObject({
    code: 0,
    out: `Session ${session} is deleted.\n`,
  })
  const gone = await place.run(["delete", session, "--yes"])
  expect([gone.code, gone.err]).toEqual([2, expect.stringContaining(`There is no Session ${session}.`)])
})

test("[SS1] delete waits for a process that leads the Session, and leaves nothing of it", async () => {
  await using place = await makePlace()
  const session = await place.working()
  const deleted = await place.run(["delete", session, "--yes", "--json"])
  expect([deleted.code, deleted.out, deleted.err]).toEqual([
    0,
    `${JSON.stringify({ type: "deleted", session })}\n`,
    "",
  ])
  expect((await place.run(["sessions", "--json"])).out).toBe("")
})
