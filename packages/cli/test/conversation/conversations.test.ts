/** The commands that read and steer conversations, on the offline model, in this process. */
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { openHoldfast } from "@holdfast/sdk"
import { runHoldfast } from "../../src/program.ts"
import { keptTerminal } from "../terminal.ts"

/** The same for all tests, each of which finds it as the first did: a Session knows its directory. */
let root: string
let project: string
/** The first Session that was started as most are, and the folder with a copy of its data. */
let kept: { readonly session: string; readonly data: string } | null = null

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-conversations-")))
  project = join(root, "project")
})
beforeEach(async () => {
  for (const folder of ["config", "data", "project", "elsewhere"])
    await rm(join(root, folder), { recursive: true, force: true, maxRetries: 5 })
  await mkdir(project)
  await writeFile(join(project, "README.md"), "# Greeter\n\nPrints a greeting.\n")
})
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

async function holdfast(argv: readonly string[], directory = project) {
  const environment = {
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: join(root, "data"),
    HOME: root,
  }
  const { terminal, said } = keptTerminal({ directory, environment })
  const code = await runHoldfast(argv, terminal)
  const lines = said.out.trimEnd().split("\n")
  return { code, ...said, record: () => JSON.parse(lines.at(-1) ?? "") as Record<string, unknown> }
}

async function started(prompt?: string, ...more: readonly string[]): Promise<string> {
  const data = join(root, "data")
  const plain = prompt === undefined && !existsSync(data)
  if (plain && kept !== null) {
    await cp(kept.data, data, { recursive: true })
    return kept.session
  }
  const { record } = await holdfast(["run", "--json", ...more, prompt ?? "Read README.md."])
  const session = String(record()["session"])
  if (!plain) return session
  kept = { session, data: join(root, "kept") }
  await cp(data, kept.data, { recursive: true })
  return session
}

/** A Session with prompts that nobody has taken up. */
async function withInbox(...texts: readonly string[]): Promise<string> {
  await using host = await openHoldfast({
    environment: {},
    configDir: join(root, "config"),
    dataDir: join(root, "data"),
    directory: project,
  })
  const { id: sessionID } = await host.sessions.create()
  for (const text of texts) await host.sessions.prompt({ sessionID, text, resume: false, delivery: "queue" })
  return sessionID
}

describe("[SU1] holdfast show", () => {
  test("tells who said what, with ids and calls", async () => {
    const session = await started()
    const { code, out } = await holdfast(["show", session])
    expect(code).toBe(0)
    expect(out.replaceAll(/#\d+ · msg_\w+/g, "#… msg_…")).toMatch(
      /^── #… msg_… · you\nRead README\.md\.\n\n── #… msg_… · model\n(.+\n)*✓ read README\.md · 3 lines\n\n── #… msg_… · model\n`README\.md` has 3 lines.*\n\n$/,
    )
  })

  test("as JSON prints one message a line, and system messages only where asked", async () => {
    const session = await started()
    await writeFile(join(project, "AGENTS.md"), "Be brief.\n")
    await holdfast(["run", "--session", session, "Read README.md."])
    const kindsOf = async (...more: readonly string[]) =>
      (await holdfast(["show", session, "--json", ...more])).out
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { kind: string }).kind)
    const plain = ["user", "assistant", "assistant", "user", "assistant", "assistant"]
    expect(await kindsOf()).toEqual(plain)
    expect(await kindsOf("--system")).toEqual([...plain.slice(0, 4), "system", ...plain.slice(4)])
    expect((await holdfast(["show", session, "--system"])).out).toContain("Be brief.")
  })

  test("says so where nothing was said", async () => {
    const session = await withInbox()
    expect((await holdfast(["show", session])).out).toBe(`Session ${session} has no message yet.\n`)
  })
})

describe("[SU1] run --continue", () => {
  test("goes on with the Session of this directory that was used last", async () => {
    const first = await started()
    const second = await started("Read README.md again.")
    const elsewhere = join(root, "elsewhere")
    await mkdir(elsewhere)
    await holdfast(["run", "--json", "List the files."], elsewhere)
    const next = await holdfast(["run", "--json", "--continue", "Read README.md."])
    expect(next.record()).toMatchObject({ status: "done", session: second })
    await holdfast(["run", "--session", first, "Read README.md."])
    const last = await holdfast(["run", "--json", "--continue", "Read README.md."])
    expect(last.record()).toMatchObject({ status: "done", session: first })
  })

  test("says what to do where there is none, and takes no --session beside it", async () => {
    const none = await holdfast(["run", "--continue", "Hello."])
    expect([none.code, none.err]).toEqual([
      2,
      `holdfast: No Session works in ${project} yet. Leave out --continue to begin one.\n`,
    ])
    expect((await holdfast(["run", "--continue", "--session", "ses_x", "Hello."])).code).toBe(2)
  })
})

