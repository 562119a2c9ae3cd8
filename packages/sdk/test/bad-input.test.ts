/** Calls that the types would not allow: the same refusals in this process and behind a network. */
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { openHoldfast as openScoped } from "../src/effect.ts"
import { type HoldfastClient, openHoldfast, serveHoldfast, settled } from "../src/index.ts"
import { makePlace, surfaces } from "./place.ts"

type Loose = Record<string, (input?: unknown) => Promise<unknown>>

const loose = ({ sessions }: HoldfastClient): Loose => sessions as unknown as Loose

/** What a plain JavaScript program might pass to each method, and which part does not fit. */
const calls: readonly (readonly [method: string, input: unknown, part: string])[] = [
  ["create", { directroy: "/tmp" }, "payload"],
  ["create", { directory: 7 }, "payload"],
  ["create", { title: "a".repeat(1_001) }, "payload"],
  ["create", { title: "a\ud800b" }, "payload"],
  ["create", { model: { provider: "offline", model: "agent" } }, "payload"],
  ["create", { policy: "ignore" }, "payload"],
  ["prompt", { text: "Hello", delivery: "later" }, "payload"],
  ["prompt", { text: "Hello", delivery: null }, "payload"],
  ["prompt", { text: 1 }, "payload"],
  ["prompt", {}, "payload"],
  ["prompt", { text: "Hello", resume: "no" }, "payload"],
  ["prompt", { text: "Hello", id: 7 }, "payload"],
  ["prompt", { text: "Hello", images: [{ bytes: [1, 2] }] }, "payload"],
  ["prompt", { text: "Hello", images: [{ data: "not Base64" }] }, "payload"],
  ["prompt", { text: "Hello", deliver: "queue" }, "payload"],
  ["edit", { promptID: "one", text: null }, "payload"],
  ["edit", { promptID: "one", text: "Hello", delivery: "queue" }, "payload"],
  ["edit", { promptID: 1, text: "Hello" }, "path"],
  ["update", { title: 7 }, "payload"],
  ["update", { policy: "ignore" }, "payload"],
  ["update", { model: "offline/agent" }, "payload"],
  ["fork", { messageID: 7 }, "payload"],
  ["fork", { message: "msg_1" }, "payload"],
  ["move", {}, "payload"],
  ["move", { directory: "" }, "payload"],
  ["archive", {}, "payload"],
  ["archive", { archived: "yes" }, "payload"],
  ["switchModel", { model: 7 }, "payload"],
  ["switchAgent", { agent: 7 }, "payload"],
  ["switchModel", { model: "offline/agent", until: "noon" }, "payload"],
  ["list", { limit: 0 }, "query"],
  ["list", { limit: 201 }, "query"],
  ["list", { limit: 1.5 }, "query"],
  ["active", { limt: 2 }, "query"],
  ["inbox", { cursor: "a", limit: 2 }, "query"],
  ["messages", { order: "sideways" }, "query"],
  ["context", { after: 1 }, "query"],
  ["history", { after: -1 }, "query"],
  ["history", { after: 0.5 }, "query"],
  ["turns", { turn: "x" }, "query"],
  ["verify", { turn: "x" }, "query"],
  ["get", { force: true }, "query"],
  ["delete", { force: true }, "query"],
  ["interrupt", { force: true }, "query"],
  ["resume", { force: true }, "query"],
  ["wait", { timeoutMs: 1 }, "query"],
  ["request", { model: "offline/agent" }, "query"],
  ["cancel", { promptID: null }, "path"],
  ["message", { messageID: 1 }, "path"],
  ["quarantine", { messageID: [] }, "path"],
  ["fold", { share: 0.3 }, "query"],
  ["flush", { share: 0.3 }, "query"],
  ["rebuild", { fromSeq: -1 }, "payload"],
  ["rebuild", { fromSeq: 9, toSeq: 3 }, "payload"],
  ["receipts", { turn: "x" }, "query"],
  ["model", { model: "offline/agent" }, "query"],
  ["probe", { without: [] }, "payload"],
  ["probe", { without: "msg_1" }, "payload"],
  ["image", { handle: 1 }, "path"],
  ["sentRequest", { turnID: {} }, "path"],
  ["import", { data: 7 }, "payload"],
  ["import", { bundle: "one" }, "payload"],
]

