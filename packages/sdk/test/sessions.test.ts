/** The embedded host through its Promises: every group, every method, and how each one fails. */
import { describe, expect, test } from "vitest"
import * as sdk from "../src/index.ts"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { makePlace } from "./place.ts"

const { isFailure } = sdk

/** A model that holds its answer back, so that a drain is surely under way. */
const slow = scripted(() => ({ ...textReply("Done."), firstByteMs: 60_000 }))

test("the package exports these names and no others", () =>
  expect(Object.keys(sdk).sort()).toEqual([
    "LiveOverrun",
    "allowedTools",
    "configuredProviders",
    "isFailure",
    "openHoldfast",
  ]))

test("the groups have the names of the contract", async () => {
  await using place = await makePlace()
  await using holdfast = await place.open()
  expect(Object.keys(holdfast).sort()).toEqual(["close", "events", "models", "sessions"])
  expect(Object.keys(holdfast.sessions).sort()).toEqual([
    "active",
    "cancelPrompt",
    "create",
    "delete",
    "editPrompt",
    "events",
    "get",
    "history",
    "inbox",
    "interrupt",
    "list",
    "messages",
    "prompt",
    "result",
    "resume",
    "switchModel",
    "turns",
    "verify",
    "window",
  ])
})

test("a prompt is answered, and everything about it can be read", async () => {
  await using place = await makePlace()
  await using holdfast = await place.open()
  const { sessions } = holdfast
  const { id: sessionID } = await sessions.create({ directory: place.directory, title: "first" })
  const receipt = await sessions.prompt({ sessionID, text: "Read README.md.", id: "mine" })
  const result = await sessions.result({ sessionID })
  expect(receipt).toMatchObject({ prompt: "mine", state: "pending", delivery: "steer" })
  expect(result).toMatchObject({ status: "done", reason: null, session: sessionID, prompt: "mine" })
  expect(result.text).toContain("Greeter")
  expect((await sessions.messages({ sessionID })).map(({ kind }) => kind)).toEqual([
    "user",
    "assistant",
    "assistant",
  ])
  expect((await sessions.turns({ sessionID })).length).toBe(2)
  expect((await sessions.verify({ sessionID })).map(({ verdict }) => verdict.kind)).toEqual(["same", "same"])
  expect((await sessions.history({ sessionID, limit: 1 })).map(({ fact }) => fact.type)).toEqual([
    "session.created",
  ])
  expect((await sessions.list()).map(({ title }) => title)).toEqual(["first"])
  expect(await sessions.prompt({ sessionID, text: "Read README.md.", id: "mine" })).toMatchObject({
    state: "promoted",
  })
  expect(await holdfast.models.get()).toMatchObject({ provider: "offline", model: "agent", paid: false })
  await sessions.delete({ sessionID })
  expect(await sessions.list()).toEqual([])
})

test("input that waits can be listed, edited and cancelled", async () => {
  await using place = await makePlace()
  await using holdfast = await place.open()
  const { sessions } = holdfast
  const { id: sessionID } = await sessions.create({ directory: place.directory })
  for (const id of ["one", "two"]) await sessions.prompt({ sessionID, text: id, id, resume: false })
  await sessions.editPrompt({ sessionID, promptID: "one", text: "uno" })
  await sessions.cancelPrompt({ sessionID, promptID: "two" })
  expect((await sessions.inbox({ sessionID })).map(({ id, text }) => [id, text])).toEqual([["one", "uno"]])
  expect(sessions.active()).toEqual([])
})

test("[DR3 DR6] a running Session is active until it is interrupted, and can be resumed", async () => {
  await using place = await makePlace(slow)
  await using holdfast = await place.open()
  const { sessions } = holdfast
  const { id: sessionID } = await sessions.create({ directory: place.directory })
  await sessions.prompt({ sessionID, text: "Wait." })
  for await (const { fact } of sessions.events({ sessionID })) if (fact.type === "turn.started") break
  expect(sessions.active()).toEqual([sessionID])
  await sessions.interrupt({ sessionID })
  expect(await sessions.result({ sessionID })).toMatchObject({ status: "interrupted" })
  expect((await sessions.get({ sessionID })).status).toMatchObject({ state: "interrupted", owing: true })
  expect(sessions.active()).toEqual([])
})

test("[DR4] a Session whose Holdfast was closed is not busy for the next one", async () => {
  await using place = await makePlace(slow)
  const first = await place.open()
  const { id: sessionID } = await first.sessions.create({ directory: place.directory })
  await first.sessions.prompt({ sessionID, text: "Wait." })
  for await (const { fact } of first.sessions.events({ sessionID })) if (fact.type === "turn.started") break
  await first.close()
  await first.close()
  await using second = await place.open()
  expect((await second.sessions.get({ sessionID })).status.state).toBe("interrupted")
})

describe("failures are told by their tag", () => {
  test("of methods", async () => {
    await using place = await makePlace()
    await using holdfast = await place.open()
    const { sessions, models } = holdfast
    const { id: sessionID } = await sessions.create({ directory: place.directory })
    const tagOf = (work: Promise<unknown>) =>
      work.then(
        () => "nothing",
        (caught: unknown) => (isFailure(caught) ? caught._tag : caught),
      )
    const unknown = { sessionID: "ses_none" }
    expect(await tagOf(sessions.get(unknown))).toBe("SessionNotFound")
    expect(await tagOf(sessions.get({ sessionID: "none" }))).toBe("InvalidId")
    expect(await tagOf(sessions.prompt({ ...unknown, text: "x" }))).toBe("SessionNotFound")
    expect(await tagOf(sessions.prompt({ sessionID, text: " " }))).toBe("PromptRefused")
    expect(await tagOf(sessions.cancelPrompt({ sessionID, promptID: "none" }))).toBe("PromptNotFound")
    expect(await tagOf(sessions.resume({ sessionID }))).toBe("NothingOwed")
    expect(await tagOf(sessions.create({ directory: `${place.directory}/none` }))).toBe("LocationMissing")
    expect(await tagOf(sessions.create({ directory: place.directory, model: "a/b" }))).toBe("ModelNotFound")
    expect(await tagOf(models.get({ model: "nonsense" }))).toBe("ModelNotFound")
    expect(await tagOf(sessions.switchModel({ ...unknown, model: "offline/agent" }))).toBe("SessionNotFound")
  })

  test("of options, before anything is opened", async () => {
    await using place = await makePlace()
    const opened = sdk.openHoldfast({ ...place.options, model: "nonsense" })
    await expect(opened).rejects.toMatchObject({ _tag: "ConfigurationInvalid" })
  })

  test("whoever made them", () => {
    expect(isFailure({ _tag: "SessionNotFound", message: "" }, "SessionNotFound")).toBe(true)
    expect(isFailure({ _tag: "SessionNotFound", message: "" }, "StoreFailure")).toBe(false)
    expect(
      [null, "SessionNotFound", new Error("x"), { _tag: "Other" }, { _tag: "toString" }].some((value) =>
        isFailure(value),
      ),
    ).toBe(false)
  })
})

test("providers are listed without opening anything", async () => {
  const environment = { ANTHROPIC_API_KEY: "sk-very-secret" }
  await using place = await makePlace()
  const found = await sdk.configuredProviders({ configDir: `${place.directory}/none`, environment })
  expect(found).toEqual([{ name: "anthropic", baseUrl: "https://api.anthropic.com", paid: true, models: [] }])
})
