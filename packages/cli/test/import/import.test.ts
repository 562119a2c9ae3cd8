/** `holdfast import` and `holdfast replay` on sessions of other agents, from their arguments to records and exit codes. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import type { Terminal } from "../../src/terminal.ts"
import { runCommand } from "../terminal.ts"
import { claudeLines } from "./claude-lines.ts"

/** A home with sessions of Claude Code, and a store. */
async function makeHome(files: Readonly<Record<string, readonly string[]>>) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-import-")))
  const pathOf = (name: string) => join(root, ".claude", "projects", "-nowhere-app", `${name}.jsonl`)
  const put = async (name: string, lines: readonly string[]) => {
    await mkdir(dirname(pathOf(name)), { recursive: true })
    await writeFile(pathOf(name), `${lines.join("\n")}\n`)
  }
  for (const [name, lines] of Object.entries(files)) await put(name, lines)
  const environment = {
    HOME: root,
    HOLDFAST_DATA_DIR: join(root, "data"),
    HOLDFAST_CONFIG_DIR: join(root, "config"),
  }
  const run = (argv: readonly string[], more: Partial<Terminal> = {}) =>
    runCommand(argv, { directory: root, environment, ...more })
  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 5 })
  return { root, run, put, pathOf, [Symbol.asyncDispose]: remove }
}

const records = (out: string): readonly Record<string, unknown>[] =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Many commands, one after another. */
const timeoutMs = 90_000

test(
  "[IM1 SU1] a file becomes a Session, again is a no-op, more of it extends it, and the file stays as it is",
  { timeout: timeoutMs },
  async () => {
    const lines = claudeLines({ rounds: 3 })
    await using home = await makeHome({ one: lines.slice(0, 6) })
    const file = home.pathOf("one")
    const before = await readFile(file)
    const first = await home.run(["import", file, "--json"])
    expect([first.code, first.err]).toEqual([0, ""])
    const [told] = records(first.out)
    // The call of the second round has no result yet.
    expect(told).toMatchObject({
      type: "imported",
      source: "claude-code:5e551011-0001",
      messages: 5,
      calls: 2,
      skipped: 0,
    })
    expect(told).toMatchObject({ change: "created" })
    expect(records((await home.run(["import", file, "--json"])).out)[0]).toMatchObject({
      change: "same",
      session: told?.["session"],
    })
    expect(await readFile(file)).toEqual(before)

    await home.put("one", lines)
    const grown = records((await home.run(["import", file, "--json"])).out)
    // With a notice of the result that came since.
    expect(grown).toMatchObject([{ change: "extended", session: told?.["session"], messages: 10, calls: 3 }])
    const ran = await home.run(["run", "--session", String(told?.["session"]), "Go on.", "--json"])
    expect([ran.code, records(ran.out).at(-1)]).toMatchObject([0, { status: "done" }])
    const verified = await home.run(["turns", String(told?.["session"]), "--verify"])
    expect([verified.code, verified.out.match(/other encoder|same/g)]).toEqual([
      0,
      [...Array.from({ length: 6 }, () => "other encoder"), "same"],
    ])

    // Both have gone on: nothing of either is lost.
    await home.put("one", claudeLines({ rounds: 4 }))
    const [copy] = records((await home.run(["import", file, "--json"])).out)
    expect(copy).toMatchObject({ change: "copied", messages: 13, calls: 4 })
    expect(copy?.["session"]).not.toBe(told?.["session"])
  },
)

