/** Where the official SDK is looked for: in the folder that was named, beside the repository, one folder deep. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { findSdkFile } from "../../scripts/bench/peer-folders.ts"

const sdk = "node_modules/@anthropic-ai/sdk/index.mjs"
let root = ""
let repository = ""

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bench-sdk-")))
  repository = join(root, "work", "repository")
  mkdirSync(repository, { recursive: true })
  vi.stubEnv("PEERS_DIR", join(root, "peers"))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

function install(folder: string): string {
  const file = join(folder, sdk)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, "")
  return file
}

test("nothing is found where nothing is installed", () => expect(findSdkFile(repository)).toBe(null))

test("the folder that was named comes first", () => {
  install(join(root, "work", "other"))
  const named = install(join(root, "peers"))
  expect(findSdkFile(repository)).toBe(named)
})

test("a folder beside the repository is looked into", () => {
  const file = install(join(root, "work", "other"))
  expect(findSdkFile(repository)).toBe(file)
})
