/** The user's file, edited while Holdfast is open: it holds from the next turn on (CF1, DR2). */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createProviderSim, offlineAgent, scripted, textReply } from "../../../provider-sim/src/index.ts"
import { openLoopback } from "../../../../test/stage/loopback.ts"
import {
  type HoldfastClient,
  type HoldfastOptions,
  makeClient,
  openHoldfast,
  serveHoldfast,
  settled,
} from "../../src/index.ts"

const price = { input: 10, output: 10, cacheRead: 1, cacheWrite: 12.5 }
const models = { agent: { price }, second: { price } }

async function makePlace(agent = offlineAgent()) {
  const sim = createProviderSim({ models: { agent, second: offlineAgent() } })
  const loopback = await openLoopback("changed", { sim: () => sim, models })
  const { root, project: directory, settings } = loopback
  const file = join(root, "config", "holdfast.jsonc")
  const options: HoldfastOptions = {
    directory,
    dataDir: join(root, "data"),
    configDir: join(root, "config"),
    environment: {},
  }
  await mkdir(join(root, "config"))
  const write = (text: string) => writeFile(file, text)
  const set = (more: object) => write(JSON.stringify({ ...settings, ...more }, null, 1))
  await set({})
  return { file, options, write, set, [Symbol.asyncDispose]: loopback[Symbol.asyncDispose] }
}

type Place = Awaited<ReturnType<typeof makePlace>>
type Open = HoldfastClient & AsyncDisposable

const surfaces: readonly (readonly [string, (place: Place) => Promise<Open>])[] = [
  ["embedded", ({ options }) => openHoldfast(options)],
  [
    "served",
    async ({ options }) => {
      const { url, close } = await serveHoldfast({ ...options, token: "token-of-a-test" })
      return { ...makeClient({ baseUrl: url, token: "token-of-a-test" }), [Symbol.asyncDispose]: close }
    },
  ],
]

async function turn(holdfast: HoldfastClient, sessionID: string, text = "Hello.") {
  await holdfast.sessions.prompt({ sessionID, text })
  const result = await settled(holdfast, { sessionID })
  const { items } = await holdfast.sessions.turns({ sessionID })
  return {
    ...result,
    model: items.at(-1)?.started.model.model,
    attempts: items.at(-1)?.settled?.ledger.attempts,
  }
}

const degraded = async ({ health }: HoldfastClient) => (await health.get()).degraded

describe.each(surfaces)("%s", (_, open) => {
  test("[CF1 DR2] an edited file is that of the next turn; a broken one keeps the last good, and is told until it is mended", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { id } = await holdfast.sessions.create()
    expect(await turn(holdfast, id)).toMatchObject({ status: "done", model: "agent" })
    await place.set({ model: "offline/second" })
    expect(await turn(holdfast, id)).toMatchObject({ status: "done", model: "second" })
    expect((await holdfast.config.get()).model).toMatchObject({
      value: "offline/second",
      from: { kind: "user", file: place.file },
    })
    expect(await degraded(holdfast)).toEqual([])

    await place.write('{\n  "model": "offline/agent",\n  "providers": 5\n}')
    expect(await turn(holdfast, id)).toMatchObject({ status: "done", model: "second" })
    expect(await degraded(holdfast)).toEqual([
      {
        part: "configuration",
        cause: expect.stringContaining(`${place.file}:3: providers must be an object`) as string,
        since: expect.any(Number) as number,
      },
    ])

    await place.set({ model: "offline/agent" })
    expect(await degraded(holdfast)).toEqual([])
    expect(await turn(holdfast, id)).toMatchObject({ status: "done", model: "agent" })
  })

  test("[CF1 PE1 PE3] rules, prices and budgets that are set meanwhile hold, too", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { id } = await holdfast.sessions.create()
    expect((await turn(holdfast, id, "Read README.md.")).text).toContain("Greeter")
    await place.set({ permissions: ["deny read(README.md)"], budget: { tokens: 1_000_000 } })
    expect((await turn(holdfast, id, "Read README.md.")).text).not.toContain("Greeter")
    expect((await holdfast.sessions.create()).budget).toMatchObject({ tokens: 1_000_000 })
    await place.set({ model: "offline/second", cost: { askAbove: 0.000_001 } })
    expect(await turn(holdfast, id)).toMatchObject({ status: "asking" })
  })

  test("[SS1] the same creation again is the same Session, whatever is set meanwhile", async () => {
    await using place = await makePlace()
    await using holdfast = await open(place)
    const { sessions } = holdfast
    const given = { id: "ses_one", title: "Mine", budget: { tokens: 5_000 } }
    const first = await sessions.create(given)
    expect(first).toMatchObject({ policy: "settle", budget: { tokens: 5_000, money: null }, model: null })
    await place.set({ onRestart: "continue", budget: { money: 3 } })
    await writeFile(join(place.options.directory ?? "", "holdfast.jsonc"), '{ "model": "offline/second" }')
    expect(await sessions.create(given)).toEqual(first)
    expect(await sessions.create({ ...given, policy: "settle" })).toEqual(first)
    const others = [
      { title: "Yours" },
      { policy: "continue" },
      { budget: { tokens: 6_000 } },
      { budget: { tokens: 5_000, money: 3 } },
      { model: "offline/second" },
    ] as const
    for (const other of others)
      await expect(sessions.create({ ...given, ...other })).rejects.toMatchObject({ _tag: "SessionConflict" })
    const set = { policy: "continue", budget: { tokens: null, money: 3 }, model: { model: "second" } }
    expect(await sessions.create()).toMatchObject(set)
  })
})

