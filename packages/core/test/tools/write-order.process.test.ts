/** That a file which `write` replaced is whole after a power cut: the calls, in their order. */
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { basename, join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { readTool } from "../../src/tools/read.ts"
import { writeTool } from "../../src/tools/write.ts"
import { rememberingSession, temporaryDirectory } from "./workspace.ts"

const { open, rename } = fs
afterEach(() => {
  Object.assign(fs, { open, rename })
  syncBuiltinESMExports()
})

test("[TL1] write syncs the new file, puts it in its place, then syncs the directory", async () => {
  const directory = await temporaryDirectory()
  await fs.writeFile(join(directory, "notes.md"), "old")
  const session = rememberingSession(directory)
  await session.run(readTool, { path: "notes.md" })
  const calls: string[] = []
  const nameOf = (path: unknown) => basename(String(path)).replace(/^\.holdfast-.*$/, "temporary")
  fs.open = async (path, ...more) => {
    const file = await open(path, ...more)
    const { sync, writeFile } = file
    file.sync = async () => {
      calls.push(`sync ${nameOf(path)}`)
      return sync.call(file)
    }
    file.writeFile = async (...given) => {
      calls.push(`write ${nameOf(path)}`)
      return writeFile.apply(file, given)
    }
    return file
  }
  fs.rename = async (from, to) => {
    calls.push(`rename ${nameOf(from)} ${nameOf(to)}`)
    return rename(from, to)
  }
  syncBuiltinESMExports()
  const { failure } = await session.run(writeTool, { path: "notes.md", content: "new" })
  expect(failure).toBeNull()
  expect(calls).toEqual([
    "write temporary",
    "sync temporary",
    "rename temporary notes.md",
    `sync ${basename(directory)}`,
  ])
})
