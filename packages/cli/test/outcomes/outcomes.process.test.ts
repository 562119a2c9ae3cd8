/** Every way in which a run ends is told alike by its exit code, its record, the log and the API. */
import { readFileSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type HoldfastClient, makeClient, type OnAsk } from "@holdfast/sdk"
import { exitCode, exitMeanings } from "../../src/outcome/exit-code.ts"
import type { FinalRecord } from "../../src/outcome/outcome.ts"
import { makeDirectedPlace, type Place } from "../place.ts"
import { runCommand } from "../terminal.ts"
import { directive, type Ending, endings, gone, refusals, type Told, withdrawn } from "./endings.ts"

// Some wait between attempts, and do nothing meanwhile; all of them share the machine.
vi.setConfig({ maxConcurrency: 7, testTimeout: 60_000 })

let place: Place
let holdfast: HoldfastClient
let server: { readonly url: string; readonly token: string }

/** One server for all; commands work in processes of their own on the same data directory. */
beforeAll(async () => {
  const limits = { limit: { context: 100_000, output: 1_000 } }
  const absent = { wire: "anthropic-messages", baseUrl: "http://127.0.0.1:9", models: { agent: limits } }
  place = await makeDirectedPlace({ absent, locked: { ...absent, apiKeyEnv: "HOLDFAST_ABSENT_KEY" } })
  const serving = place.start(["serve", "--json", "--allow", "bash"])
  await serving.prints("}\n")
  const { url, tokenFile } = JSON.parse(serving.printed()) as { url: string; tokenFile: string }
  server = { url, token: readFileSync(tokenFile, "utf8").trim() }
  holdfast = makeClient({ baseUrl: server.url, token: server.token })
})
afterAll(async () => {
  await place[Symbol.asyncDispose]()
})

const own = (command: "run" | "resume", ...args: readonly string[]) => [
  command,
  "--json",
  "--no-server",
  ...args,
]

/** A command that needs no process of its own. */
const inProcess = (...args: readonly string[]) => {
  const { project: directory, environment } = place
  return runCommand(args, { directory, environment })
}

