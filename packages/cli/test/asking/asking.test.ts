/** Asking at the command line: what a run does where somebody would have to be asked, and the answers. */
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { FinalRecord } from "../../src/outcome/outcome.ts"
import type { Terminal } from "../../src/terminal.ts"
import { runCommand } from "../terminal.ts"

interface Place {
  readonly project: string
  readonly environment: Readonly<Record<string, string>>
  readonly call: (args: readonly string[]) => Promise<{
    readonly code: number
    readonly out: string
    readonly err: string
    /** The last line of the output, parsed. */
    readonly record: () => unknown
  }>
}

let root: string
let place: Place
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-asking-")))
  const project = join(root, "project")
  await mkdir(project)
  await writeFile(join(project, "README.md"), "# Greeter\n\nPrints a greeting.\n")
  const environment = {
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: join(root, "data"),
    HOME: root,
  }
  place = {
    project,
    environment,
    call: async (args) => {
      const said = await runCommand(args, { directory: project, environment, columns: 100 })
      return { ...said, record: () => JSON.parse(said.out.trimEnd().split("\n").at(-1) ?? "") as unknown }
    },
  }
})
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

const prompt = 'Create notes.md with "hello".'
const isThere = () => existsSync(join(place.project, "notes.md"))
const run = async (...args: readonly string[]) => {
  const said = await place.call(["run", "--json", ...args, prompt])
  return { ...said, record: said.record() as FinalRecord }
}
/** A Session that waits for an answer. */
const asking = async () => {
  const { code, record } = await run("--on-ask", "wait")
  expect([code, record.status]).toEqual([3, "asking"])
  return { session: record.session ?? "", ask: record.asks?.[0]?.id ?? "" }
}
const touching = () => ({
  resources: [{ action: "write", resource: join(place.project, "notes.md") }],
  rule: null,
})

/** At a terminal where these lines are typed, one after another; what is beyond them is left open. */
function typing(...lines: readonly (string | ((signal?: AbortSignal) => Promise<string | null>))[]) {
  const left = [...lines]
  const ask: Terminal["ask"] = async (_, signal) => {
    const next = left.shift() ?? null
    return typeof next === "function" ? next(signal) : next
  }
  return (args: readonly string[], more: Partial<Terminal> = {}) =>
    runCommand(args, {
      directory: place.project,
      environment: place.environment,
      typed: true,
      ask,
      ...more,
    })
}

describe("[PE4] where somebody would have to be asked, a run", () => {
  test("declines by default and tells what, with the way to allow it", async () => {
    const { code, record } = await run()
    expect([code, record.status]).toEqual([0, "done"])
    expect(record.declined).toMatchObject([{ name: "write", ...touching() }])
    expect(isThere()).toBe(false)
    const { out } = await place.call(["run", prompt])
    expect(out).toContain(
      `Declined, because nobody could be asked: write(${join(place.project, "notes.md")}). ` +
        "Allow such things with --allow write, or answer yourself with --on-ask wait.",
    )
    const session = record.session ?? ""
    const later = await place.call(["run", "--json", "--session", session, "Read README.md."])
    expect(later.record()).not.toHaveProperty("declined")
  })

  test("allows, fails or waits as it is told, and the Session keeps that", async () => {
    const failed = await run("--on-ask", "fail")
    expect([failed.code, failed.record.reason?.code, isThere()]).toEqual([1, "permission_needed", false])
    const allowed = await run("--on-ask", "allow")
    expect([allowed.code, "declined" in allowed.record, isThere()]).toEqual([0, false, true])
    const { session } = await asking()
    const sessions = (await place.call(["sessions", "--json"])).out.trimEnd().split("\n")
    const found = sessions.map((line) => JSON.parse(line)).find(({ id }) => id === session)
    expect(found).toMatchObject({ onAsk: "wait", status: { state: "asking" } })
    const set = await place.call(["set", session, "--on-ask", "deny", "--allow", "write", "--json"])
    expect(set.record()).toMatchObject({ onAsk: "deny", allow: ["write"] })
  })

  test("that waits says which commands answer", async () => {
    const { code, out } = await place.call(["run", "--on-ask", "wait", prompt])
    expect(code).toBe(3)
    expect(out).toMatch(
      /It asks to touch write\(.*notes\.md\)\. No rule allows it\.\n {2}Answer with: holdfast answer ask_\w+ allow\n {2}or with: holdfast answer ask_\w+ decline "…"\nSession ses_\w+\. Go on with: holdfast asks ses_\w+/,
    )
  })
})

