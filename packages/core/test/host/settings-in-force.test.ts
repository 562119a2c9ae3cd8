/** What is set holds from the next look on; a file that cannot be used leaves the last good settings alone. */
import { Effect, Result } from "effect"
import { describe, expect, test } from "vitest"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import { decodeUserFile, loadUserSettings, noSettings } from "../../src/config/index.ts"
import { openSettings } from "../../src/host/settings-in-force.ts"
import { findWaiting } from "../../src/host/user-ports.ts"
import type { FileContent } from "../../src/instructions/index.ts"

const directory = "/config"
const file = `${directory}/holdfast.jsonc`

/** The user's folder, in memory. */
function makeFolder(text: string | null) {
  const files = new Map<string, string>(text === null ? [] : [[file, text]])
  const reads: string[] = []
  let loads = 0
  const readFile = (path: string): Effect.Effect<FileContent> =>
    Effect.sync(() => {
      reads.push(path)
      const found = files.get(path)
      return found === undefined ? { kind: "missing" } : { kind: "text", text: found }
    })
  const load = Effect.suspend(() => {
    loads += 1
    return Effect.map(loadUserSettings(directory, {}, readFile), ({ settings }) => settings)
  })
  const open = (onFault?: (fault: ConfigurationInvalid) => void) =>
    Effect.runSync(openSettings({ directory, load, readFile, onFault }))
  return { files, reads, open, load, readFile, loads: () => loads }
}

const zone = (timeZone: string) => JSON.stringify({ timeZone })
const broken = '{\n  "budget": 5\n}'

test("[CF1 DR2] a changed file holds from the next look on, and not before it", () => {
  const { files, open } = makeFolder(zone("Europe/Paris"))
  const user = open()
  files.set(file, zone("Asia/Tokyo"))
  expect(user.now().settings.timeZone).toBe("Europe/Paris")
  expect(Effect.runSync(user.look).settings.timeZone).toBe("Asia/Tokyo")
  expect(user.now().settings.timeZone).toBe("Asia/Tokyo")
})

test.each([
  ["a file that stays as it is", zone("Europe/Paris"), 1],
  ["no file at all", null, 2],
])("[DR2] %s is asked for and not read anew", (_, text, questions) => {
  const { reads, open, loads } = makeFolder(text)
  const user = open()
  const { settings } = user.now()
  reads.length = 0
  expect(Effect.runSync(user.look).settings).toBe(settings)
  expect([reads.length, loads()]).toEqual([questions, 1])
})

test("[CF1] a file that changes while it is read for the first time is read again", () => {
  const folder = makeFolder(zone("Europe/Paris"))
  const load = Effect.tap(folder.load, () =>
    Effect.sync(() => void folder.files.set(file, zone("Asia/Tokyo"))),
  )
  const user = Effect.runSync(openSettings({ ...folder, directory, load }))
  expect(user.now().settings.timeZone).toBe("Europe/Paris")
  expect(Effect.runSync(user.look).settings.timeZone).toBe("Asia/Tokyo")
})

describe("[CF1] a file that cannot be used leaves the last good settings in force", () => {
  test.each<readonly [string, (files: Map<string, string>) => void, string]>([
    ["a wrong value", (files) => files.set(file, broken), `${file}:2: budget must be an object in braces.`],
    ["no end of it", (files) => files.set(file, "{"), `${file}:1: The syntax is wrong`],
    ["nothing in it", (files) => files.set(file, ""), `${file}:1: The syntax is wrong`],
    ["no file any more", (files) => files.delete(file), `${file}: The file is gone.`],
  ])("%s", (_, change, said) => {
    const { files, open, loads } = makeFolder(zone("Europe/Paris"))
    const user = open()
    const { settings } = user.now()
    change(files)
    expect(Effect.runSync(user.look)).toMatchObject({ fault: null })
    expect(user.now().settings).toBe(settings)
    expect(user.trouble()).toMatchObject({ part: "configuration", cause: expect.stringContaining(said) })
    expect(user.trouble()?.cause).toContain("Until it is mended, the settings before it hold.")
    const [since, read] = [user.trouble()?.since, loads()]
    Effect.runSync(user.look)
    expect([user.trouble()?.since, loads()]).toEqual([since, read])
    files.set(file, zone("Asia/Tokyo"))
    expect(Effect.runSync(user.look).settings.timeZone).toBe("Asia/Tokyo")
    expect(user.trouble()).toBeNull()
  })

  test("another fault is told in its place, since when the first one came", () => {
    const { files, open } = makeFolder(zone("Europe/Paris"))
    const user = open()
    files.set(file, broken)
    Effect.runSync(user.look)
    const since = user.trouble()?.since
    files.delete(file)
    Effect.runSync(user.look)
    expect(user.trouble()).toMatchObject({ since, cause: expect.stringContaining("The file is gone.") })
  })

  test("one that comes back as it was mends it", () => {
    const { files, open } = makeFolder(zone("Europe/Paris"))
    const user = open()
    files.delete(file)
    Effect.runSync(user.look)
    files.set(file, zone("Europe/Paris"))
    expect(Effect.runSync(user.look).settings.timeZone).toBe("Europe/Paris")
    expect(user.trouble()).toBeNull()
  })

  test("a file of the other name takes its place", () => {
    const { files, open } = makeFolder(zone("Europe/Paris"))
    const user = open()
    files.delete(file)
    files.set(`${directory}/holdfast.json`, zone("Asia/Tokyo"))
    expect(Effect.runSync(user.look).settings.timeZone).toBe("Asia/Tokyo")
  })
})