describe.each(surfaces)("%s", (_, open) => {
  test("[CO3 EM1] what does not fit is InvalidRequest, for every method, and leaves nothing behind", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { id: sessionID, seq } = await holdfast.sessions.create()
    const sessions = loose(holdfast)
    const withoutSession = new Set(["create", "list", "active", "import"])
    for (const [method, input, part] of calls) {
      const given = withoutSession.has(method) ? input : { sessionID, ...(input as object) }
      await expect(sessions[method]?.(given), `${method} ${JSON.stringify(input)}`).rejects.toMatchObject({
        _tag: "InvalidRequest",
        part,
        message: expect.stringMatching(
          /^(The (field ".+"|query|payload) must be .*|The field ".+" is missing\.|There is no field ".+"\..*)$/,
        ),
      })
    }
    const streamed = (input: object) => {
      const events = holdfast.sessions.events(input as { sessionID: string })
      return events[Symbol.asyncIterator]().next()
    }
    await expect(streamed({ sessionID, after: -1 })).rejects.toMatchObject({ _tag: "InvalidRequest" })
    await expect(streamed({ sessionID, from: 1 })).rejects.toMatchObject({ _tag: "InvalidRequest" })
    const exported = (input: object) => {
      const bytes = holdfast.sessions.export(input as { sessionID: string })
      return bytes[Symbol.asyncIterator]().next()
    }
    await expect(exported({ sessionID, format: "pdf" })).rejects.toMatchObject({ _tag: "InvalidRequest" })
    await expect(exported({ sessionID, from: 1 })).rejects.toMatchObject({ _tag: "InvalidRequest" })
    const models = holdfast.models as unknown as Loose
    await expect(models["get"]?.({ modle: "a/b" })).rejects.toMatchObject({ _tag: "InvalidRequest" })
    const tried = new Set([...calls.map(([method]) => method), "events", "export"])
    expect(Object.keys(holdfast.sessions).filter((method) => !tried.has(method))).toEqual([])
    expect(await holdfast.sessions.get({ sessionID })).toMatchObject({ seq, status: { pending: 0 } })
    expect((await holdfast.sessions.list()).items).toHaveLength(1)
  })

  test("[DR9 CO3] what JSON cannot say is refused by its field, and takes no limit away", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const sessions = loose(holdfast)
    const budget = { tokens: 1_000, money: 5 }
    const { id: sessionID } = await holdfast.sessions.create({ title: "Mine", budget })
    const circle: { self?: unknown } = {}
    circle.self = circle
    const unsayable: readonly (readonly [change: object, told: string])[] = [
      [{ budget: { money: Number.NaN } }, 'The field "budget.money" must be .*, which NaN is not.'],
      [{ budget: { tokens: Infinity } }, 'The field "budget.tokens" must be .*, which Infinity is not.'],
      [{ budget: { tokens: 5n } }, 'The field "budget.tokens" must be .*, which a BigInt is not.'],
      [{ title: Object(Number.NaN) }, 'The field "title" must be .*, which NaN is not.'],
      [{ title: () => "A" }, 'The field "title" must be .*, which a function is not.'],
      [{ allow: ["bash", Symbol("A")] }, 'The field "allow\\[1\\]" must be .*, which a symbol is not.'],
      [{ allow: ["bash", undefined] }, 'The field "allow\\[1\\]" must be .*, which undefined is not.'],
      [circle, "The payload must be JSON: it holds itself"],
    ]
    for (const [change, told] of unsayable) {
      const refused = {
        _tag: "InvalidRequest",
        part: "payload",
        message: expect.stringMatching(new RegExp(`^${told}`)),
      }
      await expect(sessions["update"]?.({ sessionID, ...change }), told).rejects.toMatchObject(refused)
      await expect(sessions["create"]?.(change), told).rejects.toMatchObject(refused)
    }
    await expect(sessions["list"]?.({ limit: Number.NaN })).rejects.toMatchObject({
      _tag: "InvalidRequest",
      part: "query",
      message: 'The field "limit" must be something that JSON can say, which NaN is not.',
    })
    expect(await holdfast.sessions.get({ sessionID })).toMatchObject({ title: "Mine", budget })
    expect((await holdfast.sessions.list()).items).toHaveLength(1)
  })

  test("[EM1] a call without its Session, or with nothing at all, is refused", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const sessions = loose(holdfast)
    for (const given of [undefined, null, "ses_a", 7, {}, { sessionID: 7 }])
      await expect(sessions["get"]?.(given)).rejects.toMatchObject({ _tag: "InvalidRequest" })
  })

  test("[CO3] an option of a call that nobody knows is refused, and the call does nothing", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { id: sessionID } = await holdfast.sessions.create()
    const { signal } = new AbortController()
    const wrong: readonly (readonly [options: unknown, told: RegExp])[] = [
      [{ singal: signal }, /^There is no option "singal" of a call\. There are signal and headers\.$/],
      [signal, /^The options of a call must be an object, as in \{ signal \}\./],
      ["stop", /^The options of a call must be an object/],
      [{ signal: "stop" }, /^The option "signal" must be an AbortSignal\.$/],
      [{ headers: { a: 1 } }, /^The option "headers" must be an object of texts\.$/],
    ]
    for (const [options, told] of wrong) {
      const refused = { _tag: "InvalidRequest", part: "payload", message: expect.stringMatching(told) }
      const { sessions, health } = holdfast
      await expect(sessions.create({}, options as never), String(told)).rejects.toMatchObject(refused)
      await expect(health.get(options as never), String(told)).rejects.toMatchObject(refused)
      const events = sessions.events({ sessionID }, options as never)[Symbol.asyncIterator]()
      await expect(events.next(), String(told)).rejects.toMatchObject(refused)
    }
    expect((await holdfast.sessions.list({}, { signal, headers: {} })).items).toHaveLength(1)
    expect(await holdfast.health.get(undefined)).toMatchObject({ healthy: true })
  })

  test("[EM1] a field without a value is as good as left out", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const sessions = loose(holdfast)
    await expect(sessions["create"]?.({ title: undefined })).resolves.toMatchObject({ title: null })
    await expect(sessions["list"]?.({ limit: undefined, cursor: undefined })).resolves.toMatchObject({
      items: [{}],
    })
  })
})

