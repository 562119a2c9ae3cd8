/** Planted defects: a server that breaks a rule fails the cases of that rule, in words that say how. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Session } from "@holdfast/client"
import {
  allCases,
  conform,
  type ConformOptions,
  prepare,
  type RawAccess,
  reportText,
  type Target,
} from "../src/index.ts"
import { openInProcess, type OpenTarget } from "./targets.ts"

let opened: OpenTarget
beforeAll(async () => {
  opened = await openInProcess()
})
afterAll(() => opened[Symbol.asyncDispose]())

/** The target with something between it and whoever asks. */
function tampered(change: (send: RawAccess["send"], request: Request) => Promise<Response>): Target {
  const { raw } = opened.target
  if (raw === undefined) throw new Error("the target takes no requests as they are")
  return { ...opened.target, raw: { ...raw, send: (request) => change(raw.send, request) } }
}

async function failuresOf(target: Target, options: ConformOptions): Promise<readonly string[]> {
  const { results } = await conform(target, { inputs: 1, ...options })
  return results.filter(({ outcome }) => outcome === "failed").map(({ detail }) => detail ?? "")
}

describe("a defect that is planted is found", () => {
  test("[AU1] a Host that nobody checks", async () => {
    const target = tampered((send, request) => {
      if (request.headers.has("host")) request.headers.set("host", "localhost")
      return send(request)
    })
    const failures = await failuresOf(target, { only: "AU1" })
    expect(failures.length).toBeGreaterThan(20)
    expect(failures).toContainEqual(
      expect.stringMatching(
        /^health\.get with the Host evil\.example: expected 4xx with CallerRefused, got status 200/,
      ),
    )
  })

  test("[PG1] a forged cursor that is answered 500", async () => {
    const target = tampered(async (send, request) => {
      const answer = await send(request)
      return request.url.includes("cursor=") && answer.status === 400
        ? Response.json({ _tag: "InternalFailure", message: "It broke." }, { status: 500 })
        : answer
    })
    const failures = await failuresOf(target, { only: "PG1" })
    expect(failures).toContainEqual(
      'the cursor : expected 4xx with InvalidCursor or InvalidRequest, got status 500 with {"_tag":"InternalFailure","message":"It broke."}',
    )
  })

  test("[CO1] a refusal without a typed body", async () => {
    const target = tampered(async (send, request) => {
      const answer = await send(request)
      return answer.status === 400 ? new Response("Bad Request", { status: 400 }) : answer
    })
    const run = await prepare(target)
    const meant = allCases.filter(({ title }) => title.endsWith("refuses a field that it does not know"))
    expect(meant.length).toBeGreaterThan(50)
    for (const one of meant)
      expect((await run(one)).detail, one.title).toBe(
        "the field noSuchField: expected 4xx with InvalidRequest, got status 400 with Bad Request",
      )
  })

  test("[PR2] a repeat that is admitted again", async () => {
    const { client } = opened.target
    const prompt: typeof client.sessions.prompt = (input, options) =>
      client.sessions.prompt({ ...input, id: randomUUID() }, options)
    const target: Target = {
      ...opened.target,
      client: { ...client, sessions: { ...client.sessions, prompt } },
    }
    const failures = await failuresOf(target, { only: "PR2" })
    expect(failures.length).toBeGreaterThan(5)
  })

  /** What it refuses it does all the same, once: with what was sent, or beside it. */
  const doing = (status: number, isMeant: (request: Request) => boolean, work: () => Promise<unknown>) => {
    let done = false
    return tampered(async (send, request) => {
      const answer = await send(request)
      if (done || answer.status !== status || !isMeant(request)) return answer
      done = true
      await work()
      return answer
    })
  }

  test("[AU1] a caller without a token who is refused, and served", async () => {
    const { sessions } = opened.target.client
    const target = doing(
      401,
      ({ method }) => method === "POST",
      () => sessions.create({ title: "Made by nobody" }),
    )
    const failures = await failuresOf(target, { only: "AU1" })
    expect(failures).toEqual([
      expect.stringMatching(/^expected that nothing changes, but sessions: gone \[\], new .*Made by nobody/),
    ])
    for (const { id: sessionID } of (await sessions.list()).items) await sessions.delete({ sessionID })
  })

  test("[CO1] a request that is refused, and makes a Location known, archives or renames", async () => {
    const { sessions, locations } = opened.target.client
    const { id: sessionID } = await sessions.create({ title: "Bystander" })
    const one = allCases.find(
      ({ title }) => title === "sessions.create refuses a field that it does not know",
    )
    const failureOf = async (work: () => Promise<unknown>) => {
      const run = await prepare(doing(400, () => true, work))
      return one === undefined ? null : (await run(one)).detail
    }
    expect(await failureOf(() => locations.open({ directory: "/" }))).toMatch(/but locations: gone \[\], new/)
    expect(await failureOf(() => sessions.archive({ sessionID, archived: true }))).toMatch(
      /but sessions: gone .*Bystander.*; archived: gone \[\], new .*Bystander/,
    )
    expect(await failureOf(() => sessions.update({ sessionID, title: "Renamed" }))).toMatch(
      /but archived: gone .*Bystander.*, new .*Renamed/,
    )
    await sessions.delete({ sessionID })
  })

  test("[SS1] a title that is not kept", async () => {
    const { client } = opened.target
    const get = async (input: { readonly sessionID: string }): Promise<Session> => ({
      ...(await client.sessions.get(input)),
      title: "Another",
    })
    const target: Target = { ...opened.target, client: { ...client, sessions: { ...client.sessions, get } } }
    const report = reportText(await conform(target, { only: "SS1" }))
    expect(report).toContain(
      "FAILED [SS1] a title comes back as it was given\n       what is read: expected Mend the roof, got Another\n",
    )
    expect(report).toMatch(/It does not conform: \d+ passed, \d+ failed, \d+ skipped\.\n$/)
  })
})

test("what a target lacks is skipped, and said so", async () => {
  const { name, client } = opened.target
  const { results } = await conform({ name, client }, { only: "AU" })
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["skipped"]))
  expect(reportText({ target: name, results })).toContain(
    `skipped ${results.length}: The target takes no requests as they are.`,
  )
})

test("a model that costs money is asked only where that is allowed", async () => {
  const { client } = opened.target
  const get = async () => ({ ...(await client.models.get()), paid: true })
  const target: Target = { ...opened.target, client: { ...client, models: { ...client.models, get } } }
  const skipped = await conform(target, { only: "EP11" })
  expect(skipped.results[0]?.detail).toMatch(/costs money, and --paid was not given\.$/)
  const allowed = await conform(target, { only: "EP11", paid: true })
  expect(allowed.results[0]?.outcome).toBe("passed")
})

test("there are at least 150 cases, each with a name of its own", () => {
  const names = allCases.map(({ rule, title }) => `[${rule}] ${title}`)
  expect(names.length).toBeGreaterThan(150)
  expect(names.filter((name, nth) => names.indexOf(name) !== nth)).toEqual([])
})
