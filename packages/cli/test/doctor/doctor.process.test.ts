/** `holdfast doctor`: on a sound machine, and where nothing else works. */
import { hash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { makeDirectedPlace, makePlace, type Place } from "../place.ts"

interface Diagnosis {
  readonly healthy: boolean
  readonly problems: number
  readonly sections: readonly {
    readonly name: string
    readonly findings: readonly {
      readonly level: string
      readonly code: string
      readonly text: string
      readonly remedy: string | null
    }[]
  }[]
}

async function diagnosis(place: Place, ...more: readonly string[]) {
  const { code, record, err } = await place.call(["doctor", "--json", ...more])
  const found = record() as Diagnosis
  const findings = found.sections.flatMap((section) => section.findings)
  return { code, err, found, findings, codes: findings.map((finding) => finding.code) }
}

const storeFile = (place: Place): string => join(place.root, "data/holdfast.db")

const contents = (place: Place) =>
  readdirSync(join(place.root, "data"), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()
    .map((name) => [name, hash("sha256", readFileSync(join(place.root, "data", name)))])

test("[SU1] on a machine without anything it is healthy, and makes nothing", async () => {
  await using place = await makePlace()
  const { code, out, err } = await place.run(["doctor"])
  expect({ code, err }).toEqual({ code: 0, err: "" })
  for (const section of [
    "Runtime",
    "Data directory",
    "Store",
    "Sessions",
    "Configuration",
    "Providers",
    "Server",
  ]) {
    expect(out).toMatch(new RegExp(`^${section}$`, "m"))
  }
  expect(out).toContain("✓ none is configured: the offline model answers")
  expect(out).toMatch(/\nHoldfast is healthy \(version 0\.1\.0\)\.\n$/)
  expect(existsSync(join(place.root, "data"))).toBe(false)
})

test("[SU1 ST3] a damaged record is named, with what to do, and no byte is written", async () => {
  await using place = await makePlace()
  await place.call(["run", "Remember the word xylophone."])
  const db = new DatabaseSync(storeFile(place))
  db.exec("UPDATE event SET data = replace(data, 'xylophone', 'xylophane') WHERE type = 'prompt.admitted'")
  db.close()
  const before = contents(place)
  const { code, found, findings } = await diagnosis(place)
  expect({ code, healthy: found.healthy }).toEqual({ code: 1, healthy: false })
  expect(findings.find((finding) => finding.code === "store_damaged")).toEqual({
    level: "problem",
    code: "store_damaged",
    text: expect.stringMatching(/^ses_\w{20}, record \d+: the checksum does not match$/) as string,
    remedy: expect.stringContaining("copy it and what lies beside it") as string,
  })
  const { out } = await place.call(["doctor"])
  expect(out).toMatch(/✗ ses_\w{20}, record \d+: the checksum does not match\n/)
  expect(out).toMatch(/\n\d problems? \(version/)
  expect(contents(place)).toEqual(before)
  const refused = await place.call(["doctor", "--rebuild"])
  expect(refused).toMatchObject({ code: 2, out: "" })
  expect(contents(place)).toEqual(before)
})

test("[ST6] projections that differ from a sound log are found, and rebuilt on request", async () => {
  await using place = await makePlace()
  await place.call(["run", "Read README.md."])
  const db = new DatabaseSync(storeFile(place))
  db.exec("UPDATE session SET summary = json_set(summary, '$.pending', 7, '$.title', 'forged')")
  db.close()
  const found = await diagnosis(place)
  expect(found.code).toBe(1)
  expect(found.codes).toContain("store_stale")
  const mended = await diagnosis(place, "--rebuild")
  expect({ code: mended.code, sound: mended.codes.includes("store_sound") }).toEqual({ code: 0, sound: true })
  expect((await place.call(["sessions", "--json"])).record()).toMatchObject({
    title: "Read README.md.",
    status: { pending: 0 },
  })
})

test("[ST3] a store that is cut, none at all, newer or locked is told, not thrown", async () => {
  await using place = await makePlace()
  await place.call(["run", "Read README.md."])
  const whole = readFileSync(storeFile(place))

  const db = new DatabaseSync(storeFile(place))
  db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
  const locked = await diagnosis(place)
  db.close()
  expect(locked.err).toBe("")
  expect(locked.code).toBe(1)
  expect(locked.codes).toEqual(expect.arrayContaining(["store_busy", "providers_none"]))

  truncateSync(storeFile(place), 20_000)
  expect(await diagnosis(place)).toMatchObject({ code: 1, err: "" })
  writeFileSync(storeFile(place), "this is no store")
  expect(await diagnosis(place)).toMatchObject({ code: 1, err: "" })
  writeFileSync(storeFile(place), whole)
  const newer = new DatabaseSync(storeFile(place))
  newer.exec("PRAGMA user_version = 99")
  newer.close()
  const refused = await diagnosis(place)
  expect(refused.code).toBe(1)
  expect(refused.codes).toContain("store_newer")
  await using elsewhere = await makePlace()
  await elsewhere.write("data", "a file in place of the directory")
  expect((await diagnosis(elsewhere)).codes).toContain("data_no_directory")
})

test("[SU1] every fault of the configuration is told with file and line, and no secret", async () => {
  await using place = await makePlace()
  const secret = "sk-very-secret-key"
  await place.write(
    "config/holdfast.jsonc",
    `{\n  "modle": "x/y",\n  "providers": {\n    "x": { "wire": 1, "baseUrl": "${secret}", "apiKey": "${secret}" }\n  }\n}\n`,
  )
  await place.write("project/holdfast.json", '{\n  "model": "x/y",\n  "timeZone": "UTC"\n}\n')
  const user = join(place.root, "config/holdfast.jsonc")
  const { code, found, findings } = await diagnosis(place)
  const faults = findings
    .filter((finding) => finding.code === "configuration_invalid")
    .map(({ text }) => text)
  expect(code).toBe(1)
  expect(faults).toEqual([
    expect.stringContaining(`${user}:2: modle is not a setting.`) as string,
    expect.stringContaining(`${user}:4: providers.x.wire must be one of`) as string,
    expect.stringContaining(`${user}:4: providers.x.baseUrl must be an address`) as string,
    expect.stringContaining(`${user}:4: providers.x.models is missing.`) as string,
  ])
  expect(findings.find((finding) => finding.code === "configuration_left_out")?.text).toContain(
    `${join(place.project, "holdfast.json")}:3: timeZone cannot be set`,
  )
  expect(JSON.stringify(found)).not.toContain(secret)
})

test("[SU1] providers are asked whether they answer, without their key, and not with --offline", async () => {
  await using place = await makePlace()
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(JSON.stringify([request.method, request.headers]))
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const models = { small: { limit: { context: 1000, output: 100 } } }
  const provider = { wire: "anthropic-messages", baseUrl, models }
  const providers = {
    here: { ...provider, apiKey: "sk-very-secret-key" },
    other: { ...provider, apiKeyEnv: "NO_KEY" },
  }
  await place.write("config/holdfast.jsonc", JSON.stringify({ providers, model: "here/small" }))
  const there = await diagnosis(place)
  expect(there.code).toBe(0)
  expect(there.findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        code: "provider",
        text: expect.stringContaining(`here at ${baseUrl} answers`) as string,
      }),
      expect.objectContaining({ code: "provider_key", level: "warning", remedy: "Set NO_KEY to its key." }),
      expect.objectContaining({ code: "model", text: "a new Session here speaks to here/small" }),
    ]),
  )
  expect(seen).toHaveLength(2)
  expect(seen.join() + JSON.stringify(there.found)).not.toContain("secret")
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  const gone = await diagnosis(place)
  expect(gone.code).toBe(1)
  expect(gone.findings.find((finding) => finding.code === "provider_silent")?.text).toContain("is refused")
  expect(await diagnosis(place, "--offline")).toMatchObject({ code: 0 })
})