test("[CF1] with a broken configuration Holdfast opens where somebody hears of it, and begins no turn", async () => {
  await using place = await makePlace()
  const { options } = place
  const configDir = options.configDir ?? ""
  await using sound = await openHoldfast(options)
  const { id: sessionID } = await sound.sessions.create()
  await mkdir(configDir, { recursive: true })
  await writeFile(join(configDir, "holdfast.jsonc"), '{ "providers": 7 }')
  await expect(openHoldfast(options)).rejects.toMatchObject({ _tag: "ConfigurationInvalid" })
  const faults: string[] = []
  const onConfigurationFault = ({ message }: { readonly message: string }) => void faults.push(message)
  await using holdfast = await openHoldfast({ ...options, onConfigurationFault })
  expect(faults).toEqual([expect.stringContaining("holdfast.jsonc:1: providers")])
  expect((await holdfast.sessions.list()).items.map(({ id }) => id)).toEqual([sessionID])
  await expect(holdfast.sessions.create()).rejects.toMatchObject({ _tag: "ConfigurationInvalid" })
  await expect(holdfast.models.get()).rejects.toMatchObject({ _tag: "ModelNotFound", message: faults[0] })
  await holdfast.sessions.prompt({ sessionID, text: "Hello." })
  expect(await settled(holdfast, { sessionID })).toMatchObject({
    status: "blocked",
    reason: { message: faults[0] },
  })
})

