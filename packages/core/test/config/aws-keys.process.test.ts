/** AWS keys from real files and commands: private, asked for when due, and renewed when refused. */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { commandKeyMs, expiryMarginMs, makeCredentials } from "../../src/config/credentials/credentials.ts"
import type { AwsSource, ProviderKey } from "../../src/config/settings.ts"
import { onClock } from "./fixed-clock.ts"

const canary = "canary/secret-5ab0"
const region = "eu-west-3"
const environment = { PATH: process.env["PATH"] }
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "holdfast-aws-"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const keyFrom = (from: AwsSource): ProviderKey => ({ kind: "aws", from, region })

async function profileFile(name: string, mode: number, id = "AKIDONE") {
  const file = join(root, name)
  await writeFile(file, `[work]\naws_access_key_id = ${id}\naws_secret_access_key = ${canary}\n`)
  await chmod(file, mode)
  return { file, key: keyFrom({ kind: "profile", file, profile: "work" }) }
}

/** A command that counts how often it was asked, and gives another key each time. */
function countingCommand(name: string, more = "") {
  const counter = join(root, name)
  const script = `echo x >> ${counter}; n=$(wc -l < ${counter} | tr -d ' ')
printf '{"Version":1,"AccessKeyId":"AKID%s","SecretAccessKey":"${canary}"${more}}' "$n"`
  return { counter, key: keyFrom({ kind: "command", argv: ["sh", "-c", script] }) }
}

test("[AU1] a profile is read from a private file, for the region of its provider", async () => {
  const { key } = await profileFile("private", 0o600)
  const found = await Effect.runPromise(makeCredentials(environment).read(key, "speak"))
  expect(found).toEqual({ accessKeyId: "AKIDONE", secretAccessKey: canary, sessionToken: null, region })
})

test("[AU1] a profile in a file that others may read is refused, and the remedy is told", async () => {
  const { file, key } = await profileFile("open", 0o644)
  const found = await Effect.runPromise(Effect.result(makeCredentials(environment).read(key, "describe")))
  if (Result.isSuccess(found)) throw new Error("It was read.")
  expect(found.failure.code).toBe("file_open")
  expect(found.failure.message).toContain(`chmod 600 ${file}`)
  expect(found.failure.message).not.toContain(canary)
})

test("[AU1] a profile that has changed is another credential, one that has not is none", async () => {
  const { key } = await profileFile("changing", 0o600)
  const { read, renew } = makeCredentials(environment)
  const refused = await Effect.runPromise(read(key, "speak"))
  expect(await Effect.runPromise(renew(key, refused))).toBeNull()
  await profileFile("changing", 0o600, "AKIDTWO")
  expect(await Effect.runPromise(renew(key, refused))).toMatchObject({ accessKeyId: "AKIDTWO" })
})

test("[AU1] keys of a command are kept until shortly before they expire", async () => {
  const expiresAtMs = Date.parse("2026-11-15T13:00:00Z")
  const { key } = countingCommand("expiring", ',"Expiration":"2026-11-15T13:00:00Z"')
  const { read } = makeCredentials(environment)
  const at = async (ms: number) => {
    const found = await Effect.runPromise(onClock(Effect.result(read(key, "speak")), ms))
    return Result.isSuccess(found) ? found.success : found.failure.code
  }
  const due = expiresAtMs - expiryMarginMs
  expect(await at(due - 10 * commandKeyMs)).toMatchObject({ accessKeyId: "AKID1" })
  expect(await at(due - 1)).toMatchObject({ accessKeyId: "AKID1" })
  expect(await at(due)).toMatchObject({ accessKeyId: "AKID2" })
  expect(await at(expiresAtMs)).toBe("key_expired")
})

test("keys of a command that does not say when they expire are asked for again after a while", async () => {
  const { key } = countingCommand("lasting")
  const { read } = makeCredentials(environment)
  const at = (ms: number) => Effect.runPromise(onClock(read(key, "speak"), ms))
  expect([await at(0), await at(commandKeyMs - 1)]).toMatchObject([
    { accessKeyId: "AKID1" },
    { accessKeyId: "AKID1" },
  ])
  expect(await at(commandKeyMs)).toMatchObject({ accessKeyId: "AKID2" })
})

test("[AU1] keys that were refused are asked for at once, and no command is run to describe", async () => {
  const { counter, key } = countingCommand("refused")
  const { read, renew } = makeCredentials(environment)
  await Effect.runPromise(read(key, "describe"))
  await expect(readFile(counter)).rejects.toThrow("ENOENT")
  const refused = await Effect.runPromise(read(key, "speak"))
  expect(await Effect.runPromise(renew(key, refused))).toMatchObject({ accessKeyId: "AKID2" })
})
