/** Places and outputs that cannot be used: one sentence, a documented exit code, no stack, no waiting. */
import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { makePlace } from "../place.ts"

test.each([
  [["run", "--data-dir", "", "hi"], "argument '' is invalid. It is empty: name a directory"],
  [["run", "--dir", "", "hi"], "argument '' is invalid. It is empty: name a directory"],
  [
    ["run", "--data-dir", "README.md", "hi"],
    "/project/README.md is no directory. Check the path, or name another",
  ],
  [
    ["sessions", "--data-dir", "README.md/x"],
    "/project/README.md/x is not there and cannot be made (ENOTDIR).",
  ],
  [["serve", "--dir", "nowhere"], "/project/nowhere. Create it or name another with --dir."],
  [["serve", "--dir", "README.md"], "/project/README.md. Create it or name another with --dir."],
])("%j exits with 2 and leaves nothing behind", async (args, said) => {
  await using place = await makePlace()
  const { code, out, err } = await place.run(args)
  expect({ code, out }).toEqual({ code: 2, out: "" })
  expect(err).toContain(said)
  expect(err).not.toMatch(/\n\s+at /)
  expect(readdirSync(place.project)).toEqual(["README.md"])
})

describe.skipIf(process.platform !== "linux")("on Linux", () => {
  test.each([[["run", "hi"]], [["serve"]]])(
    "%j ends at once where no data directory can be made",
    async (args) => {
      await using place = await makePlace()
      const { code, err } = await place.call(args, { env: { HOLDFAST_DATA_DIR: "/proc/holdfast-none" } })
      expect(code).toBe(2)
      expect(err).toContain("/proc/holdfast-none is not there and cannot be made (")
    },
  )

  test.each([[["sessions"]], [["run", "hi"]], [["run", "--json", "hi"]]])(
    "%j on a full disk says so and exits with 1",
    async (args) => {
      await using place = await makePlace()
      const { code, err } = await place.run(args, { output: "/dev/full" })
      expect(code).toBe(1)
      expect(err).toContain("holdfast: The output cannot be written (ENOSPC). Check where it goes.\n")
      expect(err).not.toMatch(/\n\s+at /)
    },
  )
})

describe("[CF1] a configuration that is no file", () => {
  const makers: readonly (readonly [string, (file: string) => unknown])[] = [
    ["a directory", (file) => mkdir(file)],
    ["a named pipe", (file) => execFileSync("mkfifo", [file])],
  ]
  test.skipIf(process.platform === "win32").each(makers)(
    "%s stops a run, and doctor names it",
    async (_, make) => {
      await using place = await makePlace()
      await mkdir(join(place.root, "config"))
      const file = join(place.root, "config/holdfast.jsonc")
      await make(file)
      const said = `${file}: This is no file. Remove it, or put a file in its place.`
      const run = await place.call(["run", "hi"])
      expect([run.code, run.err]).toEqual([2, `holdfast: ${said}\n`])
      const doctor = await place.call(["doctor", "--offline"])
      expect(doctor.code).toBe(1)
      expect(doctor.out).toContain(`✗ ${said}\n`)
      expect(doctor.out).not.toContain("Mend line")
    },
  )
})

test.skipIf(process.platform === "win32")(
  "[SU1] a working directory that was removed is told in one sentence",
  async () => {
    await using place = await makePlace()
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    const through = ["sh", "-c", script, "sh"]
    for (const args of [["sessions"], ["run", "hi"], ["doctor"], ["serve"]]) {
      const { code, out, err } = await place.run(args, { through })
      expect([args, code, out, err]).toEqual([
        args,
        2,
        "",
        "holdfast: The current directory is not there any more. Change to another one, then try again.\n",
      ])
    }
    expect((await place.run(["--version"], { through })).code).toBe(0)
  },
)

test("a failure with --json names the Session of the command line", async () => {
  await using place = await makePlace()
  const { record } = await place.call(["run", "--json", "hi"])
  const { session } = record() as { session: string }
  const commands = [
    ["resume", session],
    ["quarantine", session, "msg_none"],
    ["image", session, "media:none"],
    ["wire", "show", session, "9"],
    ["run", "--session", session, "--model", "far/away", "hi"],
  ]
  for (const command of commands) {
    const failed = await place.call([...command, "--json"])
    expect([command[0], failed.record()]).toMatchObject([command[0], { status: "failed", session }])
  }
})

test("[CA1] a refresh that fails ends with a record, after what can be used", async () => {
  await using place = await makePlace()
  const env = { HOLDFAST_CATALOG_URL: "http://127.0.0.1:1/api.json", OPENAI_API_KEY: "canary" }
  const { code, out, record } = await place.call(["models", "--refresh", "--json"], { env })
  expect(code).toBe(1)
  expect(out.split("\n").length).toBeGreaterThan(2)
  expect(record()).toMatchObject({
    type: "result",
    status: "failed",
    reason: {
      code: "catalog_not_refreshed",
      message: expect.stringContaining("Nothing has changed.") as string,
    },
  })
})