describe("[SS1] what is done to a Session as a whole", () => {
  test("a fork goes on by itself, and its source stays as it was", async () => {
    const session = await started()
    const [, second] = (await holdfast(["show", session, "--json"])).out.trimEnd().split("\n")
    const message = String(JSON.parse(second ?? "").id)
    const fork = ["fork", session, "--at", message.slice(0, 12), "--title", "Another way", "--id", "ses_way"]
    const made = await holdfast(fork)
    expect([made.code, made.err]).toEqual([0, ""])
    expect(made.out).toBe(
      `Session ses_way begins with the conversation of ${session}, up to ${message}.\nGo on with: holdfast resume ses_way\n`,
    )
    const again = await holdfast([...fork, "--json"])
    expect(again.record()).toMatchObject({ id: "ses_way", title: "Another way", turns: 1 })
    expect((await holdfast(["resume", "ses_way", "--json"])).record()).toMatchObject({ status: "done" })
    const turns = async (id: string) => (await holdfast(["turns", id, "--verify", "--json"])).out.split("\n")
    expect([(await turns(session)).length, (await turns("ses_way")).length]).toEqual([3, 3])
    const other = await holdfast(["fork", session, "--id", "ses_way"])
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringContaining("The Session id ses_way was used before"),
    ])
    const whole = await holdfast(["fork", session])
    expect(whole.out).toMatch(
      /, as far as it is settled\.\nGo on with: holdfast run --session ses_\w+ "…"\n$/,
    )
    expect((await holdfast(["fork", session, "--at", "msg_none"])).code).toBe(2)
  })

  test("a move holds from the next turn on, and goes only where a directory is", async () => {
    const session = await started()
    const elsewhere = join(root, "elsewhere")
    await mkdir(elsewhere)
    await writeFile(join(elsewhere, "AGENTS.md"), "Speak of the sea.\n")
    const moved = await holdfast(["move", session, "../elsewhere"])
    expect([moved.code, moved.out]).toEqual([
      0,
      `Session ${session} works in ${elsewhere} from its next turn on.\n`,
    ])
    const again = await holdfast(["move", session, elsewhere])
    expect(again.out).toBe(`Session ${session} works in ${elsewhere} already; nothing has changed.\n`)
    await holdfast(["run", "--session", session, "List the files."])
    const turn = (await holdfast(["turns", session, "--json"])).out.trimEnd().split("\n").at(2)
    const { started: begun } = JSON.parse(turn ?? "") as { started: { turn: string } }
    const sent = await holdfast(["wire", "show", session, begun.turn])
    expect(sent.out).toContain("Speak of the sea.")
    expect(sent.out).toContain(elsewhere)
    const nowhere = await holdfast(["move", session, "nowhere"])
    expect([nowhere.code, nowhere.err]).toEqual([
      2,
      `holdfast: There is no directory ${join(project, "nowhere")}. Create it or name another.\n`,
    ])
  })

  test("an archived Session is in another list, until it is taken back or gets a prompt", async () => {
    const session = await started()
    const listed = async (...more: readonly string[]) =>
      (await holdfast(["sessions", ...more])).out.includes(session)
    expect((await holdfast(["sessions", "--archived"])).out).toBe("No Session is archived.\n")
    const archived = await holdfast(["archive", session])
    expect(archived.out).toBe(
      `Session ${session} is archived. To list such Sessions: holdfast sessions --archived\n`,
    )
    expect([await listed(), await listed("--archived")]).toEqual([false, true])
    const back = await holdfast(["archive", session, "--undo"])
    expect([back.out, await listed()]).toEqual([`Session ${session} is in the list again.\n`, true])
    await holdfast(["archive", session])
    await holdfast(["run", "--session", session, "Read README.md."])
    expect([await listed(), await listed("--archived")]).toEqual([true, false])
  })

  test("a new title is told, and one without letters refused", async () => {
    const session = await started()
    const renamed = await holdfast(["rename", session, "The greeter"])
    expect([renamed.code, renamed.out]).toEqual([0, `Session ${session} is called The greeter.\n`])
    expect((await holdfast(["rename", session, " "])).code).toBe(2)
    expect((await holdfast(["rename", "ses_none", "x", "--json"])).code).toBe(2)
  })
})

describe("[SU1] the beginning of an id suffices", () => {
  test("for every command that takes a Session", async () => {
    const session = await withInbox()
    const commands = [
      ["show"],
      ["turns"],
      ["window"],
      ["set", "--title", "x"],
      ["interrupt"],
      ["inbox", "list"],
      ["fork"],
      ["archive"],
      ["archive", "--undo"],
      ["delete", "--yes"],
    ]
    for (const words of commands) {
      const { code, err } = await holdfast([...words, session.slice(4, 12)])
      expect({ words, code, err }).toEqual({ words, code: 0, err: "" })
    }
  })

  test("of Sessions, turns and messages alike", async () => {
    const session = await started()
    const shown = await holdfast(["run", "--json", "--session", session.slice(0, 12), "Read README.md."])
    expect(shown.record()).toMatchObject({ status: "done", session })
    const turn = ((await holdfast(["turns", session, "--json"])).record()["started"] as { turn: string }).turn
    expect((await holdfast(["wire", "show", session, turn.slice(4, 14)])).code).toBe(0)
    const message = String((await holdfast(["show", session, "--json"])).record()["id"])
    const taken = await holdfast(["quarantine", session, message.slice(0, 12), "--json"])
    expect(taken.record()).toMatchObject({ id: message })
  })

  test("and one that fits none is told as it was typed", async () => {
    const { code, err } = await holdfast(["show", "ses_none"])
    expect([code, err]).toEqual([2, expect.stringContaining("There is no Session ses_none.")])
  })
})