test("[CF1] a misspelt option is refused before anything is opened, with the name that may be meant", async () => {
  await using place = await makePlace()
  const { options } = place
  const misspelt = { ...options, dataDri: "/tmp" }
  await expect(openHoldfast(misspelt)).rejects.toMatchObject({
    _tag: "ConfigurationInvalid",
    file: "openHoldfast(…)",
    message: 'openHoldfast has no option "dataDri". Did you mean "dataDir"?',
  })
  const scoped = Effect.flip(Effect.scoped(openScoped(misspelt)))
  expect(await Effect.runPromise(scoped)).toMatchObject({
    message: 'openHoldfast has no option "dataDri". Did you mean "dataDir"?',
  })
  const served = { ...options, token: "t", alowedHosts: ["a"] }
  await expect(serveHoldfast(served)).rejects.toMatchObject({
    message: 'serveHoldfast has no option "alowedHosts". Did you mean "allowedHosts"?',
  })
  await expect(openHoldfast({ ...options, port: 1 } as never)).rejects.toMatchObject({
    message: expect.stringMatching(/^openHoldfast has no option "port"\. /),
  })
  expect(existsSync(options.dataDir ?? "")).toBe(false)
})

test("[CO3 CF1] an option of another kind is refused before anything is opened, by its name", async () => {
  await using place = await makePlace()
  const { options } = place
  const wrong: readonly (readonly [given: object, told: string | RegExp])[] = [
    [{ continues: "no" }, 'The option "continues" of openHoldfast must be true or false.'],
    [{ directory: 5 }, /^The option "directory" of openHoldfast must be the path of a directory/],
    [{ dataDir: "a\0b" }, /^The option "dataDir" of openHoldfast must be the path of a directory/],
    [{ environment: "x" }, /^The option "environment" of openHoldfast must be an object of texts/],
    [{ environment: { HOME: 1 } }, /^The option "environment" of openHoldfast must be an object of texts/],
    [{ models: [] }, /^The option "models" of openHoldfast must be an object/],
    [{ reserve: { a: null } }, /^The option "reserve" of openHoldfast must be an object of providers/],
    [
      { onConfigurationFault: "tell" },
      'The option "onConfigurationFault" of openHoldfast must be a function.',
    ],
    [{ allow: "bash" }, /^The option "allow" of openHoldfast must be a list of rules/],
    [{ allow: [7] }, /^The option "allow" of openHoldfast must be a list of rules/],
    [{ allow: ["%%%"] }, /^The option "allow": The rule "%%%" cannot be read\. Write /],
    [{ allow: ["bsah"] }, /^The option "allow": The rule "bsah" cannot be read\. .* Write bash instead\.$/],
    [
      { allow: ["bash", "deny bash"] },
      /^The option "allow": The rule "deny bash" cannot be read\. .* without "deny" in front\. It belongs into "permissions"/,
    ],
    [{ budget: { money: Number.NaN } }, /The field "budget.money" must be .*, which NaN is not\.$/],
    [{ budget: { money: 5n } }, /The field "budget.money" must be .*, which a BigInt is not\.$/],
    [{ model: () => "a/b" }, /The field "model" must be .*, which a function is not\.$/],
    [{ onRestart: "later" }, /onRestart must be "settle" or "continue"[^.]*\.$/],
  ]
  for (const [given, message] of wrong)
    await expect(openHoldfast({ ...options, ...given }), String(message)).rejects.toMatchObject({
      _tag: "ConfigurationInvalid",
      file: "openHoldfast(…)",
      message: typeof message === "string" ? message : expect.stringMatching(message),
    })
  for (const given of [null, "x", 7, []])
    await expect(openHoldfast(given as never), String(given)).rejects.toMatchObject({
      _tag: "ConfigurationInvalid",
      message: "openHoldfast takes its options as one object.",
    })
  const served = { ...options, token: "t", port: "4096" } as never
  await expect(serveHoldfast(served)).rejects.toMatchObject({
    file: "serveHoldfast(…)",
    message: 'The option "port" of serveHoldfast must be a port, a whole number from 0 to 65535.',
  })
  expect(existsSync(options.dataDir ?? "")).toBe(false)
})

test("[AU1] a token that cannot be sent is refused before anything is opened", async () => {
  await using place = await makePlace()
  for (const token of ["", "two words", "line\n"])
    await expect(serveHoldfast({ ...place.options, token })).rejects.toMatchObject({
      _tag: "ConfigurationInvalid",
      message: expect.stringContaining("token"),
    })
  expect(existsSync(place.options.dataDir ?? "")).toBe(false)
})