test("[IM1 SU1] without arguments it lists what is there, and never waits for anybody who cannot answer", async () => {
  await using home = await makeHome({
    one: claudeLines({ session: "aaaa-1", rounds: 1 }),
    two: claudeLines({ session: "bbbb-2", rounds: 2 }),
  })
  const listed = await home.run(["import"])
  expect(listed.code).toBe(0)
  expect(listed.out).toContain("Round 0: look at file 0.")
  expect(listed.err).toContain("2 sessions found, none imported.")
  const lines = records((await home.run(["import", "--json"])).out)
  expect(lines.map(({ type, source }) => [type, source])).toEqual(
    expect.arrayContaining([
      ["found", "claude-code:aaaa-1"],
      ["found", "claude-code:bbbb-2"],
    ]),
  )
  const asked = await home.run(["import"], { typed: true, ask: async () => "2" })
  expect(asked.out.match(/^Session ses_/gm)).toHaveLength(1)
  const named = records((await home.run(["import", "bbbb", "--json"])).out)
  expect(named).toMatchObject([{ source: "claude-code:bbbb-2", calls: 2 }])
  const all = records((await home.run(["import", "--all", "--from", "claude-code", "--json"])).out)
  expect(all.map(({ source }) => source).sort()).toEqual(["claude-code:aaaa-1", "claude-code:bbbb-2"])
  expect((await home.run(["import", "--all", "--from", "codex"])).out).toBe("")
  const unknown = await home.run(["import", "cccc"])
  expect([unknown.code, unknown.err]).toEqual([
    2,
    expect.stringContaining("holdfast import lists what is there"),
  ])
  expect((await home.run(["import", "./not-there.jsonl"])).code).toBe(2)
})

test("[IM1 SU1] a file of several sessions is listed to its end, and one of them is named by its id", async () => {
  const both = [
    ...claudeLines({ session: "cccc-1", rounds: 1 }),
    ...claudeLines({ session: "dddd-2", rounds: 1 }),
  ]
  await using home = await makeHome({})
  const file = join(home.root, "both.jsonl")
  await writeFile(file, `${both.join("\n")}\n`)
  const sources = async (argv: readonly string[]) =>
    records((await home.run(["import", file, ...argv, "--json"])).out).map(({ type, source }) => [
      type,
      source,
    ])
  const one = "claude-code:cccc-1"
  const two = "claude-code:dddd-2"
  expect((await sources([])).sort()).toEqual([
    ["found", one],
    ["found", two],
  ])
  expect(await sources(["dddd"])).toEqual([["imported", two]])
  expect((await sources(["--all"])).sort()).toEqual([
    ["imported", one],
    ["imported", two],
  ])
})

const fields = [
  "type",
  "requests",
  "inputTokens",
  "cacheRead",
  "cacheWrite",
  "readShare",
  "readShareWarm",
  "costUnits",
  "recordedCostUnits",
  "price",
  "breaks",
  "unexplained",
  "illegal",
  "largest",
  "averageRequest",
  "recordedAverage",
  "readShareBound",
  "recordedPrice",
  "lifetimes",
]

