/** Holdfast through its Promises, embedded and behind a network: every method, and how each one fails. */
import { mkdirSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import * as client from "../../client/src/index.ts"
import * as sdk from "../src/index.ts"
import { settled } from "../src/index.ts"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { makePlace, surfaces } from "./place.ts"

const { everyItem, isFailure } = sdk

/** A model that holds its answer back, so that a drain is surely under way. */
const slow = scripted(() => ({ ...textReply("Done."), firstByteMs: 60_000 }))

test("the package exports these names beside those of the client, and no others", () =>
  expect(
    Object.keys(sdk)
      .filter((name) => !(name in client))
      .sort(),
  ).toEqual([
    "bundleRecord",
    "callOfProcess",
    "configDirectoryOf",
    "cutInstructions",
    "dataDirectoryOf",
    "describeAgents",
    "describeSkills",
    "examineHoldfast",
    "explainPermission",
    "fromAiSdk",
    "handleOf",
    "judgeProcess",
    "listPermissions",
    "openHoldfast",
    "ownProcess",
    "projectWarnings",
    "readConfiguration",
    "readTypedPrompt",
    "rebuildStore",
    "refreshModelCatalog",
    "serveHoldfast",
    "setSetting",
    "settingDefaults",
    "settingsSchema",
    "unreachedInstructions",
    "writeBundle",
  ]))

describe.each(surfaces)("%s", (_, open) => {
  test("[CO5] the groups have the names of the contract", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const groups = Object.keys(holdfast).filter(
      (name) => !["close", "tools", "sources", "router"].includes(name),
    )
    expect(groups.sort()).toEqual([
      "asks",
      "config",
      "dreams",
      "events",
      "files",
      "health",
      "locations",
      "memories",
      "models",
      "notes",
      "providers",
      "ptys",
      "searches",
      "sessions",
      "workspaces",
    ])
    expect(Object.keys(holdfast.sessions).sort()).toEqual([
      "active",
      "archive",
      "cancel",
      "context",
      "create",
      "delete",
      "edit",
      "events",
      "export",
      "flush",
      "fold",
      "fork",
      "get",
      "history",
      "image",
      "import",
      "inbox",
      "interrupt",
      "list",
      "message",
      "messages",
      "model",
      "move",
      "probe",
      "prompt",
      "quarantine",
      "rebuild",
      "receipts",
      "request",
      "resume",
      "sentRequest",
      "switchAgent",
      "switchModel",
      "turns",
      "update",
      "verify",
      "wait",
    ])
  })

  test("a prompt is answered, and everything about it can be read", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create({ directory: place.directory, title: "first" })
    const receipt = await sessions.prompt({ sessionID, text: "Read README.md.", id: "mine" })
    const result = await settled({ sessions }, { sessionID })
    expect(receipt).toMatchObject({ prompt: "mine", state: "pending", delivery: "steer" })
    expect(result).toMatchObject({ status: "done", reason: null, session: sessionID, prompt: "mine" })
    expect(result.text).toContain("Greeter")
    const { items: messages } = await sessions.messages({ sessionID })
    expect(messages.map(({ kind }) => kind)).toEqual(["user", "assistant", "assistant"])
    expect(await sessions.message({ sessionID, messageID: messages[1]?.id ?? "" })).toEqual(messages[1])
    expect((await sessions.context({ sessionID })).items).toEqual(messages)
    expect((await sessions.turns({ sessionID })).items.length).toBe(2)
    const { items: verified } = await sessions.verify({ sessionID })
    expect(verified.map(({ verdict }) => verdict.kind)).toEqual(["same", "same"])
    const sent = await sessions.sentRequest({ sessionID, turnID: verified[1]?.turn ?? "" })
    expect(sent).toMatchObject({ turn: verified[1]?.turn, verdict: { kind: "same" } })
    expect(sent.headers).toContain("x-api-key")
    expect(JSON.parse(sent.body ?? "")).toMatchObject({ model: "agent", messages: [{}, {}, {}] })
    const { items: history, next } = await sessions.history({ sessionID, limit: 1 })
    expect(history.map(({ fact }) => fact.type)).toEqual(["session.created"])
    expect(next).toEqual(expect.any(String))
    expect((await sessions.list()).items.map(({ title }) => title)).toEqual(["first"])
    const again = await sessions.prompt({ sessionID, text: "Read README.md.", id: "mine" })
    expect(again).toEqual({ ...receipt, state: "promoted" })
    expect(await holdfast.models.get()).toMatchObject({ provider: "offline", model: "agent", paid: false })
    expect(await holdfast.health.get()).toMatchObject({ healthy: true, degraded: [] })
    await sessions.delete({ sessionID })
    expect((await sessions.list()).items).toEqual([])
  })

  test("[PG1 PG4] lists are Pages that go on by cursor alone, both ways", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "Read README.md." })
    await settled({ sessions }, { sessionID })
    const all: number[] = []
    for await (const { seq } of everyItem((page) => sessions.history({ sessionID, ...page }), { limit: 2 }))
      all.push(seq)
    const { seq } = await sessions.get({ sessionID })
    expect(all).toEqual(Array.from({ length: seq }, (__, at) => at + 1))
    const first = await sessions.history({ sessionID, after: 1, limit: 2 })
    const second = await sessions.history({ sessionID, cursor: first.next ?? "" })
    expect((await sessions.history({ sessionID, cursor: second.previous ?? "" })).items).toEqual(first.items)
    const newest = await sessions.messages({ sessionID, order: "newest-first", limit: 1 })
    expect(newest.items[0]).toMatchObject({ kind: "assistant" })
    expect(newest.previous).toBeNull()
  })

  test("[EP11] system messages are shown on request", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    await writeFile(join(place.directory, "AGENTS.md"), "Be brief.")
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "Read README.md." })
    await settled({ sessions }, { sessionID })
    await writeFile(join(place.directory, "AGENTS.md"), "Be thorough.")
    await sessions.prompt({ sessionID, text: "Once more." })
    await settled({ sessions }, { sessionID })
    const kinds = async (system?: boolean) =>
      (await sessions.messages({ sessionID, ...(system !== undefined && { system }) })).items.map(
        ({ kind }) => kind,
      )
    expect(await kinds(true)).toContain("system")
    expect(await kinds(false)).not.toContain("system")
    expect(await kinds()).not.toContain("system")
    expect((await sessions.context({ sessionID })).items.map(({ kind }) => kind)).toContain("system")
  })

  test("[CO3] a Session works in a directory that somebody opened, by whatever path it is named", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const directory = join(place.directory, "annexe")
    mkdirSync(directory)
    const unknown = { _tag: "LocationUnknown", directory }
    await expect(holdfast.sessions.create({ directory: "annexe" })).rejects.toMatchObject(unknown)
    await expect(holdfast.files.list({ directory })).rejects.toMatchObject(unknown)
    const location = await holdfast.locations.open({ directory: "./annexe/../annexe" })
    expect(location).toEqual({ directory, projectRoot: expect.any(String) })
    expect(await holdfast.locations.get({ directory })).toEqual(location)
    const session = await holdfast.sessions.create({ directory: "annexe" })
    expect(session.location).toEqual(location)
    expect((await holdfast.files.list({ directory })).items).toEqual([])
  })

  test("[CO3] a Session without a directory works in the instance's own", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    expect((await holdfast.sessions.create()).location.directory).toBe(place.directory)
    const missing = holdfast.sessions.create({ directory: "attic" })
    await expect(missing).rejects.toMatchObject({
      _tag: "LocationMissing",
      directory: join(place.directory, "attic"),
    })
  })

  test("[CO4] a switched model holds from the next turn, and the same choice changes nothing", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID, seq } = await sessions.create()
    const switched = await sessions.switchModel({ sessionID, model: "offline/agent" })
    expect(switched).toMatchObject({ seq: seq + 1, model: { provider: "offline", model: "agent" } })
    expect(await sessions.switchModel({ sessionID, model: "offline/agent" })).toEqual(switched)
    const unknown = sessions.switchModel({ sessionID, model: "offline/none" })
    await expect(unknown).rejects.toMatchObject({ _tag: "ModelNotFound" })
    expect((await sessions.get({ sessionID })).seq).toBe(switched.seq)
  })

  test("[PG3] the planned request shows what waits, before and after it is sent", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    expect(await sessions.request({ sessionID })).toMatchObject({ due: false, hash: null, lastBreak: null })
    await sessions.prompt({ sessionID, text: "Read README.md.", resume: false })
    const planned = await sessions.request({ sessionID })
    expect(planned.segments.map(({ name }) => name)).toEqual(["tools", "system", "agent", "tail"])
    expect(planned).toMatchObject({ due: true, obstacle: null, limit: { contextTokens: 200_000 } })
    expect((await sessions.get({ sessionID })).seq).toBe(2)
    await sessions.resume({ sessionID })
    await settled({ sessions }, { sessionID })
    const { items: turns } = await sessions.turns({ sessionID })
    expect(turns[0]?.started.request.hash).toBe(planned.hash)
  })

  test("[PG3] it tells what each block says where that is asked for, and that is what is sent", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "Read README.md." })
    await settled({ sessions }, { sessionID })
    await sessions.prompt({ sessionID, text: "And now?", resume: false })
    const { segments, settings = "", ...planned } = await sessions.request({ sessionID, content: true })
    const contents = segments.flatMap(({ blocks }) => blocks.map(({ content = "" }) => content))
    expect(contents.at(-1)).toContain("And now?")
    const short = await sessions.request({ sessionID, content: false })
    expect(short).toMatchObject({ hash: planned.hash, tokens: planned.tokens })
    expect(JSON.stringify(short)).not.toContain("And now?")
    await sessions.resume({ sessionID })
    await settled({ sessions }, { sessionID })
    const { items: turns } = await sessions.turns({ sessionID })
    const turn = turns.find(({ started }) => started.request.hash === planned.hash)
    const sent = await sessions.sentRequest({ sessionID, turnID: turn?.started.turn ?? "" })
    const body = (sent.body ?? "").replaceAll(/,"cache_control":\{[^}]*\}/g, "")
    expect(contents.filter((content) => !body.includes(content))).toEqual([])
    expect(JSON.parse(body)).toMatchObject(JSON.parse(settings))
  })

  test("input that waits can be listed, edited and cancelled", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    for (const id of ["one", "two"]) await sessions.prompt({ sessionID, text: id, id, resume: false })
    await sessions.edit({ sessionID, promptID: "one", text: "uno" })
    await sessions.cancel({ sessionID, promptID: "two" })
    const { items } = await sessions.inbox({ sessionID })
    expect(items.map(({ id, text }) => [id, text])).toEqual([["one", "uno"]])
    expect((await sessions.active()).items).toEqual([])
  })

  test("[DR3 DR6] a running Session is active until it is interrupted, and can be resumed", async () => {
    await using place = await makePlace(slow)
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "Wait." })
    for await (const { fact } of sessions.events({ sessionID })) if (fact.type === "turn.started") break
    expect((await sessions.active()).items).toEqual([sessionID])
    await sessions.interrupt({ sessionID })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "interrupted" })
    expect((await sessions.get({ sessionID })).status).toMatchObject({ state: "interrupted", owing: true })
    expect((await sessions.active()).items).toEqual([])
  })

  test("[DR4] a Session whose Holdfast was closed is not busy for the next one", async () => {
    await using place = await makePlace(slow)
    const first = await open(place)
    const { id: sessionID } = await first.sessions.create()
    await first.sessions.prompt({ sessionID, text: "Wait." })
    for await (const { fact } of first.sessions.events({ sessionID })) if (fact.type === "turn.started") break
    await first.close()
    await first.close()
    await using second = await open(place)
    expect((await second.sessions.get({ sessionID })).status.state).toBe("interrupted")
  })

  test("[PG2 PG4] what is missing or does not fit is a typed failure", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions, models } = holdfast
    const { id: sessionID } = await sessions.create()
    const { id: other } = await sessions.create()
    await sessions.prompt({ sessionID: other, text: "Read README.md." })
    await settled({ sessions }, { sessionID: other })
    const foreign = (await sessions.messages({ sessionID: other })).items[0]?.id ?? ""
    const foreignTurn = (await sessions.turns({ sessionID: other })).items[0]?.started.turn ?? ""
    const { next: cursor } = await sessions.history({ sessionID: other, limit: 1 })
    const unknown = { sessionID: "ses_none" }
    const cases: readonly (readonly [tag: string, work: () => Promise<unknown>])[] = [
      ["SessionNotFound", () => sessions.get(unknown)],
      ["InvalidId", () => sessions.get({ sessionID: "none" })],
      ["SessionNotFound", () => sessions.prompt({ ...unknown, text: "x" })],
      ["PromptRefused", () => sessions.prompt({ sessionID, text: " " })],
      ["InvalidId", () => sessions.prompt({ sessionID, text: "x", id: "-" })],
      ["PromptNotFound", () => sessions.cancel({ sessionID, promptID: "none" })],
      ["NothingOwed", () => sessions.resume({ sessionID })],
      ["LocationMissing", () => sessions.create({ directory: `${place.directory}/none` })],
      ["ModelNotFound", () => sessions.create({ model: "a/b" })],
      ["ModelNotFound", () => models.get({ model: "nonsense" })],
      ["ModelNotFound", () => models.get({ model: "a/b" })],
      ["SessionNotFound", () => sessions.switchModel({ ...unknown, model: "offline/agent" })],
      ["MessageNotFound", () => sessions.message({ sessionID, messageID: "msg_none" })],
      ["MessageNotFound", () => sessions.message({ sessionID, messageID: foreign })],
      ["MessageNotFound", () => sessions.message({ sessionID, messageID: "nonsense" })],
      ["SessionNotFound", () => sessions.message({ ...unknown, messageID: foreign })],
      ["TurnNotFound", () => sessions.sentRequest({ sessionID, turnID: "trn_none" })],
      ["TurnNotFound", () => sessions.sentRequest({ sessionID, turnID: foreignTurn })],
      ["TurnNotFound", () => sessions.sentRequest({ sessionID, turnID: "nonsense" })],
      ["SessionNotFound", () => sessions.sentRequest({ ...unknown, turnID: foreignTurn })],
      ["SessionNotFound", () => sessions.request(unknown)],
      ["SessionNotFound", () => sessions.context(unknown)],
      ["SessionNotFound", () => sessions.wait(unknown)],
      ["SessionNotFound", () => sessions.delete(unknown)],
      ["SessionNotFound", () => sessions.update(unknown)],
      ["InvalidCursor", () => sessions.history({ sessionID, cursor: cursor ?? "" })],
      ["InvalidCursor", () => sessions.list({ cursor: "forged" })],
      ["InvalidRequest", () => sessions.list({ limit: 0 })],
      ["InvalidRequest", () => sessions.list({ limit: 201 })],
      ["InvalidRequest", () => sessions.list({ limit: 1.5 })],
      ["InvalidRequest", () => sessions.history({ sessionID, after: -1 })],
      ["InvalidRequest", () => sessions.history({ sessionID: other, limit: 1, cursor: cursor ?? "" })],
    ]
    for (const [at, [tag, work]] of cases.entries()) {
      const found = await work().then(
        () => "nothing",
        (caught: unknown) => (isFailure(caught) ? caught._tag : caught),
      )
      expect([at, found]).toEqual([at, tag])
    }
  })
})

