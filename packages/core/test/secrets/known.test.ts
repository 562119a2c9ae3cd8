import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { makeCredentials } from "../../src/config/credentials/credentials.ts"
import type { ProviderKey, ProviderSettings } from "../../src/config/settings.ts"
import { learnCredentials, readAhead } from "../../src/secrets/learn-credentials.ts"
import { openMaskKey } from "../../src/secrets/mask-key.ts"
import { makeMasks } from "../../src/secrets/masks.ts"
import { awsKey, awsSecret, plain } from "./samples.ts"

let folder = ""
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "holdfast-masks-"))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test("[AU1] makes the key of a store's masks once, and for its user alone", () => {
  const key = openMaskKey(folder)
  expect(key).toHaveLength(32)
  expect(Buffer.compare(openMaskKey(folder), key)).toBe(0)
  expect(statSync(join(folder, "mask.key")).mode & 0o777).toBe(0o600)
})

test("[AU1] works with a key of its own where none can be kept", () => {
  expect(openMaskKey(join(folder, "missing"))).toHaveLength(32)
  writeFileSync(join(folder, "mask.key"), "too short")
  expect(openMaskKey(folder)).toHaveLength(32)
  expect(readFileSync(join(folder, "mask.key"), "utf8")).toBe("too short")
})

test("[AU1] hides every credential that can be read without a command, before a turn needs it", async () => {
  const file = join(folder, "key")
  writeFileSync(file, plain(30, "file"))
  chmodSync(file, 0o600)
  const environment = {
    SOME_KEY: plain(30, "variable"),
    AWS_ACCESS_KEY_ID: awsKey,
    AWS_SECRET_ACCESS_KEY: awsSecret,
  }
  const keys: readonly ProviderKey[] = [
    { kind: "variable", name: "SOME_KEY" },
    { kind: "variable", name: "ABSENT" },
    { kind: "value", value: Redacted.make(plain(30, "value")) },
    { kind: "file", path: file },
    { kind: "aws", from: { kind: "environment" }, region: "eu-west-1" },
    { kind: "none" },
  ]
  const masks = makeMasks({ key: Buffer.from("key"), shapes: false })
  const text = ["variable", "value", "file"].map((name) => plain(30, name)).join(" ")
  expect(masks.text(text)).toBe(text)
  const credentials = learnCredentials(makeCredentials(environment), masks)
  await Effect.runPromise(
    readAhead(
      credentials,
      keys.map((key): ProviderSettings => ({
        wire: "openai-chat",
        baseUrl: "http://x",
        key,
        models: new Map(),
      })),
    ),
  )
  const token = "⟦secret:credential:[0-9a-f]{8}⟧"
  expect(masks.text(text)).toMatch(new RegExp(`^${token} ${token} ${token}$`))
  expect(masks.text(awsSecret)).toMatch(/^⟦secret:/)
})