describe("[PE5] holdfast asks and holdfast answer", () => {
  test("list what is open, and go on with an answer, once", async () => {
    expect((await place.call(["asks"])).out).toBe("Nothing waits for an answer.\n")
    const { session, ask } = await asking()
    const listed = await place.call(["asks", session.slice(0, 12), "--json"])
    expect(listed.record()).toMatchObject({ id: ask, session, kind: "permission", ...touching() })
    const table = (await place.call(["asks"])).out.split("\n")[1]
    expect(table).toMatch(new RegExp(`^${ask}  ${session}  +\\S+.*  write\\(.*notes\\.md\\)  none$`))
    const allowed = await place.call(["answer", ask.slice(0, 10), "allow", "--json"])
    expect([allowed.code, (allowed.record() as FinalRecord).status, isThere()]).toEqual([0, "done", true])
    const again = await place.call(["answer", ask, "allow", "--json"])
    expect([again.code, again.record()]).toMatchObject([1, { reason: { code: "ask_not_open" } }])
  })

  test("[PR8] resume returns what is asked, and a declined call is not made", async () => {
    const { session, ask } = await asking()
    const resumed = await place.call(["resume", session, "--json"])
    expect([resumed.code, resumed.record()]).toMatchObject([3, { status: "asking", asks: [{ id: ask }] }])
    const declined = await place.call(["answer", ask, "decline", "Use a branch."])
    expect(declined.code).toBe(0)
    expect(declined.out).toMatch(/✗ write notes\.md · declined: .*Use a br/)
    expect(isThere()).toBe(false)
    expect((await place.call(["show", session, "--json"])).out).toContain("Use a branch.")
  })

  test("refuse what does not fit, and change nothing", async () => {
    const { ask } = await asking()
    const wrong = [
      [["say", "Yes."], "answer_refused"],
      [["allow", "--rule", "write"], "answer_refused"],
      [["allow", "--for", "session", "--rule", "write("], "rule_invalid"],
      [["allow", "Yes."], "usage"],
    ] as const
    for (const [args, code] of wrong) {
      const said = await place.call(["answer", ask, ...args, "--json"])
      expect([said.code, (said.record() as FinalRecord).reason?.code]).toEqual([2, code])
    }
    const called = await typing()(["answer", ask, "allow"], { callAbove: async () => "call_1" })
    expect([called.code, called.err]).toEqual([
      2,
      "holdfast: This command was started by the call call_1 of a Session, and a call cannot answer what Sessions ask. A person has to answer, from outside of it.\n",
    ])
    expect((await place.call(["asks", "--json"])).record()).toMatchObject({ id: ask })
    expect(isThere()).toBe(false)
  })

  test("what is allowed for the project is not asked in another Session", async () => {
    const { ask } = await asking()
    const answer = ["answer", ask, "allow", "--for", "project", "--rule", "write"]
    const allowed = await place.call(answer)
    expect([allowed.code, allowed.out]).toEqual([0, expect.stringContaining("✓ write notes.md") as string])
    expect((await run("--on-ask", "wait")).code).toBe(0)
  })
})

describe("[PE5] at a terminal", () => {
  const waiting = ["run", "--on-ask", "wait", prompt]

  test("an ask is shown when the turn rests, and the answer goes on", async () => {
    const { code, out, err } = await typing("yes", "1")(waiting)
    expect(code).toBe(0)
    expect(out).toContain("? The model wants to use write · ask_")
    expect(err).toContain("Type one of the numbers")
    expect(isThere()).toBe(true)
  })

  test("a decline tells the model, and what is left open ends the run as asking", async () => {
    const declined = await typing("- Not now.")(waiting)
    expect([declined.code, isThere()]).toEqual([0, false])
    const left = await typing("")(waiting)
    expect([left.code, isThere()]).toEqual([3, false])
    expect(left.out).toContain("Answer with: holdfast answer ask_")
  })

  test("the prompt goes away where somebody else answers first", async () => {
    const elsewhere = async (signal?: AbortSignal) => {
      const gone = new Promise<null>((resolve) =>
        signal?.addEventListener("abort", () => resolve(null), { once: true }),
      )
      const { id } = (await place.call(["asks", "--json"])).record() as { readonly id: string }
      expect((await place.call(["answer", id, "allow"])).code).toBe(0)
      return gone
    }
    const { code, out } = await typing(elsewhere)(waiting)
    expect(out).toContain("It is not open any more: somebody else has answered it, or it was withdrawn.")
    expect([code, isThere()]).toEqual([0, true])
  })

  test("nobody is asked with --json, nor where a call runs the command", async () => {
    const json = await typing("1")([...waiting, "--json"])
    const called = await typing("1")(waiting, { callAbove: async () => "call_1" })
    expect([json.code, called.code, isThere()]).toEqual([3, 3, false])
  })
})
