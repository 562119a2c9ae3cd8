import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ownProcess } from "@holdfast/sdk"
import { describe, expect, onTestFinished, test } from "vitest"
import { claimServer, readServerRecord, type ServerRecord, tokenFile } from "../../src/server/record.ts"

const recordOf = (process: ServerRecord["process"], port = 1): ServerRecord => ({
  url: `http://127.0.0.1:${port}`,
  version: "0.0.0",
  process,
  allow: [],
  configuration: "config",
  options: [],
})

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-record-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const write = (directory: string, text: string) => writeFileSync(join(directory, "server.json"), text)

const own = ownProcess()
const ended = { ...own, start: "0" }
const elsewhere = { ...own, boot: "another" }
const claim = (directory: string, answers: boolean) =>
  claimServer(directory, recordOf(own, 2), "mine", async () => answers)

describe("claimServer", () => {
  test("[AU1] one that has made its record and not yet written its token is there already", async () => {
    const directory = makeDirectory()
    const first = JSON.stringify(recordOf(own))
    write(directory, first)
    expect(await claim(directory, false)).toBe(false)
    expect(readFileSync(join(directory, "server.json"), "utf8")).toBe(first)
  })

  test.each([
    ["none", null, false, true],
    ["of a process that has ended", JSON.stringify(recordOf(ended)), true, true],
    ["of another boot, and nobody answers", JSON.stringify(recordOf(elsewhere)), false, true],
    ["of another boot, and it answers", JSON.stringify(recordOf(elsewhere)), true, false],
    ["no record of a server", "{", true, true],
  ])("[SU1] claims over a record: %s", async (_, text, answers, claimed) => {
    const directory = makeDirectory()
    if (text !== null) write(directory, text)
    expect(await claim(directory, answers)).toBe(claimed)
    if (!claimed) return expect(readFileSync(join(directory, "server.json"), "utf8")).toBe(text)
    expect(readServerRecord(directory)).toMatchObject({ kind: "there", token: "mine" })
    expect(readFileSync(tokenFile(directory), "utf8")).toBe("mine\n")
  })
})
