/** `run --detach` on a running server: the work goes on without the command. */
import { expect, test } from "vitest"
import { makePlace } from "../place.ts"

test("[SU1 PR1] run --detach leaves the work to the server, and attach follows it", async () => {
  await using place = await makePlace()
  const server = place.start(["serve"])
  await server.prints("Holdfast serves on")
  const left = await place.run(["run", "--detach", "--json", "Read README.md."])
  const { session, ...rest } = left.record() as { session: string }
  expect([left.code, rest]).toEqual([
    0,
    { type: "detached", prompt: expect.stringMatching(/^prm_/) as string, delivery: "steer" },
  ])
  const followed = await place.run(["attach", session, "--until-idle", "--json"])
  expect(followed.record()).toMatchObject({ status: "done", session, turns: 2 })
  const next = await place.run(["run", "--detach", "--continue", "Read README.md again."])
  expect(next.out).toContain(`Follow it with: holdfast attach ${session}\n`)
})
