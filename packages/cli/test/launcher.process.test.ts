/** The command on a Node that is too old: a launcher, and the program that it starts on another Node. */
import { expect, test } from "vitest"
import { makePlace } from "./place.ts"

/** Makes the Node of the launcher, and not the one that it starts, say that it is an old one. */
const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.0" } })`
const nodeArguments = ["--import", `data:text/javascript,${encodeURIComponent(old)}`]

test.skipIf(process.platform === "win32")("[DR1] who kills the launcher has killed the program", async () => {
  await using place = await makePlace()
  const server = place.start(["serve", "--json"], { nodeArguments })
  await server.prints("}\n")
  const { pid, url } = JSON.parse(server.printed()) as { readonly pid: number; readonly url: string }
  expect([pid === server.pid, (await fetch(url)).status]).toEqual([false, 401])
  server.kill("SIGKILL")
  // Both have its output open: it ends with the last of them.
  expect(await server.ended).toMatchObject({ signal: "SIGKILL" })
  await expect(fetch(url)).rejects.toThrow()
})

test("hands on arguments, output and the exit code, and nothing of its lifeline", async () => {
  await using place = await makePlace()
  const args = ["run", "--json", "--allow", "bash", "Run `env | grep -c LIFELINE`."]
  const { code, record } = await place.run(args, { nodeArguments })
  expect([code, record()]).toMatchObject([
    0,
    { status: "done", text: expect.stringContaining("\n0\n") as string },
  ])
  expect((await place.run(["resume", "ses_none"], { nodeArguments })).code).toBe(2)
})