async function ask(method: "GET" | "POST", path: string, body?: object) {
  const answer = await fetch(`${server.url}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const make = async (directory = place.project): Promise<string> => {
  await holdfast.locations.open({ directory })
  return (await holdfast.sessions.create({ directory })).id
}

const told = ({ status, reason }: Pick<FinalRecord, "status" | "reason">) => ({
  status,
  code: reason?.code ?? null,
})

/**
 * What the API answers about a Session that has come to its end. A command that opens the store beside the server may
 * hold it once more, for the moment in which it finds that there is nothing to recover.
 */
async function answered(session: string) {
  for (;;) {
    const result = await ask("GET", `/session/${session}/wait`)
    const info = await ask("GET", `/session/${session}`)
    expect([result.status, result.body["state"], info.status]).toEqual([200, "settled", 200])
    const { state } = info.body["status"] as { readonly state: string }
    if (state === "running") continue
    return { ...told(result.body["result"] as FinalRecord), state, last: (await factsOf(session)).at(-1) }
  }
}

async function factsOf(session: string): Promise<readonly string[]> {
  const page = await ask("GET", `/session/${session}/history?limit=200`)
  return (page.body["items"] as readonly { readonly fact: SomeFact }[]).map(({ fact }) => lineOf(fact))
}

interface SomeFact {
  readonly type: string
  readonly status?: string
  readonly reason?: { readonly code: string } | null
  readonly blocked?: { readonly code: string } | null
  readonly waiting?: { readonly reason: { readonly code: string } } | null
}

const lineOf = ({ type, status, reason, blocked, waiting }: SomeFact): string =>
  [type, status, reason?.code, blocked?.code, waiting?.reason.code].filter(Boolean).join(" ")

async function recorded(session: string, type: string): Promise<void> {
  for await (const { fact } of holdfast.sessions.events({ sessionID: session }))
    if (fact.type === type) return
}

/** The id that a run prints with its first event. */
const sessionIn = (printed: string): string => /ses_[0-9a-z]{20}/.exec(printed)?.[0] ?? ""

async function byCommand({ prompt, args = [], stop }: Ending) {
  const running = place.start(own("run", ...args, "-"), { input: prompt })
  if (stop !== undefined && stop.by !== "deadline") {
    await running.prints(`"${stop.after}"`)
    if (stop.by === "interrupt") await inProcess("interrupt", sessionIn(running.printed()))
    else running.kill(stop.by)
  }
  const ended = await running.ended
  return { exit: ended.code, record: ended.record() as FinalRecord }
}

async function byClient({ prompt, args = [], stop }: Ending): Promise<string> {
  const model = args.at(args.indexOf("--model") + 1) ?? ""
  const onAsk = args.includes("--on-ask") ? args.at(args.indexOf("--on-ask") + 1) : "deny"
  const { id: sessionID } = await holdfast.sessions.create({
    directory: place.project,
    onAsk: onAsk as OnAsk,
    ...(args.includes("--model") && { model }),
    ...(args.includes("--budget-tokens") && { budget: { tokens: 1 } }),
  })
  await holdfast.sessions.prompt({ sessionID, text: prompt })
  if (stop === undefined) return sessionID
  await recorded(sessionID, stop.after)
  await holdfast.sessions.interrupt({ sessionID })
  return sessionID
}

/** A Session that the server is at work on. */
async function makeBusy(): Promise<string> {
  const session = await make()
  const text = directive({ tools: [{ name: "bash", input: { command: "sleep 60" } }] })
  await holdfast.sessions.prompt({ sessionID: session, text })
  await recorded(session, "call.started")
  return session
}

// Before the others: a command does not wait for a server that is slow to answer.
test("[SU1] a run that is detached ends when the prompt is stored, and the API tells the rest", async () => {
  const left = await place.run([
    "run",
    "--json",
    "--detach",
    directive({ text: "No.", stopReason: "refusal" }),
  ])
  const { type, session } = left.record() as { readonly type: string; readonly session: string }
  expect([left.code, type]).toEqual([0, "detached"])
  expect(await answered(session)).toMatchObject({ status: "failed", code: "refusal", state: "failed" })
})

describe.concurrent("[SU1 DR4] the ending is told alike everywhere:", () => {
  test.each(endings)("$name", async (ending) => {
    const { exit, status, code, last, state } = ending
    const [command, session] = await Promise.all([byCommand(ending), byClient(ending)])
    expect({ exit: command.exit, ...told(command.record) }).toEqual({ exit, status, code })
    // Only the command knows of its deadline: to everybody else it is an interrupt.
    const known = { status, code: code === "deadline" ? "interrupted" : code, last, state }
    expect(await answered(command.record.session ?? "")).toEqual(known)
    expect(await answered(session)).toEqual(known)
  })

  test(gone.name, async () => {
    const { exit, status, code, last, state } = gone
    const directory = join(place.root, "gone")
    await mkdir(directory)
    const [session, other] = [await make(directory), await make(directory)]
    await rm(directory, { recursive: true })
    const run = await place.run(own("run", "--session", session, "Hello."))
    expect({ exit: run.code, ...told(run.record() as FinalRecord) }).toEqual({ exit, status, code })
    await holdfast.sessions.prompt({ sessionID: other, text: "Hello." })
    for (const each of [session, other]) expect(await answered(each)).toEqual({ status, code, last, state })
  })

  test.each(withdrawn)("$name", async ({ exit, status, code, by }) => {
    const session = await makeBusy()
    const running = place.start(["run", "--json", "--session", session, "--delivery", "queue", "Later."])
    await running.prints('"prompt.admitted"')
    const { items } = await holdfast.sessions.inbox({ sessionID: session })
    if (by === "SIGINT") running.kill(by)
    else await holdfast.sessions.cancel({ sessionID: session, promptID: items[0]?.id ?? "" })
    const ended = await running.ended
    expect({ exit: ended.code, ...told(ended.record() as FinalRecord) }).toEqual({ exit, status, code })
    expect(await factsOf(session)).toContain("prompt.cancelled")
    expect((await ask("GET", `/session/${session}/inbox`)).body["items"]).toEqual([])
    await holdfast.sessions.interrupt({ sessionID: session })
  })

  test("a run that was killed is interrupted to everybody, and resume ends as a run does", async () => {
    const prompt = directive(
      { tools: [{ name: "bash", input: { command: "sleep 60" } }] },
      { text: "Slept." },
    )
    const running = place.start(own("run", "--allow", "bash", prompt))
    await running.prints('"call.started"')
    running.kill("SIGKILL")
    const session = sessionIn((await running.ended).out)
    // The server may settle it meanwhile: while it does, it holds the Session, and nothing else of this changes.
    const killed = { status: "interrupted", code: "process_ended", state: "interrupted" }
    await vi.waitFor(async () => expect(await answered(session)).toMatchObject(killed), { timeout: 10_000 })
    const resumed = await place.run(own("resume", session))
    expect([resumed.code, told(resumed.record() as FinalRecord)]).toEqual([0, { status: "done", code: null }])
    expect(await answered(session)).toMatchObject({ status: "done", code: null, state: "idle" })
  })

  test.each(refusals)("$name", async ({ exit, status, code, args, request, answer }) => {
    const session = await make()
    const named = (text: string) => text.replace("{session}", session)
    const run = await inProcess(...args.map(named), "--json", "--no-server")
    const record = JSON.parse(run.out) as FinalRecord
    expect({ exit: run.code, ...told(record) }).toEqual({ exit, status, code })
    const refused = await ask("POST", named(request.path), request.body)
    expect([refused.status, refused.body["_tag"]]).toEqual([answer.status, answer.tag])
    expect(await factsOf(session)).toEqual(["session.created"])
  })
})

test("[SU1] docs/commands.md has every exit code and every ending of these tests, and no other", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/commands.md"), "utf8")
  const section = page.split("\n## Exit codes\n")[1]?.split("\n## ")[0] ?? ""
  const codes = [...section.matchAll(/^\| (\d+) \| ([^:|;,]+)/gm)].map(([, code, meaning]) => [
    Number(code),
    meaning?.trim(),
  ])
  const names = Object.keys(exitCode) as (keyof typeof exitCode)[]
  expect(codes).toEqual(names.map((name) => [exitCode[name], exitMeanings[name]]))
  const rows = [...section.matchAll(/^\| (.+) \| (\d+) \| `(\w+)` \| (?:`(\w+)`|–) \|$/gm)].map(
    ([, name = "", exit, status, code = null]) => ({ name, exit: Number(exit), status, code }),
  )
  const all: readonly Told[] = [...endings, gone, ...withdrawn, ...refusals]
  const shown = all.map(({ name, exit, status, code }) => ({ name, exit, status, code }))
  const byName = (some: { readonly name: string }, other: { readonly name: string }) =>
    some.name < other.name ? -1 : 1
  expect(rows.sort(byName)).toEqual(shown.sort(byName))
})
