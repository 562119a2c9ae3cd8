/**
 * What a newcomer does, on the Node that their system has: clone, `npm ci`, `npm start`; then the
 * tarballs, installed into an empty folder.
 *
 * It tests the commit that is checked out, not what is uncommitted, and it is the one test that
 * needs the registry of the environment. `npm test` is not repeated in the clone: it is what runs
 * this file. One clone serves all checks, so they run in order and each builds on those before.
 */
import { globSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { currentCommit, repositoryRoot, toolPath } from "../../scripts/command.ts"
import { type Ended, findMachine, run } from "./machine.ts"

const machine = findMachine()
if (typeof machine === "string")
  console.warn(`SKIPPED: nobody tries the way of a newcomer, because ${machine}.`)

const installMsMax = 120_000
/** What `npx holdfast` starts, which takes longer than most commands do. */
const installed = "node_modules/.bin/holdfast"
const packages = [
  "holdfast",
  "@holdfast/sdk",
  "@holdfast/client",
  "@holdfast/provider-sim",
  "holdfast-conformance",
]

describe.skipIf(typeof machine === "string")("a newcomer", { timeout: installMsMax }, () => {
  let root = ""
  const times: string[] = []
  const clone = () => join(root, "clone")
  const app = () => join(root, "app")
  const step = async (folder: string, program: string, ...args: readonly string[]): Promise<Ended> => {
    if (typeof machine === "string") throw new Error(machine)
    const env = machine.environment(join(root, "home"))
    const ended = await run(program, args, { cwd: folder, env, timeoutMs: installMsMax })
    const shown = [program, ...args].map((word) => basename(word)).filter((word) => !word.startsWith("-"))
    times.push(`${shown.slice(0, 3).join(" ")}: ${ended.seconds.toFixed(1)} s`)
    return ended
  }

  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-newcomer-")))
    await mkdir(join(root, "home"))
    await mkdir(app())
    await step(root, "git", "clone", "--quiet", "--no-hardlinks", repositoryRoot, clone())
  })

  afterAll(async () => {
    const { node } = machine as Exclude<typeof machine, string>
    console.log(`newcomer: commit ${currentCommit()}, system Node ${node}\n  ${times.join("\n  ")}`)
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })

  test("installs everything with npm ci", async () => {
    const { code, err } = await step(clone(), "npm", "ci")
    expect(code, err).toBe(0)
  })

  // Beside the packing: most of the time it waits, so that it can be read.
  test.concurrent("sees it at work with npm start", async () => {
    const { code, out, err } = await step(clone(), "npm", "start")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("Try next")
  })

  test.concurrent("packs it, and the clone stays as it was", async () => {
    const { code, out, err } = await step(
      clone(),
      "npm",
      "run",
      "--silent",
      "pack",
      "--",
      "--to",
      join(root, "tarballs"),
    )
    expect(code, err).toBe(0)
    console.log(out.replaceAll(root, "…").trimEnd())
    expect(await step(clone(), "git", "status", "--porcelain")).toMatchObject({ code: 0, out: "" })
  })

  test("installs the tarballs in an empty folder", async () => {
    const tarballs = globSync("tarballs/*.tgz", { cwd: root }).map((file) => join(root, file))
    expect(tarballs).toHaveLength(packages.length)
    const { code, err } = await step(app(), "npm", "install", ...tarballs)
    expect(code, err).toBe(0)
  })

  test("[SU1] runs the command, finds the Session again and goes on with it", async () => {
    await writeFile(join(app(), "README.md"), "# Greeter\n\nPrints a greeting.\n")
    const first = await step(app(), "npx", "holdfast", "run", "Read README.md.")
    expect(first).toMatchObject({ code: 0, err: "" })
    expect(first.out).toContain("Greeter")
    const listed = await step(app(), installed, "sessions", "--json")
    const session = JSON.parse(listed.out) as { readonly id: string; readonly turns: number }
    expect(listed.code).toBe(0)
    const second = await step(app(), installed, "run", "--json", "--session", session.id, "Read it again.")
    expect(second.code).toBe(0)
    expect(JSON.parse(second.out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      type: "result",
      status: "done",
      session: session.id,
    })
    const after = await step(app(), installed, "turns", session.id, "--verify")
    expect(after.code).toBe(0)
  })

  test("runs the program of the README against the installed packages", async () => {
    await cp(join(clone(), "examples/01-first-session.ts"), join(app(), "first.mts"))
    const { code, out, err } = await step(app(), "npx", "node", "first.mts")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/^done: .*Greeter/)
  })

  test("gets types that resolve, and that refuse what is wrong", async () => {
    await writeFile(join(app(), "types.mts"), typedProgram)
    const tsc = [
      toolPath("typescript", "tsc"),
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "esnext",
    ]
    const { code, out } = await step(app(), process.execPath, ...tsc, "types.mts")
    expect(out.trim().split("\n")).toEqual([expect.stringContaining("types.mts(6,49): error TS2322")])
    expect(code).not.toBe(0)
  })

  test("has the command that examines a server", async () => {
    const ask = ["holdfast-conformance", "--server", "http://127.0.0.1:1", "--token", "none"]
    const { code, err } = await step(app(), "npx", "--no-install", ...ask)
    expect(err).toContain("http://127.0.0.1:1 does not answer as Holdfast: ClientError")
    expect(code).toBe(2)
  })

  test("gets no test, no source, no map and no path of the machine that packed", async () => {
    for (const name of packages) {
      const folder = join(app(), "node_modules", name)
      const files = globSync("**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
      const paths = files.map((entry) => join(entry.parentPath, entry.name))
      expect(paths.length).toBeGreaterThan(3)
      expect(paths.filter((path) => /\.map$|\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([])
      for (const path of paths) {
        const text = await readFile(path, "utf8")
        const ofMaps = path.endsWith(".wasm") ? [] : ["sourceMappingURL"] // a library's own, as it comes
        for (const mark of [root, repositoryRoot, join(tmpdir(), "holdfast-"), ...ofMaps]) {
          expect(text.includes(mark), `${path} names ${mark}`).toBe(false)
        }
      }
    }
  })
})

const typedProgram = `import { type EmbeddedHoldfast, openHoldfast } from "@holdfast/sdk"
const holdfast: EmbeddedHoldfast = await openHoldfast({ dataDir: "data" })
const { id } = await holdfast.sessions.create({ directory: "." })
const title: string | null = (await holdfast.sessions.get({ sessionID: id })).title
console.log(title?.length)
await holdfast.sessions.prompt({ sessionID: id, text: 1 })
`