test("[PR2 NT2] a prompt with a helper that is sent again has its receipt, though the helper is gone", async () => {
  await using place = await makePlace()
  await place.set({ sidekick: { model: "offline/second" } })
  await using holdfast = await openHoldfast(place.options)
  const { sessions } = holdfast
  const { id: sessionID } = await sessions.create()
  const prompt = { sessionID, text: "Hello.", id: "once", sidekick: true }
  const first = await sessions.prompt(prompt)
  await settled(holdfast, { sessionID })
  await place.set({})
  expect(await sessions.prompt(prompt)).toEqual({ ...first, state: "promoted" })
  const other = sessions.prompt({ ...prompt, text: "Bye." })
  await expect(other).rejects.toMatchObject({ _tag: "PromptConflict" })
  const fresh = sessions.prompt({ ...prompt, id: "twice" })
  await expect(fresh).rejects.toMatchObject({ _tag: "PromptRefused", code: "no_sidekick" })
})

test("[DR2 NT2] a helper that is set meanwhile is there for the next prompt", async () => {
  await using place = await makePlace()
  await using holdfast = await openHoldfast(place.options)
  const { id: sessionID } = await holdfast.sessions.create()
  const ask = () => holdfast.sessions.prompt({ sessionID, text: "Hello.", sidekick: true })
  await expect(ask()).rejects.toMatchObject({ _tag: "PromptRefused", code: "no_sidekick" })
  await place.set({ sidekick: { model: "offline/second" } })
  await ask()
  expect(await settled(holdfast, { sessionID })).toMatchObject({ status: "done" })
})

test("[DR2] a turn that is under way keeps the model that it began with, however often it is tried", async () => {
  let requests = 0
  const model = scripted(() => {
    requests += 1
    return requests === 1
      ? { ...textReply("No."), firstByteMs: 300, fault: { kind: "overloaded" } }
      : textReply("Yes.")
  })
  await using place = await makePlace(model)
  await using holdfast = await openHoldfast(place.options)
  const { id } = await holdfast.sessions.create()
  const { id: other } = await holdfast.sessions.create({ model: "offline/second" })
  const running = turn(holdfast, id)
  await expect.poll(() => requests).toBe(1)
  await place.set({ model: "offline/second" })
  // The turn of another Session looks at the file meanwhile.
  expect(await turn(holdfast, other)).toMatchObject({ model: "second" })
  expect(await running).toMatchObject({ status: "done", model: "agent", attempts: [{}, { failure: null }] })
  expect(await turn(holdfast, id)).toMatchObject({ model: "second" })
})

test("[CF1] one that opened in spite of a fault works once the file is mended", async () => {
  await using place = await makePlace()
  await place.write("{")
  const faults: string[] = []
  const warnings: string[] = []
  await using holdfast = await openHoldfast({
    ...place.options,
    onConfigurationFault: ({ message }) => faults.push(message),
    onConfigurationWarning: (warning) => warnings.push(warning),
  })
  expect(faults).toEqual([expect.stringContaining("The syntax is wrong")])
  await expect(holdfast.sessions.create()).rejects.toMatchObject({ _tag: "ConfigurationInvalid" })
  expect(await degraded(holdfast)).toMatchObject([{ part: "configuration" }])
  await place.set({})
  const { id } = await holdfast.sessions.create()
  expect(await turn(holdfast, id)).toMatchObject({ status: "done", model: "agent" })
  await place.write('{ "timezone": "UTC", "model": 5 }')
  expect(await turn(holdfast, id)).toMatchObject({ status: "done", model: "agent" })
  expect(warnings).toEqual([expect.stringMatching(/model must be a text[^]*the settings before it hold/)])
})
