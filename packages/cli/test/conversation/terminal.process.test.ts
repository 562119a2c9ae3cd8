/** Runs in a pseudo-terminal of 80×24: what a person sees while they happen and when they are over. */
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { watchProgram } from "../../../../test/tour/pseudo-terminal.ts"
import { makePlace, type Place, terminalEnvironment } from "../place.ts"

const launcher = join(import.meta.dirname, "../../bin/holdfast.js")
let place: Place

beforeAll(async () => {
  place = await makePlace()
})
afterAll(() => place[Symbol.asyncDispose]())

const watch = (args: readonly string[], more: Readonly<Record<string, string>> = {}, interruptAt?: string) =>
  watchProgram(
    process.execPath,
    [launcher, ...args],
    {
      cwd: place.project,
      env: { ...terminalEnvironment(place), PAGER: "cat", ...more },
    },
    interruptAt,
  )

test("[SU1] a call is shown from its start on, with its output, and only its result stays", async () => {
  // It ends when it has been seen to run: Ctrl-C is pressed at the sight of its output.
  const seen = await watch(["run", "--allow", "bash", "Run `echo working; sleep 60`."], {}, "│ working")
  expect(seen.code).toBe(130)
  expect(seen.wrapped).toEqual([])
  const text = seen.all.join("\n")
  expect(text).toMatch(/✗ bash echo working; sleep 60 · interrupted: working/)
  expect(text).not.toContain("│")
  expect(text).not.toMatch(/[⠀-⣿]/)
})

test("[SU1] no word is broken at 80 columns, in whatever is printed", async () => {
  await watch(["run", "Read README.md."])
  const commands = [["sessions"], ["run", "--help"], ["doctor", "--offline"], ["models"], ["turns", "--help"]]
  for (const args of commands) expect([args, (await watch(args)).wrapped]).toEqual([args, []])
})

test("[SU1] a long list goes through the pager of the person", async () => {
  await place.write("pager.sh", "#!/bin/sh\necho PAGED\nhead -2\n")
  await chmod(join(place.root, "pager.sh"), 0o755)
  const seen = await watch(["models", "anthropic"], { PAGER: join(place.root, "pager.sh") })
  expect(seen.code).toBe(0)
  expect(seen.all.filter((line) => line !== "").map((line) => line.split(" ")[0])).toEqual([
    "PAGED",
    "anthropic",
    "",
  ])
  const missing = await watch(["sessions"], { PAGER: "no-such-pager" })
  expect([missing.code, missing.lines[0]?.split(" ")[0]]).toEqual([0, "SESSION"])
})
