/** `run --detach` on a running server: the work goes on without the command. */
import { expect, test } from "vitest"
import { makeDirectedPlace, makePlace } from "../place.ts"

test("[SU1 PR1] run --detach leaves the work to the server, and attach follows it", async () => {
  await using place = await makePlace()
  const server = place.start(["serve"])
  await server.prints("Holdfast serves on")
  const left = await place.call(["run", "--detach", "--json", "Read README.md."])
  const { session, ...rest } = left.record() as { session: string }
  expect([left.code, rest]).toEqual([
    0,
    { type: "detached", prompt: expect.stringMatching(/^prm_/) as string, delivery: "steer" },
  ])
  const followed = await place.call(["attach", session, "--until-idle", "--json"])
  expect(followed.record()).toMatchObject({ status: "done", session, turns: 2 })
  const next = await place.call(["run", "--detach", "--continue", "Read README.md again."])
  expect(next.out).toContain(`Follow it with: holdfast attach ${session}\n`)
})

test("[SU1 PR3] run --detach says what a prompt waits for that cannot be taken up at once", async () => {
  await using place = await makeDirectedPlace()
  const server = place.start(["serve", "--allow", "bash"])
  await server.prints("Holdfast serves on")
  const waits = { tools: [{ name: "bash", input: { command: "until test -e go; do sleep 0.05; done" } }] }
  const working = place.start(["run", "--json", `@@SIM${JSON.stringify({ steps: [waits] })}@@`])
  await working.prints('"call.started"')
  const queued = await place.call(["run", "--detach", "--continue", "--delivery", "queue", "Read README.md."])
  expect(queued.out).toContain("this prompt waits in the queue until it is idle. Follow it with:")
  await place.write("project/go", "")
  await working.ended
})