describe("failures are told by their tag", () => {
  test("of options, before anything is opened", async () => {
    await using place = await makePlace()
    const opened = sdk.openHoldfast({ ...place.options, model: "nonsense" })
    await expect(opened).rejects.toMatchObject({ _tag: "ConfigurationInvalid" })
  })

  test("[CL2] whoever made them", () => {
    expect(isFailure({ _tag: "SessionNotFound", message: "" }, "SessionNotFound")).toBe(true)
    expect(isFailure({ _tag: "SessionNotFound", message: "" }, "StoreFailure")).toBe(false)
    expect(
      [null, "SessionNotFound", new Error("x"), { _tag: "Other" }, { _tag: "toString" }].some((value) =>
        isFailure(value),
      ),
    ).toBe(false)
  })
})

test("[CA1] AWS keys in the environment choose no provider until a setting names it", async () => {
  const environment = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI" }
  await using place = await makePlace()
  const ambient = async (text: string) => {
    await writeFile(join(place.directory, "holdfast.jsonc"), text)
    const { dataDir = "" } = place.options
    await using holdfast = await sdk.openHoldfast({ dataDir, configDir: place.directory, environment })
    const { items } = await holdfast.providers.list()
    return items.map(({ name, ambient: isAmbient }) => [name, isAmbient])
  }
  expect(await ambient("{}")).toEqual([["bedrock", true]])
  expect(await ambient('{ "model": "bedrock/amazon.nova-pro-v1:0" }')).toEqual([["bedrock", false]])
  expect(await ambient('{ "providers": { "bedrock": { "aws": {} } } }')).toEqual([["bedrock", false]])
})