test("[IM2 TU7] a replay tells what was recorded beside what Holdfast would have sent", async () => {
  await using home = await makeHome({ one: claudeLines({ rounds: 20 }) })
  const file = home.pathOf("one")
  const { code, out } = await home.run(["replay", file, "--json"])
  const [figures, ...more] = records(out)
  expect([code, more]).toEqual([0, []])
  expect(Object.keys(figures ?? {})).toEqual(fields)
  // What nobody cuts costs what it did: the same prefix, the same sizes, the same life.
  expect(figures).toMatchObject({ type: "replay", requests: 40, breaks: 0, unexplained: 0, illegal: 0 })
  expect(Number(figures?.["averageRequest"]) / Number(figures?.["recordedAverage"])).toBeCloseTo(1, 1)
  const lifetimes = figures?.["lifetimes"] as
    | { readonly fiveMinutes: { readonly costUnits: number } }
    | undefined
  expect(Number(lifetimes?.fiveMinutes.costUnits) / Number(figures?.["recordedCostUnits"])).toBeCloseTo(1, 1)
  expect(Number(figures?.["readShareWarm"])).toBeGreaterThan(0.9)
  expect(Number(figures?.["readShareWarm"])).toBeLessThanOrEqual(Number(figures?.["readShareBound"]))

  const small = records((await home.run(["replay", file, "--window", "60000", "--json"])).out)
  const [broken, cut] = [small[0], small.at(-1)]
  expect(broken).toMatchObject({ type: "break", reason: expect.stringMatching(/^(?:cut|execute)_/) })
  expect(cut).toMatchObject({ type: "replay", requests: 40, unexplained: 0, illegal: 0 })
  expect(Number(cut?.["largest"])).toBeLessThanOrEqual(47_000)
  const narrow = await home.run(["replay", file, "--window", "100"])
  expect(narrow).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^40 requests of 40 cannot be made to fit/),
  })
  const screen = await home.run(["replay", file, "--window", "60000"])
  expect(screen.out).toMatch(/\d (?:cut|execute)_/)
  expect(Math.max(...screen.out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80)

  const session = String(records((await home.run(["import", file, "--json"])).out)[0]?.["session"])
  const own = records((await home.run(["replay", session, "--json"])).out).at(-1)
  expect(own).toEqual(figures)
  expect(records((await home.run(["replay", "5e551011-0001", "--json"])).out).at(-1)).toEqual(figures)
  const both = records((await home.run(["replay", file, session, "--json"])).out).at(-1)
  expect(both).toMatchObject({ requests: 80, readShareWarm: figures?.["readShareWarm"] })
})

test("[IM2 CA1] a Session is replayed with the window and the prices that are configured for its model", async () => {
  await using home = await makeHome({ one: claudeLines({ rounds: 20 }) })
  const session = String(
    records((await home.run(["import", home.pathOf("one"), "--json"])).out)[0]?.["session"],
  )
  const replayed = async (what: string) => records((await home.run(["replay", what, "--json"])).out)
  const [known] = await replayed(session)
  const price = { input: 10, output: 50, cacheRead: 10, cacheWrite: 10 }
  const model = { limit: { context: 60_000, output: 4_000 }, price }
  const providers = { anthropic: { apiKey: "none", models: { "claude-opus-4-5-20251101": model } } }
  await mkdir(join(home.root, "config"), { recursive: true })
  await writeFile(join(home.root, "config", "holdfast.jsonc"), JSON.stringify({ providers }))
  const [broken, ...more] = await replayed(session)
  expect(broken).toMatchObject({ type: "break", reason: expect.stringMatching(/^(?:cut|execute)_/) })
  const figures = more.at(-1)
  expect(figures).toMatchObject({ type: "replay", requests: 40, unexplained: 0, illegal: 0, price: 1 })
  expect(Number(figures?.["largest"])).toBeLessThan(Number(known?.["largest"]))
  // What another agent recorded was not sent to what is configured here.
  expect(await replayed(home.pathOf("one"))).toEqual([known])
})

test("[IM2 TU7] pauses lose the cache and break nothing; another model breaks the prefix", async () => {
  const slow = claudeLines({ session: "slow", rounds: 6, gapMs: 7_200_000 })
  const other = claudeLines({
    session: "other",
    rounds: 6,
    modelOf: (round) => (round < 3 ? "claude-opus-4-5" : "claude-sonnet-4-5"),
  })
  await using home = await makeHome({ slow, other })
  const lapsed = records((await home.run(["replay", home.pathOf("slow"), "--json"])).out).at(-1)
  expect(lapsed).toMatchObject({ requests: 12, breaks: 0 })
  expect(Number(lapsed?.["readShare"])).toBeLessThan(0.6)
  expect(Number(lapsed?.["readShareWarm"])).toBeGreaterThan(0.9)
  const changed = records((await home.run(["replay", home.pathOf("other"), "--json"])).out)
  expect(changed.map(({ type, reason = null }) => [type, reason])).toEqual([
    ["break", "model_changed"],
    ["replay", null],
  ])
  await writeFile(join(home.root, "empty.txt"), "nothing")
  expect((await home.run(["replay", join(home.root, "empty.txt")])).code).toBe(2)
})
