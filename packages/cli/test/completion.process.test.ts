/** The script for bash, loaded into a real bash, on words as bash hands them over. */
import { execFile } from "node:child_process"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { makePlace, type Place } from "./place.ts"

const run = promisify(execFile)
const launcher = join(import.meta.dirname, "../bin/holdfast.js")
let place: Place
let script: string
let session: string

beforeAll(async () => {
  place = await makePlace()
  script = (await place.run(["completion", "bash"])).out
  await place.run(["run", "--json", "Read README.md."])
  session = ((await place.run(["sessions", "--json"])).record() as { id: string }).id
  await place.write("bin/holdfast", `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`)
  await chmod(join(place.root, "bin/holdfast"), 0o755)
})
afterAll(() => place[Symbol.asyncDispose]())

/** What bash would offer for the last of these words. */
async function complete(
  words: readonly string[],
  program = "holdfast",
  before = "",
): Promise<readonly string[]> {
  const asking = `${before}${script}
handler=$(complete -p ${program} | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
$handler
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = await run("bash", ["--norc", "-c", asking, "bash", ...words], {
    cwd: place.project,
    env: {
      PATH: `${join(place.root, "bin")}:${process.env["PATH"] ?? ""}`,
      HOME: join(place.root, "home"),
      HOLDFAST_CONFIG_DIR: join(place.root, "config"),
      HOLDFAST_DATA_DIR: join(place.root, "data"),
    },
  })
  expect(stderr).toBe("")
  return stdout.split("\n").filter((line) => line !== "")
}

test.each([
  [["holdfast", "ru"], ["run"]],
  [
    ["holdfast", "se"],
    ["sessions", "search", "set", "serve"],
  ],
  [["holdfast", "--v"], ["--version"]],
  [["holdfast", "run", "--del"], ["--delivery"]],
  [
    ["holdfast", "run", "--delivery", ""],
    ["steer", "queue"],
  ],
  [["holdfast", "run", "--delivery", "q"], ["queue"]],
  [
    ["holdfast", "run", "--allow", "w"],
    ["write", "webfetch", "write,bash"],
  ],
  [["holdfast", "run", "--model", "x"], []],
  [["holdfast", "run", "--json", "--ses"], ["--session"]],
  [["holdfast", "turns", "--json", "--v"], ["--verify"]],
  [
    ["holdfast", "completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["holdfast", "help", "do"], ["doctor"]],
  [["holdfast", "sessions", ""], []],
])("bash completes %j to %j", async (words, offered) => {
  expect(await complete(words)).toEqual(offered)
})

test("[SU1] bash completes npx holdfast alike, and leaves other words of npx alone", async () => {
  expect(await complete(["npx", "holdfast", "ru"], "npx")).toEqual(["run"])
  expect(await complete(["npx", "holdfast", "run", "--delivery", "q"], "npx")).toEqual(["queue"])
  expect(await complete(["npx", "holdfast", "turns", "ses_"], "npx")).toEqual([session])
  expect(await complete(["npx", "hold"], "npx")).toEqual(["holdfast"])
  expect(await complete(["npx", "tsc", "--no"], "npx")).toEqual([])
  const before = `_other() { COMPREPLY=(other); }\ncomplete -F _other npx\n`
  expect(await complete(["npx", "tsc", "--no"], "npx", before)).toEqual(["other"])
  expect(await complete(["npx", "holdfast", "ru"], "npx", before)).toEqual(["run"])
})

test("bash completes Sessions by asking for them, and directories", async () => {
  expect(await complete(["holdfast", "turns", "ses_"])).toEqual([session])
  expect(await complete(["holdfast", "run", "--session", ""])).toEqual([session])
  const other = join(place.root, "other data")
  expect(await complete(["holdfast", "turns", "--data-dir", other, ""])).toEqual([])
  await place.write("project/a folder/x", "")
  expect(await complete(["holdfast", "run", "--dir", "a"])).toEqual(["a folder"])
})