test("[SU1 PR8] a Session that owes is listed with the command that ends its debt", async () => {
  await using place = await makeDirectedPlace()
  const steps = [{ tools: [{ name: "bash", input: { command: "sleep 60" } }] }]
  const running = place.start(["run", "--json", "--allow", "bash", `@@SIM${JSON.stringify({ steps })}@@`])
  await running.prints('"call.started"')
  const led = await diagnosis(place)
  expect(led.findings.find((finding) => finding.code === "lease")?.text).toMatch(
    /^ses_\w+ is led by process \d+$/,
  )
  running.kill("SIGKILL")
  await running.ended
  const before = contents(place)
  const { code, findings } = await diagnosis(place)
  expect(code).toBe(0)
  expect(findings.filter(({ level }) => level === "warning")).toEqual([
    {
      level: "warning",
      code: "lease_dead",
      text: expect.stringMatching(/^ses_\w+ was led by process \d+, which is gone$/) as string,
      remedy: "The next start of Holdfast settles what it left open.",
    },
    {
      level: "warning",
      code: "session_unfinished",
      text: expect.stringMatching(/^ses_\w+ owes an answer, interrupted for /) as string,
      remedy: expect.stringMatching(/^holdfast resume ses_\w+$/) as string,
    },
  ])
  const unshared = (name: string) => !name.endsWith("-shm")
  expect(contents(place).filter(([name = ""]) => unshared(name))).toEqual(
    before.filter(([name = ""]) => unshared(name)),
  )
})

