/** OpenCode's store, as OpenCode leaves it while it runs: audited and imported by the command itself (IM1, IM2). */
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { DatabaseSync } from "node:sqlite"
import { openCode } from "../../../foreign/test/made.ts"
import { type Exported, fillStore, openStore } from "../../../foreign/test/opencode-store.ts"
import { runCommand } from "../terminal.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-opencode-home-")))
const folder = join(home, ".local", "share", "opencode")
const environment = { HOME: home, HOLDFAST_DATA_DIR: join(home, "data"), HOLDFAST_CONFIG_DIR: home }
const run = (argv: readonly string[]) => runCommand(argv, { directory: home, environment })
const recordsOf = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

let database: DatabaseSync

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  database = openStore(join(folder, "opencode.db"))
  const main = openCode([{}, {}, {}, { plant: "compaction" }]) as Exported
  fillStore(database, withRunningCall(main))
  const forkInfo = { ...main.info, id: "ses_5fork", title: "made here (fork #1)" }
  fillStore(database, { info: forkInfo, messages: main.messages.slice(0, 4) }, "fork_")
  const child = openCode([{ gap: 3 }], "ses_6child") as Exported
  fillStore(database, { ...child, info: { ...child.info, parentID: main.info.id } }, "child_")
  database.prepare("UPDATE message SET data = '{broken' WHERE id = ?").run("fork_msg_0000a")
})

afterAll(() => {
  database.close()
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

/** OpenCode is at work: the last call has no result yet. */
function withRunningCall({ info, messages }: Exported): Exported {
  const call = { type: "tool", tool: "bash", callID: "toolu_now", state: { status: "running", input: {} } }
  const last = messages.at(-1)!
  const parts = [...last.parts, { id: "prt_zzzz", ...call }]
  return { info, messages: [...messages.slice(0, -1), { ...last, parts }] }
}

const hashes = () =>
  readdirSync(folder)
    .filter((name) => !name.endsWith("-shm"))
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ])

test(
  "[IM1 IM2] a store that OpenCode has open is audited and imported with its log, once, and is not touched",
  { timeout: 60_000 },
  async () => {
    const before = hashes()
    expect(before.map(([name]) => name)).toEqual(["opencode.db", "opencode.db-wal"])
    const audited = recordsOf((await run(["audit", "--json"])).out)
    // Of the summary nothing was counted, and the fork repeats what the first session has.
    expect(audited.at(-1)).toMatchObject({ sessions: 2, calls: 5, output: 100 + 101 + 102 + 103 + 100 })

    const taken = recordsOf((await run(["import", "--all", "--json"])).out)
    const told = (source: string) => taken.find((record) => record["source"] === `opencode:${source}`)
    expect(taken).toHaveLength(3)
    // Two prompts, four answers with a call each, the summary, and the call that still runs.
    expect(told("ses_44444444")).toMatchObject({ change: "created", messages: 7, calls: 5, skipped: 0 })
    expect(told("ses_5fork")).toMatchObject({ messages: 3, calls: 3, skipped: 1 })
    expect(told("ses_6child")).toMatchObject({ messages: 2, calls: 1, skipped: 0 })

    const session = String(told("ses_44444444")?.["session"])
    const next = (await run(["window", session, "--content"])).out
    expect(next).toContain("What was done so far.")
    // What went before it stands in a part.
    const history = next.slice(next.indexOf("# history-baseline"), next.indexOf("# history-delta"))
    expect(history).toContain("prompt 0")
    expect((await run(["show", session])).out).toContain("prompt 0")

    const again = recordsOf((await run(["import", "--all", "--json"])).out)
    expect(again.map(({ change }) => change)).toEqual(["same", "same", "same"])
    expect(hashes()).toEqual(before)
  },
)
