/** `holdfast audit` from its arguments to what it prints and writes (IM2, SU1). */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { claudeCode, codex, openCode } from "../../../foreign/test/made.ts"
import { type Exported, fillStore, openStore } from "../../../foreign/test/opencode-store.ts"
import { progressOf } from "../../src/audit/progress.ts"
import { runCommand } from "../terminal.ts"

const home = mkdtempSync(join(tmpdir(), "holdfast-audit-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("")

function put(path: string, text: string): string {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
  return join(home, path)
}

const gap = [{}, {}, { gap: 20, read: 0 }, {}]
const claude = put(".claude/projects/-w/11111111-aaaa.jsonl", lines(claudeCode(gap)))
put(".codex/sessions/2026/06/01/rollout.jsonl", `${lines(codex([{}, { read: 0 }]))}{"type":"event_msg","pay`)
put(".claude/projects/-w/sessions-index.json", "{}")

const audit = (argv: readonly string[] = []) =>
  runCommand(["audit", ...argv], { directory: home, environment: { HOME: home }, interactive: true })

const everything = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

test("[IM2] finds the usual folders by itself and says it all on one screen of 80 columns", async () => {
  const { code, out, err } = await audit()
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(out.split("\n").length).toBeLessThanOrEqual(45)
  expect(out).toContain("2 sessions of Claude Code and Codex: 6 requests, 2026-06-01 to 2026-06-01.")
  expect(out).toMatch(/^read from cache +\d[\d,]+ +\d+\.\d %$/m)
  expect(out).toMatch(/Input cost \$\d+\.\d+, which is \d+\.\d % of its list price/)
  expect(out).toMatch(/append-only prefix/)
  expect(out).toMatch(/^sent again: idle less than an hour +1 +\$0\.\d+ +\d+\.\d %$/m)
  expect(out).toMatch(/^11111111 {2}2026-06-01 08:22 +23,998 +\$0\.\d+ {2}idle for 20 min$/m)
  expect(out).toMatch(/^22222222 .* prefix changed, cause not recorded$/m)
  expect(out).toContain("1 line could not be read, such as: cut-off")
})

test("[IM2 SU1] --json ends with the record that is promised", async () => {
  const { code, out } = await audit(["--json"])
  const told = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(code).toBe(0)
  const last = told.at(-1) ?? {}
  expect(Object.keys(last)).toEqual([
    "type",
    "sessions",
    "calls",
    "input",
    "cacheRead",
    "cacheWrite",
    "output",
    "price",
    "breaks",
  ])
  expect(last).toMatchObject({ type: "audit", sessions: 2, calls: 6, breaks: 2, output: 607 })
  expect(last["price"]).toBeGreaterThan(0.1)
  expect(
    told.filter(({ type }) => type === "session").map(({ session, agent, calls }) => [session, agent, calls]),
  ).toEqual([
    ["11111111-aaaa", "claude-code", 4],
    ["22222222-bbbb", "codex", 2],
  ])
  expect(told.filter(({ type }) => type === "break").map(({ cause, gapMs }) => [cause, gapMs])).toEqual(
    expect.arrayContaining([["idle", 1_200_000]]),
  )
})

test("[IM2] --session and --since choose, and what they do not find is said", async () => {
  const one = await audit(["--session", "2222", "--json"])
  expect(JSON.parse(one.out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ sessions: 1, calls: 2 })
  const late = await audit(["--since", "2026-06-01T08:20:00Z", "--json"])
  expect(JSON.parse(late.out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ sessions: 1, calls: 2 })
  expect(await audit(["--session", "none"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("No session begins with none") as unknown,
  })
  expect(await audit(["--since", "yesterday"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("Write a date") as unknown,
  })
})

test("[IM2 AU1] --html writes one page that loads nothing, and nothing else is written", async () => {
  const nasty = put(
    "other/export.json",
    JSON.stringify(openCode([{}, { read: 0 }])).replace("made here", "<script>alert(1)</script>"),
  )
  const before = everything(home)
  const { code, err } = await audit([nasty, claude, "--html", "audit.html"])
  expect({ code, err }).toEqual({ code: 0, err: `The page is in ${join(home, "audit.html")}.\n` })
  expect(everything(home)).toEqual([...before, join(home, "audit.html")].sort())
  const page = readFileSync(join(home, "audit.html"), "utf8")
  expect(statSync(join(home, "audit.html")).mode & 0o777).toBe(0o600)
  expect(page).toContain("default-src 'none'")
  expect(page).not.toMatch(/<script|https?:|src=|href=|url\(|@import/)
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
  // A session without a title is told by how its person began.
  expect(page).toContain("<h3>11111111: prompt 0</h3>")
  expect(page.match(/<path class="break"/g)).toHaveLength(2)
  expect(page.match(/<svg /g)).toHaveLength(3)
  rmSync(join(home, "audit.html"))
})

test("[IM2 SU1] what cannot be meant is refused before anything is read or written", async () => {
  const text = readFileSync(claude, "utf8")
  symlinkSync(claude, join(home, "link.html"))
  for (const page of [claude, "link.html", ".", "absent/page.html"])
    expect(await audit([claude, "--html", page])).toMatchObject({ code: 2, out: "" })
  expect(readFileSync(claude, "utf8")).toBe(text)
  expect(await audit(["absent.jsonl"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not there") as unknown,
  })
  const other = put("other/notes.jsonl", "hello\n")
  const { code, out, err } = await audit([other, "--json"])
  expect({ code, err }).toEqual({
    code: 1,
    err: `${other} is no session of an agent that is known here; it was passed over.\n`,
  })
  expect(JSON.parse(out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    type: "audit",
    sessions: 0,
    calls: 0,
    price: null,
  })
})

test("[IM2] where there is nothing, it says where it looked", async () => {
  const { code, out } = await runCommand(["audit"], {
    directory: home,
    environment: { HOME: join(home, "nobody") },
  })
  expect(code).toBe(0)
  expect(out.replaceAll("\n", " ")).toContain("No request of another agent was found in")
  expect(out).toContain("nobody/.claude/projects")
})

test("[IM2 SU1] Ctrl-C ends it with 130: nothing is told, written or left behind", async () => {
  const store = join(home, "opencode.db")
  using database = openStore(store)
  fillStore(database, openCode([{}]) as Exported)
  const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("holdfast-opencode-"))
  const before = { files: everything(home), copies: copies() }
  const listeners: (() => void)[] = []
  let released = 0
  const stopped = runCommand(["audit", store, claude, "--html", "audit.html"], {
    directory: home,
    environment: { HOME: home },
    onStop: (listener) => {
      listeners.push(listener)
      listener()
      return () => void released++
    },
  })
  expect(await stopped).toMatchObject({ code: 130, out: "", err: "" })
  expect({ files: everything(home), copies: copies() }).toEqual(before)
  expect([listeners.length, released]).toEqual([1, 1])
})

test("[IM2] long work says how far it is, every two seconds and not more often", () => {
  const said: string[] = []
  let now = 0
  const progress = progressOf({ files: 3, bytes: 4_194_304, say: (line) => said.push(line), now: () => now })
  for (const [at, file] of [
    [0, 1],
    [1_999, 1],
    [2_000, 2],
    [3_000, 2],
    [9_000, 3],
  ] as const) {
    now = at
    progress(1_048_576, file)
  }
  expect(said).toEqual([
    "Read 3.0 MB of 4.0 MB (75 %), file 2 of 3.",
    "Read 5.0 MB of 4.0 MB (100 %), file 3 of 3.",
  ])
})
