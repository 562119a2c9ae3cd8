/** A configuration that cannot be used: what needs it is refused, what does not works and warns. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runCommand } from "../terminal.ts"

async function makePlace() {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-broken-")))
  const environment = { HOLDFAST_CONFIG_DIR: join(root, "config"), HOLDFAST_DATA_DIR: join(root, "data") }
  await mkdir(join(root, "config"))
  return {
    run: (...argv: readonly string[]) => runCommand(argv, { directory: root, environment }),
    configure: (text: string) => writeFile(join(root, "config/holdfast.jsonc"), text),
    file: join(root, "config/holdfast.jsonc"),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

test("[CF1] reading and stopping commands warn and work, and no turn or server starts", async () => {
  await using place = await makePlace()
  const made = await place.run("run", "Hello.")
  const session = /Session (ses_\w+)/.exec(made.out)?.[1] ?? ""
  await place.configure('{\n  "model": 7\n}')
  const fault = `${place.file}:2: model`
  for (const argv of [
    ["run", "Hello."],
    ["run", "--session", session, "Hello."],
    ["resume", session],
    ["serve"],
    ["models"],
  ]) {
    const { code, out, err } = await place.run(...argv)
    expect([argv, code, out, err]).toEqual([argv, 2, "", expect.stringContaining(fault) as string])
  }
  for (const [argv, said] of [
    [["sessions"], session],
    [["turns", session, "--verify"], "same"],
    [["window", session], "Nothing would be sent."],
    [["attach", session, "--until-idle"], "done · 1 turn"],
    [["set", session, "--title", "Mine"], "is called Mine"],
    [["interrupt", session], "was not at work"],
    [["delete", session, "--yes"], "is deleted"],
  ] as const) {
    const { code, out, err } = await place.run(...argv)
    expect([argv, code, out]).toEqual([argv, 0, expect.stringContaining(said) as string])
    expect(err).toMatch(new RegExp(`^Warning: ${fault}.* Until it is mended no turn can start`))
  }
})