test("[SU1 HI8 CF1] a file may name the offline model wherever a model stands, and no command takes it for unknown", async () => {
  await using place = await makePlace()
  const model = "offline/agent"
  const helpers = { titleModel: model, historian: { model }, dreamer: { model }, sidekick: { model } }
  await place.write("config/holdfast.jsonc", JSON.stringify({ model, fallback: [model], ...helpers }))
  const { code, out } = await place.call(["doctor", "--offline"])
  expect(code).toBe(0)
  expect(out).toContain("✓ a new Session here speaks to offline/agent\n")
  expect(out).not.toContain("There is no provider")
  for (const args of [
    ["config"],
    ["config", "set", "titleModel", model],
    ["sessions"],
    ["models"],
    ["memory"],
  ])
    expect(await place.call(args)).toMatchObject({ code: 0, err: "" })
  expect((await place.call(["models"])).out).toContain(
    "offline · no key needed · anthropic-messages · in this program",
  )
  await place.write("config/holdfast.jsonc", JSON.stringify({ dreamer: { model: "ofline/agent" } }))
  expect((await place.call(["doctor", "--offline"])).out).toContain(
    "! dreamer.model: There is no provider ofline. Did you mean offline/agent?",
  )
})

test("[FA1 DM1] what a command's dream failed at is told without a server, from the records, until one succeeds", async () => {
  await using place = await makePlace()
  const configure = (dreamer: object) =>
    place.write("config/holdfast.jsonc", JSON.stringify({ dreamer, search: { embedding: "off" } }))
  await configure({ model: "offline/agent" })
  for (const condition of ["Version 2 is released.", "The flag is gone."])
    await place.call(["note", "write", "Look at the port.", "--when", condition])
  expect((await diagnosis(place, "--offline")).codes).toContain("background")
  expect(await place.call(["dream"])).toMatchObject({ code: 1 })
  const { run } = (await place.call(["dream", "list", "--json"])).record() as { run: string }
  expect((await place.call(["dream", "show", run])).out).toContain(
    "\nsmart-notes failed: The answer of the model",
  )
  const { code, findings } = await diagnosis(place, "--offline")
  expect(code).toBe(0)
  expect(findings.find((finding) => finding.code === "degraded")).toMatchObject({
    level: "warning",
    text: expect.stringMatching(
      /^dreamer is degraded, (?:since just now|for .*): smart-notes in .*project: The answer of the model cannot be used/,
    ) as string,
    remedy: "In that project, holdfast dream tries it again.",
  })
  await configure({})
  expect(await place.call(["dream"])).toMatchObject({ code: 0 })
  expect((await diagnosis(place, "--offline")).codes).not.toContain("degraded")
})
