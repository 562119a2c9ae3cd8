/** `holdfast export` and `holdfast import`, from their arguments to files, words and exit codes (ST4, SS1, SU1). */
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { createProviderSim, listen, scripted, textReply } from "@holdfast/provider-sim"
import { runHoldfast } from "../../src/program.ts"
import { keptTerminal } from "../terminal.ts"

const key = "sk-holdfast-0123456789abcdefABCDEF"

/** A directory with a provider on loopback that wants a key, and commands on stores by name. */
async function makePlace() {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-bundle-")))
  const { url, close } = await listen(
    createProviderSim({ models: { agent: scripted(() => textReply("Blue.")) } }),
  )
  const models = { agent: { limit: { context: 100_000, output: 2_000 } } }
  const providers = { sim: { wire: "anthropic-messages", baseUrl: url, apiKey: key, models } }
  await mkdir(join(root, "config"))
  await writeFile(join(root, "config", "holdfast.jsonc"), JSON.stringify({ providers, model: "sim/agent" }))
  // A file of instructions is told to the model as it is.
  await writeFile(join(root, "AGENTS.md"), `Never print ${key}.`)
  const run = async (store: string, argv: readonly string[], input = Buffer.alloc(0)) => {
    let saved = Buffer.alloc(0)
    const { terminal, said } = keptTerminal({
      writeBytes: (written) => void (saved = Buffer.concat([saved, written])),
      readInput: async () => input,
      directory: root,
      environment: { HOLDFAST_CONFIG_DIR: join(root, "config"), HOLDFAST_DATA_DIR: join(root, store) },
    })
    const code = await runHoldfast(argv, terminal)
    return { code, ...said, bytes: saved }
  }
  return {
    root,
    run,
    [Symbol.asyncDispose]: async () => {
      await close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

test("[ST4 SS1 SU1 AU1] a Session goes to a file and from there into another store", async () => {
  await using place = await makePlace()
  const { run, root } = place
  const first = await run("one", ["run", "--allow", "write", "Which colour?"])
  const session = /Session (ses_\w+)/.exec(first.out)?.[1] ?? ""
  const out = await run("one", ["export", session, "--out", "talk.bundle.gz", "--json"])
  const { bytes, ...told } = JSON.parse(out.out)
  const file = join(root, "talk.bundle.gz")
  expect(told).toEqual({ type: "exported", session, format: "bundle", file })
  const bundle = gunzipSync(await readFile(file))
  expect([bundle.length, (await stat(file)).mode & 0o777]).toEqual([bytes, 0o600])
  // Also what is stored of it: instructions are no input.
  expect(bundle.toString()).not.toContain(key)
  expect(JSON.parse(bundle.toString().trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ masked: 1 })

  const taken = await run("two", ["import", "talk.bundle.gz", "--json"])
  expect(JSON.parse(taken.out)).toEqual({
    type: "imported",
    source: session,
    session,
    messages: 2,
    calls: 0,
    skipped: 0,
    change: "created",
    permissions: "dropped",
    masked: 1,
    absent: 0,
  })
  const again = await run("two", ["import", "talk.bundle.gz"])
  expect(again.out).toContain(`Session ${session} was here already, and nothing has changed.`)
  expect(again.out).toContain("--trust takes it over")
  const piped = await run("three", ["import", "-", "--trust", "--directory", "config"], bundle)
  expect(piped.out).toContain(`Session ${session} is here now.`)
  const shown = JSON.parse((await run("three", ["sessions", "--json"])).out.split("\n")[0] ?? "")
  expect([shown.allow, shown.location.directory]).toEqual([["write"], join(root, "config")])
})

test("[ST4 SU1] a Session is a page for people, too", async () => {
  await using place = await makePlace()
  const { run, root } = place
  const first = await run("one", ["run", "Which colour?"])
  const session = /Session (ses_\w+)/.exec(first.out)?.[1] ?? ""
  const markdown = await run("one", ["export", session, "--markdown"])
  expect(markdown.bytes.toString()).toMatch(
    /^# Which colour\?\n[^]*## You\n\nWhich colour\?\n\n## Assistant\n\nBlue\.\n$/,
  )
  const html = await run("one", [
    "export",
    session,
    "--html",
    "--system",
    "--reasoning",
    "--out",
    "talk.html",
  ])
  expect([html.code, html.out]).toEqual([0, `Session ${session} is in talk.html.\n`])
  expect((await readFile(join(root, "talk.html"))).toString()).toContain("<h2>Assistant</h2>\n<p>Blue.</p>")
})

test("[SU1] what cannot be done says so, with its exit code", async () => {
  await using place = await makePlace()
  const { run, root } = place
  await writeFile(join(root, "there"), "hello\n")
  await writeFile(join(root, "broken"), '{"bundle":"holdfast-session","version":1,"session":"ses_x"}\n')
  const cases: readonly (readonly [argv: readonly string[], code: number, said: string])[] = [
    [["export", "ses_nothing00000000000000", "--out", "x"], 2, "ses_nothing00000000000000"],
    [["export", "ses_x", "--out", "there"], 2, "there exists already"],
    [["export", "ses_x", "--markdown", "--html"], 2, "Choose one of --markdown and --html"],
    [["export", "ses_x", "--reasoning"], 2, "A bundle holds everything"],
    [["export", "ses_x", "--json"], 2, "name a file with --out"],
    [["import", "nothing"], 2, "nothing is no file, and no session of another agent"],
    [["import", "there"], 2, "there is no session that is known here"],
    [["import", "broken"], 1, "of the bundle is missing: the bundle is cut off. Nothing was imported."],
    [["import", "broken", "--directory", "nowhere"], 2, "There is no directory"],
  ]
  for (const [argv, code, said] of cases) {
    const found = await run("one", argv)
    expect([argv, found.code, found.err]).toEqual([argv, code, expect.stringContaining(said)])
  }
})