describe("[PR3] holdfast inbox", () => {
  test("lists what waits, gives it another text, and takes it back", async () => {
    const session = await withInbox("First of all.", "Then this.")
    const list = async () =>
      (await holdfast(["inbox", session])).out.split("\n").map((line) => line.split(/ {2,}/).at(-1))
    expect(await list()).toEqual(["TEXT", "First of all.", "Then this.", ""])
    const ids = (await holdfast(["inbox", "list", session, "--json"])).out
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id)
    const [first = "", second = ""] = ids
    const edited = await holdfast(["inbox", "edit", session, second.slice(0, 10), "Something else."])
    expect(edited).toMatchObject({ code: 0, out: `Prompt ${second} has the new text.\n` })
    const cancelled = await holdfast(["inbox", "cancel", session, first, "--json"])
    expect(cancelled.record()).toMatchObject({ prompt: first, state: "cancelled" })
    expect(await list()).toEqual(["TEXT", "Something else.", ""])
    expect((await holdfast(["inbox", "cancel", session, second])).code).toBe(0)
    expect((await holdfast(["inbox", session])).out).toBe(`No prompt waits in Session ${session}.\n`)
  })

  test("tells a prompt that waits no more, and one that never was", async () => {
    const session = await withInbox("One.")
    const id = String((await holdfast(["inbox", session, "--json"])).record()["id"])
    await holdfast(["inbox", "cancel", session, id])
    const again = await holdfast(["inbox", "edit", session, id, "Two."])
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("is already cancelled")])
    const none = await holdfast(["inbox", "cancel", session, "prm_none"])
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("has no prompt prm_none")])
  })
})

describe("[SU1] what a Session was allowed", () => {
  const content = (name: string) => readFile(join(project, name), "utf8")

  test("holds for later runs that say nothing, and is told", async () => {
    const session = await started('Create one.md with "1".', "--allow", "write")
    const next = await holdfast(["run", "--session", session, 'Create two.md with "2".'])
    expect([await content("one.md"), await content("two.md")]).toEqual(["1\n", "2\n"])
    expect(next.out).toContain(
      "It may do without asking, as it was allowed before: write. --allow read takes that back.",
    )
    expect((await holdfast(["window", session])).out).not.toContain("next request breaks")
  })

  test("is taken back by naming less, and never passes to another Session", async () => {
    const session = await started('Create one.md with "1".', "--allow", "write")
    await holdfast(["run", "--session", session, "--allow", "read", 'Create two.md with "2".'])
    await holdfast(["run", "--session", session, 'Create three.md with "3".'])
    await holdfast(["run", 'Create four.md with "4".'])
    for (const name of ["two.md", "three.md", "four.md"])
      await expect(content(name)).rejects.toThrow("ENOENT")
  })
})

test("[SS2] a Session is called by the first line of its first prompt", async () => {
  const session = await started("\n  Read README.md.\nThen stop.")
  expect((await holdfast(["sessions", "--json"])).record()).toMatchObject({
    id: session,
    title: "Read README.md.",
  })
})

test("[SU1] run --detach without a server says that nobody would do the work", async () => {
  const { code, err } = await holdfast(["run", "--detach", "Read README.md."])
  expect([code, err]).toEqual([2, expect.stringContaining("Start one with holdfast serve")])
  expect((await holdfast(["sessions", "--json"])).out).toBe("")
})

test("[SU1] attach shows what was said before, as much as fits on the screen", async () => {
  const session = await started()
  const { terminal, said } = keptTerminal({
    directory: project,
    environment: { HOLDFAST_CONFIG_DIR: join(root, "config"), HOLDFAST_DATA_DIR: join(root, "data") },
  })
  expect(await runHoldfast(["attach", session, "--until-idle"], terminal)).toBe(0)
  expect(said.out).toContain("· you\nRead README.md.\n")
  expect(said.out).toContain("✓ read README.md · 3 lines\n")
  said.out = ""
  const small = { ...terminal, rows: 9 }
  expect(await runHoldfast(["attach", session, "--until-idle"], small)).toBe(0)
  const [first, ...rest] = said.out.split("\ndone · ")[0]?.trim().split("\n") ?? []
  expect(first).toBe(`… holdfast show ${session} has what came before.`)
  expect(rest.length).toBeLessThanOrEqual(5)
})