test("[CF1] settings that were never sound let no turn begin, until the file is mended", () => {
  const { files, open, load, readFile } = makeFolder(broken)
  files.set(`${directory}/holdfast.json`, "{}")
  expect(Result.isFailure(Effect.runSync(Effect.result(openSettings({ directory, load, readFile }))))).toBe(
    true,
  )
  const told: string[] = []
  const user = open(({ message }) => told.push(message))
  expect(told).toEqual([expect.stringContaining("Keep one of the two.")])
  expect(user.now()).toMatchObject({ settings: noSettings, fault: { _tag: "ConfigurationInvalid" } })
  expect(user.trouble()?.cause).toContain("no turn can begin")
  files.delete(`${directory}/holdfast.json`)
  expect(Effect.runSync(user.look).fault?.message).toContain("budget must be an object")
  files.set(file, zone("Europe/Paris"))
  expect(Effect.runSync(user.look)).toMatchObject({ fault: null, settings: { timeZone: "Europe/Paris" } })
})

test("[CF1] what is built into the process is told to wait for its next start, while the file says otherwise", () => {
  const search = { embedding: "off", hint: false } as const
  expect(findWaiting(noSettings, { ...noSettings, search: { hint: false }, maskShapes: true }, 5)).toBeNull()
  expect(findWaiting(noSettings, { ...noSettings, search, maskShapes: false }, 5)).toEqual({
    part: "configuration/start",
    cause:
      "maskShapes and search.embedding changed in your configuration. What was set at the start holds until Holdfast is started again.",
    since: 5,
  })
})

describe("[CF1 SE2] a provider whose model embeds", () => {
  const models = { talks: { limit: { context: 9_000, output: 1_000 } } }
  const mine = { models, wire: "openai-chat", baseUrl: "https://old.example/v1", apiKeyEnv: "MINE" }
  const decoded = (changed: object, search: object = { embedding: "mine/small" }) =>
    Result.getOrThrow(
      decodeUserFile(file, JSON.stringify({ providers: { mine: { ...mine, ...changed } }, search })),
    )

  test.each<readonly [string, object]>([
    ["another address", { baseUrl: "https://other.example/v1" }],
    ["another variable of the key", { apiKeyEnv: "OTHER" }],
    ["another wire", { wire: "anthropic-messages" }],
  ])("that has %s is told, since texts go where they went", (_, changed) => {
    const at = { part: "configuration/start", since: 5 }
    const found = {
      ...at,
      cause: expect.stringMatching(/^the address or the key of a provider that embeds changed/) as string,
    }
    expect(findWaiting(decoded({}), decoded(changed), 5)).toEqual(found)
    const reserved = { projectModels: ["mine/small"] }
    expect(findWaiting(decoded({}, reserved), decoded(changed, reserved), 5)).toEqual(found)
  })

  test("that has another key, itself in the settings, is told without it", () => {
    const withKey = (key: string) => decoded({ apiKeyEnv: undefined, apiKey: key })
    const told = findWaiting(withKey("old-key-of-a-test"), withKey("another-key-of-a-test"), 5)
    expect(told).toMatchObject({ part: "configuration/start" })
    expect(JSON.stringify(told)).not.toContain("key-of-a-test")
  })

  test("that stayed as it was, or embeds nothing, is not told of", () => {
    expect(findWaiting(decoded({}), decoded({ models: { ...models, more: models.talks } }), 5)).toBeNull()
    expect(findWaiting(decoded({}, {}), decoded({ baseUrl: "https://other.example/v1" }, {}), 5)).toBeNull()
  })
})
